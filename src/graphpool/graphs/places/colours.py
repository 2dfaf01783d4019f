"""Compiled colour refinement of one graph: node colours that depend on the structure alone.

Each round visits only the neighbours of cells that were split in the round before. The largest
part of a split cell may keep its colour, because its counts follow from those of the whole cell
and of the other parts. The cost is therefore about edges times the logarithm of nodes, even for a
long path, where rounds over all nodes would have to be repeated for half the length of the path.
"""

from typing import Any, no_type_check

import numpy as np

from graphpool.graphs.places.kernel import inner

Array = Any

_STEP = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(0xBF58476D1CE4E5B9)
_TWO = np.uint64(0x94D049BB133111EB)
_REST = np.uint64(0xD1B54A32D192ED03)
_WEIGHT = np.uint64(0xA0761D6478BD642F)
_FEW = 16
_FIRST = np.int64(0)  # typed like other positions, so that `sort` is compiled once


@inner
@no_type_check
def mixed(value: int) -> int:
    """Spread a 64-bit number over all bits, as `hashing.mix` does."""
    value = value + _STEP
    value = (value ^ (value >> np.uint64(30))) * _ONE
    value = (value ^ (value >> np.uint64(27))) * _TWO
    return value ^ (value >> np.uint64(31))


@inner
@no_type_check
def refine(ptr: Array, col: Array, weight: Array, colour: Array) -> tuple[Array, ...]:
    """Split colours, in place, until nodes of one colour see the same colours and weights.

    Returns the start and the length of each cell in a list of nodes, that list, and the number of
    cells; the cells come in no particular order.
    """
    nodes = len(colour)
    order = np.arange(nodes)
    sort(order, colour, _FIRST, nodes)
    place, cell = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    start, length = np.empty(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    cells = 0
    for at in range(nodes):
        node = order[at]
        if at == 0 or colour[node] != colour[order[at - 1]]:
            start[cells] = at
            cells += 1
        place[node], cell[node] = at, cells - 1
        length[cells - 1] += 1
    seen, hits = np.zeros(nodes, dtype=np.uint64), np.zeros(nodes, dtype=np.int64)
    met = np.zeros(nodes, dtype=np.bool_)
    struck, changed, many = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64), nodes
    for at in range(nodes):
        changed[at] = order[at]
    while many and cells < nodes:
        number = 0
        for i in range(many):
            node = changed[i]
            for slot in range(ptr[node], ptr[node + 1]):
                other = col[slot]
                at = cell[other]
                if length[at] == 1:
                    continue
                if not met[other]:
                    met[other] = True
                    if hits[at] == 0:
                        struck[number] = at
                        number += 1
                    swapped, to = order[start[at] + hits[at]], place[other]
                    order[to], place[swapped] = swapped, to
                    order[start[at] + hits[at]], place[other] = other, start[at] + hits[at]
                    hits[at] += 1
                seen[other] += mixed(colour[node] ^ (np.uint64(weight[slot]) * _WEIGHT))
        many = 0
        for i in range(number):
            at = struck[i]
            begin, end, stop = start[at], start[at] + hits[at], start[at] + length[at]
            hits[at] = 0
            sort(order, seen, begin, end)
            # The largest part keeps the colour; on ties the untouched part, then the smallest key.
            keep, largest, run = end, stop - end, begin
            for j in range(begin, end):
                if j + 1 == end or seen[order[j + 1]] != seen[order[j]]:
                    if j + 1 - run > largest:
                        keep, largest = run, j + 1 - run
                    run = j + 1
            old, run, kept = colour[order[begin]], begin, order[keep]
            # The untouched part is visited only if it is not the largest.
            for j in range(begin, end if keep == end else stop):
                last = end if j < end else stop
                if j + 1 < last and (j >= end or seen[order[j + 1]] == seen[order[j]]):
                    continue
                if run == keep:
                    start[at], length[at] = run, j + 1 - run
                else:
                    # The neighbour hash is new in every round, so no colour is used twice.
                    sight = mixed(seen[order[j]]) if j < end else mixed(seen[kept]) ^ _REST
                    tint = mixed(old ^ sight)
                    start[cells], length[cells] = run, j + 1 - run
                    for k in range(run, j + 1):
                        colour[order[k]], cell[order[k]] = tint, cells
                        changed[many] = order[k]
                        many += 1
                    cells += 1
                run = j + 1
            if keep == end:
                start[at], length[at] = end, stop - end
            for j in range(begin, end):
                place[order[j]], seen[order[j]], met[order[j]] = j, np.uint64(0), False
    return start, length, order, cells


@inner
@no_type_check
def cells_of(
    start: Array, length: Array, order: Array, count: int, colour: Array
) -> tuple[Array, Array]:
    """Return the nodes grouped by cell, cells sorted by colour, and where each cell begins."""
    tint = np.empty(count, dtype=np.uint64)
    for at in range(count):
        tint[at] = colour[order[start[at]]]
    nodes, begins = np.empty(len(order), dtype=np.int64), np.zeros(count + 1, dtype=np.int64)
    rank = np.arange(count)
    sort(rank, tint, _FIRST, count)
    for number in range(count):
        at = rank[number]
        begin, end = begins[number], begins[number] + length[at]
        for i in range(length[at]):
            nodes[begin + i] = order[start[at] + i]
        begins[number + 1] = end
    return nodes, begins


@inner
@no_type_check
def sort(order: Array, key: Array, begin: int, end: int) -> None:
    """Sort a part of `order` by `key`, stably; almost all parts are tiny."""
    for low in range(begin, end, _FEW):
        for i in range(low + 1, min(low + _FEW, end)):
            node, j = order[i], i
            while j > low and key[order[j - 1]] > key[node]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = node
    width = _FEW
    if end - begin <= width:
        return
    spare = np.empty(end - begin, dtype=np.int64)
    while width < end - begin:
        for low in range(begin, end, 2 * width):
            middle, high = min(low + width, end), min(low + 2 * width, end)
            i, j = low, middle
            for at in range(low - begin, high - begin):
                if i < middle and (j == high or key[order[i]] <= key[order[j]]):
                    spare[at] = order[i]
                    i += 1
                else:
                    spare[at] = order[j]
                    j += 1
        for at in range(begin, end):
            order[at] = spare[at - begin]
        width *= 2
