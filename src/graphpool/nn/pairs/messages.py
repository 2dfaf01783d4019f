"""Messages of GMN along the edges of a graph: a perceptron of both ends, summed."""

from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.module import Module
from graphpool.nn.ops.products import slot_sum, take_col, take_row
from graphpool.typing import Float


class Messages(Module):
    """Σ_j A_ij m(h_i, h_j) over the neighbours j of i, m = Linear, ReLU, Linear of [h_i, h_j].

    The first layer splits into a part of i and a part of j, and the second one commutes with the
    sum, so only the ReLU in between is computed for each edge.

    Args:
        channels: number of channels of the node states and of the messages.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.target = nn.Linear(channels, channels)
        self.source = nn.Linear(channels, channels, bias=False)
        self.out = nn.Linear(channels, channels)

    def forward(
        self, h: Float[Tensor, "nodes channels"], adjacency: Adjacency
    ) -> Float[Tensor, "nodes channels"]:
        """Return the sum of the messages to each node."""
        total = meet(self.target(h), self.source(h), adjacency)
        degree = slot_sum(adjacency.weight.to(h.dtype).unsqueeze(-1), adjacency)
        return total @ self.out.weight.t() + degree * self.out.bias


def meet(
    target: Float[Tensor, "nodes channels"],
    source: Float[Tensor, "nodes channels"],
    adjacency: Adjacency,
) -> Float[Tensor, "nodes channels"]:
    """Σ_j A_ij ReLU(target_i + source_j), `[nodes, channels]`."""
    inner = take_row(target, adjacency) + take_col(source, adjacency)
    weight = adjacency.weight.to(target.dtype).unsqueeze(-1)
    return slot_sum(inner.relu() * weight, adjacency)
