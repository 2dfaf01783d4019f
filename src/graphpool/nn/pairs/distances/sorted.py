"""The distance of two graphs as multisets of nodes: sort channels, and compare them by rank."""

import torch
from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import segment_sum
from graphpool.nn.pairs.distances.base import LevelNodes, MultisetDistance
from graphpool.typing import Float, Int


class SortedDistance(MultisetDistance):
    """A distance of sorted channels, level by level; see `sorted_distance`."""

    def measure(
        self, level: int, nodes: LevelNodes, left: Tensor, right: Tensor
    ) -> Float[Tensor, "terms pairs"]:
        """Sort every graph once, and compare the pairs."""
        ranked = sorted_nodes(nodes.x, nodes.segments)
        return sorted_distance(ranked, nodes.segments, left, right).unsqueeze(0)


def sorted_nodes(
    x: Float[Tensor, "nodes channels"], segments: Segments
) -> Float[Tensor, "nodes channels"]:
    """Sort every channel separately in descending order within each graph."""
    columns = x.t().contiguous()
    by_value = columns.argsort(1, descending=True)
    by_graph = segments.batch[by_value].argsort(dim=1, stable=True)
    return columns.gather(1, by_value.gather(1, by_graph)).t()


def sorted_distance(
    ranked: Float[Tensor, "nodes channels"],
    segments: Segments,
    left: Int[Tensor, " pairs"],
    right: Int[Tensor, " pairs"],
) -> Float[Tensor, " pairs"]:
    """Return Σ over ranks of the mean over channels of |difference|, `[pairs]`.

    The smaller graph is extended by nodes of zeros; features must be at least 0. Then the distance
    is the least cost of moving the nodes of one graph onto those of the other, channel by channel
    (a sliced Wasserstein distance, Kolouri et al. 2019, with learned directions): 0 for equal
    multisets, symmetric, and no other matching of nodes has to be searched. Nothing is padded: a
    pair takes as many rows as its larger graph has nodes.

    Args:
        ranked: from `sorted_nodes`.
    """
    counts = segments.ptr.diff()
    mine, yours = counts[left], counts[right]
    rows = torch.maximum(mine, yours)
    pairs = Segments.from_counts(rows)
    rank = torch.arange(pairs.batch.shape[0], device=left.device) - pairs.ptr[pairs.batch]
    filled = torch.cat([ranked, ranked.new_zeros(1, ranked.shape[1])])
    absent = ranked.shape[0]

    def side(graph: Tensor, count: Tensor) -> Tensor:
        node = segments.ptr[graph][pairs.batch] + rank
        return filled.index_select(0, torch.where(rank < count[pairs.batch], node, absent))

    apart = (side(left, mine) - side(right, yours)).abs().mean(-1, keepdim=True)
    return segment_sum(apart, pairs).squeeze(-1)
