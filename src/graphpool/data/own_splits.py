"""Splits of a user's own, from a JSON file or a folder of index files.

    {"train": ["mol1", "mol2"], "valid": ["mol3"], "test": ["mol4"]}

Words are ids of graphs and whole numbers their positions, counted from 0. Every graph stands in one
part; without `valid`, a tenth of the training graphs validates, always the same one. Several
splits, the folds of `graphpool evaluate`, are a list of such objects, or stand under `splits`, as
in the `split.json` of a run. Published index files are read as they are: objects with
`model_selection`, as of Errica et al. (2020), and folders of `test_idx-1.txt`, `test_idx-2.txt` …
with `train_idx-1.txt` beside them, as of GIN.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphpool.data.formats.safetensors import content_hash
from graphpool.data.splits.columns import part_splits
from graphpool.data.splits.folds import strata_of
from graphpool.data.splits.split import Split
from graphpool.documents import read_json, read_lines
from graphpool.errors import DataError, nearest
from graphpool.graphs.graphset import GraphSet

PARTS = ("train", "valid", "test")
OWN = "own"  # what split files call the protocol
_INDEX = re.compile(r"(train|valid|val|test)_idx-([0-9]{1,4})\.txt")
_HINT = 'write {"train": [...], "valid": [...], "test": [...]}, each a list of ids or positions'


def read_own_splits(path: str | Path, graphs: GraphSet) -> tuple[Split, ...]:
    """Read the splits of a file, and make sure that each holds every graph of the set once."""
    path = Path(path)
    content = _folder(path) if path.is_dir() else read_json(path, hint=_HINT)
    if isinstance(content, dict) and "splits" in content:
        stored = content.get("set_hash")
        if stored is not None and stored != content_hash(graphs):
            raise DataError.at(
                path,
                f"made for other graphs than those of {graphs.name}",
                hint="give the data it was made for, or a file with ids",
            )
        content = content["splits"]
    items = content if isinstance(content, list) else [content]
    if not items:
        raise DataError.at(path, "no split in it", hint=_HINT)
    position_of = {name: position for position, name in enumerate(graphs.ids)}
    whole = len(items) == 1
    return tuple(
        _split(path, "" if whole else f"split {number}: ", _plain(item), graphs, position_of)
        for number, item in enumerate(items, start=1)
    )


def read_own_split(path: str | Path, graphs: GraphSet) -> Split:
    """Read the split of a file that holds one."""
    splits = read_own_splits(path, graphs)
    if len(splits) > 1:
        raise DataError.at(
            path,
            f"{len(splits)} splits, and one run has one",
            hint="use graphpool evaluate, or keep one split",
        )
    return splits[0]


def _split(
    path: Path, where: str, item: Any, graphs: GraphSet, position_of: Mapping[str, int]
) -> Split:
    given = [part for part in PARTS if part != "valid" or (isinstance(item, dict) and part in item)]
    if not isinstance(item, dict) or not all(isinstance(item.get(key), list) for key in given):
        raise DataError.at(path, f"{where}not a split", hint=_HINT)
    for key in item:
        if key not in PARTS:
            raise DataError.at(path, f"{where}unknown part {key!r}", hint=nearest(key, PARTS))
    part_of: dict[int, str] = {}
    for part in given:
        if not item[part]:
            raise DataError.at(path, f"{where}{part} is empty", hint="every part needs graphs")
        for value in item[part]:
            position = _position(path, f"{where}{part}", value, graphs, position_of)
            if position in part_of:
                first = part_of[position]
                twice = f"twice in {part}" if first == part else f"in {first} and in {part}"
                name = graphs.ids[position]
                raise DataError.at(path, f"{where}graph {name!r} is {twice}", hint="keep it in one")
            part_of[position] = part
    if len(part_of) < len(graphs):
        missing = next(at for at in range(len(graphs)) if at not in part_of)
        raise DataError.at(
            path,
            f"{where}{len(graphs) - len(part_of)} of {len(graphs)} graphs of {graphs.name} are in "
            f"no part, such as {graphs.ids[missing]!r}",
            hint="put each into train, valid or test, or leave it out of the set",
        )
    names = [part_of[at] for at in range(len(graphs))]
    return part_splits(names, strata_of(graphs), str(path))[0]


def _plain(item: Any) -> Any:
    """The parts by our names; of several ways to select a model, the first."""
    if not isinstance(item, dict):
        return item
    item = dict(item)
    inner = item.pop("model_selection", None)
    if isinstance(inner, list) and inner and isinstance(inner[0], dict):
        item |= inner[0]
    for other in ("val", "validation"):
        if other in item and "valid" not in item:
            item["valid"] = item.pop(other)
    return item


def _folder(path: Path) -> list[dict[str, list[int | str]]]:
    """The splits of a folder of index files, one file for each part of each fold."""
    found: dict[int, dict[str, list[int | str]]] = {}
    for file in sorted(path.iterdir()):
        if match := _INDEX.fullmatch(file.name):
            part = "valid" if match[1] == "val" else match[1]
            found.setdefault(int(match[2]), {})[part] = [
                int(text) if text.strip().isdecimal() else text.strip()
                for _, text in read_lines(file)
            ]
    if not found:
        raise DataError.at(
            path, "no files test_idx-1.txt and train_idx-1.txt in it", hint="or give a JSON file"
        )
    return [found[number] for number in sorted(found)]


def _position(
    path: Path, where: str, value: Any, graphs: GraphSet, position_of: Mapping[str, int]
) -> int:
    if isinstance(value, str) and value in position_of:
        return position_of[value]
    if type(value) is int and 0 <= value < len(graphs):
        return value
    if type(value) is int:
        problem = f"there is no graph {value}"
        hint = f"{graphs.name} has the positions 0 to {len(graphs) - 1}; ids are words in quotes"
    elif isinstance(value, str):
        problem, hint = f"no graph has the id {value[:60]!r}", f"ids are those of {graphs.name}"
    else:
        problem, hint = f"{json.dumps(value)[:60]} is neither an id nor a position", _HINT
    raise DataError.at(path, f"{where}: {problem}", hint=hint)
