"""What Top-K poolers share: the selection of nodes, and the subgraph that remains."""

import math
from collections.abc import Callable
from typing import ClassVar

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import trusted
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.graphs.segments import Segments, pointer
from graphpool.nn.coarsen.base import Pooler
from graphpool.nn.coarsen.outputs import NodeSelection, PoolOutput
from graphpool.nn.level import Level
from graphpool.nn.ops.products import segment_max
from graphpool.nn.ops.spgemm import Sparse, sparse_product
from graphpool.typing import Float, Int

# Scores closer than this many units of rounding count as equal.
_ROUNDING = 64


class NodePool(Pooler[PoolOutput]):
    """A Top-K pooler: it selects some of the nodes of each graph.

    Args:
        ratio: share of nodes to keep.
    """

    shown: ClassVar[tuple[str, ...]] = ("in_channels", "ratio")

    def __init__(self, in_channels: int, ratio: float = 0.5) -> None:
        super().__init__()
        if not 0 < ratio <= 1:
            raise ConfigError(f"ratio is {ratio}; a share of nodes to keep lies in (0, 1]")
        self.in_channels, self.ratio = in_channels, ratio

    def keep_gated(
        self,
        level: Level,
        score: Float[Tensor, " nodes"],
        scale: Float[Tensor, " nodes"],
        gate: Callable[[Tensor], Tensor],
    ) -> PoolOutput:
        """Keep the nodes of largest score: X' = X_idx ⊙ gate(y_idx), A' = A_idx,idx."""
        x, _, segments = level.ragged()
        index = select_topk(score, segments, self.ratio, scale)
        x = x.index_select(0, index) * gate(score[index]).unsqueeze(-1)
        return selected(level, x, *among(level, index), index, score)

    def coarse_edge_channels(self, channels: int) -> int:
        """Edges that stay keep their features."""
        return channels


