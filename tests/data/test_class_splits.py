"""Splits for similarity: over graphs, and over classes of isomorphic graphs."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from graphpool.data import load as datasets
from graphpool.data.splits import Split, class_split, query_splits
from graphpool.errors import ConfigError
from graphpool.ged.collection import collect
from graphpool.ged.duplicates import isomorphic


def parts(split: Split) -> tuple[tuple[int, ...], ...]:
    return split.train, split.valid, split.test


@pytest.mark.parametrize("seed", range(3))
def test_queries_are_cut_by_shares(seed: int) -> None:
    split = query_splits(700, seed)
    assert [len(part) for part in parts(split)] == [560, 70, 70]
    assert sorted(sum(parts(split), ())) == list(range(700))
    assert query_splits(700, seed) == split != query_splits(700, seed + 1)


def test_shares_are_free() -> None:
    split = query_splits(10, seed=0, shares=(3, 0, 2))
    assert [len(part) for part in parts(split)] == [6, 0, 4]


@pytest.mark.parametrize("seed", range(20))
def test_no_class_is_torn(seed: int) -> None:
    classes = np.random.default_rng(seed).geometric(0.2, 200)
    split = class_split(classes, seed)
    assert sorted(sum(parts(split), ())) == list(range(200))
    met = [set(classes[list(part)]) for part in parts(split)]
    assert all(met)
    assert sum(len(part) for part in met) == len(set(classes))


def test_single_graphs_are_cut_by_shares() -> None:
    split = class_split(np.arange(100), seed=1)
    assert [len(part) for part in parts(split)] == [80, 10, 10]
    assert split != class_split(np.arange(100), seed=2)


def test_a_share_of_zero_gets_nothing() -> None:
    split = class_split([0, 0, 1, 1, 2, 2, 3, 3], seed=0, shares=(3, 0, 1))
    assert [len(part) for part in parts(split)] == [6, 0, 2]


def test_a_large_class_leaves_something_for_every_part() -> None:
    for seed in range(10):
        split = class_split([5] * 100 + [7, 9], seed)
        assert [len(part) for part in parts(split)] == [100, 1, 1]


def test_parts_that_nothing_suits_get_the_smallest_class() -> None:
    split = class_split([0] * 30 + [1] * 25 + [2] * 40, seed=0)
    assert [len(part) for part in parts(split)] == [40, 30, 25]


def test_too_few_classes_are_an_error() -> None:
    with pytest.raises(ConfigError, match="2 classes of graphs can't be cut into 3 parts"):
        class_split([0, 0, 1], seed=0)
    with pytest.raises(ConfigError, match="shares"):
        class_split([0, 1, 2], seed=0, shares=(0, 1, 1))


def test_classes_of_linux(data_root: Path) -> None:
    classes = isomorphic(collect(datasets.load("LINUX", data_root, features=None)))
    tested: Counter[int] = Counter()
    for seed in range(40):
        split = class_split(classes, seed)
        train, valid, test = parts(split)
        assert not set(classes[list(test)]) & set(classes[list(train + valid)])
        assert not set(classes[list(valid)]) & set(classes[list(train)])
        assert all(95 <= len(part) <= 150 for part in (test, valid))
        assert len(set(classes[list(test)])) > 1
        tested.update(set(classes[list(test)].tolist()))
    # Every class gets its turn but the two that are larger than a tenth of the set.
    assert set(tested) == set(np.flatnonzero(np.bincount(classes) <= 100).tolist())
