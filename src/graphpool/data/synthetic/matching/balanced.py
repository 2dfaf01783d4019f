"""Matching pairs of equal size: both graphs have the same numbers of nodes and edges.

| hardness | a pair that matches | one that doesn't |
|---|---|---|
| `easy` | 0 or 1 edge rewired | an independent graph |
| `medium` | 0 or 1 pair of edges swapped | swapped until only the degrees are left of it |
| `hard` | 0 or 1 edge rewired | 3 or 4 edges rewired |

To rewire an edge is to remove it and to join two nodes that were not joined. To swap two edges is
to replace a-b, c-d by a-d, c-b: every node keeps its degree, so that in `medium` the degrees carry
no information either. Both numbers of edits are equally likely, and all graphs are connected.

The edit of pairs that match can be chosen. With `none` they are plain copies, and any function of
graphs that doesn't depend on the numbering of nodes solves the set without learning: it has the
same value for both graphs. With `rewire` in `medium`, degrees that differ are a sign of a match.

Pairs that don't match are proved to be more than one edit apart, whatever the numbering of nodes;
see `proofs`. What can't be proved is drawn again.
"""

from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from graphpool.data.synthetic.matching.draws import (
    DrawnPairs,
    Flags,
    Ints,
    below,
    connected,
    connected_graphs,
    fill,
    least,
    probabilities,
    slots,
)
from graphpool.data.synthetic.matching.proofs import beyond_one_rewiring, beyond_one_swap
from graphpool.data.synthetic.matching.swaps import swapped

_TRIES = 200  # for one first graph; some, such as paths, have no partner with the same degrees
_ATTEMPTS = 100  # to swap, per edge; enough for every graph that Milo et al. (2003) tried
_ALL = -1

Change = Callable[[Flags, Ints, Generator], Flags]


def draw_balanced(nodes: int, y: Flags, hardness: str, edit: str, draw: Generator) -> DrawnPairs:
    """Draw pairs of graphs with `nodes` nodes; those where `y` is true match.

    Args:
        hardness: `easy`, `medium` or `hard`.
        edit: of pairs that match: `none`, `rewire` or `swap`.
    """
    near, proved = _EDITS[edit if edit != "none" else _OWN[hardness]]
    far, numbers = _FAR[hardness]
    shape = len(y), slots(nodes)
    left, right = np.empty(shape, dtype=bool), np.empty(shape, dtype=bool)
    count = np.empty(len(y), dtype=np.int64)

    def pair(rows: Ints) -> tuple[Flags, Flags, Flags, Ints]:
        same, uniform = y[rows], draw.random(len(rows))
        first = connected_graphs(nodes, probabilities(len(rows), draw), draw)
        second = np.empty_like(first)
        few = below(2 if edit != "none" else 1, uniform)
        edits = np.where(same, few, numbers[0] + below(len(numbers), uniform))

        def other(some: Ints) -> tuple[Flags, Flags]:
            made, start = np.empty_like(first[some]), first[some]
            match = same[some]
            for rule, chosen in ((near, match), (far, ~match)):
                made[chosen] = rule(start[chosen], edits[some][chosen], draw)
            good = connected(made, np.ones((len(some), nodes), dtype=bool))
            # A graph that can't have this many edits is given up.
            good &= made.sum(1) == start.sum(1)
            good &= (made != start).any(1) | (edits[some] == 0)
            doubtful = np.flatnonzero(good & ~match)
            good[doubtful] = proved(start[doubtful], made[doubtful], nodes)
            return good, made

        failed = fill(np.arange(len(rows)), other, second, tries=_TRIES)
        good = np.ones(len(rows), dtype=bool)
        good[failed] = False
        return good, first, second, edits

    fill(np.arange(len(y)), pair, left, right, count)
    return DrawnPairs(left, right, np.ones((len(y), nodes), dtype=bool), count)


def rewired(edges: Flags, count: Ints, draw: Generator) -> Flags:
    """Remove `count`, `[graphs]`, edges at random, and join as many pairs that were not joined."""
    gone = least(draw.random(edges.shape), edges, count)
    come = least(draw.random(edges.shape), ~edges, count)
    return edges ^ gone ^ come


def _fresh(edges: Flags, count: Ints, draw: Generator) -> Flags:
    """Draw independent graphs with as many edges; `count` is not used."""
    return least(draw.random(edges.shape), np.ones_like(edges), edges.sum(1))


def _swapped(edges: Flags, count: Ints, draw: Generator) -> Flags:
    return swapped(edges, count, _ATTEMPTS, draw)


_OWN = {"easy": "rewire", "medium": "swap", "hard": "rewire"}
# What changes a pair that matches, and what proves that a pair is more than one of it apart.
_EDITS: dict[str, tuple[Change, Callable[[Flags, Flags, int], Flags]]] = {
    "rewire": (rewired, beyond_one_rewiring),
    "swap": (_swapped, beyond_one_swap),
}
# What changes a pair that doesn't match, and how often.
_FAR: dict[str, tuple[Change, tuple[int, ...]]] = {
    "easy": (_fresh, (_ALL,)),
    "medium": (_swapped, (_ALL,)),
    "hard": (rewired, (3, 4)),
}
