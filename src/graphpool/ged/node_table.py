"""`NodeTable`: the nodes of one graph with their labels, self-loops and edge labels."""

from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.ged.collection import Arrays
from graphpool.ged.kernel import CodeArray, compiled


class NodeTable(NamedTuple):
    """The nodes of a graph of up to `size` nodes.

    Args:
        label: `[size]`, label codes.
        loop: `[size]`, code of the self-loop, 0 for none.
        degree: `[2, size]`, number of outgoing and, if directed, of incoming edges without loops.
        codes: `[2, size, size]`, labels of these edges, ascending.
    """

    label: CodeArray
    loop: CodeArray
    degree: CodeArray
    codes: CodeArray


def make_node_table(size: int) -> NodeTable:
    """Allocate a table for `size` nodes."""
    label, loop = np.zeros((2, size), dtype=np.int32)
    return NodeTable(
        label, loop, np.zeros((2, size), np.int32), np.zeros((2, size, size), np.int32)
    )


@compiled
@no_type_check
def load_node_table(graphs: Arrays, graph: int, directed: int, table: NodeTable) -> int:
    """Load `graph` into `table`; return its number of nodes."""
    start = graphs.node_ptr[graph]
    size = graphs.node_ptr[graph + 1] - start
    for v in range(size):
        table.label[v] = graphs.node_label[start + v]
        table.loop[v] = 0
        table.degree[0, v] = 0
        table.degree[1, v] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        v, w, code = graphs.source[e], graphs.target[e], graphs.edge_label[e]
        if v == w:
            table.loop[v] = code
            continue
        _insert(table, 0, v, code)
        if directed:
            _insert(table, 1, w, code)
    return size


@compiled
@no_type_check
def _insert(table: NodeTable, way: int, v: int, code: int) -> None:
    codes, at = table.codes[way, v], table.degree[way, v]
    while at > 0 and codes[at - 1] > code:
        codes[at] = codes[at - 1]
        at -= 1
    codes[at] = code
    table.degree[way, v] += 1
