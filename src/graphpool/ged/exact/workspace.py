"""`Workspace`: the arrays of one search, so that nothing is allocated while it runs."""

from typing import NamedTuple

import numpy as np

from graphpool.ged.kernel import CodeArray, IntArray
from graphpool.ged.pair import Pair, make_pair

ROW, COLUMN = 0, 1
# Columns of `Workspace.level`.
BOUND, FIXED, NEXT, CHILDREN, LINE, SIDE, TAKEN_ROW, TAKEN_COLUMN = range(8)
NEW = -1  # CHILDREN of a level that is not expanded yet
# Entries of `Workspace.state`: BUDGET is the work until the next check of the time, LEFT the work
# until the pair counts as hard, FINE the units to one.
DEPTH, UPPER, EXPANDED, SIZE, FIRST, SECOND, BASE, BUDGET, LEFT, NOISE, FINE = range(11)
# Scratch of the assignment problem.
DISTANCE, ORIGIN, DONE = range(3)


class Workspace(NamedTuple):
    """The state of a search, with a level for each mapped node.

    Level `d` holds the `size - d` rows and columns that are still open. They are packed: position
    p of level d is node `node[d, side, p]`. Costs are doubled, because an edge between open nodes
    counts half at each of its ends.

    Args:
        pair: the two graphs.
        cost: `[levels, size, size]`, cost of each open row and column.
        node: `[levels, 2, size]`, the open nodes.
        price, mate: `[levels, 2, size]`, dual and primal solution of the assignment problem.
        edges: `[levels, 2, size, kinds]`, open edges of each open node by label; for directed
            graphs leaving ones, then arriving ones.
        child: `[levels, 2, size]`, positions to try on the line of the level, best first, and
            their lower bounds.
        level: `[levels, 8]`, see the constants above.
        taken: `[2, size]`, column of each mapped row and row of each mapped column, else -1.
        best: `[size]`, the best mapping so far.
        near, degree: `[2, size, size]` and `[2, size]`, neighbours of each node in either graph;
            in directed graphs by an edge either way.
        trial: `[2, size]`, scratch for a mapping.
        twin: `[2, size]`, the nearest earlier node that is equal, or -1.
        scratch: `[3, size]`.
        double: `[size, size, size, size]`, costs of pairs of mapped nodes as reformulated by
            `ascent`; empty in a search that reads them from the graphs.
        state: `[11]`, see the constants above.
    """

    pair: Pair
    cost: IntArray
    node: IntArray
    price: IntArray
    mate: IntArray
    edges: IntArray
    child: IntArray
    level: IntArray
    taken: IntArray
    best: IntArray
    near: IntArray
    degree: IntArray
    trial: IntArray
    twin: IntArray
    scratch: IntArray
    double: CodeArray
    state: IntArray


def make_workspace(size: int, kinds: int) -> Workspace:
    """Allocate arrays for pairs of up to `size` nodes and `kinds` kinds of edge ends."""

    def zeros(*shape: int) -> IntArray:
        return np.zeros(shape, dtype=np.int64)

    levels = size + 1
    return Workspace(
        pair=make_pair(size),
        cost=zeros(levels, size, size),
        node=zeros(levels, 2, size),
        price=zeros(levels, 2, size),
        mate=zeros(levels, 2, size),
        edges=zeros(levels, 2, size, kinds),
        child=zeros(levels, 2, size),
        level=zeros(levels, 8),
        taken=zeros(2, size),
        best=zeros(size),
        near=zeros(2, size, size),
        degree=zeros(2, size),
        trial=zeros(2, size),
        twin=zeros(2, size),
        scratch=zeros(3, size),
        double=np.zeros((0, 0, 0, 0), dtype=np.int32),
        state=zeros(11),
    )
