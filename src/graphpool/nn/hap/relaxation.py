"""Column relaxation: how a column of C, one number per node, becomes a vector of N' numbers.

The paper needs it (a column's length differs from graph to graph, a parameter's can't) and does
not say how. Each function takes C and a vector `a` of N' weights and returns the column term
a · c_j of the attention score, `[graphs, clusters]`, or `[nodes, clusters]` where it depends on
the node as well.

`gram` and `sort` don't depend on the order of nodes. `truncate` (the paper's argument of zero
padding) and `tile` (what the authors' released code computes) do, against the paper's claim of
permutation invariance; they are here so that anyone can see what they do.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import segment_mm
from graphpool.typing import Float


def gram(
    content: Float[Tensor, "nodes clusters"], a: Float[Tensor, " clusters"], segments: Segments
) -> Float[Tensor, "graphs clusters"]:
    """c_j = Cᵀ C_(·,j) / N: how the column agrees with every column."""
    return (a @ segment_mm(content, content, segments)) / segments.counts.to(content.dtype)


def sort(
    content: Float[Tensor, "nodes clusters"], a: Float[Tensor, " clusters"], segments: Segments
) -> Float[Tensor, "graphs clusters"]:
    """c_j = the N' largest entries of the column in falling order, zeros behind them."""
    values, order = torch.sort(content, dim=0, descending=True, stable=True)
    graph = segments.batch[order]
    by_graph = torch.sort(graph, dim=0, stable=True).indices
    return _leading(values.gather(0, by_graph), a, segments)


def truncate(
    content: Float[Tensor, "nodes clusters"], a: Float[Tensor, " clusters"], segments: Segments
) -> Float[Tensor, "graphs clusters"]:
    """c_j = the first N' entries of the column, zeros behind them; depends on node order."""
    return _leading(content, a, segments)


def tile(
    content: Float[Tensor, "nodes clusters"], a: Float[Tensor, " clusters"], segments: Segments
) -> Float[Tensor, "nodes clusters"]:
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
