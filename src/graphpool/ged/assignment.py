"""Two solvers of the assignment problem in integers: Kuhn's, and Volgenant and Jonker's.

Both assign to each row of a square matrix a column of its own at the least total cost.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import CodeArray, IntArray, compiled

_FAR = np.int64(2**62)


class AssignmentWorkspace(NamedTuple):
    """Arrays for problems of up to `size` rows.

    Args:
        column_of: `[size]`, the solution: the column of each row; `row_of` is its inverse.
        waiting: `[size]`, rows without a column.
        origin: `[size]`, the row that each column was reached from, at the least reduced cost
            `near`, which is final where `done`.
        price: `[size]`, dual variables of the columns.
    """

    column_of: CodeArray
    row_of: CodeArray
    waiting: CodeArray
    origin: CodeArray
    near: IntArray
    price: IntArray
    done: NDArray[np.bool_]


def make_assignment_workspace(size: int) -> AssignmentWorkspace:
    """Allocate arrays for `size` rows."""
    column_of, row_of, waiting, origin = np.zeros((4, size), dtype=np.int32)
    near, price = np.zeros((2, size), dtype=np.int64)
    done = np.zeros(size, dtype=np.bool_)
    return AssignmentWorkspace(column_of, row_of, waiting, origin, near, price, done)


@compiled
@no_type_check
def hungarian(cost: IntArray, size: int, work: AssignmentWorkspace) -> int:
    """Solve by Kuhn's method (Munkres, 1957): one augmenting path of tight entries for each row.

    Prices start at 0, and the alternating tree of a row grows in order of the slack (Dijkstra),
    which makes it O(size³) in total. Returns the least cost; `work.column_of` holds the assignment.
    """
    for i in range(size):
        work.column_of[i], work.row_of[i], work.price[i] = -1, -1, 0
    for root in range(size):
        _augment(cost, size, work, root)
    return _total(cost, size, work)


@compiled
@no_type_check
def volgenant_jonker(cost: IntArray, size: int, work: AssignmentWorkspace) -> int:
    """Solve as Jonker and Volgenant, 1987: three cheap starts, then shortest augmenting paths.

    Returns the least cost; `work.column_of` holds the assignment.
    """
    count = _reduce_columns(cost, size, work)
    for _ in range(2):
        count = _reduce_rows(cost, size, work, count)
    for at in range(count):
        _augment(cost, size, work, work.waiting[at])
    return _total(cost, size, work)


@compiled
@no_type_check
def _reduce_columns(cost: IntArray, size: int, work: AssignmentWorkspace) -> int:
    """Price each column by its least entry, assign it to that row, and lower prices by the slack.

    Returns the number of rows without a column.
    """
    price, taken = work.price, work.origin
    for i in range(size):
        work.column_of[i], work.row_of[i], taken[i] = -1, -1, 0
    for j in range(size - 1, -1, -1):
        row, least = 0, cost[0, j]
        for i in range(1, size):
            if cost[i, j] < least:
                row, least = i, cost[i, j]
        price[j] = least
        taken[row] += 1
        if taken[row] == 1:
            work.column_of[row], work.row_of[j] = j, row
    count = 0
    for i in range(size):
        if taken[i] == 0:
            work.waiting[count] = i
            count += 1
        elif taken[i] == 1 and size > 1:
            least = _FAR
            for j in range(size):
                if j != work.column_of[i]:
                    least = min(least, cost[i, j] - price[j])
            price[work.column_of[i]] -= least
    return count


@compiled
@no_type_check
def _reduce_rows(cost: IntArray, size: int, work: AssignmentWorkspace, count: int) -> int:
    """Assign to each waiting row its cheapest column; the row that had it must find another.

    Two rows can outbid each other in steps of 1 for very long, so the number of bids is limited;
    rows left without a column keep waiting.
    """
    waiting, price = work.waiting, work.price
    bids, unassigned, at = 4 * size, 0, 0
    while at < count:
        i = waiting[at]
        at += 1
        if bids == 0 or size < 2:
            waiting[unassigned] = i
            unassigned += 1
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
        j, rival = first, work.row_of[first]
        if least < next_least:
            price[j] -= next_least - least
        elif rival >= 0:
            j, rival = second, work.row_of[second]
        work.column_of[i], work.row_of[j] = j, i
        if rival >= 0:
            work.column_of[rival] = -1
            if least < next_least:
                at -= 1
                waiting[at] = rival
            else:
                waiting[unassigned] = rival
                unassigned += 1
    return unassigned


@compiled
@no_type_check
def _augment(cost: IntArray, size: int, work: AssignmentWorkspace, root: int) -> None:
    """Assign `root` by the shortest augmenting path (Dijkstra) to a free column."""
    near, origin, price = work.near, work.origin, work.price
    for j in range(size):
        near[j], origin[j], work.done[j] = cost[root, j] - price[j], root, False
    while True:
        best, least = -1, _FAR
        for j in range(size):
            if not work.done[j] and near[j] < least:
                best, least = j, near[j]
        if work.row_of[best] < 0:
            break
        work.done[best] = True
        i = work.row_of[best]
        offset = cost[i, best] - price[best] - least
        for j in range(size):
            if not work.done[j]:
                through = cost[i, j] - price[j] - offset
                if through < near[j]:
                    near[j], origin[j] = through, i
    for j in range(size):
        if work.done[j]:
            price[j] += near[j] - least
    # Shift columns along the path that ends at the free one, so that `root` gets a column.
    column, i = best, -1
    while i != root:
        i = origin[column]
        work.row_of[column] = i
        work.column_of[i], column = column, work.column_of[i]


@compiled
@no_type_check
def _total(cost: IntArray, size: int, work: AssignmentWorkspace) -> int:
    total = 0
    for i in range(size):
        total += cost[i, work.column_of[i]]
    return total
