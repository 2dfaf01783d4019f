"""The nodes of one graph, each with what a method looks at without knowing its neighbours."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.collection import Arrays
from graphpool.ged.kernel import compiled
from graphpool.ged.pair import Task


class Side(NamedTuple):
    """Room for the nodes of a graph of up to `size` nodes.

    Args:
        label: `[size]` label codes.
        loop: `[size]` code of the self-loop, 0 for none.
        degree: `[2, size]` edges that leave and, if directed, that enter, loops not counted.
        codes: `[2, size, size]` labels of these edges, ascending.
    """

    label: NDArray[np.int32]
    loop: NDArray[np.int32]
    degree: NDArray[np.int32]
    codes: NDArray[np.int32]


def make_side(size: int) -> Side:
    """Room for a graph of `size` nodes."""
    return Side(
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros((2, size), dtype=np.int32),
        np.zeros((2, size, size), dtype=np.int32),
    )


def room_size(task: Task, pairs: NDArray[np.int64]) -> int:
    """Nodes of the largest of these pairs after filling up."""
    sizes = np.diff(task.graphs.node_ptr)[pairs]
    return int((sizes.sum(1) if task.tables.deletes else sizes.max(1)).max(initial=0))


@compiled
@no_type_check
def load_side(graphs: Arrays, graph: int, directed: int, side: Side) -> int:
    """Lay `graph` into `side`; returns its number of nodes."""
    start = graphs.node_ptr[graph]
    size = graphs.node_ptr[graph + 1] - start
    for v in range(size):
        side.label[v] = graphs.node_label[start + v]
        side.loop[v] = 0
        side.degree[0, v] = 0
        side.degree[1, v] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        v, w, code = graphs.source[e], graphs.target[e], graphs.edge_label[e]
        if v == w:
            side.loop[v] = code
            continue
        _insert(side, 0, v, code)
        if directed:
            _insert(side, 1, w, code)
    return size


@compiled
@no_type_check
def _insert(side: Side, way: int, v: int, code: int) -> None:
    codes, at = side.codes[way, v], side.degree[way, v]
    while at > 0 and codes[at - 1] > code:
        codes[at] = codes[at - 1]
        at -= 1
    codes[at] = code
    side.degree[way, v] += 1
