"""Tables of text with a line of column names, and `.smi` files, read line by line."""

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from graphpool.data.bad_rows import BadRow, BadRows
from graphpool.documents import read_lines
from graphpool.errors import DataError, nearest, plural

SMILES_NAMES = (
    "smiles", "smi", "mol", "canonical_smiles", "isomeric_smiles", "canonicalsmiles",
    "isomericsmiles", "smiles_string", "molecule", "structure",
)  # fmt: skip
"""Names of a column of SMILES, in any spelling of capitals; the first comes before the others."""

NAME_COLUMN = "name"
_SEPARATORS = ",;\t"


class Table:
    """The rows of a CSV file, or of a `.smi` file, in the order of the file.

    Columns are separated by commas, semicolons or tabs. A `.smi` file has no column names: a line
    is a SMILES and, after a blank, a name.
    """

    def __init__(self, path: Path, bad: BadRows) -> None:
        self.path, self._bad = path, bad
        self._line = 0
        self.plain = path.name.removesuffix(".gz").endswith(".smi")
        self._lines = self._text()
        if self.plain:
            self.columns = [SMILES_NAMES[0], NAME_COLUMN]
            return
        header = next(self._lines, None)
        if header is None:
            raise DataError.at(path, "the file is empty", hint="name the columns in its first line")
        self._separator = separator(header)
        names = next(csv.reader([header], delimiter=self._separator), [])
        self.columns = [name.strip() for name in names]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the line and the cells of each row; a bad one has none."""
        if self.plain:
            yield from self._plain_rows()
            return
        width = len(self.columns)
        reader = csv.reader(self._lines, delimiter=self._separator, strict=True)
        row = 0
        while True:
            try:
                cells = next(reader, None)
                problem = ""
            except csv.Error as error:
                cells, problem = [], f"can't be read as CSV: {error}"
            if cells is None:
                return
            if not problem and len(cells) != width:
                problem = f"{plural(len(cells), 'cell')} where {width} are expected"
            if not problem and any("\0" in cell for cell in cells):
                problem = "a byte 0, which no text has"
            if problem:
                self._bad.add(self.path, BadRow(self._line, row, problem, id=str(row)))
                cells = []
            yield self._line, [cell.strip() for cell in cells]
            row += 1

    def _plain_rows(self) -> Iterator[tuple[int, list[str]]]:
        for text in self._lines:
            smiles, _, name = text.strip().replace("\t", " ").partition(" ")
            if self._line == 1 and smiles.casefold() in SMILES_NAMES:
                continue
            yield self._line, [smiles, name.strip()]

    def _text(self) -> Iterator[str]:
        for self._line, text in read_lines(self.path):  # noqa: B020
            yield text

    def position(self, name: str, what: str) -> int:
        """Return the position of the column of this name; `what` it is given as, for messages."""
        found = [i for i, column in enumerate(self.columns) if column == name]
        if not found:
            folded = [c.casefold() for c in self.columns]
            found = [i for i, column in enumerate(folded) if column == name.casefold()]
        if len(found) == 1:
            return found[0]
        if found:
            raise DataError.at(self.path, f"two columns {name!r}", line=1, hint="rename one")
        problem = f"there is no column {name!r} ({what})"
        raise DataError.at(
            self.path, problem, line=1, hint=nearest(name, filter(None, self.columns))
        )

    def smiles_position(self) -> int:
        """Return the position of the column of SMILES by the names that such columns have."""
        found = smiles_columns(self.columns)
        if len(found) == 1:
            return found[0]
        names = ", ".join(repr(self.columns[i]) for i in found) or "none"
        shown = ", ".join(filter(None, self.columns))
        raise DataError.at(
            self.path,
            f"which column holds SMILES? By their names: {names}",
            line=1,
            hint=f"name it with --smiles (smiles=); its columns: {shown}",
        )


def separator(header: str) -> str:
    """Return what separates the columns of a line of column names."""
    return max(_SEPARATORS, key=header.count)


def smiles_columns(columns: Sequence[str]) -> list[int]:
    """Return the positions of columns with a name for SMILES; one called `smiles` comes alone."""
    folded = [name.casefold().replace(" ", "_") for name in columns]
    if folded.count(SMILES_NAMES[0]) == 1:
        return [folded.index(SMILES_NAMES[0])]
    return [i for i, name in enumerate(folded) if name in SMILES_NAMES]
