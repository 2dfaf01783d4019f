"""Splits by a column of a set: parts that it names, groups that stay together, order in time.

Values are one word per graph; nothing here looks at the graphs.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.config.split_spec import SHARES, Shares
from graphpool.data.splits.folds import positions, shuffle, stratified_folds
from graphpool.data.splits.split import Split
from graphpool.errors import ConfigError, DataError, brief, plural

PARTS = {
    "train": "train", "training": "train", "valid": "valid", "val": "valid", "validation": "valid",
    "dev": "valid", "test": "test", "testing": "test",
}  # fmt: skip
"""Words that name a part, and the part."""


def part_splits(
    values: Sequence[str], strata: NDArray[Any], where: str, hint: str = ""
) -> tuple[Split, ...]:
    """Return the split whose parts the values name, or one for each fold that they number.

    Where no graph validates, a tenth of the training graphs does, always the same one. Of numbered
    folds each is the test part once, and the next one validates.

    Args:
        strata: `[graphs]`, what validation graphs should have equal shares of.
        where: the set and its column, for errors.
    """
    names = np.array([PARTS.get(value.strip().casefold(), "") for value in values])
    if (names != "").all():
        return (_named_parts(names, strata, where),)
    folds = _fold_numbers(values)
    if folds is None:
        strange = next(v for v, name in zip(values, names, strict=True) if not name)
        raise DataError(
            f"{where}: {brief(strange)} names no part; it must say train, valid or test, or number "
            f"the folds{hint}"
        )
    numbers = np.unique(folds)
    if len(numbers) < 3:
        raise DataError(
            f"{where}: {plural(len(numbers), 'fold')}; at least 3 are needed, to train, to choose "
            "the epoch and to test"
        )
    following = np.roll(numbers, -1)
    return tuple(
        Split(
            positions(np.flatnonzero((folds != test) & (folds != valid))),
            positions(np.flatnonzero(folds == valid)),
            positions(np.flatnonzero(folds == test)),
        )
        for test, valid in zip(numbers, following, strict=True)
    )


def names_parts(values: Sequence[str]) -> bool:
    """Return whether the values name training and test graphs, and nothing else."""
    names = {PARTS.get(value.strip().casefold(), "") for value in set(values)}
    return {"train", "test"} <= names and "" not in names


def grouped_folds(values: Sequence[str], folds: int, seed: int) -> tuple[Split, ...]:
    """Return the splits of cross-validation in which graphs of one value are in one part.

    Folds are as equal as the groups allow: the largest groups are dealt first, each to the
    smallest fold. `valid` is as large as one fold.
    """
    _, group, size = np.unique(np.asarray(values), return_inverse=True, return_counts=True)
    group = group.reshape(-1)
    if len(size) < max(3, folds):
        raise ConfigError(
            f"{plural(len(size), 'group')} of graphs can't be cut into {folds} folds that train, "
            f"validate and test; choose 2 … {len(size)} folds of at least 3 groups"
        )
    splits = []
    fold_of = _deal(size, folds, seed)
    for number in range(folds):
        rest = np.flatnonzero(fold_of != number)
        inner = _deal(size[rest], max(2, folds - 1), (seed, number + 1))
        part = np.zeros(len(size), dtype=np.int64)  # 0 trains, 1 validates, 2 tests
        part[rest[inner == 0]] = 1
        part[fold_of == number] = 2
        splits.append(_by_part(part[group]))
    return tuple(splits)


def largest_first(values: Sequence[str], shares: Shares = SHARES) -> Split:
    """Return the split by scaffold of DeepChem and OGB, the same for every seed.

    Groups of one value are sorted by size, of equal ones the one with the later first graph comes
    first. Each goes to the training part if it still fits into its share, else to the validation
    part if it fits, else to the test part.
    """
    _, first, group, size = np.unique(
        np.asarray(values), return_index=True, return_inverse=True, return_counts=True
    )
    count = len(values)
    most_train = shares[0] / sum(shares) * count
    most_valid = (shares[0] + shares[1]) / sum(shares) * count
    part, filled = np.zeros(len(size), dtype=np.int64), [0, 0, 0]
    for each in np.lexsort((first, size))[::-1].tolist():
        members = int(size[each])
        if filled[0] + members <= most_train:
            chosen = 0
        elif filled[0] + filled[1] + members <= most_valid:
            chosen = 1
        else:
            chosen = 2
        part[each] = chosen
        filled[chosen] += members
    if 0 in filled:
        raise ConfigError(
            f"{plural(len(size), 'group')} of {count} graphs leave a part without graphs, the "
            f"largest has {int(size.max())}; split at random: --split random"
        )
    return _by_part(part[group.reshape(-1)])


def ordered_split(values: Sequence[str], shares: Shares = SHARES, where: str = "") -> Split:
    """Return the split in the order of numbers or dates: the first train, the last test."""
    order = np.argsort(_moments(values, where), kind="stable")
    test, valid = (round(len(order) * share / sum(shares)) for share in (shares[2], shares[1]))
    if not test or not valid or test + valid >= len(order):
        raise ConfigError(f"{where}: {plural(len(order), 'graph')} are too few for {shares}")
    cuts = np.split(order, [len(order) - test - valid, len(order) - test])
    return Split(*(positions(part) for part in cuts))


def _named_parts(names: NDArray[np.str_], strata: NDArray[Any], where: str) -> Split:
    train, valid, test = (np.flatnonzero(names == part) for part in ("train", "valid", "test"))
    for part, members in {"train": train, "test": test}.items():
        if not len(members):
            raise DataError(f"{where}: no graph is of the part {part}")
    if not len(valid):
        if len(train) < 2:
            raise DataError(f"{where}: one training graph, and none that validates")
        held = stratified_folds(strata[train], min(10, len(train)), 0)[0]
        valid = train[list(held)]
        train = np.setdiff1d(train, valid)
    return Split(positions(train), positions(valid), positions(test))


def _fold_numbers(values: Sequence[str]) -> NDArray[np.int64] | None:
    texts = [value.strip().removesuffix(".0") for value in values]
    if not all(text.isdecimal() and len(text) < 10 for text in texts):
        return None
    return np.array([int(text) for text in texts], dtype=np.int64)


def _deal(size: NDArray[Any], folds: int, seed: int | Sequence[int]) -> NDArray[np.int64]:
    """The fold of each group: the largest are dealt first, each to the smallest fold."""
    order = shuffle(len(size), seed)
    order = order[np.argsort(-size[order], kind="stable")]
    fold, filled = np.zeros(len(size), dtype=np.int64), np.zeros(folds, dtype=np.int64)
    for group in order.tolist():
        fold[group] = int(filled.argmin())
        filled[fold[group]] += size[group]
    return fold


def _by_part(part: NDArray[np.int64]) -> Split:
    return Split(*(positions(np.flatnonzero(part == number)) for number in range(3)))


def _moments(values: Sequence[str], where: str) -> NDArray[np.float64]:
    """Numbers, or dates as seconds."""
    for read in (float, _seconds):
        if (moments := _read_all(values, read)) is not None:
            return moments
    unlike = [[_read_all([value], read) is None for value in values] for read in (float, _seconds)]
    strange = values[min(unlike, key=sum).index(True)]
    raise DataError(
        f"{where}: {brief(strange)} is neither a number nor a date such as 2024-01-31, like most "
        "values; a split by time needs one kind for every graph"
    )


def _read_all(values: Sequence[str], read: Callable[[str], float]) -> NDArray[np.float64] | None:
    try:
        moments = np.array([read(value.strip()) for value in values], dtype=np.float64)
    except ValueError:
        return None
    return moments if np.isfinite(moments).all() else None


def _seconds(text: str) -> float:
    moment = datetime.fromisoformat(text)
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
