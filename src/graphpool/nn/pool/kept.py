"""What poolers that keep some of the nodes share: the choice, and the subgraph that remains."""

import torch
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsened import Kept as Kept
from graphpool.nn.products import segment_max
from graphpool.shapes import Float, Int

# Scores closer than this many units of rounding count as equal.
_ROUNDING = 64


def checked_ratio(ratio: float) -> float:
    """The share of nodes to keep, if it is one."""
    if not 0 < ratio <= 1:
        raise ConfigError(f"ratio is {ratio}; a share of nodes to keep lies in (0, 1]")
    return ratio


def ragged_level(
    x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | None
) -> tuple[Adjacency, Segments]:
    """Adjacency and segments of a ragged level, however they were given.

    Args:
        x: `[nodes, channels]`.
        adjacency: `edge_index` `[2, edges]` or an `Adjacency`.
        batch: the graph of each node, sorted, or `Segments`; one graph if absent.
    """
    if x.ndim != 2:
        raise ValueError(f"nodes are kept from ragged features [nodes, channels], not {x.ndim}-d")
    if isinstance(adjacency, Tensor):
        weight = x.new_ones(adjacency.shape[1])
        adjacency = Adjacency.from_edge_index(adjacency, x.shape[0], weight)
    if batch is None:
        batch = torch.zeros(x.shape[0], dtype=torch.long, device=x.device)
    return adjacency, batch if isinstance(batch, Segments) else Segments.from_batch(batch)


@torch.no_grad()
def keep_top(
    score: Float[Tensor, " nodes"],
    segments: Segments,
    ratio: float,
    scale: Float[Tensor, " nodes"] | None = None,
) -> Int[Tensor, " kept"]:
    """The nodes with the ⌈ratio · N⌉ largest scores of each graph, in their old order.

    Nodes with equal scores are kept together or dropped together, for to choose among them would
    be to choose by their numbers: a benzene ring has six equal atoms, and which three of them stay
    decides what graph remains. Where such a group straddles the limit, it is kept if that comes at
    least as near to the number asked for as dropping it, or if nothing else would remain. Equal
    means up to rounding, so that another order of summation makes no difference.

    Args:
        score: what to rank by; where there is NaN all nodes of the graph stay, to be noticed.
        segments: the graphs of the nodes.
        ratio: share of nodes to keep, in (0, 1].
        scale: how large the numbers were that each score was made from; by default the score.
    """
    total, batch = segments.ptr.diff(), segments.batch
    # 0.55 · 100 is a hair above 55, and its ceiling should be 55.
    wanted = (total * ratio - 1e-9).ceil().long().clamp(min=1)
    order = score.argsort(descending=True)
    order = order[batch[order].argsort(stable=True)]
    last = score[order[segments.ptr[:-1] + wanted - 1]]
    size = (score.abs() if scale is None else scale).unsqueeze(-1)
    near = segment_max(size, segments).squeeze(-1) * (_ROUNDING * torch.finfo(score.dtype).eps)
    above = score > (last + near)[batch]
    tied = ~(score < (last - near)[batch])
    fewer, more = _counts(above, segments), _counts(tied, segments)
    together = (fewer == 0) | (more - wanted <= wanted - fewer)
    return torch.where(together[batch], tied, above).nonzero().squeeze(-1)


def keep_segments(index: Int[Tensor, " kept"], segments: Segments) -> Segments:
    """The graphs of the kept nodes."""
    batch = segments.batch[index]
    counts = torch.bincount(batch, minlength=segments.num_graphs)
    return Segments(torch.cat([counts.new_zeros(1), counts.cumsum(0)]), batch)


def induced(adjacency: Adjacency, index: Int[Tensor, " kept"]) -> Adjacency:
    """The edges among the kept nodes, with their weights; `index` must be ascending."""
    place = index.new_full((adjacency.num_nodes,), -1)
    place[index] = torch.arange(index.shape[0], device=index.device)
    row, col = place[adjacency.row], place[adjacency.col]
    slots = ((row >= 0) & (col >= 0)).nonzero().squeeze(-1)
    counts = torch.bincount(row[slots], minlength=index.shape[0])
    return Adjacency(
        row_ptr=torch.cat([counts.new_zeros(1), counts.cumsum(0)]),
        col=col[slots],
        weight=adjacency.weight[slots],
        symmetric=adjacency.symmetric,
    )


def _counts(mask: Tensor, segments: Segments) -> Tensor:
    """How many nodes of each graph are in the mask."""
    return torch.cat([segments.ptr.new_zeros(1), mask.cumsum(0)])[segments.ptr].diff()
