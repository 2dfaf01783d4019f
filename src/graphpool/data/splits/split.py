"""`Split`: which graphs train, validate and test; and the JSON files that hold splits."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypedDict

from graphpool.documents import read_json
from graphpool.errors import ConfigError, DataError
from graphpool.files import atomic_write

FORMAT = "graphpool splits 1"
_HINT = "delete the file to make it again, or give the split file of this set"


@dataclass(frozen=True)
class Split:
    """Positions of the graphs that train, validate (early stopping, selection) and test."""

    train: tuple[int, ...]
    valid: tuple[int, ...]
    test: tuple[int, ...]


class _File(TypedDict):
    format: str
    set_hash: str
    protocol: str
    seed: int
    graphs: int
    splits: list[Split]


def save_splits(
    path: str | Path, splits: Sequence[Split], set_hash: str, protocol: str, seed: int
) -> None:
    """Write splits of the set with this content hash, one split to a line."""
    sizes = {len(split.train) + len(split.valid) + len(split.test) for split in splits}
    if len(sizes) != 1:
        raise ConfigError("splits of one file must be over the same graphs, and there must be some")
    head = {"format": FORMAT, "set_hash": set_hash, "protocol": protocol, "seed": seed}
    head["graphs"] = sizes.pop()
    lines = [json.dumps(asdict(split)) for split in splits]
    with atomic_write(path, "w") as handle:
        handle.write(json.dumps(head)[:-1] + ', "splits": [\n' + ",\n".join(lines) + "\n]}\n")


def load_splits(
    path: str | Path, expected_hash: str, protocol: str | None = None, seed: int | None = None
) -> tuple[Split, ...]:
    """Read splits of `save_splits`, and make sure that they are of this set and whole.

    The content hash must be the expected one; so must `protocol` and `seed` if they are given.
    """
    path = Path(path)
    content = read_json(path, _File, hint=_HINT)
    if content["format"] != FORMAT:
        raise DataError.at(path, f"not a split file of the form {FORMAT!r}", hint=_HINT)
    for key, expected in {"set_hash": expected_hash, "protocol": protocol, "seed": seed}.items():
        if expected is not None and content[key] != expected:
            raise DataError.at(
                path,
                f"made for graphs of another content ({content[key][:12]}, not "
                f"{str(expected)[:12]})"
                if key == "set_hash"
                else f"{key} is {content[key]!r}, not {expected!r}",
                hint="these splits belong to another set or protocol; give the data they were "
                "made for, or begin in another folder",
            )
    graphs, splits = content["graphs"], tuple(content["splits"])
    if not splits:
        raise DataError.at(path, "holds no split", hint=_HINT)
    for number, split in enumerate(splits):
        positions = sorted((*split.train, *split.valid, *split.test))
        if len(positions) != graphs or positions != list(range(graphs)):
            raise DataError.at(
                path,
                f"split {number} does not hold each of {graphs} graphs once",
                hint=_HINT,
            )
    return splits
