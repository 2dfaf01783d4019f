"""Read molecules: a CSV file with a column of SMILES, or a `.smi` file with one in each line.

    smiles,p_np
    CC(C)NCC(O)COc1cccc2ccccc12,1

Nodes are atoms, labelled by their element, and edges are bonds, labelled by their type; attributes
describe both further (`graphpool.data.molecules.atoms`). Text of other columns is kept in
`GraphSet.columns`, the SMILES as the column `smiles`. rdkit is needed: the extra `chem`.
"""

import sys
from array import array
from collections import deque
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.bad_rows import BadRow
from graphpool.data.formats.base import check_names, first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.molecules.atoms import ATOM_ATTRIBUTES, BOND_ATTRIBUTES, Kind, MoleculeChunk
from graphpool.data.molecules.table import NAME_COLUMN, Table, separator, smiles_columns
from graphpool.data.molecules.values import value_fields
from graphpool.data.molecules.workers import CHUNK, featurise_chunks
from graphpool.data.paths import SUFFIXES, stem
from graphpool.data.read_options import ReadOptions
from graphpool.documents import read_lines
from graphpool.errors import DataError, shortened
from graphpool.graphs.checks import derived
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.segments import pointer
from graphpool.graphs.vocabulary import coded
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
    path, options = Path(path), options or ReadOptions()
    rows, molecules = _Rows(path, options), _Molecules(path)
    bar = ProgressBar(_count_lines(path), before=stem(path))
    try:
        for chunk in featurise_chunks(rows.chunks(), options.check_valence):
            rows.drop_bad(molecules.rows, chunk.bad)
            molecules.add(chunk)
            bar.update_often(molecules.rows)
    finally:
        bar.close()
    return rows.build(name or stem(path), molecules)


def _count_lines(path: Path) -> int:
    """Return how many lines a file has; 0 if nobody looks at a progress bar."""
    return sum(1 for _ in read_lines(path)) if sys.stderr.isatty() else 0


