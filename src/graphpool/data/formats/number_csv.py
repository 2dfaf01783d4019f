"""Read tables of numbers in text, one row per line with commas between, with exact errors.

NumPy's compiled parser reads the text in large pieces. Only a piece that it refuses is read line
by line, to name the wrong line.
"""

import io
import re
import warnings
from collections.abc import Iterator
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import DataError

PIECE = 1 << 24
_WHOLE_NUMBER = re.compile(rb"\s*[+-]?[0-9]+\s*")
_NEXT_STEP = "correct this line or fetch the file again"


@runtime_checkable
class Readable(Protocol):
    """Anything that gives bytes: a file, or a member of a zip."""

    def read(self, size: int = -1, /) -> bytes:
        """At most `size` bytes; none at the end."""


def read_table(
    stream: Readable, where: str, dtype: type[np.generic], columns: int | None = None
) -> NDArray[Any]:
    """Read `[lines, columns]` numbers; row i comes from line i + 1 of the file.

    Args:
        stream: the open file, in bytes.
        where: what error messages call the file.
        dtype: an integer type refuses anything but whole numbers; a float type refuses
            anything but finite ones.
        columns: how many numbers a line must have; by default as many as the first line.
    """
    tables: list[NDArray[Any]] = []
    lines = 0
    for piece in _pieces(stream):
        table = _parse(piece, dtype, columns)
        if table is None:
            raise _blame(piece, where, dtype, columns, lines)
        columns = table.shape[1]
        lines += table.shape[0]
        tables.append(table)
    if not tables:
        raise DataError.at(where, "the file is empty", hint="fetch it again")
    return tables[0] if len(tables) == 1 else np.concatenate(tables)


def _pieces(stream: Readable) -> Iterator[bytes]:
    """Yield the text in pieces of whole lines; blank lines at the very end are dropped."""
    rest = b""
    while block := stream.read(PIECE):
        rest += block
        end = rest.rfind(b"\n") + 1
        # What lies behind the last data so far may turn out to be the end of the file.
        end = min(end, len(rest.rstrip()))
        end = rest.rfind(b"\n", 0, end) + 1
        if end:
            yield rest[:end]
            rest = rest[end:]
    rest = rest.rstrip()
    if rest:
        yield rest + b"\n"


def _parse(piece: bytes, dtype: type[np.generic], columns: int | None) -> NDArray[Any] | None:
    """The numbers of whole lines of text, or None where something is wrong with them."""
    try:
        with warnings.catch_warnings():
            # NumPy only warns of "1.5" in a column of whole numbers.
            warnings.simplefilter("error")
            table = np.loadtxt(
                io.BytesIO(piece),
                dtype=dtype,
                delimiter=",",
                comments=None,
                ndmin=2,
                encoding="latin1",
            )
    except (ValueError, OverflowError, Warning):
        return None
    # The parser passes over blank lines, which would shift every line number behind them.
    if table.shape[0] != piece.count(b"\n") or columns not in (None, table.shape[1]):
        return None
    if np.issubdtype(dtype, np.floating) and not np.isfinite(table).all():
        return None
    return table


def _blame(
    piece: bytes, where: str, dtype: type[np.generic], columns: int | None, before: int
) -> DataError:
    """Return an error that names the line which the fast parser refused."""
    for number, line in enumerate(piece.split(b"\n")[:-1], start=before + 1):
        if problem := _problem(line, dtype, columns):
            return DataError.at(where, problem, line=number, hint=_NEXT_STEP)
        columns = columns or line.count(b",") + 1
    kind = "whole numbers" if np.issubdtype(dtype, np.integer) else "numbers"
    return DataError.at(
        where, f"can't be read as lines of {kind}", line=before + 1, hint=_NEXT_STEP
    )


def _problem(line: bytes, dtype: Any, columns: int | None) -> str:
    """Describe what is wrong with one line; empty if nothing is."""
    if not line.strip():
        return "the line is empty"
    cells = line.split(b",")
    for cell in cells:
        text = cell.strip().decode("utf-8", "replace")[:40]
        if np.issubdtype(dtype, np.integer):
            if not _WHOLE_NUMBER.fullmatch(cell):
                return f"{text!r} is not a whole number"
            limits = np.iinfo(dtype)
            if not limits.min <= int(cell) <= limits.max:
                return f"{text} is too large a number"
        elif not _finite(text, float(np.finfo(dtype).max)):
            return f"{text!r} is not a finite number"
    if columns is not None and len(cells) != columns:
        return f"{len(cells)} numbers where {columns} are expected"
    return ""


def _finite(text: str, limit: float) -> bool:
    try:
        return "_" not in text and abs(float(text)) <= limit
    except ValueError:
        return False
