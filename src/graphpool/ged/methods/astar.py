"""A*: the partial mapping with the least cost + bound is always carried on first.

It proves the distance like the exact search, but keeps every mapping it made, so it runs out of
memory where depth-first search only runs out of time. Compiled code has no clock: it searches in
short turns, between which `solve` looks at the time and makes room for more mappings.
"""

import time
from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.expand import expand
from graphpool.ged.heap import pop, push
from graphpool.ged.kernel import inlined, kernel
from graphpool.ged.label_bags import Rates, find_rates
from graphpool.ged.local_edge_costs import load_local
from graphpool.ged.methods.bipartite import Bipartite, make_bipartite, match_nodes
from graphpool.ged.methods.lower_bounds import branch_bound
from graphpool.ged.node_table import room_size
from graphpool.ged.open_labels import Remaining, make_remaining, start, write_mapping
from graphpool.ged.pair import Pair, Task, load_pair, make_pair
from graphpool.ged.result import Answers, Limits

MEMORY = 96 * 2**20  # with Python and the compiled code, a process stays below 300 MiB
_FIRST_ROOM = 2**15
_BYTES = 28
_TURN = 400_000  # steps of the inner loops in one turn: a few milliseconds
_FINISHED, _PAUSED, _FULL = 0, 1, 2

# Where the search stands, between two turns: fields of `Room.state`.
_AT, _OPENED, _STOP, _STORED, _QUEUED, _EXPANDED, _SIZE, _N, _M, _FLOOR = range(10)


class Store(NamedTuple):
    """Partial mappings, each as one row's column and the mapping that it goes on from.

    Args:
        parent, column, so_far: `[capacity]`; `so_far` is the cost.
        keys, items: `[capacity]` a heap of mappings that wait, by cost + bound, deepest first.
    """

    parent: NDArray[np.int32]
    column: NDArray[np.int32]
    so_far: NDArray[np.int64]
    keys: NDArray[np.int64]
    items: NDArray[np.int32]


class Room(NamedTuple):
    """Room for one pair, and where the search in it stands."""

    pair: Pair
    bipartite: Bipartite
    remaining: Remaining
    state: NDArray[np.int64]


def solve(task: Task, pairs: NDArray[np.int64], limits: Limits, memory: int = MEMORY) -> Answers:
    """A* search (Hart, Nilsson and Raphael, 1968) for the edit distance.

    It starts from the edit path of `bipartite.solve_vj` or, if cheaper, of the greedy choice for
    each node, and drops mappings that can't lead to a cheaper one. Where a limit or `memory` (in
    bytes) stops it, the least cost + bound of all mappings that wait is the lower bound, or the
    branch bound where that is higher; the first of them is completed greedily, and the cheapest
    path found is the upper bound.
    """
    size = room_size(task, pairs)
    answers = Answers.empty(len(pairs), size)
    rates = find_rates(task.tables)
    room = Room(
        make_pair(size),
        make_bipartite(task, size),
        make_remaining(task, size),
        np.zeros(10, dtype=np.int64),
    )
    most = np.iinfo(np.int64).max if limits.expanded is None else limits.expanded
    seconds = float("inf") if limits.seconds is None else limits.seconds
    largest = max(memory // _BYTES, size + 1)
    store = _make_store(min(max(_FIRST_ROOM, size + 1), largest))
    seen, since = -1, 0.0
    while True:
        status = _search_all(task, rates, room, store, pairs, most, answers)
        if status == _FINISHED:
            return answers
        if status == _FULL:
            if len(store.parent) < largest:
                store = _grow(store, largest)
            else:
                room.state[_STOP] = 1
        now, at = time.perf_counter(), int(room.state[_AT])
        if at != seen:
            seen, since = at, now
        if now - since >= seconds:
            room.state[_STOP] = 1


def _make_store(capacity: int) -> Store:
    return Store(
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int32),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity, dtype=np.int64),
        np.empty(capacity, dtype=np.int32),
    )


def _grow(store: Store, capacity: int) -> Store:
    """All the room there is, in one step: what is never written to takes no memory."""
    made, count = _make_store(capacity), len(store.parent)
    made.parent[:count], made.column[:count] = store.parent, store.column
    made.so_far[:count] = store.so_far
    made.keys[:count], made.items[:count] = store.keys, store.items
    return made


