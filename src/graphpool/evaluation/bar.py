"""How far an experiment is: a bar on stderr for people who watch, log lines for everyone else."""

import logging
import sys
from typing import Any

from graphpool.evaluation.pool import Failed
from graphpool.evaluation.unit import Unit, UnitResult

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
        self._bar: Any = None
        if active and sys.stderr.isatty() and kept < total:
            from rich.console import Console
            from rich.progress import (
                BarColumn,
                MofNCompleteColumn,
                Progress,
                TextColumn,
                TimeElapsedColumn,
                TimeRemainingColumn,
            )

            self._bar = Progress(
                MofNCompleteColumn(),
                BarColumn(),
                TimeElapsedColumn(),
                TextColumn("left"),
                # The first few units say little: the estimate looks back over minutes.
                TimeRemainingColumn(),
                TextColumn("{task.description}"),
                console=Console(stderr=True),
                transient=True,
                speed_estimate_period=600,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=total, completed=kept)

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
            self._bar.update(self._task, completed=self._count, description=f"{unit}{failed}")

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
