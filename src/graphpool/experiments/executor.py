"""Where units run: the one small interface between the engine and whatever does the work.

The engine hands an `Executor` a `Job`, which says how to do one unit, and the units; it gets back
an outcome for each, in any order, as they come. `LocalExecutor` runs them in processes on this
machine. Another executor, such as one for a cluster, has to keep to three rules:

- every item that is begun is yielded once, with its outcome or with `ItemFailure` and the reason;
- no item is begun after `deadline`, a value of `time.monotonic()`;
- `Job.setup` is called once in every process, and its result is handed to `Job.work` with each
  item; both functions are importable, and items can be pickled.

It has nothing to keep: records are written by the engine, in the process that called it.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from graphpool.errors import ConfigError
from graphpool.experiments.process_pool import (
    Item,
    ItemFailure,
    Job,
    Outcome,
    State,
    run_here,
    run_parallel,
)


@runtime_checkable
class Executor(Protocol):
    """Anything that can do a job for many items."""

    def run(
        self,
        job: Job[State, Item, Outcome],
        items: Sequence[Item],
        deadline: float | None = None,
    ) -> Iterator[tuple[Item, Outcome | ItemFailure]]:
        """Yield every item with its outcome, as soon as it is there."""
        ...


@dataclass(frozen=True)
class LocalExecutor:
    """Run items on this machine.

    Args:
        jobs: processes; 1 starts none.
    """

    jobs: int = 1

    def __post_init__(self) -> None:
        if self.jobs < 1:
            raise ConfigError(f"jobs is {self.jobs}; give at least 1")

    def run(
        self,
        job: Job[State, Item, Outcome],
        items: Sequence[Item],
        deadline: float | None = None,
    ) -> Iterator[tuple[Item, Outcome | ItemFailure]]:
        """Yield every item with its outcome, as soon as it is there."""
        if self.jobs == 1 or len(items) < 2:
            yield from run_here(job, items, deadline)
            return
        # Processes side by side would otherwise each take all cores.
        for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
            os.environ.setdefault(name, "1")
        yield from run_parallel(job, items, self.jobs, deadline)
