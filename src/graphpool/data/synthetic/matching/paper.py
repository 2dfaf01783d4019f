"""The paper's matching pairs: a graph with a part of itself, or with an extension of itself.

As described there, a matching second graph has 1 to 3 nodes less than the first and one that
doesn't match 3 to 7 more: comparing their sizes solves the set. Show results on this set only
beside those of `rules.size_rule`.
"""

import numpy as np
from numpy.random import Generator

from graphpool.data.synthetic.matching.draws import (
    DrawnPairs,
    Flags,
    Ints,
    connected,
    connected_graphs,
    ends,
    fill,
    least,
    probabilities,
    slots,
)

REMOVED = (1, 3)
ADDED = (3, 7)


def draw_paper(nodes: int, y: Flags, draw: Generator) -> DrawnPairs:
    """Draw pairs whose first graph has `nodes` nodes; those where `y` is true match.

    The first graph is a connected G(nodes, p). A matching second graph is what is left of it
    without 1 to 3 nodes, chosen at random among those that leave it connected. Otherwise it gets 3
    to 7 nodes more, each joined to every other node with probability p. The paper doesn't say
    whether that graph is connected; here it is, so that connectedness carries no information.
    """
    pairs, width = len(y), nodes + ADDED[1]
    probability = probabilities(pairs, draw)
    left = connected_graphs(nodes, probability, draw)
    span = np.where(y, REMOVED[1] - REMOVED[0] + 1, ADDED[1] - ADDED[0] + 1)
    start = np.where(y, REMOVED[0], ADDED[0])
    count = start + np.floor(span * draw.random(pairs)).astype(np.int64)
    right = np.zeros((pairs, slots(width)), dtype=bool)
    present = np.zeros((pairs, width), dtype=bool)
    low, high = ends(width)
    inner = slots(nodes)

    def part(rows: Ints) -> tuple[Flags, Flags, Flags]:
        kept = np.zeros((len(rows), width), dtype=bool)
        anywhere = np.ones((len(rows), nodes), dtype=bool)
        kept[:, :nodes] = ~least(draw.random(anywhere.shape), anywhere, count[rows])
        edges = np.zeros((len(rows), slots(width)), dtype=bool)
        edges[:, :inner] = left[rows] & kept[:, low[:inner]] & kept[:, high[:inner]]
        return connected(edges, kept), edges, kept

    def more(rows: Ints) -> tuple[Flags, Flags, Flags]:
        grown = np.arange(width) < nodes + count[rows, None]
        fresh = draw.random((len(rows), slots(width) - inner)) < probability[rows, None]
        edges = np.concatenate([left[rows], fresh & grown[:, high[inner:]]], axis=1)
        return connected(edges, grown), edges, grown

    fill(np.flatnonzero(y), part, right, present)
    fill(np.flatnonzero(~y), more, right, present)
    return DrawnPairs(left, right, present, count)
