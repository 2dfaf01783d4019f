"""How far a matrix is: a bar on stderr with pairs, rate and time left, for people who watch."""

from graphpool.progress import open_bar


class PairBar:
    """Pairs solved.

    Args:
        total: pairs of the whole matrix.
        kept: those that were solved before.
        active: shown only if this is set and stderr is a terminal.
    """

    def __init__(self, total: int, kept: int, active: bool) -> None:
        self._bar = open_bar(total, kept, active, before="pairs", after="{task.description}")

    def advance(self, pairs: int) -> None:
        """After some pairs."""
        if self._bar is None:
            return
        self._bar.advance(self._bar.task_ids[0], pairs)
        if speed := self._bar.tasks[0].finished_speed or self._bar.tasks[0].speed:
            rate = f"{speed:,.0f}/s" if speed > 10 else f"{speed:.2g}/s"
            self._bar.update(self._bar.task_ids[0], description=rate)

    def close(self) -> None:
        """Take the bar off the screen."""
        if self._bar is not None:
            self._bar.stop()
