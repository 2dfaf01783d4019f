"""A* search: always extend the partial mapping with the least cost + bound.

It proves the distance like the exact search, but stores every mapping, so it can run out of
memory where depth-first search only runs out of time. Compiled code has no clock: it searches in
short turns, between which `solve` checks the time and grows the store.
"""

import time
from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.ged.expand import expand
from graphpool.ged.heap import Store, make_store, pop, push
from graphpool.ged.kernel import IntArray, inlined, kernel
from graphpool.ged.local_edge_costs import LocalEdgeCosts, load_local_costs, make_local_costs
from graphpool.ged.methods.bipartite import match_nodes
from graphpool.ged.methods.lower_bounds import branch_bound
from graphpool.ged.open_labels import OpenLabels, make_open_labels, start, write_mapping
from graphpool.ged.pair import GedProblem, load_pair, padded_size
from graphpool.ged.result import Answers, Limits

MEMORY = 96 * 2**20  # with Python and the compiled code, a process stays below 300 MiB
_FIRST_CAPACITY = 2**15
_BYTES = 28
_TURN = 400_000  # steps of the inner loops in one turn: a few milliseconds
_FINISHED, _PAUSED, _FULL = 0, 1, 2

# Entries of `Workspace.state`, the state of the search between two turns.
_AT, _OPENED, _STOP, _STORED, _QUEUED, _EXPANDED, _FLOOR = range(7)


class Workspace(NamedTuple):
    """The arrays of a search in one pair, and its state.

    The heap of the store holds the open mappings by cost + bound, deepest first.
    """

    local: LocalEdgeCosts
    open_labels: OpenLabels
    state: IntArray


