"""Read molecules: a CSV file with a column of SMILES, or a `.smi` file with one in each line.

    smiles,p_np
    CC(C)NCC(O)COc1cccc2ccccc12,1

Nodes are atoms, labelled by their element, and edges are bonds, labelled by their type; attributes
describe both further (`graphpool.data.molecules.atoms`). Text of other columns is kept in
`GraphSet.columns`, the SMILES as the column `smiles`. rdkit is needed: the extra `chem`.
"""

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from graphpool.data.bad_rows import BadRow
from graphpool.data.formats.base import first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.formats.chunked_set import ChunkedSet
from graphpool.data.formats.spool import Spool
from graphpool.data.molecules.atoms import ATOM_ATTRIBUTES, BOND_ATTRIBUTES, Kind, MoleculeChunk
from graphpool.data.molecules.table import NAME_COLUMN, Table, separator, smiles_columns
from graphpool.data.molecules.values import ValueReader
from graphpool.data.molecules.workers import CHUNK, featurise_chunks
from graphpool.data.paths import SUFFIXES, stem
from graphpool.data.read_options import ReadOptions
from graphpool.data.seen_ids import SeenIds
from graphpool.documents import read_lines
from graphpool.errors import DataError, shortened
from graphpool.graphs.checks import derived
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import VARIABLE, current_limits
from graphpool.progress import ProgressBar

NAME = "smiles"
VERSION = 2
OPTIONS = frozenset({"smiles", "y", "id", "skip_bad"})
SMILES = "smiles"
"""The column of `GraphSet.columns` that holds the SMILES."""

ATOM_NOTE, BOND_NOTE = "node attributes: ", "edge attributes: "
"""How the notes begin that name the attributes of atoms and of bonds."""

