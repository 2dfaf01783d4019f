"""How far a matrix is: a bar on stderr with pairs, rate and time left, for people who watch."""

import sys
from typing import Any


class PairBar:
    """Pairs solved.

    Args:
        total: pairs of the whole matrix.
        kept: those that were solved before.
        active: shown only if this is set and stderr is a terminal.
    """

    def __init__(self, total: int, kept: int, active: bool) -> None:
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
                TextColumn("pairs"),
                MofNCompleteColumn(),
                BarColumn(),
                TextColumn("{task.fields[rate]}"),
                TimeElapsedColumn(),
                TextColumn("left"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
                speed_estimate_period=60,
            )
            self._bar.start()
            self._task = self._bar.add_task("", total=total, completed=kept, rate="")

    def advance(self, pairs: int) -> None:
        """After some pairs."""
        if self._bar is None:
            return
        self._bar.advance(self._task, pairs)
        if speed := self._bar.tasks[0].finished_speed or self._bar.tasks[0].speed:
            self._bar.update(self._task, rate=f"{speed:,.0f}/s" if speed > 10 else f"{speed:.2g}/s")

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
