"""Every node of one graph against every node of the other, for many pairs of graphs at once.

The list of all (i, j) has Σ n₁ n₂ entries. It is worked off in runs of pairs of like size, each a
batched product: padding at most doubles all but the smallest runs, whatever the largest pair is.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.nn.ops.cluster_mask import ClusterMask
from graphpool.typing import Bool, Float

# A run is split when padding makes it more than this many times as large as what it holds …
SLACK = 2.0
# … and larger than this: below, more calls cost more than padding does.
SMALL = 1 << 14

Counts = NDArray[np.int64]


class Side:
    """The first or the second graphs of a run of pairs.

    Args:
        counts: `[pairs]`, nodes of each.
        start: where their nodes begin in the layout.
    """

    def __init__(self, counts: Counts, start: int, device: torch.device) -> None:
        self.pairs, self.width = len(counts), int(counts.max())
        self.where = slice(start, start + int(counts.sum()))
        self.rows: ClusterMask | None = None
        if (counts != self.width).any():
            self.rows = ClusterMask.first(torch.from_numpy(counts).to(device), self.width)

    @property
    def mask(self) -> Bool[Tensor, "pairs nodes"] | None:
        """Which rows are nodes; `None`: all of them."""
        return None if self.rows is None else self.rows.mask

    def lay(self, x: Float[Tensor, "all channels"]) -> Float[Tensor, "pairs nodes channels"]:
        """These graphs' rows of the layout, pair by pair; zeros behind the last node."""
        own = x[self.where]
        if self.rows is None:
            return own.reshape(self.pairs, self.width, x.shape[1])
        return self.rows.expand(own)

    def flat(self, dense: Float[Tensor, "pairs nodes channels"]) -> Float[Tensor, "own channels"]:
        """The way back."""
        return dense.flatten(0, 1) if self.rows is None else self.rows.compact(dense)


@dataclass(frozen=True, eq=False)
class Run:
    """Pairs of like size.

    Args:
        pairs: which of all pairs these are.
        one, other: their first and second graphs.
    """

    pairs: slice
    one: Side
    other: Side


class Crossing:
    """Pairs of graphs whose nodes meet.

    The layout that its functions take is a row for each node: of all first graphs, one after the
    other, and then of all second graphs.

    Args:
        sizes: `[2, pairs]`, nodes of the first and of the second graphs. Runs are cut from pairs
            as they come, so pairs of like size should stand together.
    """

    def __init__(self, sizes: Counts, device: torch.device) -> None:
        self.sizes = sizes
        first = np.concatenate([[0], sizes[0].cumsum()])
        second = first[-1] + np.concatenate([[0], sizes[1].cumsum()])
        self.runs = [
            Run(
                part,
                Side(sizes[0, part], int(first[part.start]), device),
                Side(sizes[1, part], int(second[part.start]), device),
            )
            for part in _parts(sizes, 0, sizes.shape[1])
        ]

    def attend(self, h: Float[Tensor, "nodes channels"]) -> Float[Tensor, "nodes channels"]:
        """What each node sees in the other graph, Σ_j a_ij h_j with a_ij = softmax_j(h_i · h_j)."""
        ones, others = [], []
        for run in self.runs:
            x, y = run.one.lay(h), run.other.lay(h)
            score = x @ y.mT
            to_one = _masked(score, run.other.mask, -2).softmax(-1)
            to_other = _masked(score, run.one.mask, -1).softmax(-2)
            ones.append(run.one.flat(to_one @ y))
            others.append(run.other.flat(to_other.mT @ x))
        return torch.cat(ones + others) if ones else h


def _masked(score: Tensor, mask: Tensor | None, dim: int) -> Tensor:
    """`score` with -inf where there is no node; `dim` is the one that the mask doesn't have."""
    return score if mask is None else score.masked_fill(~mask.unsqueeze(dim), -torch.inf)


def _parts(sizes: Counts, start: int, stop: int) -> Iterator[slice]:
    """Halve a run until padding is a small part of it."""
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
