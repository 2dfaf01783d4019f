"""A progress bar on stderr, shown on terminals only."""

import sys
import time
from typing import Any

_INTERVAL = 0.1


class ProgressBar:
    """A progress bar on stderr; without a terminal every method does nothing.

    The texts beside the bar are formats of rich, such as `"epoch {task.fields[epoch]}"`, and
    `fields` holds the first values of the names in them.

    Args:
        total: number of steps.
        completed: steps that were done earlier; without any left to do there is no bar.
        active: set to False for no bar.
        before: text on the left of the bar.
        after: text on the right of the bar.
        counts: show the number of steps and the time elapsed.
        period: seconds of the past from which the time left is estimated.
    """

    def __init__(
        self,
        total: int,
        completed: int = 0,
        active: bool = True,
        *,
        before: str = "",
        after: str = "{task.description}",
        counts: bool = True,
        period: float = 60.0,
        **fields: Any,
    ) -> None:
        self.shown = active and sys.stderr.isatty() and completed < total
        self._bar: Any = None
        self._next = 0.0
        if not self.shown:
            return
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
            TextColumn(before),
            *([MofNCompleteColumn()] if counts else []),
            BarColumn(),
            *([TimeElapsedColumn(), TextColumn("left")] if counts else []),
            TimeRemainingColumn(),
            TextColumn(after),
            console=Console(stderr=True),
            transient=True,
            speed_estimate_period=period,
        )
        self._task = self._bar.add_task("", total=total, completed=completed, **fields)
        self._bar.start()

    def update(self, completed: int, **fields: Any) -> None:
        """Set the number of completed steps and the texts beside the bar."""
        if self._bar is not None:
            self._bar.update(self._task, completed=completed, **fields)

    def update_often(self, completed: int, **fields: Any) -> None:
        """Like `update`, but skipped if called more than ten times a second."""
        if self._bar is not None and (now := time.monotonic()) >= self._next:
            self._next = now + _INTERVAL
            self.update(completed, **fields)

    def advance(self, steps: int = 1, **fields: Any) -> None:
        """Add to the number of completed steps, and set the texts beside the bar."""
        if self._bar is not None:
            self._bar.update(self._task, advance=steps, **fields)

    def show_rate(self) -> None:
        """Set the description to the steps per second."""
        if self._bar is None:
            return
        task = self._bar.tasks[0]
        if speed := task.finished_speed or task.speed:
            rate = f"{speed:,.0f}/s" if speed > 10 else f"{speed:.2g}/s"
            self._bar.update(self._task, description=rate)

    def close(self) -> None:
        """Remove the bar from the screen."""
        if self._bar is not None:
            self._bar.stop()
