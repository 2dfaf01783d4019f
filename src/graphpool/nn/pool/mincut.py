"""MinCutPool, the spectral clustering of Bianchi et al. (ICML 2020) as a coarsening."""

from torch import Tensor

from graphpool.nn.coarsen.base import GroupPool, Scores
from graphpool.nn.level import Level


class MinCutPool(GroupPool):
    """S = softmax MLP(X), X' = Sᵀ X, A' = Sᵀ A S without its diagonal, then D^-½ A' D^-½.

    Two losses make the clusters those of a normalised cut: `losses.cut`, the share of edges
    between clusters, and `losses.orthogonality`, which keeps clusters apart and of one size.

    Deviations from the paper: A is taken as it is, where the paper normalises it first (PyG too
    leaves that to the caller); the cut loss is 1 higher, and 0 without
    edges, where PyG's `dense_mincut_pool` gives NaN. A ragged level is neither padded nor made
    dense. With one cluster there are no parameters and no losses.

    Args:
        in_channels: channels of the node features.
        clusters: nodes of the coarse graph; graphs may have fewer nodes.
        cut: weight of the cut loss; 0 leaves it out.
        orthogonality: weight of the orthogonality loss; 0 leaves it out.
        hidden: channels of the perceptron's hidden layer; 0: a linear map.
    """

    def __init__(
        self,
        in_channels: int,
        clusters: int = 8,
        cut: float = 1.0,
        orthogonality: float = 1.0,
        hidden: int = 0,
    ) -> None:
        losses = {"cut": cut, "orthogonality": orthogonality}
        super().__init__(clusters, losses, connect="offdiagonal")
        self.in_channels = in_channels
        self.scores = Scores(in_channels, clusters, hidden) if clusters > 1 else None

    def assign(self, level: Level) -> Tensor:
        """softmax MLP(X): the edges speak through the losses and through what X is made of."""
        assert self.scores is not None, "one cluster takes no scores"
        scores: Tensor = self.scores(level.x)
        return scores.softmax(-1)