class ProjectionPool(NodePool):
    """A Top-K pooler that projects node features on a learned vector, `weight`."""

    def __init__(self, in_channels: int, ratio: float = 0.5) -> None:
        super().__init__(in_channels, ratio)
        self.weight = nn.Parameter(torch.empty(in_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again: a vector of a length near 1/√3."""
        bound = 1 / math.sqrt(self.weight.shape[0])
        nn.init.uniform_(self.weight, -bound, bound)


def selected(
    level: Level,
    x: Float[Tensor, "selected channels"],
    adjacency: Adjacency,
    edges: EdgeFeatures | None,
    index: Int[Tensor, " selected"],
    score: Float[Tensor, " nodes"],
) -> PoolOutput:
    """The output of a pooler that selects the nodes `index` of a ragged level."""
    assert level.segments is not None, "nodes are selected from ragged graphs"
    segments = select_segments(index, level.segments)
    return PoolOutput(
        trusted(Level, x=x, adjacency=adjacency, segments=segments, edges=edges),
        selection=NodeSelection(index, score),
        node_segments=level.segments,
    )


@torch.no_grad()
def select_topk(
    score: Float[Tensor, " nodes"],
    segments: Segments,
    ratio: float,
    scale: Float[Tensor, " nodes"] | None = None,
) -> Int[Tensor, " selected"]:
    """Select the ⌈ratio · N⌉ nodes with the largest scores of each graph, in their old order.

    Nodes with equal scores are kept together or dropped together: to choose among them would be to
    choose by their numbers. A benzene ring has six equal atoms, and which three of them stay
    decides what graph remains. Where such a group straddles the limit, it is kept if that comes at
    least as near to the number asked for as dropping it, or if nothing else would remain. Equal
    means up to rounding, so that another order of summation makes no difference.

    Args:
        score: what to rank by; where there is NaN all nodes of the graph stay, to be noticed.
        segments: the graphs of the nodes.
        ratio: share of nodes to keep, in (0, 1].
        scale: how large the numbers were that each score was made from; by default the score.
    """
    batch, ptr = segments.batch, segments.ptr
    # 0.55 · 100 is a hair above 55, and its ceiling should be 55.
    wanted = (ptr.diff() * ratio - 1e-9).ceil().long().clamp(min=1)
    order = score.argsort(descending=True)
    order = order[batch[order].argsort(stable=True)]
    last = score[order[ptr[:-1] + wanted - 1]]
    size = score.abs() if scale is None else scale
    near = segment_max(size.unsqueeze(-1), segments).squeeze(-1)
    near = near * (_ROUNDING * torch.finfo(score.dtype).eps)
    above = score > (last + near)[batch]
    tied = ~(score < (last - near)[batch])
    fewer, more = (pointer(mask)[ptr].diff() for mask in (above, tied))
    together = (fewer == 0) | (more - wanted <= wanted - fewer)
    return torch.where(together[batch], tied, above).nonzero().squeeze(-1)


def select_segments(index: Int[Tensor, " selected"], segments: Segments) -> Segments:
    """The graphs of the selected nodes."""
    batch = segments.batch[index]
    return Segments.trusted(pointer(torch.bincount(batch, minlength=segments.num_graphs)), batch)


def among(level: Level, index: Int[Tensor, " selected"]) -> tuple[Adjacency, EdgeFeatures | None]:
    """The edges of a ragged level among the selected nodes, with weights and features."""
    _, adjacency, _ = level.ragged()
    coarse, slots = induced_slots(adjacency, index)
    return coarse, level.edges.select(slots) if isinstance(level.edges, EdgeFeatures) else None


def gathered_edges(level: Level, members: Sparse, coarse: Adjacency) -> EdgeFeatures | None:
    """Features of the edges of `coarse`, A' = S A Sᵀ, as `coarsen.base.coarse_edges` has them.

    They are log(1 + A'), and S (A ⊙ E_c) Sᵀ / (1 + A') of every feature c of the edges of `level`:
    a sparse product for each feature, and a row for each slot of `coarse`.

    Args:
        level: ragged; None is returned if its edges have no features.
        members: S, a row for each coarse node.
    """
    _, adjacency, _ = level.ragged()
    if not isinstance(level.edges, EdgeFeatures):
        return None
    values = (level.edges.rows() * adjacency.weight.unsqueeze(-1)).t().contiguous()
    values = values.to(members.value.dtype)
    others = members.transposed()
    products = [
        sparse_product(
            members,
            sparse_product(
                Sparse(adjacency.row_ptr, adjacency.col, value, adjacency.num_nodes), others
            ),
        )
        for value in values
    ]
    total = _at_slots(products[0], torch.stack([each.value for each in products], -1), coarse)
    count = coarse.weight.clamp(min=0).unsqueeze(-1).to(total.dtype)
    table = torch.cat([count.log1p(), total / (1 + count)], -1)
    slots = torch.arange(table.shape[0], device=table.device)
    return trusted(EdgeFeatures, table=table, kind=slots.masked_fill(~coarse.present, -1))


def _at_slots(product: Sparse, rows: Tensor, coarse: Adjacency) -> Tensor:
    """Rows of the entries of a product, `[entries, channels]`, in the slots of an adjacency."""
    width = coarse.num_nodes
    keys, order = (product.row * width + product.col).sort()
    wanted = coarse.row * width + coarse.col
    at = torch.searchsorted(keys, wanted).clamp(max=keys.shape[0] - 1)
    # A row of zeros more, for slots that the product has no entry for.
    padded = torch.cat([rows, rows.new_zeros(1, rows.shape[1])])
    return padded[torch.where(keys[at] == wanted, order[at], rows.shape[0])]


def induced(adjacency: Adjacency, index: Int[Tensor, " selected"]) -> Adjacency:
    """The edges among the selected nodes, with their weights; `index` must be ascending."""
    return induced_slots(adjacency, index)[0]


def induced_slots(
    adjacency: Adjacency, index: Int[Tensor, " selected"]
) -> tuple[Adjacency, Int[Tensor, " slots"]]:
    """`induced`, and which slots of the adjacency its slots are."""
    position = index.new_full((adjacency.num_nodes,), -1)
    position[index] = torch.arange(index.shape[0], device=index.device)
    row, col = position[adjacency.row], position[adjacency.col]
    slots = ((row >= 0) & (col >= 0)).nonzero().squeeze(-1)
    coarse = trusted(
        Adjacency,
        row_ptr=pointer(torch.bincount(row[slots], minlength=index.shape[0])),
        col=col[slots],
        weight=adjacency.weight[slots],
        symmetric=adjacency.symmetric,
    )
    return coarse, slots
