"""Lines of a file that can't be read: an error, or left out, counted and listed."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from graphpool.errors import DataError, plural, was
from graphpool.files import atomic_write

_SHOWN = 5  # of the lines that were left out, in a note


@dataclass(frozen=True)
class BadRow:
    """A line that was left out.

    Args:
        line: of the file, from 1.
        row: position among the graphs of the file, from 0; those that were left out count.
        text: of the graph, such as its SMILES.
        cells: other text of the line by column.
    """

    line: int | None
    row: int
    reason: str
    text: str = ""
    cells: dict[str, str] = field(default_factory=dict)


@dataclass
class BadRows:
    """What becomes of lines that can't be read: by default the first one is an error.

    Args:
        skip: leave them out, and keep them in `rows`.
    """

    skip: bool = False
    rows: list[BadRow] = field(default_factory=list)

    def add(self, path: Path, row: BadRow, hint: str = "") -> None:
        """Leave a line out, or raise the error about it."""
        if not self.skip:
            skip = "correct it, or leave such lines out with --skip-bad (skip_bad=True)"
            raise DataError.at(path, row.reason, line=row.line, hint=hint or skip)
        self.rows.append(row)

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
