"""Splits of a user's own, from a JSON file.

    {"train": ["mol1", "mol2"], "valid": ["mol3"], "test": ["mol4"]}

Words are ids of graphs and whole numbers their positions, counted from 0. Every graph stands in one
part. Several splits, the folds of `graphpool evaluate`, are a list of such objects, or stand under
`splits`, as in the `split.json` of a run.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from graphpool.data.formats.safetensors import content_hash
from graphpool.data.splits.split import Split
from graphpool.documents import read_json
from graphpool.errors import DataError, nearest
from graphpool.graphs.graphset import GraphSet

PARTS = ("train", "valid", "test")
OWN = "own"  # what split files call the protocol
_HINT = 'write {"train": [...], "valid": [...], "test": [...]}, each a list of ids or positions'


def read_own_splits(path: str | Path, graphs: GraphSet) -> tuple[Split, ...]:
    """Read the splits of a file, and make sure that each holds every graph of the set once."""
    path = Path(path)
    content = read_json(path, hint=_HINT)
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
        _split(path, "" if whole else f"split {number}: ", item, graphs, position_of)
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
    if not isinstance(item, dict) or not all(isinstance(item.get(key), list) for key in PARTS):
        raise DataError.at(path, f"{where}not a split", hint=_HINT)
    for key in item:
        if key not in PARTS:
            raise DataError.at(path, f"{where}unknown part {key!r}", hint=nearest(key, PARTS))
    part_of: dict[int, str] = {}
    for part in PARTS:
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
    parts = ([at for at, own in part_of.items() if own == part] for part in PARTS)
    return Split(*(tuple(sorted(part)) for part in parts))


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
