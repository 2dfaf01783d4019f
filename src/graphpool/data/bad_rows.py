"""Lines of a file that can't be read: an error, or left out, counted and listed."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from graphpool.errors import DataError, plural, shortened, was
from graphpool.files import atomic_write

_SHOWN = 5  # of the lines that were left out, in a note
_LONGEST_TEXT = 10_000  # characters of a line that is kept


@dataclass(frozen=True)
class BadRow:
    """A line that was left out.

    Args:
        line: of the file, from 1.
        row: position among the graphs of the file, from 0; those that were left out count.
        text: of the graph, such as its SMILES.
        id: of the graph, or its position.
        cells: other text of the line by column.
    """

    line: int | None
    row: int
    reason: str
    text: str = ""
    id: str = ""
    cells: dict[str, str] = field(default_factory=dict)


_collected: ContextVar[list[BadRow] | None] = ContextVar("bad_rows", default=None)


@contextmanager
def collect_bad_rows() -> Iterator[list[BadRow]]:
    """Yield a list of all lines that are left out inside the block, by whatever reads a file."""
    rows: list[BadRow] = []
    token = _collected.set(rows)
    try:
        yield rows
    finally:
        _collected.reset(token)


@dataclass
class BadRows:
    """What becomes of lines that can't be read: by default the first one is an error.

    Args:
        skip: leave them out, and keep them in `rows`.
        good: how many graphs were read before the next line.
    """

    skip: bool = False
    good: int = 0
    rows: list[BadRow] = field(default_factory=list)

    def add(self, path: Path, row: BadRow, hint: str = "") -> None:
        """Leave a line out, or raise the error about it."""
        if not self.skip:
            skip = "correct it, or leave such lines out with --skip-bad (skip_bad=True)"
            raise DataError.at(path, row.reason, line=row.line, hint=hint or skip)
        self.rows.append(row)
        if (collected := _collected.get()) is not None:
            collected.append(row)

    def add_error(self, path: Path, line: int | None, error: DataError, text: str = "") -> None:
        """Leave out a line that an error was raised about, or raise it."""
        if not self.skip:
            raise error
        reason = str(error).removeprefix(f"{path}, line {line}: ")
        row = self.good + len(self.rows)
        self.add(path, BadRow(line, row, reason, shortened(text, _LONGEST_TEXT), id=str(row)))

    def nothing_left(self, path: Path, hint: str) -> DataError:
        """Return the error about a file of which no line is left."""
        notes = self.notes(len(self.rows))
        return DataError.at(path, notes[0] if notes else "no line can be read", hint=hint)

    def notes(self, total: int) -> tuple[str, ...]:
        """Return what a set says about the lines that it was made without."""
        if not self.rows:
            return ()
        shown = [f"line {row.line}: {row.reason}" for row in self.rows[:_SHOWN]]
        more = [f"{len(self.rows) - _SHOWN:,} more"] if len(self.rows) > _SHOWN else []
        count = len(self.rows)
        return (
            f"{plural(count, 'line')} of {total:,} {was(count)} left out: "
            + "; ".join([*shown, *more]),
        )


def write_bad_rows(path: str | Path, rows: Sequence[BadRow]) -> None:
    """Write the lines that were left out as JSON lines: line, reason and text of each."""
    with atomic_write(path, "w") as handle:
        for row in rows:
            value = {"line": row.line, "reason": row.reason, "text": row.text, **row.cells}
            handle.write(json.dumps(value, ensure_ascii=False) + "\n")
