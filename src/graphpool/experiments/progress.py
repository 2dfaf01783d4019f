"""How far an experiment is: a bar on stderr for people who watch, log lines for everyone else."""

import logging

from graphpool.experiments.records import Record
from graphpool.experiments.unit import Unit
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

    def advance(self, unit: Unit, record: Record) -> None:
        """Count a unit that is finished or has failed."""
        self._count += 1
        self._failed += bool(record.error)
        where = f"{self._count} of {self._total}: {unit}"
        if record.error:
            log.warning("%s failed: %s", where, record.error)
        else:
            log.info("%s: %s in %.1f s", where, reached(record), record.total_seconds)
        if self._bar is not None:
            failed = f", [red]{self._failed} failed[/red]" if self._failed else ""
            task = self._bar.task_ids[0]
            self._bar.update(task, completed=self._count, description=f"{unit}{failed}")

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()


def reached(record: Record) -> str:
    """Accuracy of every test, in percent."""
    values = (metrics.get("accuracy") for metrics in record.metrics.values())
    return ", ".join("–" if value is None else f"{100 * value:.1f} %" for value in values)
