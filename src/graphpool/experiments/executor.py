"""Where units run: the one small interface between the engine and whatever does the work.

The engine gives an `Executor` the work, a function of one item, and the items; it gets back an
outcome for each, in any order, as they come. `LocalExecutor` runs them in processes on this
machine. Another executor, such as one for a cluster, has to keep to three rules:

- every item that is begun is yielded once, with its outcome or with `ItemFailure` and the reason;
- no item is begun after `deadline`, a value of `time.monotonic()`;
- the work and the items can be pickled; the work is sent to a process once, so that it can keep
  what it has opened for the next item.

It has nothing to keep: records are written by the engine, in the process that called it.

Items go to local processes one at a time. A process that exits unexpectedly (out of memory, say)
breaks the whole pool of `concurrent.futures`; the items that were running are then tried again,
each alone, so that the one at fault is known and the others are finished.
"""

import logging
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Protocol, TypeVar, runtime_checkable

import torch

from graphpool.errors import ConfigError, GraphpoolError, GraphpoolWarning, TrainingError
from graphpool.training.signals import Interrupted, StopRequest, watch_signals

log = logging.getLogger(__name__)

Item = TypeVar("Item")
Outcome = TypeVar("Outcome")

_POLL_SECONDS = 0.2
DIED = "a worker process exited unexpectedly (out of memory?); use fewer jobs"


@dataclass(frozen=True)
class ItemFailure:
    """An item that raised, and its error message."""

    error: str


@runtime_checkable
class Executor(Protocol):
    """Anything that can do work for many items."""

    def run(
        self,
        work: Callable[[Item], Outcome],
        items: Sequence[Item],
        deadline: float | None = None,
    ) -> Iterator[tuple[Item, Outcome | ItemFailure]]:
        """Yield every item with its outcome, as soon as it is there."""
        ...


@dataclass(frozen=True)
class LocalExecutor:
    """Run items on this machine.

    SIGINT and SIGTERM end the processes at once and raise `Interrupted`. If this process dies,
    its workers do, too.

    Args:
        jobs: processes; 1 starts none.
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ConfigError(f"jobs is {self.jobs}; give at least 1")

    def run(
        self,
        work: Callable[[Item], Outcome],
        items: Sequence[Item],
        deadline: float | None = None,
    ) -> Iterator[tuple[Item, Outcome | ItemFailure]]:
        """Yield every item with its outcome; those running at the deadline are finished."""
        waiting = deque(items)
        if self.jobs == 1 or len(items) < 2:
            while waiting and not _is_over(deadline):
                item = waiting.popleft()
                yield item, attempt(work, item)
            return
        # Processes side by side would otherwise each take all cores.
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        with watch_signals() as stop:
            while waiting and not _is_over(deadline):
                jobs = min(self.jobs, len(waiting))
                broken = yield from _drain(work, waiting, jobs, deadline, stop)
                for item in broken:
                    if (yield from _drain(work, deque([item]), 1, None, stop, _work_again)):
                        yield item, ItemFailure(DIED)


def attempt(work: Callable[[Item], Outcome], item: Item) -> Outcome | ItemFailure:
    """Do the work; an exception becomes a message, so that it can always be sent and shown."""
    try:
        return work(item)
    except GraphpoolError as error:
        return ItemFailure(str(error))
    except torch.AcceleratorError as error:
        # Everything that this process does on the device from now on would fail as well.
        raise TrainingError(
            f"the device is lost: {str(error).splitlines()[0]}; the same call goes on from here"
        ) from error
    except Exception as error:
        log.debug("%s failed", item, exc_info=True)
        return ItemFailure(f"{type(error).__name__}: {error}")


def _is_over(deadline: float | None) -> bool:
    return deadline is not None and time.monotonic() >= deadline


def _drain(
    work: Callable[[Item], Outcome],
    waiting: deque[Item],
    jobs: int,
    deadline: float | None,
    stop: StopRequest,
    run: Callable[[Any], Any] | None = None,
) -> Generator[tuple[Item, Outcome | ItemFailure], None, list[Item]]:
    """Do items until none waits, or until a process dies: then return those that were running."""
    with _workers(work, jobs, stop) as pool:
        running: dict[Future[Any], Item] = {}
        while running or (waiting and not _is_over(deadline)):
            try:
                while waiting and len(running) < jobs and not _is_over(deadline):
                    future = _submit(pool, run or _work, waiting[0])
                    running[future] = waiting.popleft()
                for future in _finished(running, stop):
                    outcome = future.result()
                    yield running.pop(future), outcome
            except BrokenProcessPool:
                return list(running.values())
    return []


@contextmanager
def _workers(
    work: Callable[[Any], Any], jobs: int, stop: StopRequest
) -> Iterator[ProcessPoolExecutor]:
    """Processes that are ready to work, and gone afterwards."""
    context = multiprocessing.get_context("spawn")
    # Nothing is ever sent: that our end is closed, by us or by our death, tells workers to end.
    lifeline, ours = context.Pipe(duplex=False)
    pool = ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(work, lifeline))
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

_here: dict[str, Callable[[Any], Any]] = {}


def _begin(work: Callable[[Any], Any], lifeline: Connection) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    # Warnings of a unit are in its record; the same line from every process helps no one.
    logging.getLogger("graphpool").addHandler(logging.NullHandler())
    warnings.simplefilter("ignore", GraphpoolWarning)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    _here["work"] = work


def _end_with(lifeline: Connection) -> None:
    """End this process when the other end is closed. Results are written atomically."""
    try:
        lifeline.poll(None)
    finally:
        os._exit(1)


def _work(item: Any) -> Any:
    try:
        return attempt(_here["work"], item)
    except TrainingError:
        os._exit(1)  # the item is tried again in a new process


def _work_again(item: Any) -> Any:
    """Do an item that was running when a process ended; this process has no other."""
    try:
        return attempt(_here["work"], item)
    except TrainingError as error:
        reason = str(error.__cause__).splitlines()[0]
        return ItemFailure(f"the device was lost twice: {reason}; use fewer jobs")