class _Rows:
    """What the lines of a file say beside their molecules; `good` tells those that are read."""

    def __init__(self, path: Path, options: ReadOptions) -> None:
        self.path, self.bad = path, options.bad
        self.table = table = Table(path, options.bad)
        columns = table.columns
        current_limits().check(path, "attributes", len(columns), "columns", line=1)
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
        self.text_at = {columns[i]: i for i in reversed(kept)}
        self.lines = array("q")
        self.good = bytearray()
        self.smiles: list[str] = []
        self.values: list[list[str]] = [[] for _ in self.y]
        self.text: dict[str, list[str]] = {columns[i]: [] for i in kept}
        self.ids: list[str] = []
        self._seen: set[str] = set()

    def chunks(self) -> Iterator[list[str]]:
        """Yield the SMILES of all lines, a chunk at a time; those of bad lines are empty."""
        blank = [""] * len(self.table.columns)
        for line, cells in self.table.rows():
            self.lines.append(line)
            self.good.append(bool(cells))
            cells = cells or blank
            self.smiles.append(cells[self.where])
            for values, at in zip(self.values, self.y_at, strict=True):
                values.append(cells[at])
            for name, at in self.text_at.items():
                self.text[name].append(cells[at])
            self._check(len(self.lines) - 1, cells)
            if len(self.lines) % CHUNK == 0:
                yield self.smiles[-CHUNK:]
        if rest := len(self.lines) % CHUNK:
            yield self.smiles[-rest:]

    def _check(self, row: int, cells: Sequence[str]) -> None:
        """Refuse a SMILES that is too long, and an id that is missing or not its own."""
        if len(cells[self.where]) > (most := current_limits().smiles_length):
            problem = f"a SMILES of {len(cells[self.where]):,} characters, over {most:,}"
            self.smiles[row] = shortened(cells[self.where], 100)
            self.drop(row, problem, f"raise the limit with {VARIABLE}=smiles_length=NUMBER")
            self.smiles[row] = ""
        identity = str(row) if self.id_at is None else cells[self.id_at]
        self.ids.append(identity)
        if self.id_at is not None and self.good[row]:
            if not identity or identity in self._seen:
                problem = f"another line has the id {identity[:80]!r}" if identity else "no id"
                self.drop(row, problem, "give every line its own, or leave out --id (id=)")
            self._seen.add(identity)

    def drop(self, row: int, reason: str, hint: str = "") -> None:
        """Leave a row out, or raise the error about it."""
        if self.good[row]:
            cells = {name: values[row] for name, values in self.text.items()}
            line, text = self.lines[row], self.smiles[row]
            identity = self.ids[row] if row < len(self.ids) else str(row)
            self.bad.add(self.path, BadRow(line, row, reason, text, identity, cells), hint)
            self.good[row] = False

    def drop_bad(self, start: int, reasons: dict[int, str]) -> None:
        """Leave out the molecules of a chunk that rdkit can't read."""
        for position, reason in reasons.items():
            row = start + position
            text = shortened(self.smiles[row], 100)
            self.drop(row, f"rdkit can't read {text!r}: {reason}" if text else reason)

    def _drop_value(self, rows: Sequence[int], at: int, reason: str) -> None:
        self.drop(rows[at], reason)

    def build(self, name: str, molecules: "_Molecules") -> GraphSet:
        """Make the set of all good rows."""
        molecular = list(molecules.kept)
        fields: dict[str, Any] = {}
        while True:
            rows = [row for row in molecular if self.good[row]]
            if not rows:
                hint = "give one molecule in each line" + (
                    " below the names" if not self.lines else ""
                )
                if self.lines:
                    raise self.bad.nothing_left(self.path, hint)
                raise DataError.at(self.path, "no molecules", hint=hint)
            columns = [[values[row] for row in rows] for values in self.values]
            before = len(self.bad.rows)
            fields = value_fields(self.y, columns, partial(self._drop_value, rows))
            if len(self.bad.rows) == before:
                break
        text = {column: tuple(values[row] for row in rows) for column, values in self.text.items()}
        text = {SMILES: tuple(self.smiles[row] for row in rows)} | {
            column: values for column, values in text.items() if column != SMILES and any(values)
        }
        ids = [self.ids[row] for row in rows]
        if self.id_at is None and NAME_COLUMN in text and self.table.plain:
            names = text[NAME_COLUMN]
            ids = list(names) if all(names) and len(set(names)) == len(names) else ids
        # Ids of all molecules are needed where some of them are left out.
        every = tuple(ids) if len(rows) == len(molecular) else tuple(map(str, molecular))
        graphs = molecules.build(name, ids=every)
        if len(rows) < len(molecular):
            wanted = set(rows)
            graphs = graphs[[at for at, row in enumerate(molecular) if row in wanted]]
        notes = (*graphs.notes, *self.bad.notes(len(self.lines)))
        # Checking a large set takes more memory than the set: its parts were checked.
        made = derived(graphs, ids=tuple(ids), columns=text, notes=notes, **fields)
        return check_names(self.path, made)


class _Part(NamedTuple):
    """The molecules of a chunk, in as few bytes as they take.

    Attributes:
        nodes, edges: `[molecules]`, how many each has; an edge for each direction of a bond.
        edge_index: `[2, edges]`, in the order of a `GraphSet`.
        atom, bond: `[nodes]` and `[edges]`, kinds of the whole file.
    """

    nodes: Tensor
    edges: Tensor
    edge_index: Tensor
    atom: Tensor
    bond: Tensor


