"""Count and sample triplets from a matrix of distances.

A triplet is a query and two candidates at different known distances from it. <G_i, G_j, G_k> and
<G_i, G_k, G_j> ask the same question, so they count as one triplet, and the order of the two is
random. Triplets are never listed: with a query's candidates sorted by distance, the p-th
makes a triplet with each of those that are nearer, so that triplet number t is found by two
look-ups in running sums.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.data.pairs.triplets import TripletSet
from graphpool.errors import ConfigError, DataError, plural
from graphpool.graphs.graphset import GraphSet

Positions = Sequence[int] | NDArray[Any]

PAPER_TRIPLETS = {"AIDS700nef": 171_900, "LINUX": 409_600}
"""Numbers of triplets in the paper (Table 1). It doesn't say how they were chosen from the many
millions that exist, so `paper_counts` returns numbers to draw."""


@dataclass(frozen=True)
class TripletCount:
    """Numbers of choices of a query and two candidates.

    Args:
        triplets: those whose candidates are at different distances from the query.
        ties: those whose candidates are equally far; they carry no order.
        unknown: those with a distance that is not known.
    """

    triplets: int
    ties: int
    unknown: int


def count_triplets(matrix: NDArray[Any], queries: Positions, candidates: Positions) -> TripletCount:
    """Count all triplets exactly, without making one.

    Args:
        matrix: `[graphs, graphs]` distances, NaN (or infinite) where none is known.
        queries: positions of the query graphs.
        candidates: positions of the candidates; a query is never its own candidate.
    """
    return _Ranked.of(matrix, queries, candidates).count


def sample_triplets(
    graphs: GraphSet,
    matrix: NDArray[Any],
    queries: Positions,
    candidates: Positions,
    count: int,
    seed: int,
) -> TripletSet:
    """Draw different triplets, all equally likely.

    To judge a model, the queries must be graphs that it has not seen; the published protocol
    takes the training graphs as candidates.

    Args:
        graphs: the set whose rows and columns the matrix has.
        matrix, queries, candidates: as in `count_triplets`.
        count: how many to draw.
        seed: the same seed gives the same triplets, on every machine.
    """
    ranked = _Ranked.of(matrix, queries, candidates, graphs)
    exist = ranked.count
    if count < 1:
        raise ConfigError(f"{graphs.name}: count is {count}; draw at least one triplet")
    if count > exist.triplets:
        raise ConfigError(
            f"{graphs.name}: {plural(count, 'triplet')} can't be drawn: {len(queries)} queries and "
            f"{len(candidates)} candidates make {exist.triplets} ({exist.ties} more are ties, "
            f"{exist.unknown} have unknown distances); "
            + ("draw fewer" if exist.triplets else "give other graphs or distances")
        )
    return _drawn(graphs, ranked, count, seed)


def draw_triplets(
    graphs: GraphSet,
    matrix: NDArray[Any],
    queries: Positions,
    candidates: Positions,
    most: int,
    seed: int,
    part: str = "",
) -> TripletSet:
    """Draw `most` different triplets, or all if there are fewer; else as `sample_triplets`.

    Args:
        part: what the queries are for, such as `"test"`, for the error if there are no triplets.
    """
    ranked = _Ranked.of(matrix, queries, candidates, graphs)
    exist = ranked.count.triplets
    if not exist:
        of_part = f" of the {part} part" if part else ""
        raise DataError(
            f"{graphs.name}: no graph{of_part} is known to be nearer to one graph than to "
            "another; give more graphs, or other distances"
        )
    return _drawn(graphs, ranked, min(most, exist), seed)


def _drawn(graphs: GraphSet, ranked: "_Ranked", count: int, seed: int) -> TripletSet:
    stream = np.random.PCG64(np.random.SeedSequence(seed))
    query, near, far, gap = ranked.triplets(_distinct(stream, ranked.count.triplets, count))
    swap = stream.random_raw(count) >> np.uint64(63) == 1
    return TripletSet(
        graphs,
        torch.from_numpy(query),
        torch.from_numpy(np.where(swap, far, near)),
        torch.from_numpy(np.where(swap, near, far)),
        torch.from_numpy(np.where(swap, gap, -gap).astype(np.float32)),
    ).to(graphs.device)


def paper_counts(name: str, shares: tuple[int, int, int] = (8, 1, 1)) -> tuple[int, int, int]:
    """Return the paper's numbers of training, validation and test triplets.

    They exist for AIDS700nef and LINUX.

    Deviation from the paper: it cuts one list of triplets 8:1:1, whose parts share all graphs;
    here these are the numbers to draw for queries of different parts.
    """
    full = {"AIDS": "AIDS700nef"}.get(name, name)
    if full not in PAPER_TRIPLETS:
        raise ConfigError(
            f"the paper counts no triplets of {name!r}, only of {', '.join(PAPER_TRIPLETS)}; "
            "choose a number yourself"
        )
    total = PAPER_TRIPLETS[full]
    valid, test = (total * share // sum(shares) for share in shares[1:])
    return total - valid - test, valid, test


@dataclass(frozen=True)
class _Ranked:
    """Candidates of each query in order of distance.

    Args:
        queries: `[queries]` positions.
        candidate: `[queries, candidates]` positions, nearest first, unknown ones last.
        distance: `[queries, candidates]`, the same order, NaN where unknown.
    """

    queries: NDArray[np.int64]
    candidate: NDArray[np.int64]
    distance: NDArray[np.float64]

    @classmethod
    def of(
        cls,
        matrix: NDArray[Any],
        queries: Positions,
        candidates: Positions,
        graphs: GraphSet | None = None,
    ) -> "_Ranked":
        if graphs is not None and len(matrix) != len(graphs):
            raise DataError(
                f"{graphs.name} has {plural(len(graphs), 'graph')}, and the matrix has "
                f"{plural(len(matrix), 'row')}; "
                "give one row and one column per graph"
            )
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise DataError(
                f"a matrix of shape {list(matrix.shape)} holds no distances between graphs; give "
                "one row and one column per graph"
            )
        rows = _checked("queries", queries, len(matrix))
        columns = _checked("candidates", candidates, len(matrix))
        distance = matrix[np.ix_(rows, columns)].astype(np.float64)
        distance[~np.isfinite(distance) | (rows[:, None] == columns)] = np.nan
        order = np.argsort(distance, axis=1, kind="stable")  # NaN goes to the end
        return cls(rows, columns[order], np.take_along_axis(distance, order, axis=1))

    @cached_property
    def nearer(self) -> NDArray[np.int64]:
        """Number of known candidates that are nearer than each, `[queries, candidates]`."""
        position = np.broadcast_to(np.arange(self.distance.shape[1]), self.distance.shape)
        begins = np.ones(self.distance.shape, dtype=bool)
        begins[:, 1:] = self.distance[:, 1:] != self.distance[:, :-1]
        first = np.maximum.accumulate(np.where(begins, position, 0), axis=1)
        return np.where(np.isnan(self.distance), 0, first)

    @cached_property
    def count(self) -> TripletCount:
        """Numbers of triplets, ties and choices with unknown distances."""
        known = (~np.isnan(self.distance)).sum(axis=1)
        choices = int((known * (known - 1) // 2).sum())
        triplets = int(self.nearer.sum())
        width = self.distance.shape[1]
        # A query among the candidates is no candidate of its own.
        others = width - (self.candidate == self.queries[:, None]).sum(axis=1)
        return TripletCount(
            triplets, choices - triplets, int((others * (others - 1) // 2).sum()) - choices
        )

    def triplets(
        self, number: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """Return query, nearer and farther candidate, and the difference, of triplets by number."""
        ends = self.nearer.ravel().cumsum()
        slot = np.searchsorted(ends, number, side="right")
        row, far = np.divmod(slot, self.distance.shape[1])
        near = number - (ends[slot] - self.nearer.ravel()[slot])
        gap = self.distance[row, far] - self.distance[row, near]
        return self.queries[row], self.candidate[row, near], self.candidate[row, far], gap


def _checked(name: str, given: Positions, graphs: int) -> NDArray[np.int64]:
    """Return positions as an array; refuse repeated and missing graphs."""
    positions = np.asarray(given)
    if not positions.size:
        raise ConfigError(f"there are no {name}; give positions of graphs")
    if positions.dtype.kind not in "iu" or positions.ndim != 1:
        raise ConfigError(
            f"{name} are {positions.dtype} of shape {positions.shape}; give positions"
        )
    if positions.min() < 0 or positions.max() >= graphs:
        wrong = positions[(positions < 0) | (positions >= graphs)][0]
        raise ConfigError(f"{name} name graph {wrong}; graphs are 0 to {graphs - 1}")
    values, count = np.unique(positions, return_counts=True)
    if count.max() > 1:
        raise ConfigError(f"{name} name graph {values[count.argmax()]} twice; give each graph once")
    return positions.astype(np.int64)


def _distinct(stream: np.random.PCG64, total: int, count: int) -> NDArray[np.int64]:
    """Draw `count` different numbers below `total`, in random order.

    They come from the raw stream, which is the same in every version of numpy.
    """
    if total <= 2 * count:
        return np.argsort(stream.random_raw(total), kind="stable")[:count]
    kept = np.empty(0, dtype=np.int64)
    while len(kept) < count:
        fresh = (stream.random_raw(count - len(kept)) % np.uint64(total)).astype(np.int64)
        drawn = np.concatenate([kept, fresh])
        _, first = np.unique(drawn, return_index=True)
        kept = drawn[np.sort(first)]
    return kept
