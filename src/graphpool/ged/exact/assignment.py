"""The assignment problem of open rows and columns, solved incrementally while costs rise.

Costs only rise from a partial mapping to one that extends it, so the dual solution stays
feasible, and only rows that lost their column or whose entry rose are matched again, each by one
shortest augmenting path: Dijkstra over the columns, with prices that keep reduced costs above 0.
"""

from typing import no_type_check

from graphpool.ged.kernel import IntArray, inlined, inner, kernel

FAR = 1 << 50


@inlined
@no_type_check
def augment(
    start: int,
    open_: int,
    cost: IntArray,
    price: IntArray,
    mate: IntArray,
    scratch: IntArray,
    most: int,
) -> int:
    """Match the free row `start`; return the increase of the cost.

    Returns early, with a value above `most` and nothing matched, if the increase is above that.

    Args:
        cost: `[rows, columns]`, of which the first `open_` of each are used.
        price, mate: `[2, size]`, of rows and of columns; the mate of a free one is -1.
        scratch: `[3, size]`.
    """
    row, base = start, 0
    for j in range(open_):
        scratch[0, j] = FAR
        scratch[2, j] = 0
    while True:
        nearest, least = -1, 2 * FAR
        shift = base - price[0, row]
        for j in range(open_):
            if scratch[2, j] == 0:
                length = cost[row, j] - price[1, j] + shift
                if length < scratch[0, j]:
                    scratch[0, j] = length
                    scratch[1, j] = row
                else:
                    length = scratch[0, j]
                if length < least:
                    least = length
                    nearest = j
        if least > most:
            return least
        scratch[2, nearest] = 1
        base = least
        row = mate[1, nearest]
        if row < 0:
            break
    for j in range(open_):
        if scratch[2, j] and j != nearest:
            gain = base - scratch[0, j]
            price[1, j] -= gain
            price[0, mate[1, j]] += gain
    price[0, start] += base
    j = nearest
    while True:
        row = scratch[1, j]
        mate[1, j] = row
        before = mate[0, row]
        mate[0, row] = j
        j = before
        if row == start:
            return base


@inlined
@no_type_check
def forced(
    side: int, line: int, open_: int, cost: IntArray, price: IntArray, mate: IntArray,
    scratch: IntArray, extra: IntArray, most: int,
) -> None:  # fmt: skip
    """Write to `extra` the increase of the cost if a line is forced to each position.

    Exact, by one Dijkstra backwards from the partner that the line gives up. Positions with an
    increase above `most` may get any value above that.

    Args:
        side: whether `line` is a row (0) or a column (1).
    """
    other = 1 - side
    for p in range(open_):  # from the line matched to p to the partner that is given up
        scratch[0, p] = FAR
        scratch[2, p] = 0
    current, base = mate[side, line], 0
    scratch[0, current] = 0
    while True:
        scratch[2, current] = 1
        shift = base - price[other, current]
        nearest, least = -1, FAR
        for p in range(open_):
            if scratch[2, p] == 0:
                partner = mate[other, p]
                entry = cost[current, partner] if side else cost[partner, current]
                length = entry - price[side, partner] + shift
                if length < scratch[0, p]:
                    scratch[0, p] = length
                else:
                    length = scratch[0, p]
                if length < least:
                    least = length
                    nearest = p
        if nearest < 0 or least > most:
            break
        current, base = nearest, least
    shift = price[side, line]
    for p in range(open_):
        entry = cost[p, line] if side else cost[line, p]
        way = scratch[0, p] if scratch[2, p] else FAR
        extra[p] = entry - shift - price[other, p] + way


@kernel
@no_type_check
def match_rows(
    open_: int, cost: IntArray, price: IntArray, mate: IntArray, scratch: IntArray
) -> int:
    """Match `open_` free rows, one after the other; return the cost."""
    total = 0
    for row in range(open_):
        total += augment(row, open_, cost, price, mate, scratch, FAR)
    return total


@inner
@no_type_check
def solve_assignment(
    open_: int, cost: IntArray, price: IntArray, mate: IntArray, scratch: IntArray, most: int
) -> int:
    """Solve a problem of `open_` rows and columns from scratch; return its value.

    Returns early, with a value above `most`, if its value is above that.
    """
    total = 0
    for j in range(open_):
        price[1, j], mate[1, j] = FAR, -1
    for i in range(open_):
        least = cost[i, 0]
        for j in range(1, open_):
            least = min(least, cost[i, j])
        price[0, i], mate[0, i] = least, -1
        total += least
        for j in range(open_):
            price[1, j] = min(price[1, j], cost[i, j] - least)
    for j in range(open_):
        total += price[1, j]
    if total > most:
        return total
    for i in range(open_):
        for j in range(open_):
            if mate[1, j] < 0 and cost[i, j] == price[0, i] + price[1, j]:
                mate[0, i], mate[1, j] = j, i
                break
    for i in range(open_):
        if mate[0, i] < 0:
            total += augment(i, open_, cost, price, mate, scratch, most - total)
            if total > most:
                break
    return total
