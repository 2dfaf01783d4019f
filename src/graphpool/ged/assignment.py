"""Two solvers of the assignment problem in integers: Kuhn's, and Volgenant and Jonker's.

Both assign to each row of a square matrix a column of its own at the least total cost.
"""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.kernel import compiled

_FAR = np.int64(2**62)


class AssignmentWorkspace(NamedTuple):
    """Arrays for problems of up to `size` rows.

    Args:
        column_of: `[size]`, the solution: the column of each row; `row_of` is its inverse.
        price: `[size]`, dual variables of the columns; `worth` those of the rows.
        near: `[size]`, least reduced cost of reaching each column; `origin` is the row that it
            was reached from, and `done` whether it is final.
        waiting: `[size]`, rows without a column.
    """

    column_of: NDArray[np.int32]
    row_of: NDArray[np.int32]
    price: NDArray[np.int64]
    worth: NDArray[np.int64]
    near: NDArray[np.int64]
    origin: NDArray[np.int32]
    done: NDArray[np.bool_]
    waiting: NDArray[np.int32]


def make_assignment_workspace(size: int) -> AssignmentWorkspace:
    """Allocate arrays for `size` rows."""
    return AssignmentWorkspace(
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
def hungarian(cost: NDArray[np.int64], size: int, work: AssignmentWorkspace) -> int:
    """Solve by Kuhn's method (Munkres, 1957): grow an alternating tree of tight entries per row.

    The slack of every column is updated while the tree grows, which makes it O(size³) in total.
    Returns the least cost; `work.column_of` holds the assignment.
    """
    worth, price, near, origin = work.worth, work.price, work.near, work.origin
    for i in range(size):
        worth[i], price[i] = 0, 0
        work.column_of[i], work.row_of[i] = -1, -1
    for root in range(size):
        for j in range(size):
            near[j], work.done[j] = _FAR, False
        i, last = root, -1
        while True:
            best, least = -1, _FAR
            for j in range(size):
                if work.done[j]:
                    continue
                slack = cost[i, j] - worth[i] - price[j]
                if slack < near[j]:
                    near[j], origin[j] = slack, i
                if near[j] < least:
                    best, least = j, near[j]
            # Tighten: rows of the tree gain what its columns lose.
            worth[root] += least
            for j in range(size):
                if work.done[j]:
                    worth[work.row_of[j]] += least
                    price[j] -= least
                else:
                    near[j] -= least
            work.done[best] = True
            last = best
            if work.row_of[best] < 0:
                break
            i = work.row_of[best]
        _flip(work, root, last)
    return _total(cost, size, work)


@compiled
@no_type_check
def volgenant_jonker(cost: NDArray[np.int64], size: int, work: AssignmentWorkspace) -> int:
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
def _reduce_columns(cost: NDArray[np.int64], size: int, work: AssignmentWorkspace) -> int:
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
def _reduce_rows(cost: NDArray[np.int64], size: int, work: AssignmentWorkspace, count: int) -> int:
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
def _augment(cost: NDArray[np.int64], size: int, work: AssignmentWorkspace, root: int) -> None:
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
    _flip(work, root, best)


@compiled
@no_type_check
def _flip(work: AssignmentWorkspace, root: int, column: int) -> None:
    """Shift columns along the path that ends at the free `column`, so that `root` gets a column."""
    while True:
        i = work.origin[column]
        before = work.column_of[i]
        work.column_of[i], work.row_of[column] = column, i
        if i == root:
            return
        column = before


@compiled
@no_type_check
def _total(cost: NDArray[np.int64], size: int, work: AssignmentWorkspace) -> int:
    total = 0
    for i in range(size):
        total += cost[i, work.column_of[i]]
    return total
