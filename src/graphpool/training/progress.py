"""A progress bar on stderr for people who watch; silence for everything else."""

import sys
import time
from typing import Any

_INTERVAL = 0.1


class ProgressBar:
    """Epoch, loss, validation accuracy and time left.

    Args:
        steps: training steps of the whole run.
        epochs: epochs of the whole run.
        active: shown only if this is set and stderr is a terminal.
    """

    def __init__(self, steps: int, epochs: int, active: bool) -> None:
        self.shown = active and sys.stderr.isatty()
        self._bar: Any = None
        self._next = 0.0
        if self.shown:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("epoch {task.fields[epoch]}/{task.fields[epochs]}"),
                BarColumn(),
                TextColumn("loss {task.fields[loss]}  valid {task.fields[valid]}"),
                TimeRemainingColumn(),
                console=Console(stderr=True),
                transient=True,
            )
            self._bar.start()
            self._task = self._bar.add_task(
                "train", total=steps, epoch=0, epochs=epochs, loss="-", valid="-"
            )

    def step(self, done: int, epoch: int) -> None:
        """After every step; draws at most ten times a second."""
        if self._bar is not None and (now := time.monotonic()) >= self._next:
            self._next = now + _INTERVAL
            self._bar.update(self._task, completed=done, epoch=epoch)

    def epoch(self, row: dict[str, Any]) -> None:
        """After every epoch, with its row of the history."""
        if self._bar is None:
            return
        accuracy = row["valid"].get("accuracy")
        self._bar.update(
            self._task,
            completed=row["step"],
            epoch=row["epoch"],
            loss=f"{row['train']['loss']:.4f}",
            valid="-" if accuracy is None else f"{accuracy:.1%}",
        )

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
