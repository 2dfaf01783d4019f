"""Solve many pairs on all cores: threads that take a few pairs at a time and return their bounds.

Threads and not processes, because the compiled loops release the GIL and threads share the graphs.
On 20,000 pairs of AIDS700nef and two busy cores both took the same processor time (0.9 s) and, in
warm runs, the same wall-clock time, but processes needed 2 to 3 s more to start.
"""

import os
import queue
import threading
import time

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.methods.registry import Solve
from graphpool.ged.pair import GedProblem
from graphpool.ged.partial_results import SolvedPairs
from graphpool.ged.result import Limits

# A worker takes as many pairs as it should solve in at most a second, and at most this share of
# all pairs, but not so few that taking them costs noticeable time.
MOST_SECONDS, LEAST_SECONDS = 1.0, 0.01
SHARE = 0.002


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Workers:
    """Threads that solve pairs; they start at once.

    Args:
        pairs: `[pairs, 2]`, graph numbers in the order in which to solve them.
        position: `[pairs]`, numbers that identify the pairs in the results.
        jobs: number of threads.
    """

    def __init__(
        self,
        solve: Solve,
        problem: GedProblem,
        pairs: NDArray[np.int64],
        position: NDArray[np.int64],
        limits: Limits,
        jobs: int,
    ) -> None:
        self._solve, self._problem, self._limits = solve, problem, limits
        self._pairs, self._position = pairs, position
        self._most = max(1, int(SHARE * len(pairs) / jobs))
        self._next, self._lock = 0, threading.Lock()
        self._ended = threading.Event()
        # Bounded, so that workers wait while a slow disk takes what is solved: a kill then loses
        # no more than usual.
        self._done: queue.Queue[SolvedPairs | Exception] = queue.Queue(jobs)
        self._late: list[SolvedPairs] = []
        # Daemons, because a search without limits must not keep a stopped program from exiting.
        self._threads = [
            threading.Thread(target=self._work, name=f"ged-{number}", daemon=True)
            for number in range(jobs)
        ]
        for thread in self._threads:
            thread.start()

    def wait(self) -> list[SolvedPairs]:
        """Wait for results, and return those since the last call."""
        return [self._next_result(), *self.rest()]

    def rest(self) -> list[SolvedPairs]:
        """Return the results since the last call without waiting."""
        pieces, self._late = self._late, []
        while not self._done.empty():
            pieces.append(self._next_result())
        return pieces

    def stop(self, patience: float) -> None:
        """Take no more pairs, and wait at most `patience` seconds for the current ones."""
        self._ended.set()
        until = time.monotonic() + patience
        while time.monotonic() < until and any(each.is_alive() for each in self._threads):
            self._late = self.rest()  # so that workers can put down what they have
            time.sleep(0.01)

    def _next_result(self) -> SolvedPairs:
        item = self._done.get()
        if isinstance(item, Exception):
            raise item
        return item

    def _work(self) -> None:
        size, first = 1, True
        try:
            while not self._ended.is_set() and (taken := self._take(size)) is not None:
                began = time.perf_counter()
                answers = self._solve(self._problem, self._pairs[taken], self._limits)
                seconds = time.perf_counter() - began
                self._done.put(SolvedPairs(self._position[taken], answers.lower, answers.upper))
                # The first call may have had to compile.
                size = 1 if first else self._following(size, seconds)
                first = False
        except Exception as error:  # of any kind: `wait` raises it again
            self._done.put(error)

    def _take(self, size: int) -> slice | None:
        with self._lock:
            if self._next >= len(self._pairs):
                return None
            taken = slice(self._next, min(self._next + size, len(self._pairs)))
            self._next = taken.stop
            return taken

    def _following(self, size: int, seconds: float) -> int:
        """Return how many pairs to take next, after `size` pairs took `seconds`."""
        rate = size / max(seconds, 1e-9)
        wanted = min(rate * MOST_SECONDS, max(self._most, rate * LEAST_SECONDS))
        return max(1, min(int(wanted), 8 * size))
