"""The head of a network: from graph vectors to logits, by two fully connected layers."""

from torch import Tensor, nn

from graphpool.nn.module import reset_children
from graphpool.nn.random import dropout as drop


class Head(nn.ModuleList):
    """Linear, ReLU, dropout, linear; the softmax is the loss's.

    Args:
        in_channels: of the graph vectors.
        hidden_channels: between the layers.
        out_channels: classes; 0 leaves the layers out, to use the graph vectors alone.
        dropout: before the last layer, while training.
    """

    def __init__(
        self, in_channels: int, hidden_channels: int, out_channels: int, dropout: float = 0.0
    ) -> None:
        super().__init__()
        self.dropout = dropout
        if out_channels:
            self.append(nn.Linear(in_channels, hidden_channels))
            self.append(nn.Linear(hidden_channels, out_channels))

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        reset_children(self)

    def forward(self, embedding: Tensor) -> Tensor:
        """Logits, `[graphs, classes]`; without layers `[graphs, 0]`."""
        if not len(self):
            return embedding[:, :0]
        first, last = self
        hidden: Tensor = first(embedding).relu_()
        if self.dropout:
            hidden = drop(hidden, self.dropout, self.training)
        return last(hidden)  # type: ignore[no-any-return]
