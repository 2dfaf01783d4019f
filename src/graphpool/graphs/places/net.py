"""One weighted graph in integer arithmetic, the input of the search for places.

Weights are converted to integers, so that sums and gains are exact and don't depend on the order
of summation. Otherwise the result would depend on the numbering of the nodes.
"""

from typing import Any, NamedTuple, no_type_check

import numpy as np

from graphpool.graphs.places.colours import cells_of, mixed, refine
from graphpool.graphs.places.kernel import inner
from graphpool.graphs.places.rule import MOST_EDGES

Array = Any

_FINEST = 1 << 16
_LARGEST_WHOLE = 1 << 20


class Net(NamedTuple):
    """A graph of nodes or clusters, without self-loops and with each edge in both directions."""

    ptr: Array  # [nodes + 1], where the neighbours of a node begin
    col: Array  # [slots], neighbours
    weight: Array  # [slots]
    mass: Array  # [nodes], weight of all edge ends in a node, including those of inner edges
    size: Array  # [nodes], the number of original nodes that a node represents
    colour: Array  # [nodes], equal for nodes that refinement can't distinguish
    order: Array  # [nodes], the nodes grouped by cell
    cells: Array  # [cells + 1], where each cell begins in `order`


@inner
@no_type_check
def load(
    row_ptr: Array, col: Array, weight: Array, first: int, last: int, both: bool
) -> tuple[Array, Array, Array]:
    """Return A + Aᵀ of one graph with integer weights, as pointers, neighbours and weights.

    Integer weights are used as they are; others are rounded to multiples of a fraction of the
    largest weight, at least one each. Self-loops and weights that are not positive or not finite
    are ignored.

    Args:
        col: neighbours, counted from the graph's first node.
        first, last: first row of the graph, and one past its last row.
        both: whether A is known to be symmetric.
    """
    nodes = last - first
    count, top, whole, total = 0, 0.0, True, 0.0
    for row in range(first, last):
        for slot in range(row_ptr[row], row_ptr[row + 1]):
            value = float(weight[slot])
            if col[slot] == row - first or not (0.0 < value < np.inf):
                continue
            count += 1
            top = max(top, value)
            if value > _LARGEST_WHOLE or value != np.floor(value):
                whole = False
            elif whole:
                total += value
    whole = whole and total <= MOST_EDGES
    unit = min(_FINEST, max(1, MOST_EDGES // max(1, count)))
    ptr = np.zeros(nodes + 1, dtype=np.int64)
    for row in range(first, last):
        for slot in range(row_ptr[row], row_ptr[row + 1]):
            other, value = col[slot], float(weight[slot])
            if other != row - first and 0.0 < value < np.inf:
                ptr[row - first + 1] += 1
                if not both:
                    ptr[other + 1] += 1
    for node in range(nodes):
        ptr[node + 1] += ptr[node]
    near, amount = np.empty(ptr[nodes], dtype=np.int32), np.empty(ptr[nodes], dtype=np.int64)
    fill = np.empty(nodes, dtype=np.int64)
    for node in range(nodes):
        fill[node] = ptr[node]
    for row in range(first, last):
        node = row - first
        for slot in range(row_ptr[row], row_ptr[row + 1]):
            other, value = col[slot], float(weight[slot])
            if other == node or not (0.0 < value < np.inf):
                continue
            number = int(value) if whole else max(1, int(np.rint(value / top * unit)))
            near[fill[node]] = other
            amount[fill[node]] = 2 * number if both else number
            fill[node] += 1
            if not both:
                near[fill[other]] = node
                amount[fill[other]] = number
                fill[other] += 1
    ptr, near, amount = joined(ptr, near, amount)
    # Only ratios of weights matter: for undirected graphs A + Aᵀ = 2A is equivalent to A.
    common = 0
    for value in amount:
        while value:
            common, value = value, common % value
        if common == 1:
            break
    if common > 1:
        for slot in range(len(amount)):
            amount[slot] //= common
    return ptr, near, amount


@inner
@no_type_check
def joined(ptr: Array, col: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Merge repeated edges of a graph, in place."""
    nodes = len(ptr) - 1
    at = np.full(nodes, -1, dtype=np.int64)
    out, begin = 0, 0
    for node in range(nodes):
        start, end, row = begin, ptr[node + 1], out
        begin = end
        for slot in range(start, end):
            other = col[slot]
            if at[other] >= row:
                weight[at[other]] += weight[slot]
            else:
                at[other] = out
                col[out], weight[out] = other, weight[slot]
                out += 1
        ptr[node + 1] = out
    return ptr, col[:out], weight[:out]


@inner
@no_type_check
def first_net(ptr: Array, col: Array, weight: Array) -> Net:
    """Build the net of a graph's nodes."""
    nodes = len(ptr) - 1
    mass = np.zeros(nodes, dtype=np.int64)
    for node in range(nodes):
        for slot in range(ptr[node], ptr[node + 1]):
            mass[node] += weight[slot]
    colour = np.zeros(nodes, dtype=np.uint64)
    order, cells = cells_of(*refine(ptr, col, weight, colour), colour)
    return Net(ptr, col, weight, mass, np.ones(nodes, dtype=np.int64), colour, order, cells)


@inner
@no_type_check
def coarse_net(net: Net, member: Array, count: int) -> Net:
    """Build the net of clusters; `member` `[nodes]` numbers them from 0 to `count` - 1.

    The colour of a cluster depends on the colours of its members and its position in the net.
    """
    nodes = len(member)
    mass, size = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
    colour, ptr = np.zeros(count, dtype=np.uint64), np.zeros(count + 1, dtype=np.int64)
    for node in range(nodes):
        cluster = member[node]
        mass[cluster] += net.mass[node]
        size[cluster] += net.size[node]
        colour[cluster] += mixed(net.colour[node])
        for slot in range(net.ptr[node], net.ptr[node + 1]):
            if member[net.col[slot]] != cluster:
                ptr[cluster + 1] += 1
    for cluster in range(count):
        colour[cluster] = mixed(colour[cluster] ^ mixed(np.uint64(mass[cluster])))
        ptr[cluster + 1] += ptr[cluster]
    col, weight = np.empty(ptr[count], dtype=np.int32), np.empty(ptr[count], dtype=np.int64)
    fill = np.empty(count, dtype=np.int64)
    for cluster in range(count):
        fill[cluster] = ptr[cluster]
    for node in range(nodes):
        cluster = member[node]
        for slot in range(net.ptr[node], net.ptr[node + 1]):
            other = member[net.col[slot]]
            if other != cluster:
                col[fill[cluster]], weight[fill[cluster]] = other, net.weight[slot]
                fill[cluster] += 1
    ptr, col, weight = joined(ptr, col, weight)
    order, cells = cells_of(*refine(ptr, col, weight, colour), colour)
    return Net(ptr, col, weight, mass, size, colour, order, cells)


@inner
@no_type_check
def numbered_from_zero(member: Array) -> int:
    """Renumber clusters 0, 1, 2, … by their first nodes, in place; returns their number."""
    new = np.full(len(member), -1, dtype=np.int64)
    count = 0
    for node in range(len(member)):
        if new[member[node]] < 0:
            new[member[node]] = count
            count += 1
        member[node] = new[member[node]]
    return count
