"""How far an experiment is: a bar on stderr for people who watch, log lines for everyone else."""

import logging

from graphpool.experiments.process_pool import Failed
from graphpool.experiments.unit import Unit, UnitResult
from graphpool.progress import open_bar

log = logging.getLogger(__name__)


class UnitBar:
    """Units finished, units failed, and time left.

    Args:
        total: units of the experiment.
        kept: those that were finished before.
        active: shown only if this is set and stderr is a terminal.
    """

    def __init__(self, total: int, kept: int, active: bool) -> None:
        self._total, self._count = total, kept
        self._failed = 0
        # The first few units say little: the estimate looks back over minutes.
        self._bar = open_bar(total, kept, active, after="{task.description}", period=600.0)

    def advance(self, unit: Unit, outcome: UnitResult | Failed) -> None:
        """After every unit."""
        self._count += 1
        self._failed += isinstance(outcome, Failed)
        if isinstance(outcome, UnitResult):
            log.info(
                "%d of %d: %s: accuracy %.3f in %.1f s",
                self._count, self._total, unit, outcome.accuracy, outcome.total_seconds,
            )  # fmt: skip
        if self._bar is not None:
            failed = f", [red]{self._failed} failed[/red]" if self._failed else ""
            description = f"{unit}{failed}"
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=self._count, description=description)

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
