"""Attention between the nodes of two graphs, for many pairs of graphs at once.

There are Σ n₁ n₂ pairs of nodes (i, j). They are processed in runs of pairs of similar size, each a
batched product: padding at most doubles all but the smallest runs, whatever the largest pair is.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.typing import Bool, Float

# A run is split if padding makes it more than this many times as large as its content …
SLACK = 2.0
# … and larger than this: for smaller runs, more calls cost more than padding.
SMALL = 1 << 14

Counts = NDArray[np.int64]


class PaddedSide:
    """The first or the second graphs of a run of pairs, as a padded batch.

    Args:
        counts: `[pairs]`, number of nodes of each graph.
        start: offset of their nodes in the layout.
    """

    def __init__(self, counts: Counts, start: int, device: torch.device) -> None:
        self.pairs, self.width = len(counts), int(counts.max())
        self.where = slice(start, start + int(counts.sum()))
        self.rows: ClusterMask | None = None
        if (counts != self.width).any():
            self.rows = ClusterMask.first(torch.from_numpy(counts).to(device), self.width)

    @property
    def mask(self) -> Bool[Tensor, "pairs nodes"] | None:
        """Rows that are nodes; None if all of them are."""
        return None if self.rows is None else self.rows.mask

    def pad(self, x: Float[Tensor, "all channels"]) -> Float[Tensor, "pairs nodes channels"]:
        """Select the rows of these graphs from the layout, padded with zeros."""
        own = x[self.where]
        if self.rows is None:
            return own.reshape(self.pairs, self.width, x.shape[1])
        return self.rows.expand(own)

    def unpad(self, dense: Float[Tensor, "pairs nodes channels"]) -> Float[Tensor, "own channels"]:
        """Remove the padding: the inverse of `pad`."""
        return dense.flatten(0, 1) if self.rows is None else self.rows.compact(dense)


class Run(NamedTuple):
    """Pairs of similar size: their positions among all pairs, first and second graphs."""

    pairs: slice
    one: PaddedSide
    other: PaddedSide


class CrossAttention:
    """Attention between the nodes of the two graphs of each pair.

    Node features have a row for each node: those of all first graphs, one after the other, and
    then those of all second graphs.

    Args:
        sizes: `[2, pairs]`, number of nodes of the first and of the second graphs. Runs are made
            of consecutive pairs, so pairs of similar size should be next to each other.
    """

    def __init__(self, sizes: Counts, device: torch.device) -> None:
        self.sizes = sizes
        first = np.concatenate([[0], sizes[0].cumsum()])
        second = first[-1] + np.concatenate([[0], sizes[1].cumsum()])
        self.runs = [
            Run(
                part,
                PaddedSide(sizes[0, part], int(first[part.start]), device),
                PaddedSide(sizes[1, part], int(second[part.start]), device),
            )
            for part in _parts(sizes, 0, sizes.shape[1])
        ]

    def attend(self, h: Float[Tensor, "nodes channels"]) -> Float[Tensor, "nodes channels"]:
        """Return Σ_j a_ij h_j over the other graph, a_ij = softmax_j(h_i · h_j), for every i."""
        ones, others = [], []
        for run in self.runs:
            x, y = run.one.pad(h), run.other.pad(h)
            score = x @ y.mT
            to_one = _masked(score, run.other.mask, -2).softmax(-1)
            to_other = _masked(score, run.one.mask, -1).softmax(-2)
            ones.append(run.one.unpad(to_one @ y))
            others.append(run.other.unpad(to_other.mT @ x))
        return torch.cat(ones + others) if ones else h


def _masked(score: Tensor, mask: Tensor | None, dim: int) -> Tensor:
    """Set `score` to -inf where there is no node; `dim` is the dimension missing in the mask."""
    return score if mask is None else score.masked_fill(~mask.unsqueeze(dim), -torch.inf)


def _parts(sizes: Counts, start: int, stop: int) -> Iterator[slice]:
    """Halve a run until it has little padding."""
    if start == stop:
        return
    one, other = sizes[:, start:stop]
    padded = (stop - start) * int(one.max()) * int(other.max())
    if padded <= SMALL or padded <= SLACK * int((one * other).sum()):
        yield slice(start, stop)
        return
    middle = (start + stop) // 2
    yield from _parts(sizes, start, middle)
    yield from _parts(sizes, middle, stop)
