"""Two solvers of the assignment problem in whole numbers: Kuhn's and Volgenant and Jonker's.

Both give each row of a square matrix its own column at the least total cost.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import compiled

_FAR = np.int64(2**62)


class Assignment(NamedTuple):
    """Room for problems of up to `size` rows.

    Args:
        column_of: `[size]`, the answer: each row's column; `row_of` is its inverse.
        price: `[size]` of columns, and `worth` of rows (the dual variables).
        near: `[size]` least reduced cost by which each column was reached, `origin` from which
            row, and `done` whether it is settled.
        waiting: `[size]` rows without column.
    """

    column_of: NDArray[np.int32]
    row_of: NDArray[np.int32]
    price: NDArray[np.int64]
    worth: NDArray[np.int64]
    near: NDArray[np.int64]
    origin: NDArray[np.int32]
    done: NDArray[np.bool_]
    waiting: NDArray[np.int32]


def make_assignment(size: int) -> Assignment:
    """Room for `size` rows."""
    return Assignment(
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int64),
        np.zeros(size, dtype=np.int32),
        np.zeros(size, dtype=np.bool_),
        np.zeros(size, dtype=np.int32),
    )


@compiled
@no_type_check
def hungarian(cost: NDArray[np.int64], size: int, room: Assignment) -> int:
    """Kuhn's method (Munkres, 1957): each row in turn grows an alternating tree of tight entries.

    The slack of every column is kept while the tree grows, so that all is done in O(size³).
    Returns the least cost; `room.column_of` has the assignment.
    """
    worth, price, near, origin = room.worth, room.price, room.near, room.origin
    for i in range(size):
        worth[i], price[i] = 0, 0
        room.column_of[i], room.row_of[i] = -1, -1
    for root in range(size):
        for j in range(size):
            near[j], room.done[j] = _FAR, False
        i, last = root, -1
        while True:
            best, least = -1, _FAR
            for j in range(size):
                if room.done[j]:
                    continue
                slack = cost[i, j] - worth[i] - price[j]
                if slack < near[j]:
                    near[j], origin[j] = slack, i
                if near[j] < least:
                    best, least = j, near[j]
            # Tighten: rows of the tree gain what its columns lose.
            worth[root] += least
            for j in range(size):
                if room.done[j]:
                    worth[room.row_of[j]] += least
                    price[j] -= least
                else:
                    near[j] -= least
            room.done[best] = True
            last = best
            if room.row_of[best] < 0:
                break
            i = room.row_of[best]
        _flip(room, root, last)
    return _total(cost, size, room)


@compiled
@no_type_check
def volgenant_jonker(cost: NDArray[np.int64], size: int, room: Assignment) -> int:
    """Jonker and Volgenant, 1987: three cheap starts, then shortest augmenting paths.

    Returns the least cost; `room.column_of` has the assignment.
    """
    count = _reduce_columns(cost, size, room)
    for _ in range(2):
        count = _reduce_rows(cost, size, room, count)
    for at in range(count):
        _augment(cost, size, room, room.waiting[at])
    return _total(cost, size, room)


@compiled
@no_type_check
def _reduce_columns(cost: NDArray[np.int64], size: int, room: Assignment) -> int:
    """Price each column by its least entry, give it to that row, and pass on what a row can spare.

    Returns how many rows wait for a column.
    """
    price, taken = room.price, room.origin
    for i in range(size):
        room.column_of[i], room.row_of[i], taken[i] = -1, -1, 0
    for j in range(size - 1, -1, -1):
        row, least = 0, cost[0, j]
        for i in range(1, size):
            if cost[i, j] < least:
                row, least = i, cost[i, j]
        price[j] = least
        taken[row] += 1
        if taken[row] == 1:
            room.column_of[row], room.row_of[j] = j, row
    count = 0
    for i in range(size):
        if taken[i] == 0:
            room.waiting[count] = i
            count += 1
        elif taken[i] == 1 and size > 1:
            least = _FAR
            for j in range(size):
                if j != room.column_of[i]:
                    least = min(least, cost[i, j] - price[j])
            price[room.column_of[i]] -= least
    return count


@compiled
@no_type_check
def _reduce_rows(cost: NDArray[np.int64], size: int, room: Assignment, count: int) -> int:
    """Give each waiting row its cheapest column; the row that had it looks for another.

    Two rows can outbid each other in steps of 1 for very long, so bids are counted; who is left
    without a column goes on waiting.
    """
    waiting, price = room.waiting, room.price
    bids, kept, at = 4 * size, 0, 0
    while at < count:
        i = waiting[at]
        at += 1
        if bids == 0 or size < 2:
            waiting[kept] = i
            kept += 1
            continue
        bids -= 1
        first, second = -1, -1
        least, next_least = _FAR, _FAR
        for j in range(size):
            reduced = cost[i, j] - price[j]
            if reduced < least:
                second, next_least = first, least
                first, least = j, reduced
            elif reduced < next_least:
                second, next_least = j, reduced
        j, rival = first, room.row_of[first]
        if least < next_least:
            price[j] -= next_least - least
        elif rival >= 0:
            j, rival = second, room.row_of[second]
        room.column_of[i], room.row_of[j] = j, i
        if rival >= 0:
            room.column_of[rival] = -1
            if least < next_least:
                at -= 1
                waiting[at] = rival
            else:
                waiting[kept] = rival
                kept += 1
    return kept


@compiled
@no_type_check
def _augment(cost: NDArray[np.int64], size: int, room: Assignment, root: int) -> None:
    """The cheapest way (Dijkstra) to a free column for `root`, moving other rows on."""
    near, origin, price = room.near, room.origin, room.price
    for j in range(size):
        near[j], origin[j], room.done[j] = cost[root, j] - price[j], root, False
    while True:
        best, least = -1, _FAR
        for j in range(size):
            if not room.done[j] and near[j] < least:
                best, least = j, near[j]
        if room.row_of[best] < 0:
            break
        room.done[best] = True
        i = room.row_of[best]
        offset = cost[i, best] - price[best] - least
        for j in range(size):
            if not room.done[j]:
                through = cost[i, j] - price[j] - offset
                if through < near[j]:
                    near[j], origin[j] = through, i
    for j in range(size):
        if room.done[j]:
            price[j] += near[j] - least
    _flip(room, root, best)


@compiled
@no_type_check
def _flip(room: Assignment, root: int, column: int) -> None:
    """Shift columns along the path that ends at the free `column`, so that `root` gets one."""
    while True:
        i = room.origin[column]
        before = room.column_of[i]
        room.column_of[i], room.row_of[column] = column, i
        if i == root:
            return
        column = before


@compiled
@no_type_check
def _total(cost: NDArray[np.int64], size: int, room: Assignment) -> int:
    total = 0
    for i in range(size):
        total += cost[i, room.column_of[i]]
    return total
