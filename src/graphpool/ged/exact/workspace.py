"""Room for one search, so that nothing is allocated while it runs."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.pair import Pair, make_pair

Whole = NDArray[np.int64]

ROW, COLUMN = 0, 1
# What `Workspace.level` holds of a level.
BOUND, FIXED, NEXT, CHILDREN, LINE, SIDE, TAKEN_ROW, TAKEN_COLUMN = range(8)
# What `Workspace.state` holds of a search: work until the next look at the clock (BUDGET) and
# until the pair counts as hard (LEFT), units to one (FINE), …
DEPTH, UPPER, EXPANDED, SIZE, FIRST, SECOND, BASE, BUDGET, LEFT, NOISE, FINE = range(11)
# Scratch of the assignment problem.
DISTANCE, ORIGIN, DONE = range(3)


class Workspace(NamedTuple):
    """A level for each mapped node; level `d` holds the `size - d` rows and columns still open.

    Open rows and columns are packed: position p of level d is node `node[d, side, p]`. Costs
    are doubled, because an edge between open nodes counts half at each of its ends.

    Args:
        pair: the two graphs.
        cost: `[levels, size, size]`, cost of each open row and column.
        node: `[levels, 2, size]`, which nodes are open, in ascending order.
        price, mate: `[levels, 2, size]`, dual and primal solution of the assignment problem.
        edges: `[levels, 2, size, kinds]`, open edges of each open node by label; for directed
            graphs leaving ones, then arriving ones.
        child: `[levels, 2, size]`, positions to try on the level's line, best first, and what
            each can't fall below.
        level: `[levels, 8]`, see the constants above.
        taken: `[2, size]`, column of each mapped row and row of each mapped column, else -1.
        best: `[size]`, the best mapping so far.
        near, degree: `[2, size, size]` and `[2, size]`, neighbours of each node in either graph;
            in directed graphs by an edge either way.
        place: `[2, size]`, the position of each open node, and then scratch.
        twin: `[2, size]`, the nearest node before that is exactly alike, or -1.
        scratch: `[3, size]`.
        double: `[size, size, size, size]`, costs of pairs of mapped nodes as `ascent` states
            them; empty in a search that reads them off the graphs.
        state: `[11]`, see the constants above.
    """

    pair: Pair
    cost: Whole
    node: Whole
    price: Whole
    mate: Whole
    edges: Whole
    child: Whole
    level: Whole
    taken: Whole
    best: Whole
    near: Whole
    degree: Whole
    place: Whole
    twin: Whole
    scratch: Whole
    double: NDArray[np.int32]
    state: Whole


def make_workspace(size: int, kinds: int) -> Workspace:
    """Room for pairs of up to `size` nodes and `kinds` kinds of edge ends."""

    def whole(*shape: int) -> Whole:
        return np.zeros(shape, dtype=np.int64)

    levels = size + 1
    return Workspace(
        pair=make_pair(size),
        cost=whole(levels, size, size),
        node=whole(levels, 2, size),
        price=whole(levels, 2, size),
        mate=whole(levels, 2, size),
        edges=whole(levels, 2, size, kinds),
        child=whole(levels, 2, size),
        level=np.zeros((levels, 8), dtype=np.int64),
        taken=whole(2, size),
        best=whole(size),
        near=whole(2, size, size),
        degree=whole(2, size),
        place=whole(2, size),
        twin=whole(2, size),
        scratch=whole(3, size),
        double=np.zeros((0, 0, 0, 0), dtype=np.int32),
        state=np.zeros(11, dtype=np.int64),
    )
