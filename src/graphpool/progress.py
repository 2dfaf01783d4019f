"""A progress bar on stderr for people who watch; nothing where no one does."""

import sys
from typing import Any


def open_bar(
    total: int, kept: int, active: bool, before: str = "", after: str = "", period: float = 60.0
) -> Any:
    """A started bar with one task of `total` steps, or None if nobody would see it.

    Args:
        kept: steps that were done earlier.
        active: whether it is wanted; it is shown on a terminal only.
        before, after: columns on either side, as rich writes them.
        period: seconds that the estimate of the time left looks back over.
    """
    if not (active and sys.stderr.isatty() and kept < total):
        return None
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    bar = Progress(
        TextColumn(before),
        MofNCompleteColumn(),
        BarColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn(after),
        console=Console(stderr=True),
        transient=True,
        speed_estimate_period=period,
    )
    bar.add_task("", total=total, completed=kept)
    bar.start()
    return bar
