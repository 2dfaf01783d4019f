"""MOA, master-orthogonal attention: from the global content C to the assignment M.

An assignment is a module that takes the features of flat nodes and the `Segments` that say which
graph they belong to, those of `places` also the `Places` of the graphs, and returns M,
`[nodes, clusters]`, whose rows sum to one. `ASSIGNMENTS` has them by name, each with a way to
build it from channels, clusters and relaxation.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.hap.content import content_assignment
from graphpool.nn.hap.gcont import GCont
from graphpool.nn.hap.places import PlaceAttention
from graphpool.nn.hap.relaxation import RELAXATIONS
from graphpool.nn.ops.products import spread
from graphpool.typing import Float


class StaticAttention(nn.Module):
    """The paper's attention as printed, equation (OA attention): `assignment="static"`.

    M_ij = softmax_j LeakyReLU(a₁ · C_i + a₂ · c_j), with c_j the relaxed column j.

    The score is a sum of a node term and a cluster term under an increasing function, so every
    node of a graph ranks the clusters in the same order, whatever the weights: all nodes have the
    same strongest cluster. This holds for every relaxation but `tile`, whose column term depends
    on the node's number.

    Args:
        in_channels: channels of the node features H.
        clusters: N'.
        relaxation: `"gram"`, `"sort"`, `"truncate"` or `"tile"`; see `relaxation`.
        slope: of LeakyReLU below zero.
    """

    def __init__(
        self, in_channels: int, clusters: int, relaxation: str = "gram", slope: float = 0.2
    ) -> None:
        super().__init__()
        self.content = GCont(in_channels, clusters)
        self.relaxation, self.slope = relaxation, slope
        bound = math.sqrt(6 / (2 * clusters + 1))
        self.row = nn.Parameter(torch.empty(clusters).uniform_(-bound, bound))
        self.column = nn.Parameter(torch.empty(clusters).uniform_(-bound, bound))

    def forward(
        self, x: Float[Tensor, "nodes channels"], segments: Segments
    ) -> Float[Tensor, "nodes clusters"]:
        """Assign nodes `[nodes, channels]` to clusters."""
        content = self.content(x)
        column = RELAXATIONS[self.relaxation](content, self.column, segments)
        if self.relaxation != "tile":  # whose column term is per node already
            column = spread(column, segments)
        score = (content @ self.row).unsqueeze(-1) + column
        return nn.functional.leaky_relu(score, self.slope).softmax(-1)


class ContentAttention(nn.Module):
    """A scaled dot product of rows and relaxed columns: `assignment="content"`.

    C̃_ij = (C_ij - mean_j) / sqrt(var_j + 1e-5 + 1e-6 mean_j²) with mean and variance of column j
    over the nodes of its graph; c_j = C̃ᵀ C̃_(·,j) / N, the correlation of column j with every
    column; M_ij = softmax_j ⟨C̃_i, c_j⟩ / √N'.

    Deviation from the paper: the printed score is additive and gives every node of a graph the
    same order of clusters (`StaticAttention`); a product of node and cluster does not.

    Args:
        in_channels: channels of the node features H.
        clusters: N'.
    """

    def __init__(self, in_channels: int, clusters: int) -> None:
        super().__init__()
        self.content = GCont(in_channels, clusters)

    def forward(
        self, x: Float[Tensor, "nodes channels"], segments: Segments
    ) -> Float[Tensor, "nodes clusters"]:
        """Assign nodes `[nodes, channels]` to clusters."""
        return content_assignment(x, self.content.weight, segments)


PLACE_ASSIGNMENTS = ("places", "places-only")
ASSIGNMENTS: dict[str, Callable[[int, int, str], nn.Module]] = {
    "places": lambda in_channels, clusters, relaxation: PlaceAttention(in_channels),
    "places-only": lambda in_channels, clusters, relaxation: PlaceAttention(
        in_channels, content=False
    ),
    "content": lambda in_channels, clusters, relaxation: ContentAttention(in_channels, clusters),
    "static": StaticAttention,
}
