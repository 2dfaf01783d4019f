"""Process-wide settings of torch for the duration of a run."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
import torch.utils.deterministic

from graphpool.training.objective import Examples

SMALL_BATCH = 30_000  # nodes and edges


class _Shared:
    """A setting of the process that several fits may hold at once, in threads.

    Args:
        read, write: the setting.
        by_thread: each thread has a value of its own, and new threads get the last one written.
    """

    def __init__(
        self, read: Callable[[], Any], write: Callable[[Any], None], by_thread: bool = False
    ) -> None:
        self._read, self._write, self._by_thread = read, write, by_thread
        self._lock, self._holders = threading.Lock(), 0
        self._before: Any = None

    @contextmanager
    def held(self, value: Any) -> Iterator[None]:
        """Hold the setting at `value`; afterwards it is as before the first of the fits.

        None holds it at that value, not at the one of a fit in another thread.
        """
        with self._lock:
            if not self._holders:
                self._before = self._read()
            self._holders += 1
            self._write(self._before if value is None else value)
        try:
            yield
        finally:
            with self._lock:
                self._holders -= 1
                if self._by_thread or not self._holders:
                    self._write(self._before)


def _read_determinism() -> tuple[int, bool]:
    memory: Any = torch.utils.deterministic  # mypy does not know its property
    return torch.get_deterministic_debug_mode(), memory.fill_uninitialized_memory


def _set_determinism(modes: tuple[int, bool]) -> None:
    memory: Any = torch.utils.deterministic
    # The debug mode is the same switch as use_deterministic_algorithms(True, warn_only=True),
    # without importing torch's compiler.
    torch.set_deterministic_debug_mode(modes[0])
    memory.fill_uninitialized_memory = modes[1]


_determinism = _Shared(_read_determinism, _set_determinism)


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """On the CPU, use the deterministic form of every operation that has one.

    Otherwise a parallel sum may add in a different order each time, and a resumed run would
    diverge from an uninterrupted one. On a GPU those forms are slow, and results may vary.
    """
    if device.type != "cpu":
        yield
        return
    # 1 warns. Filling new memory would find bugs, not differences, and costs time.
    with _determinism.held((1, False)):
        yield


def suitable_threads(examples: Examples, batch_size: int) -> int:
    """Return 1 if a batch is so small that splitting it costs more than it saves, else 0.

    Overhead dominates small batches: MUTAG, with 2,000 nodes and edges per batch, trains faster
    on one thread than on two. One thread also gives the same numbers on any number of cores.
    """
    share = batch_size / max(1, len(examples))
    return 1 if share * (examples.num_nodes + examples.num_edges) < SMALL_BATCH else 0


_threads = _Shared(torch.get_num_threads, torch.set_num_threads, by_thread=True)
_inside: ContextVar[bool] = ContextVar("inside thread_count", default=False)


@contextmanager
def thread_count(threads: int) -> Iterator[None]:
    """Use this number of threads; 0 leaves the choice to torch, or to `thread_count` around it."""
    if _inside.get():
        before = torch.get_num_threads()
        torch.set_num_threads(threads or before)
        try:
            yield
        finally:
            torch.set_num_threads(before)
        return
    token = _inside.set(True)
    try:
        with _threads.held(threads or None):
            yield
    finally:
        _inside.reset(token)