class _Molecules:
    """Atoms and bonds of all chunks so far; `kept` are the rows that have a molecule."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows = self.atoms = self.bonds = 0
        self.kept = array("q")
        self._parts: deque[_Part] = deque()
        self._template: GraphSet | None = None
        self._atom_codes: dict[Kind, int] = {}
        self._bond_codes: dict[Kind, int] = {}

    def add(self, chunk: MoleculeChunk) -> None:
        """Add the molecules of a chunk."""
        there = chunk.atoms > 0
        self.kept.extend((self.rows + np.flatnonzero(there)).tolist())
        self.rows += len(there)
        self.atoms += int(chunk.atoms.sum())
        self.bonds += int(chunk.bonds.sum())
        current_limits().check_counts(self.path, len(self.kept), self.atoms, self.bonds)
        if not there.any():
            return
        made = GraphSet.build(
            "molecules",
            torch.from_numpy(chunk.atoms[there]),
            torch.from_numpy(chunk.bonds[there]),
            torch.from_numpy(chunk.ends.T.astype(np.int64)),
            undirected=True,
            edge_label=_recode(chunk.bond_kind, chunk.bond_kinds, self._bond_codes),
        )
        assert made.edge_label is not None
        self._template = self._template or made[:1]
        atom = _recode(chunk.atom_kind, chunk.atom_kinds, self._atom_codes)
        fields = (made.node_counts, made.edge_counts, made.edge_index, atom, made.edge_label)
        self._parts.append(_Part(*map(_narrow, fields)))

    def build(self, name: str, ids: tuple[str, ...]) -> GraphSet:
        """Make the set of all molecules; a part is let go as soon as it is copied."""
        element, elements, atom_table = _tables(self._atom_codes, ATOM_ATTRIBUTES)
        order, orders, bond_table = _tables(self._bond_codes, BOND_ATTRIBUTES)
        node_ptr = pointer(torch.cat([part.nodes.long() for part in self._parts]))
        edge_ptr = pointer(torch.cat([part.edges.long() for part in self._parts]))
        nodes, edges = int(node_ptr[-1]), int(edge_ptr[-1])
        edge_index = torch.empty(2, edges, dtype=torch.int32)
        node_label, edge_label = element.new_empty(nodes), order.new_empty(edges)
        node_attr = atom_table.new_empty(nodes, len(ATOM_ATTRIBUTES))
        edge_attr = bond_table.new_empty(edges, len(BOND_ATTRIBUTES))
        node = edge = 0
        while self._parts:
            part = self._parts.popleft()
            atom, bond = part.atom.long(), part.bond.long()
            of_nodes = slice(node, node := node + len(atom))
            of_edges = slice(edge, edge := edge + len(bond))
            node_label[of_nodes], node_attr[of_nodes] = element[atom], atom_table[atom]
            edge_label[of_edges], edge_attr[of_edges] = order[bond], bond_table[bond]
            edge_index[:, of_edges] = part.edge_index
        assert self._template is not None
        return derived(
            self._template,
            name=name,
            node_ptr=node_ptr,
            edge_ptr=edge_ptr,
            edge_index=edge_index,
            ids=ids,
            node_label=node_label,
            node_label_names=elements,
            node_attr=node_attr,
            edge_label=edge_label if orders else None,
            edge_label_names=orders,
            edge_attr=edge_attr if orders else None,
            notes=(
                f"{ATOM_NOTE}{', '.join(ATOM_ATTRIBUTES)}",
                f"{BOND_NOTE}{', '.join(BOND_ATTRIBUTES)}",
            ),
        )


def _narrow(values: Tensor) -> Tensor:
    """Return whole numbers that are not negative in the fewest bytes that hold them."""
    most = int(values.max()) if values.numel() else 0
    kinds = (torch.uint8, torch.int16, torch.int32)
    return values.to(next(kind for kind in kinds if most <= torch.iinfo(kind).max))


def _recode(kind: NDArray[np.int32], kinds: Sequence[Kind], codes: dict[Kind, int]) -> Tensor:
    """Return the kinds of a chunk as codes of the whole file."""
    table = np.array([codes.setdefault(each, len(codes)) for each in kinds], dtype=np.int32)
    return torch.from_numpy(table[kind] if len(table) else kind.copy())


def _tables(
    kinds: dict[Kind, int], attributes: Sequence[str]
) -> tuple[Tensor, tuple[Name, ...], Tensor]:
    """Return the label of each kind, the names of the labels, and the attributes of each kind."""
    codes, names = coded([kind[0] for kind in kinds])
    table = np.array([kind[1:] for kind in kinds]).reshape(-1, len(attributes))
    return torch.from_numpy(codes), names, torch.from_numpy(table.clip(-128, 127).astype(np.int8))
