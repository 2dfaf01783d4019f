"""Which graphs train, choose and test a model, and the files that keep it.

Splits depend on the seed and nothing else: they are made from the raw stream of PCG64, whose
numbers are fixed for good, and not from library functions whose results may change with a version.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import ConfigError, DataError
from graphpool.files import atomic_write

Classes = Sequence[int] | NDArray[Any] | Tensor
FORMAT = "graphpool splits 1"


@dataclass(frozen=True)
class Split:
    """Positions of the graphs that train, choose (early stopping, selection) and test."""

    train: tuple[int, ...]
    valid: tuple[int, ...]
    test: tuple[int, ...]


def stratified_folds(y: Classes, folds: int, seed: int | Sequence[int]) -> list[tuple[int, ...]]:
    """Cut graphs into parts with the same mix of classes.

    Sizes of parts differ by at most one, and so does the number of graphs of each class.

    Args:
        y: class of each graph.
        folds: number of parts.
        seed: one number, or several that together are the seed.
    """
    classes = np.asarray(y)
    if not 2 <= folds <= len(classes):
        raise ConfigError(
            f"{len(classes)} graphs can't be cut into {folds} folds; choose 2 … {len(classes)}"
        )
    order = _shuffle(len(classes), seed)
    # Deal the shuffled graphs out like cards, one class after the other.
    order = order[np.argsort(classes[order], kind="stable")]
    return [_positions(order[fold::folds]) for fold in range(folds)]


def cv_splits(y: Classes, folds: int = 10, seed: int = 0) -> tuple[Split, ...]:
    """Stratified cross-validation; of each training part, one fold's worth becomes `valid`."""
    classes = np.asarray(y)
    if folds == 2 and len(classes) < 4:
        raise ConfigError(f"{len(classes)} graphs are too few for 2 folds that train and validate")
    tests = stratified_folds(classes, folds, seed)
    splits = []
    for number, test in enumerate(tests, start=1):
        rest = np.setdiff1d(np.arange(len(classes)), test)
        inner = stratified_folds(classes[rest], max(2, folds - 1), (seed, number))
        valid = rest[list(inner[0])]
        splits.append(Split(_positions(np.setdiff1d(rest, valid)), _positions(valid), test))
    return tuple(splits)


def random_splits(
    y_or_n: Classes | int,
    seed: int = 0,
    fractions: tuple[float, float, float] = (0.8, 0.1, 0.1),
    repeats: int = 1,
) -> tuple[Split, ...]:
    """The paper's split: at random, whatever the classes are.

    Args:
        y_or_n: number of graphs, or one entry per graph.
        seed: each repeat draws its own split from it.
        fractions: of `train`, `valid` and `test`; what rounding leaves goes to `train`.
        repeats: number of splits.
    """
    graphs = y_or_n if isinstance(y_or_n, int) else len(y_or_n)
    if min(fractions) < 0 or abs(sum(fractions) - 1) > 1e-6:
        raise ConfigError(f"fractions {fractions} of a split can't be negative and add up to 1")
    valid, test = (round(graphs * fraction) for fraction in fractions[1:])
    empty = (fractions[1] > 0 and not valid) or (fractions[2] > 0 and not test)
    if empty or valid + test >= graphs:
        raise ConfigError(f"{graphs} graphs are too few for a split of {fractions}")
    splits = []
    for repeat in range(repeats):
        order = _shuffle(graphs, (seed, repeat))
        parts = order[test + valid :], order[test : test + valid], order[:test]
        splits.append(Split(*(_positions(part) for part in parts)))
    return tuple(splits)


def save_splits(
    path: str | Path, splits: Sequence[Split], set_hash: str, protocol: str, seed: int
) -> None:
    """Write splits of the set with this content hash, one split to a line."""
    sizes = {len(split.train) + len(split.valid) + len(split.test) for split in splits}
    if len(sizes) != 1:
        raise ConfigError("splits of one file must be over the same graphs, and there must be some")
    head = {
        "format": FORMAT,
        "set_hash": set_hash,
        "protocol": protocol,
        "seed": seed,
        "graphs": sizes.pop(),
    }
    lines = [
        json.dumps({"train": split.train, "valid": split.valid, "test": split.test})
        for split in splits
    ]
    with atomic_write(path, "w") as handle:
        handle.write(json.dumps(head)[:-1] + ', "splits": [\n' + ",\n".join(lines) + "\n]}\n")


def load_splits(
    path: str | Path, expected_hash: str, protocol: str | None = None, seed: int | None = None
) -> tuple[Split, ...]:
    """Read splits back, and make sure that they are of this set and whole.

    Args:
        path: a file of `save_splits`.
        expected_hash: content hash of the set to be split.
        protocol: if given, the file must be of this protocol; `seed` likewise.
    """
    path = Path(path)
    content = _read(path)
    for key, expected in {"set_hash": expected_hash, "protocol": protocol, "seed": seed}.items():
        if expected is not None and content.get(key) != expected:
            raise DataError.at(
                path,
                f"made for graphs of another content ({str(content.get(key))[:12]}, not "
                f"{str(expected)[:12]})"
                if key == "set_hash"
                else f"{key} is {content.get(key)!r}, not {expected!r}",
                hint="these splits belong to another set or protocol; give the data they were "
                "made for, or begin in another folder",
            )
    try:
        graphs = int(content["graphs"])
        splits = tuple(
            Split(*(_whole(part[key]) for key in ("train", "valid", "test")))
            for part in content["splits"]
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DataError.at(
            path, f"damaged split file: {type(error).__name__} {error}", hint="delete it"
        ) from None
    everything = list(range(graphs))
    for number, split in enumerate(splits):
        if sorted((*split.train, *split.valid, *split.test)) != everything:
            raise DataError.at(
                path,
                f"split {number} does not hold each of {graphs} graphs once",
                hint="delete the file to remake it",
            )
    return splits


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise DataError.at(path, "no such split file") from None
    except (OSError, ValueError) as error:
        raise DataError.at(path, f"not a split file: {error}", hint="delete it") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise DataError.at(path, f"not a split file of the form {FORMAT!r}", hint="delete it")
    return content


def _shuffle(count: int, seed: int | Sequence[int]) -> NDArray[np.int64]:
    """A random order of 0 … count - 1."""
    entropy = [seed] if isinstance(seed, int) else list(seed)
    stream = np.random.PCG64(np.random.SeedSequence(entropy))
    return np.argsort(stream.random_raw(count), kind="stable")


def _positions(values: NDArray[Any]) -> tuple[int, ...]:
    return tuple(sorted(values.tolist()))


def _whole(values: Any) -> tuple[int, ...]:
    if not all(type(value) is int for value in values):
        raise ValueError("positions must be whole numbers")
    return tuple(values)
