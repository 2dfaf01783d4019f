"""Threads that solve pairs: they wait for the one who writes, and lose nothing when stopped."""

import time

import numpy as np

from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.methods.registry import find_method
from graphpool.ged.pair import make_problem
from graphpool.ged.result import Limits
from graphpool.ged.workers import Workers

GRAPHS, JOBS = 60, 2


def started(calls: list[int]) -> tuple[Workers, int]:
    """Workers on all pairs of some graphs; `calls` gets the number of pairs of each call."""
    method = find_method("label")
    graphs = [(number % 7 + 1, []) for number in range(GRAPHS)]
    problem = make_problem(collect(graphs, "label", "label", True), Costs())
    pairs = np.stack(np.triu_indices(GRAPHS, 1), axis=1).astype(np.int64)

    limits = Limits(None, None)
    method.solve(problem, pairs[:1], limits)  # compiles

    def solve(*arguments):
        calls.append(len(arguments[1]))
        time.sleep(0.001 * len(arguments[1]))  # for many small calls
        return method.solve(*arguments)

    return Workers(solve, problem, pairs, np.arange(len(pairs)), limits, JOBS), len(pairs)


def settle(calls: list[int]) -> None:
    """Wait until no more calls come."""
    before = -1
    while before != len(calls) or not calls:
        before = len(calls)
        time.sleep(0.3)


def test_workers_wait_while_nobody_takes_what_they_solved():
    calls: list[int] = []
    workers, total = started(calls)
    settle(calls)
    # Each holds one result in its hands, and as many lie in the queue.
    assert len(calls) <= 2 * JOBS
    solved = 0
    while solved < total:
        solved += sum(len(piece.position) for piece in workers.wait())
    assert solved == sum(calls) == total


def test_what_is_solved_when_workers_are_stopped_is_kept():
    calls: list[int] = []
    workers, total = started(calls)
    settle(calls)
    workers.stop(patience=20.0)
    assert sum(len(piece.position) for piece in workers.rest()) == sum(calls) < total
