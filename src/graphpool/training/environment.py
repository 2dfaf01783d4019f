"""Process-wide settings of torch for the duration of a run."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
import torch.utils.deterministic

from graphpool.training.objective import Examples

SMALL_BATCH = 30_000  # nodes and edges


@contextmanager
def deterministic(device: torch.device) -> Iterator[None]:
    """On the CPU, use the deterministic form of every operation that has one.

    Otherwise a parallel sum may add in a different order each time, and a resumed run would
    diverge from an uninterrupted one. On a GPU those forms are slow, and results may vary.
    """
    if device.type != "cpu":
        yield
        return
    mode = torch.get_deterministic_debug_mode()
    memory: Any = torch.utils.deterministic  # mypy does not know its property
    fill = memory.fill_uninitialized_memory
    # The debug mode is the same switch as use_deterministic_algorithms(True, warn_only=True),
    # without importing torch's compiler.
    torch.set_deterministic_debug_mode("warn")
    # Filling new memory would find bugs, not differences, and costs time in every operation.
    memory.fill_uninitialized_memory = False
    try:
        yield
    finally:
        torch.set_deterministic_debug_mode(mode)
        memory.fill_uninitialized_memory = fill


def suitable_threads(examples: Examples, batch_size: int) -> int:
    """Return 1 if a batch is so small that splitting it costs more than it saves, else 0.

    Overhead dominates small batches: MUTAG, with 2,000 nodes and edges per batch, trains faster
    on one thread than on two. One thread also gives the same numbers on any number of cores.
    """
    share = batch_size / max(1, len(examples))
    return 1 if share * (examples.num_nodes + examples.num_edges) < SMALL_BATCH else 0


@contextmanager
def thread_count(threads: int) -> Iterator[None]:
    """Use this number of threads; 0 leaves the choice to torch."""
    before = torch.get_num_threads()
    if threads > 0:
        torch.set_num_threads(threads)
    try:
        yield
    finally:
        if threads > 0:
            torch.set_num_threads(before)