def solve(problem: GedProblem, pairs: IntArray, limits: Limits, memory: int = MEMORY) -> Answers:
    """Compute edit distances by A* search (Hart, Nilsson and Raphael, 1968).

    It starts from the edit path of "vj" or, if cheaper, of the greedy choice for
    each node, and drops mappings that can't lead to a cheaper one. If a limit or `memory` (in
    bytes) stops it, the lower bound is the least cost + bound of all open mappings, or the branch
    bound if that is higher; the first open mapping is completed greedily, and the upper bound is
    the cheapest path found.
    """
    size = padded_size(problem, pairs)
    answers = Answers.empty(len(pairs), size)
    work = Workspace(
        make_local_costs(problem, size),
        make_open_labels(problem, size),
        np.zeros(7, dtype=np.int64),
    )
    most = np.iinfo(np.int64).max if limits.expanded is None else limits.expanded
    seconds = float("inf") if limits.seconds is None else limits.seconds
    largest = max(memory // _BYTES, size + 1)
    capacity = min(max(_FIRST_CAPACITY, size + 1), largest)
    store = make_store(capacity, capacity)
    seen, since = -1, 0.0
    while True:
        status = _search_all(problem, work, store, pairs, most, answers)
        if status == _FINISHED:
            return answers
        if status == _FULL:
            if len(store.parent) < largest:
                store = _grow(store, largest)
            else:
                work.state[_STOP] = 1
        now, at = time.perf_counter(), int(work.state[_AT])
        if at != seen:
            seen, since = at, now
        if now - since >= seconds:
            work.state[_STOP] = 1


def _grow(store: Store, capacity: int) -> Store:
    """Grow to the full capacity in one step: memory that is never written to is never allocated."""
    larger, count = make_store(capacity, capacity), len(store.parent)
    larger.parent[:count], larger.column[:count] = store.parent, store.column
    larger.so_far[:count] = store.so_far
    larger.keys[:count], larger.items[:count] = store.keys, store.items
    return larger


@kernel
@no_type_check
def _search_all(
    problem: GedProblem, work: Workspace, store: Store, pairs: IntArray, most: int, answers: Answers
) -> int:
    """Continue the search for one turn, from pair to pair; return why it ended."""
    state = work.state
    steps = 0
    while state[_AT] < pairs.shape[0]:
        at = state[_AT]
        if not state[_OPENED]:
            _open(problem, work, store, pairs, answers)
            steps += work.open_labels.sizes[2] ** 3
        unit, n, m = problem.tables.unit, work.open_labels.sizes[0], work.open_labels.sizes[1]
        while state[_QUEUED] > 0:
            least = store.keys[0] // (n + 1) * unit
            if least >= answers.upper[at] or state[_FLOOR] >= answers.upper[at]:
                state[_QUEUED] = 0
                break
            if state[_STOP] or state[_EXPANDED] >= most:
                break
            if state[_STORED] + m + 1 > store.parent.shape[0]:
                return _FULL
            if steps > _TURN:
                return _PAUSED
            steps += _expand_best(problem, work, store, answers)
        if state[_QUEUED] == 0:
            answers.lower[at] = answers.upper[at]
        else:
            depth = _recall(work, store, n)
            _dive(problem, work, depth, store.so_far[store.items[0]], answers)
            least = max(state[_FLOOR], store.keys[0] // (n + 1) * unit)
            answers.lower[at] = min(answers.upper[at], least)
        answers.expanded[at] = state[_EXPANDED]
        state[_AT] += 1
        state[_OPENED] = 0
    return _FINISHED


@kernel
@no_type_check
def _open(
    problem: GedProblem, work: Workspace, store: Store, pairs: IntArray, answers: Answers
) -> None:
    """Load the next pair, find a first path, and queue the empty mapping."""
    state, local, at = work.state, work.local, work.state[_AT]
    first, second = pairs[at, 0], pairs[at, 1]
    size, n, m = load_pair(problem, first, second, local.pair)
    load_local_costs(problem, first, second, size, local)
    state[_FLOOR] = branch_bound(problem, local, size)
    jonker = np.int64(1)
    answers.upper[at] = match_nodes(problem, local, size, n, m, jonker, answers.mapping[at])
    start(problem, local.pair, local.left, local.right, n, m, size, work.open_labels)
    state[_OPENED], state[_STOP], state[_EXPANDED] = 1, 0, 0
    store.parent[0], store.so_far[0] = -1, 0
    state[_STORED] = 1
    # Typed like the other calls, so that all of them share one compiled function.
    nothing = np.int64(0)
    _dive(problem, work, nothing, nothing, answers)
    # Without rows there is only one path, which is known already.
    state[_QUEUED] = push(store.keys, store.items, 0, n, 0) if n > 0 else 0


@kernel
@no_type_check
def _recall(work: Workspace, store: Store, n: int) -> int:
    """Load the mapping on top of the queue; return the number of rows that it maps."""
    depth = n - store.keys[0] % (n + 1)
    node, image = store.items[0], work.open_labels.image
    for level in range(depth - 1, -1, -1):
        image[level] = store.column[node]
        node = store.parent[node]
    return depth


@kernel
@no_type_check
def _dive(problem: GedProblem, work: Workspace, depth: int, so_far: int, answers: Answers) -> None:
    """Complete a mapping of `depth` rows greedily, and keep it if it is the cheapest."""
    open_labels, pair, at = work.open_labels, work.local.pair, work.state[_AT]
    total = answers.upper[at]
    for level in range(depth, open_labels.sizes[0]):
        tried = expand(problem, pair, level, so_far, open_labels)
        best = 0
        for t in range(1, tried):
            if open_labels.estimate[t] < open_labels.estimate[best]:
                best = t
        so_far, total = open_labels.so_far[best], open_labels.estimate[best]
        open_labels.image[level] = open_labels.tried[best]
    if total < answers.upper[at]:
        answers.upper[at] = total
        write_mapping(open_labels, answers.mapping[at])


@inlined
@no_type_check
def _expand_best(problem: GedProblem, work: Workspace, store: Store, answers: Answers) -> int:
    """Extend the mapping on top of the queue; return about how many steps that took."""
    state, open_labels, unit = work.state, work.open_labels, problem.tables.unit
    n, m, at = open_labels.sizes[0], open_labels.sizes[1], state[_AT]
    depth, node = _recall(work, store, n), store.items[0]
    state[_QUEUED] = pop(store.keys, store.items, state[_QUEUED])
    state[_EXPANDED] += 1
    tried = expand(problem, work.local.pair, depth, store.so_far[node], open_labels)
    for t in range(tried):
        if open_labels.estimate[t] >= answers.upper[at]:
            continue
        if depth + 1 == n:
            # Only insertions are left, and the bound is their cost.
            answers.upper[at] = open_labels.estimate[t]
            open_labels.image[depth] = open_labels.tried[t]
            write_mapping(open_labels, answers.mapping[at])
            continue
        new = state[_STORED]
        store.parent[new] = node
        store.column[new] = open_labels.tried[t]
        store.so_far[new] = open_labels.so_far[t]
        key = open_labels.estimate[t] // unit * (n + 1) + n - depth - 1
        state[_QUEUED] = push(store.keys, store.items, state[_QUEUED], key, new)
        state[_STORED] += 1
    return m * m + tried * (depth + 4)
