"""Load published sets of molecules with their published splits, as the column `split`."""

import shutil
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from graphpool.data.formats import smiles
from graphpool.data.formats.base import identify
from graphpool.data.molecules.published import SPLITS, MoleculeSet
from graphpool.data.read_options import ReadOptions
from graphpool.documents import parse_json, read_binary, read_lines
from graphpool.errors import DataError
from graphpool.files import scratch_folder, sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import current_limits

VERSION = 1
SPLIT = "split"
"""The column of `GraphSet.columns` that names the part of each graph."""

_PARTS = {"train": "train", "val": "valid", "valid": "valid", "test": "test"}
_TABLE = "mapping/mol.csv.gz"
_HINT = "remove it, and it is downloaded again"


def source_digest(path: Path) -> str:
    """Return what a cached set depends on: the file of molecules, and that of splits."""
    splits = path.parent / SPLITS
    return identify(path)[1] + (sha256_file(splits) if splits.is_file() else "")


def read_published(entry: MoleculeSet, path: Path) -> GraphSet:
    """Read a set from its file, or from the zip in which OGB publishes it."""
    if path.suffix == ".zip":
        with _unpacked(path) as folder:
            graphs = _read(entry, next(folder.rglob(_TABLE)), ogb=True)
            parts = {each.name.partition(".")[0]: each for each in folder.rglob("scaffold/*.gz")}
            rows = {name: [int(text) for _, text in read_lines(file)]
                    for name, file in parts.items()}  # fmt: skip
        return _with_split(graphs, rows)
    graphs = _read(entry, path)
    if SPLIT in graphs.columns:
        parts_of = tuple(_PARTS.get(part, part) for part in graphs.columns[SPLIT])
        return replace(graphs, columns={**graphs.columns, SPLIT: parts_of})
    if not entry.split:
        return graphs
    splits = path.parent / SPLITS
    if not splits.is_file():
        note = f"without its published split: {SPLITS} is not beside its file"
        return replace(graphs, notes=(*graphs.notes, note))
    known = parse_json(read_binary(splits, "unpacked_bytes"), splits, _Splits)
    return _with_split(graphs, known.get(entry.key, {}))


_Splits = dict[str, dict[str, list[int]]]


def _read(entry: MoleculeSet, path: Path, ogb: bool = False) -> GraphSet:
    table, targets = entry.smiles, entry.targets
    if ogb:
        table = "smiles"
        header = smiles.column_names(path)
        targets = tuple(name for name in header if name not in ("smiles", "mol_id"))
    # Older versions of rdkit, with which the sets were published, read every molecule.
    options = ReadOptions(table, targets, check_valence=False)
    graphs = smiles.read(path, entry.name, options)
    if ogb and len(graphs.target_names) == len(entry.targets):
        graphs = replace(graphs, target_names=entry.targets)
    return replace(graphs, notes=(*entry.notes, *graphs.notes))


def _with_split(graphs: GraphSet, rows: Mapping[str, list[int]]) -> GraphSet:
    """Return the set with a column that names the part of each graph; its id is its row."""
    part = {str(row): _PARTS[name] for name, chosen in rows.items() for row in chosen}
    if not part:
        return graphs
    column = tuple(part.get(row, "") for row in graphs.ids)
    return replace(graphs, columns={**graphs.columns, SPLIT: column})


@contextmanager
def _unpacked(path: Path) -> Iterator[Path]:
    """Yield a folder with the table of molecules and the scaffold split of OGB's zip."""
    try:
        with zipfile.ZipFile(path) as archive, scratch_folder() as folder:
            members = [each for each in archive.infolist() if _is_wanted(each.filename)]
            packed, size = path.stat().st_size, sum(each.file_size for each in members)
            current_limits().check_archive(path, packed, size)
            for member in members:
                target = folder / "/".join(Path(member.filename).parts[-2:])
                target.parent.mkdir(exist_ok=True)
                with archive.open(member) as source, target.open("wb") as handle:
                    shutil.copyfileobj(source, handle)
            if not (folder / _TABLE).is_file():
                raise DataError.at(path, f"there is no {_TABLE} in it", hint=_HINT)
            yield folder
    except zipfile.BadZipFile as error:
        raise DataError.at(path, f"damaged: {error}", hint=_HINT) from None


def check_zip(path: Path) -> None:
    """Refuse a download that is not a whole zip of OGB."""
    with _unpacked(path):
        pass


def _is_wanted(member: str) -> bool:
    return member.endswith((_TABLE, "split/scaffold/train.csv.gz", "split/scaffold/valid.csv.gz",
                            "split/scaffold/test.csv.gz"))  # fmt: skip
