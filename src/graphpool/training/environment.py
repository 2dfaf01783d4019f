"""Process-wide switches of torch that hold while a run lasts and are put back after it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.utils.deterministic

from graphpool.tasks.base import Examples

SMALL_BATCH = 30_000  # nodes and edges


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """On the CPU, take the deterministic form of every operation that has one.

    Without it a parallel sum may add in another order each time, and a resumed run would drift
    from the uninterrupted one. On a GPU those forms are slow, and nothing is promised there.
    """
    if device.type != "cpu":
        yield
        return
    mode = torch.get_deterministic_debug_mode()
    memory: Any = torch.utils.deterministic  # its one setting is a property that mypy misses
    fill = memory.fill_uninitialized_memory
    # The debug mode is the same switch as use_deterministic_algorithms(True, warn_only=True),
    # without importing torch's compiler.
    torch.set_deterministic_debug_mode("warn")
    # Filling fresh memory would catch bugs, not differences, and costs time in every operation.
    memory.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(mode)
        memory.fill_uninitialized_memory = fill


def suitable_threads(examples: Examples, batch_size: int) -> int:
    """1 where a batch is so small that sharing it out costs more than it saves, else 0.

    Small batches are mostly calls: MUTAG, with 2,000 nodes and edges a batch, trains faster on
    one thread than on two. And one thread gives the same numbers on any number of cores.
    """
    share = batch_size / max(1, len(examples))
    return 1 if share * (examples.num_nodes + examples.num_edges) < SMALL_BATCH else 0


@contextmanager
def thread_count(threads: int) -> Iterator[None]:
    """Use so many threads; 0 leaves the choice to torch."""
    before = torch.get_num_threads()
    if threads > 0:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        if threads > 0:
            torch.set_num_threads(before)
