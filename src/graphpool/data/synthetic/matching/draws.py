"""Draw random graphs of one size, many at a time, for both sets of matching pairs.

A graph is a row of flags, one for each pair of nodes. Pairs (low, high) are numbered so that those
of the first k nodes are the first k(k-1)/2: more nodes only add flags at the end. Everything is
made from uniform numbers of PCG64 by exact steps, so that a seed gives the same bits on any
machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

Flags = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

DENSITY = (0.2, 0.5)  # the paper's edge probabilities; each pair has its own, drawn between them
_TRIES = 100_000  # far more than any size needs; an endless loop would hide a bug


@dataclass(frozen=True)
class DrawnPairs:
    """Pairs of graphs, before the nodes of the second get their numbers.

    Args:
        left: `[pairs, slots]`, the first graphs; all of them have the same number of nodes.
        right: `[pairs, slots]`, the second graphs, on the first one's nodes and further ones.
        present: `[pairs, width]`, the nodes that the second graphs have.
        edits: `[pairs]`, number of edits (edges or swaps) between both; -1: independent.
    """

    left: Flags
    right: Flags
    present: Flags
    edits: Ints


def slots(nodes: int) -> int:
    """Return the number of pairs of nodes."""
    return nodes * (nodes - 1) // 2


def ends(nodes: int) -> tuple[Ints, Ints]:
    """Return the lower and the higher node of each flag, `[slots]`."""
    high, low = np.tril_indices(nodes, -1)
    return low, high


def stream(seed: int, *parts: int | str) -> Generator:
    """Return a random stream that depends on the seed and all parts."""
    spelled = [list(part.encode()) if isinstance(part, str) else [part] for part in parts]
    return Generator(np.random.PCG64([seed, *(number for part in spelled for number in part)]))


def below(bound: int, uniform: Floats) -> Ints:
    """Return whole numbers from 0 to `bound` - 1, all equally likely."""
    return np.floor(uniform * bound).astype(np.int64)


def least(uniform: Floats, allowed: Flags, count: Ints) -> Flags:
    """Flag the `count`, `[rows]`, allowed positions of each row that have the least numbers."""
    chosen = np.zeros(allowed.shape, dtype=bool)
    most = int(count.max(initial=0))
    if not most:
        return chosen
    rank = np.where(allowed, uniform, 2.0)
    part = np.argpartition(rank, min(most, rank.shape[1] - 1), axis=1)[:, :most]
    order = np.argsort(np.take_along_axis(rank, part, axis=1), axis=1, kind="stable")
    part = np.take_along_axis(part, order, axis=1)
    np.put_along_axis(chosen, part, np.arange(most) < count[:, None], axis=1)
    return chosen & allowed


def fill(
    rows: Ints, attempt: Callable[[Ints], tuple[Any, ...]], *into: NDArray[Any], tries: int = _TRIES
) -> Ints:
    """Attempt rows until each of them succeeds; return the rows that never did.

    Args:
        attempt: takes rows; returns which of them are good, `[rows]`, and values for `into`.
    """
    for _ in range(tries):
        if not len(rows):
            break
        good, *made = attempt(rows)
        for whole, part in zip(into, made, strict=True):
            whole[rows[good]] = part[good]
        rows = rows[~good]
    return rows


def connected(edges: Flags, present: Flags) -> Flags:
    """Whether the present nodes of each graph are connected, `[graphs]`.

    Args:
        edges: `[graphs, slots]`; none of them at an absent node.
        present: `[graphs, nodes]`.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graphs, nodes = present.shape
    low, high = ends(nodes)
    row, slot = np.nonzero(edges)
    where = row * nodes + low[slot], row * nodes + high[slot]
    shape = graphs * nodes, graphs * nodes
    ones = np.ones(len(row), dtype=np.int8)
    _, label = connected_components(coo_array((ones, where), shape), directed=False)
    first = np.unique(label, return_index=True)[1]
    count = np.bincount(first // nodes, minlength=graphs)
    # An absent node is a component of its own.
    return np.asarray(count - (~present).sum(1) == 1)


def connected_graphs(nodes: int, probability: Floats, draw: Generator) -> Flags:
    """Connected G(nodes, p), one for each p, `[graphs, slots]`; others are drawn again."""
    made = np.empty((len(probability), slots(nodes)), dtype=bool)

    def attempt(rows: Ints) -> tuple[Flags, Flags]:
        edges = draw.random((len(rows), made.shape[1])) < probability[rows, None]
        return connected(edges, np.ones((len(rows), nodes), dtype=bool)), edges

    fill(np.arange(len(made)), attempt, made)
    return made


def probabilities(pairs: int, draw: Generator) -> Floats:
    """An edge probability for each pair, `[pairs]`."""
    least_, most = DENSITY
    return least_ + (most - least_) * draw.random(pairs)


def shuffled_numbers(present: Flags, draw: Generator) -> Ints:
    """New numbers of the nodes, `[graphs, nodes]`: present ones at random from 0, then absent."""
    rank = np.where(present, draw.random(present.shape), 2.0)
    order = np.argsort(rank, axis=1, kind="stable")
    return np.argsort(order, axis=1, kind="stable")
