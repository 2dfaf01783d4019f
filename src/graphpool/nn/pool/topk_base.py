"""What poolers that keep some of the nodes share: the choice, and the subgraph that remains."""

import math
from abc import ABC, abstractmethod

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.outputs import Kept as Kept
from graphpool.nn.ops.products import segment_max
from graphpool.typing import Float, Int

# Scores closer than this many units of rounding count as equal.
_ROUNDING = 64


class NodePool(nn.Module, ABC):
    """A pooler that keeps some of the nodes of each graph; it writes `keep`.

    Args:
        in_channels: channels of the node features.
        ratio: share of nodes to keep.
    """

    def __init__(self, in_channels: int, ratio: float = 0.5) -> None:
        super().__init__()
        if not 0 < ratio <= 1:
            raise ConfigError(f"ratio is {ratio}; a share of nodes to keep lies in (0, 1]")
        self.in_channels, self.ratio = in_channels, ratio

    def forward(
        self, x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | None = None
    ) -> Kept:
        """Keep the best nodes of every graph.

        Args:
            x: `[nodes, channels]`.
            adjacency: `edge_index` `[2, edges]` or an `Adjacency`.
            batch: the graph of each node, sorted, or `Segments`; one graph if absent.
        """
        return self.keep(x, *ragged_level(x, adjacency, batch))

    @abstractmethod
    def keep(self, x: Tensor, adjacency: Adjacency, segments: Segments) -> Kept:
        """What remains of a ragged level."""

    def extra_repr(self) -> str:
        """What `print(module)` adds."""
        return f"in_channels={self.in_channels}, ratio={self.ratio}"


def direction(in_channels: int) -> nn.Parameter:
    """A vector to learn that node features are projected on, of a length near 1/√3."""
    bound = 1 / math.sqrt(in_channels)
    return nn.Parameter(torch.empty(in_channels).uniform_(-bound, bound))


def ragged_level(
    x: Tensor, adjacency: Tensor | Adjacency, batch: Tensor | Segments | None
) -> tuple[Adjacency, Segments]:
    """Adjacency and segments of a ragged level, however they were given; see `NodePool`."""
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
    # 0.55 · 100 is a hair above 55, and its ceiling should be 55.
    wanted = (segments.ptr.diff() * ratio - 1e-9).ceil().long().clamp(min=1)
    return chosen(score, segments, wanted, score.abs() if scale is None else scale)


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


def chosen(score: Tensor, segments: Segments, wanted: Tensor, size: Tensor) -> Tensor:
    """What `keep_top` says; so many are `wanted` of each graph."""
    batch = segments.batch
    order = score.argsort(descending=True)
    order = order[batch[order].argsort(stable=True)]
    last = score[order[segments.ptr[:-1] + wanted - 1]]
    near = segment_max(size.unsqueeze(-1), segments).squeeze(-1)
    near = near * (_ROUNDING * torch.finfo(score.dtype).eps)
    above = score > (last + near)[batch]
    tied = ~(score < (last - near)[batch])
    fewer, more = _counts(above, segments), _counts(tied, segments)
    together = (fewer == 0) | (more - wanted <= wanted - fewer)
    return torch.where(together[batch], tied, above).nonzero().squeeze(-1)


def _counts(mask: Tensor, segments: Segments) -> Tensor:
    """How many nodes of each graph are in the mask."""
    return torch.cat([segments.ptr.new_zeros(1), mask.cumsum(0)])[segments.ptr].diff()
