"""GCont and MOA: from node features to the global content C, and from C to the assignment M.

An assignment is a module that takes the features of flat nodes and the `Segments` that say which
graph they belong to, and returns M, `[nodes, clusters]`, whose rows sum to one.

Column relaxation: how a column of C, one number per node, becomes a vector of N' numbers. The paper
needs it (a column's length differs from graph to graph, a parameter's can't) and does not say how.
Each function of `RELAXATIONS` takes C and a vector `a` of N' weights and returns the column term
a · c_j of the attention score, `[graphs, clusters]`, or `[nodes, clusters]` where it depends on the
node as well. `gram` and `sort` don't depend on the order of nodes. `truncate` (the paper's argument
of zero padding) and `tile` (what the authors' released code computes) do, against the paper's claim
of permutation invariance; they are here so that anyone can see what they do.
"""

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.module import Module
from graphpool.nn.ops.products import row_mm, segment_mean, segment_mm, spread
from graphpool.typing import Float

Nodes = Float[Tensor, "nodes channels"]
ByNode = Float[Tensor, "nodes clusters"]
ByGraph = Float[Tensor, "graphs clusters"]
Weights = Float[Tensor, " clusters"]

VARIANCE_FLOOR = 1e-5
# Where all nodes are alike the variance is the rounding of the mean; against this it vanishes.
MEAN_FLOOR = 1e-6


class GCont(Module):
    """Global content `C = H T`, T `[channels, clusters]`: row i is a node, column j a cluster."""

    def __init__(self, in_channels: int, clusters: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_channels, clusters))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        bound = 1 / math.sqrt(self.weight.shape[0])
        nn.init.uniform_(self.weight, -bound, bound)

    def forward(self, x: Float[Tensor, "*nodes channels"]) -> Float[Tensor, "*nodes clusters"]:
        """`[..., channels]` to `[..., clusters]`."""
        return x @ self.weight


def gram(content: ByNode, a: Weights, segments: Segments) -> ByGraph:
    """c_j = Cᵀ C_(·,j) / N: how the column agrees with every column."""
    return (a @ segment_mm(content, content, segments)) / segments.counts.to(content.dtype)


def sort(content: ByNode, a: Weights, segments: Segments) -> ByGraph:
    """c_j = the N' largest entries of the column in falling order, zeros behind them."""
    values, order = torch.sort(content, dim=0, descending=True, stable=True)
    graph = segments.batch[order]
    by_graph = torch.sort(graph, dim=0, stable=True).indices
    return _leading(values.gather(0, by_graph), a, segments)


def truncate(content: ByNode, a: Weights, segments: Segments) -> ByGraph:
    """c_j = the first N' entries of the column, zeros behind them; depends on node order."""
    return _leading(content, a, segments)


def tile(content: ByNode, a: Weights, segments: Segments) -> ByNode:
    """For node i and cluster j the *row* of node (i N' + j) mod N; depends on node order."""
    clusters = content.shape[1]
    start = segments.ptr[:-1][segments.batch]
    local = segments.nodes - start
    count = segments.ptr.diff()[segments.batch]
    lanes = torch.arange(clusters, device=content.device)
    partner = (local.unsqueeze(-1) * clusters + lanes) % count.unsqueeze(-1)
    return (content @ a)[start.unsqueeze(-1) + partner]


def _leading(content: Tensor, a: Tensor, segments: Segments) -> Tensor:
    """Σ_r a_r · (entry r of the column) over the first N' rows of each graph."""
    local = segments.nodes - segments.ptr[:-1][segments.batch]
    head = local < a.shape[0]
    weight = torch.where(head, a[local.clamp(max=a.shape[0] - 1)], 0.0)
    return segment_mm(weight.unsqueeze(-1), content, segments).squeeze(-2)


RELAXATIONS: dict[str, Callable[[Tensor, Tensor, Segments], Tensor]] = {
    "gram": gram,
    "sort": sort,
    "truncate": truncate,
    "tile": tile,
}


class StaticAttention(Module):
    """The paper's attention as printed, equation (OA attention): `assignment="static"`.

    M_ij = softmax_j LeakyReLU(a₁ · C_i + a₂ · c_j), with c_j the relaxed column j.

    The score is a sum of a node term and a cluster term under an increasing function, so every
    node of a graph ranks the clusters in the same order, whatever the weights: all nodes have the
    same strongest cluster. This holds for every relaxation but `tile`, whose column term depends
    on the node's number.

    Args:
        in_channels: channels of the node features H.
        clusters: N'.
        relaxation: `"gram"`, `"sort"`, `"truncate"` or `"tile"`; see `RELAXATIONS`.
        slope: of LeakyReLU below zero.
    """

    def __init__(
        self, in_channels: int, clusters: int, relaxation: str = "gram", slope: float = 0.2
    ) -> None:
        super().__init__()
        self.content = GCont(in_channels, clusters)
        self.relaxation, self.slope = relaxation, slope
        self.row = nn.Parameter(torch.empty(clusters))
        self.column = nn.Parameter(torch.empty(clusters))
        self._reset_vectors()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        super().reset_parameters()
        self._reset_vectors()

    def _reset_vectors(self) -> None:
        bound = math.sqrt(6 / (2 * self.row.shape[0] + 1))
        nn.init.uniform_(self.row, -bound, bound)
        nn.init.uniform_(self.column, -bound, bound)

    def forward(self, x: Nodes, segments: Segments) -> ByNode:
        """Assign nodes `[nodes, channels]` to clusters."""
        content = self.content(x)
        column = RELAXATIONS[self.relaxation](content, self.column, segments)
        if self.relaxation != "tile":  # whose column term is per node already
            column = spread(column, segments)
        score = (content @ self.row).unsqueeze(-1) + column
        return nn.functional.leaky_relu(score, self.slope).softmax(-1)


class ContentAttention(Module):
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

    def forward(self, x: Nodes, segments: Segments) -> ByNode:
        """Assign nodes `[nodes, channels]` to clusters."""
        return content_assignment(x, self.content.weight, segments)


def content_assignment(
    x: Nodes, weight: Float[Tensor, "channels clusters"], segments: Segments
) -> ByNode:
    """M of `ContentAttention` from features H and the weights T of its global content."""
    content = standardised(x @ weight, segments)
    column = segment_mm(content, content, segments) / segments.counts.to(x.dtype).unsqueeze(-1)
    score = row_mm(content, column, segments) / math.sqrt(content.shape[1])
    return score.softmax(-1)


def standardised(content: Nodes, segments: Segments) -> Nodes:
    """Each column with mean 0 and, but for the floors, deviation 1 over the nodes of a graph."""
    mean = segment_mean(content, segments)
    centred = content - spread(mean, segments)
    variance = segment_mean(centred * centred, segments)
    scale = (variance + VARIANCE_FLOOR + MEAN_FLOOR * mean * mean).rsqrt()
    return centred * spread(scale, segments)
