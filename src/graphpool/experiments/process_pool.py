"""Work spread over processes that can fail, be killed or be interrupted without losing the rest.

Items go to the processes one at a time. A process that exits unexpectedly (out of memory, say)
breaks the whole pool of `concurrent.futures`; the items that were running are then tried again,
each alone, so that the one at fault is known and the others are finished.
"""

import logging
import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from graphpool.errors import GraphpoolError, TrainingError
from graphpool.training.signals import Interrupted, StopRequest, watch_signals

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")
State = TypeVar("State")

_POLL_SECONDS = 0.2
DIED = "a worker process exited unexpectedly (out of memory?); use fewer jobs"


@dataclass(frozen=True)
class ItemFailure:
    """An item that raised, and its error message."""

    error: str


@dataclass(frozen=True)
class Job(Generic[State, Item, Outcome]):
    """What the processes do; functions must be importable, as other processes call them.

    Args:
        setup: called once in each process.
        work: called with what `setup` returned and an item.
    """

    setup: Callable[[], State]
    work: Callable[[State, Item], Outcome]


def attempt(
    work: Callable[[State, Item], Outcome], state: State, item: Item
) -> Outcome | ItemFailure:
    """Do the work; an exception becomes a message, so that it can always be sent and shown."""
    try:
        return work(state, item)
    except GraphpoolError as error:
        return ItemFailure(str(error))
    except Exception as error:
        log.debug("%s failed", item, exc_info=True)
        return ItemFailure(f"{type(error).__name__}: {error}")


def run_here(
    job: Job[State, Item, Outcome], items: Sequence[Item], deadline: float | None = None
) -> Iterator[tuple[Item, Outcome | ItemFailure]]:
    """Do items one after the other in this process; none is begun after the deadline."""
    state = job.setup()
    for item in items:
        if _is_over(deadline):
            return
        yield item, attempt(job.work, state, item)


def run_parallel(
    job: Job[State, Item, Outcome],
    items: Sequence[Item],
    jobs: int,
    deadline: float | None = None,
) -> Iterator[tuple[Item, Outcome | ItemFailure]]:
    """Do items in `jobs` processes; none is begun after the deadline, those running are finished.

    SIGINT and SIGTERM end the processes at once and raise `Interrupted`. If this process dies,
    its workers do, too.
    """
    waiting = deque(items)
    with watch_signals() as stop:
        while waiting and not _is_over(deadline):
            broken = yield from _drain(job, waiting, min(jobs, len(waiting)), deadline, stop)
            for item in broken:
                if (yield from _drain(job, deque([item]), 1, None, stop)):
                    yield item, ItemFailure(DIED)


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _drain(
    job: Job[State, Item, Outcome],
    waiting: deque[Item],
    jobs: int,
    deadline: float | None,
    stop: StopRequest,
) -> Generator[tuple[Item, Outcome | ItemFailure], None, list[Item]]:
    """Do items until none waits, or until a process dies: then return those that were running."""
    with _workers(job, jobs, stop) as pool:
        running: dict[Future[Any], Item] = {}
        while running or (waiting and not _is_over(deadline)):
            try:
                while waiting and len(running) < jobs and not _is_over(deadline):
                    future = _submit(pool, _work, waiting[0])
                    running[future] = waiting.popleft()
                for future in _finished(running, stop):
                    outcome = future.result()
                    yield running.pop(future), outcome
            except BrokenProcessPool:
                return list(running.values())
    return []


@contextmanager
def _workers(
    job: Job[Any, Any, Any], jobs: int, stop: StopRequest
) -> Iterator[ProcessPoolExecutor]:
    """Processes that are ready to work, and gone afterwards."""
    context = multiprocessing.get_context("spawn")
    # Nothing is ever sent: that our end is closed, by us or by our death, tells workers to end.
    lifeline, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(job, lifeline))
    try:
        ready = {_submit(pool, os.getpid): number for number in range(jobs)}
        while ready:
            for future in _finished(ready, stop):
                _check_started(future)
                del ready[future]
        yield pool
    except BaseException:
        ours.close()
        raise
    finally:
        pool.shutdown(cancel_futures=True)
        ours.close()
        lifeline.close()


def _check_started(future: Future[Any]) -> None:
    try:
        future.result()
    except BrokenProcessPool:
        raise TrainingError(
            "worker processes can't start; a script must call this under "
            "`if __name__ == '__main__':`, or use jobs=1"
        ) from None


def _finished(running: dict[Future[Any], Any], stop: StopRequest) -> set[Future[Any]]:
    """Wait for some future, or for a signal."""
    while True:
        finished, _ = wait(running, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        if stop.signum is not None:
            raise Interrupted(stop.signum)
        if finished:
            return finished


def _submit(pool: ProcessPoolExecutor, function: Callable[..., Any], *values: Any) -> Future[Any]:
    """Submit; a process that this starts holds SIGINT back until it has learnt to ignore it.

    Ctrl-C goes to every process of a terminal, and one that is still importing would print a
    traceback.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return pool.submit(function, *values)
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        return pool.submit(function, *values)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# ---------------------------------------------------------------------- in a worker process

_here: dict[str, Any] = {}


def _begin(job: Job[Any, Any, Any], lifeline: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # Warnings of a unit are in its record; the same line from every process helps no one.
    logging.getLogger("graphpool").addHandler(logging.NullHandler())
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    _here.update(work=job.work, state=job.setup())


def _end_with(lifeline: Connection) -> None:
    """End this process when the other end is closed. Results are written atomically."""
    try:
        lifeline.poll(None)
    finally:
        os._exit(1)


def _work(item: Any) -> Any:
    return attempt(_here["work"], _here["state"], item)