_BOM = b"\xef\xbb\xbf"
_PLACES = "lines and rows"


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file is called `.smi`, or its first line names a column of SMILES."""
    if path.name.removesuffix(".gz").endswith(".smi"):
        return path.is_file()
    columns = column_names(path)
    return bool(smiles_columns(columns)) and not {"source", "target"} <= set(columns)


def may_be_table(path: Path) -> bool:
    """Whether a path may be a file of text with columns: no suffix says otherwise."""
    suffix = Path(path.name.removesuffix(".gz")).suffix
    return path.is_file() and (suffix in (".csv", ".smi") or suffix not in SUFFIXES)


def has_column(path: Path, name: str) -> bool:
    """Whether the first line of a file names this column."""
    return bool(name) and name in column_names(path)


def column_names(path: Path) -> list[str]:
    """Return the columns that the first line of a file names."""
    line = first_bytes(path, 1 << 16, unpack=True).removeprefix(_BOM).split(b"\n")[0]
    header = line.decode("utf-8", "replace").strip()
    return [word.strip().strip('"') for word in header.split(separator(header))]


def read(path: str | Path, name: str | None = None, options: ReadOptions | None = None) -> GraphSet:
    """Read the molecules of a file; the set is called `name`, by default like the file."""
    return collect(path, name, options).build()


def collect(
    path: str | Path,
    name: str | None = None,
    options: ReadOptions | None = None,
    spool: Spool | None = None,
) -> ChunkedSet:
    """Read the molecules of a file chunk by chunk into a spool, by default one in memory."""
    path, options = Path(path), options or ReadOptions()
    molecules = ChunkedSet(path, name or stem(path), spool)
    rows = _Rows(molecules, options)
    bar = ProgressBar(_count_lines(path), before=stem(path))
    try:
        for chunk in featurise_chunks(rows.chunks(), options.check_valence):
            rows.add(chunk)
            bar.update_often(rows.done)
    finally:
        bar.close()
    rows.finish()
    return molecules


def _count_lines(path: Path) -> int:
    """Return how many lines a file has; 0 if nobody looks at a progress bar."""
    return sum(1 for _ in read_lines(path)) if sys.stderr.isatty() else 0


@dataclass
class _Part:
    """Lines of a chunk; `good` tells those that are read."""

    start: int
    lines: list[int] = field(default_factory=list)
    good: list[bool] = field(default_factory=list)
    smiles: list[str] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)


class _Rows:
    """Reads lines ahead of the processes that describe their molecules, and joins both."""

    def __init__(self, molecules: ChunkedSet, options: ReadOptions) -> None:
        self.molecules, self.path, self.bad = molecules, molecules.path, options.bad
        self.table = table = Table(self.path, options.bad)
        columns = table.columns
        current_limits().check(self.path, "attributes", len(columns), "columns", line=1)
        strict = options.strict
        named = options.smiles and (strict or options.smiles in columns)
        self.where = (
            table.position(options.smiles, "--smiles") if named else table.smiles_position()
        )
        self.y = [y for y in options.y if strict or y in columns]
        if not options.y and columns.count("y") == 1:
            self.y = ["y"]
        self.y_at = [table.position(each, "--target") for each in self.y]
        id_there = options.id and (strict or options.id in columns)
        self.id_at = table.position(options.id, "--id") if id_there else None
        kept = [i for i, each in enumerate(columns) if each and i not in (self.where, *self.y_at)]
        self.text_at = {columns[i]: columns.index(columns[i]) for i in kept}
        self.done = self.total = self.count = self.atoms = self.bonds = 0
        self._seen = SeenIds(molecules.spool.database)
        self._parts: deque[_Part] = deque()

    def chunks(self) -> Iterator[list[str]]:
        """Yield the SMILES of all lines, a chunk at a time; those of bad lines are empty."""
        blank = [""] * len(self.table.columns)
        part = _Part(0)
        for line, cells in self.table.rows():
            part.lines.append(line)
            part.good.append(bool(cells))
            part.cells.append(cells or blank)
            self._check(part, line, cells or blank)
            self.total += 1
            if len(part.lines) == CHUNK:
                self._parts.append(part)
                yield part.smiles
                part = _Part(self.total)
        if part.lines:
            self._parts.append(part)
            yield part.smiles

    def _check(self, part: _Part, line: int, cells: Sequence[str]) -> None:
        """Refuse a SMILES that is too long, and an id that is missing or not its own."""
        text = cells[self.where]
        at = len(part.smiles)
        part.ids.append(str(self.total) if self.id_at is None else cells[self.id_at])
        part.smiles.append(text)
        if len(text) > (most := current_limits().smiles_length):
            problem = f"a SMILES of {len(text):,} characters, over {most:,}"
            part.smiles[at] = shortened(text, 100)
            self._drop(part, at, problem, f"raise the limit with {VARIABLE}=smiles_length=NUMBER")
            part.smiles[at] = ""
        if self.id_at is not None and part.good[at]:
            identity = part.ids[at]
            if not identity or self._seen.add(identity, line) is not None:
                problem = f"another line has the id {identity[:80]!r}" if identity else "no id"
                self._drop(part, at, problem, "give every line its own, or leave out --id (id=)")

    def _drop(self, part: _Part, at: int, reason: str, hint: str = "") -> None:
        """Leave a row out, or raise the error about it."""
        if part.good[at]:
            cells = {name: part.cells[at][column] for name, column in self.text_at.items()}
            row = BadRow(
                part.lines[at], part.start + at, reason, part.smiles[at], part.ids[at], cells
            )
            self.bad.add(self.path, row, hint)
            part.good[at] = False

    def add(self, chunk: MoleculeChunk) -> None:
        """Add the molecules of the next chunk."""
        part = self._parts.popleft()
        for at, reason in chunk.bad.items():
            text = shortened(part.smiles[at], 100)
            self._drop(part, at, f"rdkit can't read {text!r}: {reason}" if text else reason)
        self.done += len(part.lines)
        there = np.flatnonzero(chunk.atoms)
        self.count += len(there)
        self.atoms += int(chunk.atoms.sum())
        self.bonds += int(chunk.bonds.sum())
        current_limits().check_counts(self.path, self.count, self.atoms, self.bonds)
        chosen = [(at, row) for at, row in enumerate(there.tolist()) if part.good[row]]
        if not chosen:
            return
        rows = [row for _, row in chosen]
        graphs = _graphs(chunk, self.molecules)
        graphs = graphs[[at for at, _ in chosen]] if len(rows) < len(there) else graphs
        columns = {SMILES: tuple(part.smiles[row] for row in rows)} | {
            name: tuple(part.cells[row][at] for row in rows)
            for name, at in self.text_at.items()
            if name != SMILES
        }
        cells = {
            _cells(number): [part.cells[row][at] for row in rows]
            for number, at in enumerate(self.y_at)
        }
        self.molecules.add(
            derived(graphs, ids=tuple(part.ids[row] for row in rows), columns=columns),
            **{_PLACES: [(part.lines[row], part.start + row) for row in rows]},
            **cells,
        )

    def finish(self) -> None:
        """Read the values of all molecules, and decide on ids and columns."""
        molecules = self.molecules
        self._read_values()
        for name in list(molecules.columns):
            chunks = range(molecules.num_chunks)
            if name != SMILES and not any(any(molecules.column(name, chunk)) for chunk in chunks):
                del molecules.columns[name]
        if self.id_at is None and self.table.plain and NAME_COLUMN in molecules.columns:
            seen = SeenIds(molecules.spool.database)
            names = (name for chunk in range(molecules.num_chunks)
                     for name in molecules.column(NAME_COLUMN, chunk))  # fmt: skip
            if all(name and seen.add(name) is None for name in names):
                molecules.ids_column = NAME_COLUMN
        molecules.notes = (
            f"{ATOM_NOTE}{', '.join(ATOM_ATTRIBUTES)}",
            f"{BOND_NOTE}{', '.join(BOND_ATTRIBUTES)}",
            *self.bad.notes(self.total),
        )

    def _read_values(self) -> None:
        """Read the values; again without the molecules whose values can't be read."""
        molecules, streams = self.molecules, [_cells(number) for number in range(len(self.y))]
        while True:
            if not len(molecules):
                hint = "give one molecule in each line"
                if self.total:
                    raise self.bad.nothing_left(self.path, hint)
                raise DataError.at(self.path, "no molecules", hint=f"{hint} below the names")
            if not self.y:
                return
            reader, before = ValueReader(self.y), len(self.bad.rows)
            molecules.clear_values()
            for chunk in range(molecules.num_chunks) if len(self.y) == 1 else ():
                reader.look(molecules.values(chunk, streams[0]))
            for chunk in range(molecules.num_chunks):
                self._read_chunk(reader, chunk, [molecules.values(chunk, key) for key in streams])
            if len(self.bad.rows) == before:
                molecules.target_names = reader.target_names
                return

    def _read_chunk(self, reader: ValueReader, chunk: int, columns: list[list[str]]) -> None:
        molecules = self.molecules
        failed: dict[int, str] = {}
        if reader.has_classes:
            names = reader.classes(columns[0], failed.setdefault)
            molecules.put_values(chunk, y=molecules.codes("y", names))
        else:
            molecules.put_values(chunk, target=reader.targets(columns, failed.setdefault))
        if not failed:
            return
        places, ids = molecules.values(chunk, _PLACES), molecules.ids(chunk)
        text = {name: molecules.column(name, chunk) for name in (SMILES, *self.text_at)}
        for at, reason in failed.items():
            cells = {name: text[name][at] for name in self.text_at}
            line, row = places[at]
            self.bad.add(self.path, BadRow(line, row, reason, text[SMILES][at], ids[at], cells))
        molecules.leave_out(chunk, failed)