@kernel
@no_type_check
def _search_all(
    task: Task,
    rates: Rates,
    room: Room,
    store: Store,
    pairs: NDArray[np.int64],
    most: int,
    answers: Answers,
) -> int:
    """Go on with the search for one turn, from pair to pair; says why it came back."""
    state = room.state
    work = 0
    while state[_AT] < pairs.shape[0]:
        at = state[_AT]
        if not state[_OPENED]:
            _open(task, rates, room, store, pairs[at, 0], pairs[at, 1], at, answers)
            work += state[_SIZE] * state[_SIZE] * state[_SIZE]
        unit, n, m = task.tables.unit, state[_N], state[_M]
        while state[_QUEUED] > 0:
            least = store.keys[0] // (n + 1) * unit
            if least >= answers.upper[at] or state[_FLOOR] >= answers.upper[at]:
                state[_QUEUED] = 0
                break
            if state[_STOP] or state[_EXPANDED] >= most:
                break
            if state[_STORED] + m + 1 > store.parent.shape[0]:
                return _FULL
            if work > _TURN:
                return _PAUSED
            work += _expand_best(task, rates, room, store, at, answers)
        if state[_QUEUED] == 0:
            answers.lower[at] = answers.upper[at]
        else:
            depth = _recall(room, store, n)
            _dive(task, rates, room, depth, store.so_far[store.items[0]], at, answers)
            least = max(state[_FLOOR], store.keys[0] // (n + 1) * unit)
            answers.lower[at] = min(answers.upper[at], least)
        answers.expanded[at] = state[_EXPANDED]
        state[_AT] += 1
        state[_OPENED] = 0
    return _FINISHED


@kernel
@no_type_check
def _open(
    task: Task,
    rates: Rates,
    room: Room,
    store: Store,
    first: int,
    second: int,
    at: int,
    answers: Answers,
) -> None:
    """Load the next pair, find a first path, and put the empty mapping in the queue."""
    state, local = room.state, room.bipartite.local
    size, n, m = load_pair(task, first, second, room.pair)
    load_local(task, rates, first, second, size, local)
    matrix, assignment = room.bipartite.cost, room.bipartite.assignment
    state[_FLOOR] = branch_bound(task, room.pair, local, size, matrix, assignment)
    answers.upper[at] = match_nodes(
        task, rates, room.pair, room.bipartite, size, n, m, np.int64(1), answers.mapping[at]
    )
    start(task, room.pair, local.left, local.right, n, m, size, room.remaining)
    state[_OPENED], state[_STOP], state[_EXPANDED] = 1, 0, 0
    state[_SIZE], state[_N], state[_M] = size, n, m
    store.parent[0], store.so_far[0] = -1, 0
    state[_STORED] = 1
    # Typed like the other calls, so that they share one compiled form.
    nothing = np.int64(0)
    _dive(task, rates, room, nothing, nothing, at, answers)
    # Without rows there is one path only, and it is found already.
    state[_QUEUED] = push(store.keys, store.items, 0, n, 0) if n > 0 else 0


@kernel
@no_type_check
def _recall(room: Room, store: Store, n: int) -> int:
    """Lay out the mapping on top of the queue; returns how many rows it maps."""
    depth = n - store.keys[0] % (n + 1)
    node, image = store.items[0], room.remaining.image
    for level in range(depth - 1, -1, -1):
        image[level] = store.column[node]
        node = store.parent[node]
    return depth


@kernel
@no_type_check
def _dive(
    task: Task, rates: Rates, room: Room, depth: int, so_far: int, at: int, answers: Answers
) -> None:
    """Complete a mapping of `depth` rows, each row by its best column; keep it if cheaper."""
    state, remaining, right = room.state, room.remaining, room.bipartite.local.right
    size, n, m = state[_SIZE], state[_N], state[_M]
    total = answers.upper[at]
    for level in range(depth, n):
        tried = expand(task, rates, room.pair, right, level, so_far, n, m, size, remaining)
        best = 0
        for t in range(1, tried):
            if remaining.in_all[t] < remaining.in_all[best]:
                best = t
        so_far, total = remaining.so_far[best], remaining.in_all[best]
        remaining.image[level] = remaining.tried[best]
    if total < answers.upper[at]:
        answers.upper[at] = total
        write_mapping(remaining, n, size, answers.mapping[at])


@inlined
@no_type_check
def _expand_best(
    task: Task, rates: Rates, room: Room, store: Store, at: int, answers: Answers
) -> int:
    """Carry on the mapping on top of the queue; returns about how many steps that took."""
    state, remaining, unit = room.state, room.remaining, task.tables.unit
    size, n, m = state[_SIZE], state[_N], state[_M]
    depth, node = _recall(room, store, n), store.items[0]
    state[_QUEUED] = pop(store.keys, store.items, state[_QUEUED])
    state[_EXPANDED] += 1
    tried = expand(
        task, rates, room.pair, room.bipartite.local.right, depth, store.so_far[node],
        n, m, size, remaining,
    )  # fmt: skip
    for t in range(tried):
        if remaining.in_all[t] >= answers.upper[at]:
            continue
        if depth + 1 == n:
            # Nothing but insertions is left, and the bound is what they cost.
            answers.upper[at] = remaining.in_all[t]
            remaining.image[depth] = remaining.tried[t]
            write_mapping(remaining, n, size, answers.mapping[at])
            continue
        made = state[_STORED]
        store.parent[made] = node
        store.column[made] = remaining.tried[t]
        store.so_far[made] = remaining.so_far[t]
        key = remaining.in_all[t] // unit * (n + 1) + n - depth - 1
        state[_QUEUED] = push(store.keys, store.items, state[_QUEUED], key, made)
        state[_STORED] += 1
    return m * m + tried * (depth + 4)