def _cells(number: int) -> str:
    """Return the name of the list of cells of a column of values."""
    return f"cells {number}"


def _graphs(chunk: MoleculeChunk, molecules: ChunkedSet) -> GraphSet:
    """Return the molecules of a chunk, without ids."""
    there = chunk.atoms > 0
    atom, bonds = (
        torch.from_numpy(kind.astype(np.int64)) for kind in (chunk.atom_kind, chunk.bond_kind)
    )
    graphs = GraphSet.build(
        "molecules",
        torch.from_numpy(chunk.atoms[there]),
        torch.from_numpy(chunk.bonds[there]),
        torch.from_numpy(chunk.ends.T.astype(np.int64)),
        undirected=True,
        edge_label=bonds,
    )
    bond = graphs.edge_label
    assert bond is not None
    element = molecules.codes("node_label", (kind[0] for kind in chunk.atom_kinds))
    fields = {
        "node_label": element[atom],
        "node_attr": _attributes(chunk.atom_kinds, ATOM_ATTRIBUTES)[atom],
        "edge_label": None,
    }
    if chunk.bond_kinds:
        order = molecules.codes("edge_label", (kind[0] for kind in chunk.bond_kinds))
        fields["edge_label"] = order[bond]
        fields["edge_attr"] = _attributes(chunk.bond_kinds, BOND_ATTRIBUTES)[bond]
    return derived(graphs, **fields)


def _attributes(kinds: Sequence[Kind], names: Sequence[str]) -> Tensor:
    """Return the attributes of each kind of atoms or bonds, `[kinds, attributes]`."""
    table = np.array([kind[1:] for kind in kinds]).reshape(-1, len(names))
    return torch.from_numpy(table.clip(-128, 127).astype(np.int8))
