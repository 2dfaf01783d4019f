"""Splits by columns: parts, groups, scaffolds and time."""

import numpy as np
import pytest

from graphpool.data.splits import (
    Split,
    grouped_folds,
    largest_first,
    names_parts,
    ordered_split,
    part_splits,
)
from graphpool.errors import ConfigError, DataError

COUNT = 60
STRATA = np.arange(COUNT) % 3
WORDS = [f"g{number}" for number in np.random.default_rng(0).integers(0, 12, COUNT)]


def complete(split: Split, count: int = COUNT) -> bool:
    """Every graph stands in one part, and no part is empty."""
    parts = vars(split).values()
    return all(parts) and sorted(at for part in parts for at in part) == list(range(count))


def together(split: Split, values: list[str]) -> bool:
    """No value stands in two parts."""
    found = [{values[at] for at in part} for part in vars(split).values()]
    return sum(map(len, found)) == len(set(values))


def test_words_name_parts():
    values = ["train", "Val", " test", "valid", "validation", "train"]
    expected = Split((0, 5), (1, 3, 4), (2,))
    assert part_splits(values, np.zeros(6), "here") == (expected,)


def test_without_validation_graphs_a_tenth_of_the_training_graphs_validates():
    values = ["train"] * 50 + ["test"] * 10
    (split,) = part_splits(values, STRATA, "here")
    assert complete(split)
    assert split.test == tuple(range(50, 60))
    assert len(split.valid) == 5
    assert {*STRATA[list(split.valid)].tolist()} == {0, 1, 2}
    assert part_splits(values, STRATA, "here") == (split,)


def test_numbers_are_folds_and_the_next_one_validates():
    values = [str(at % 4 + 1) for at in range(12)]
    splits = part_splits(values, np.zeros(12), "here")
    assert [split.test for split in splits] == [(0, 4, 8), (1, 5, 9), (2, 6, 10), (3, 7, 11)]
    assert [split.valid[0] for split in splits] == [1, 2, 3, 0]
    assert all(complete(split, 12) for split in splits)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (["train", "tset"], "here: 'tset' names no part"),
        (["train", "valid"], "no graph is of the part test"),
        (["0", "1"], "2 folds; at least 3"),
        (["train", "1"], "'1' names no part"),
    ],
)
def test_other_values_are_named(values, message):
    with pytest.raises(DataError, match=message):
        part_splits(values, np.zeros(len(values)), "here")


def test_only_training_and_test_graphs_make_a_split():
    assert names_parts(["train", "test", "val"])
    assert not names_parts(["train", "valid"])
    assert not names_parts(["train", "test", "other"])
    assert not names_parts([])


@pytest.mark.parametrize("folds", [2, 3, 5, 12])
def test_groups_stay_together_in_every_fold(folds):
    splits = grouped_folds(WORDS, folds, 7)
    assert len(splits) == folds
    assert all(complete(split) and together(split, WORDS) for split in splits)
    assert sorted(at for split in splits for at in split.test) == list(range(COUNT))
    assert splits == grouped_folds(WORDS, folds, 7)
    assert folds == 12 or splits != grouped_folds(WORDS, folds, 8)


def test_folds_of_groups_are_as_equal_as_the_groups_allow():
    sizes = [len(split.test) for split in grouped_folds(WORDS, 4, 0)]
    assert max(sizes) - min(sizes) <= max(WORDS.count(word) for word in WORDS)


def test_too_few_groups_are_refused():
    with pytest.raises(ConfigError, match="2 groups of graphs"):
        grouped_folds(["a", "b"] * 10, 2, 0)


def literal_scaffold_split(values, shares=(8, 1, 1)):
    """The loop of DeepChem's `ScaffoldSplitter` and of OGB."""
    groups: dict[str, list[int]] = {}
    for at, value in enumerate(values):
        groups.setdefault(value, []).append(at)
    ordered = sorted(groups.values(), key=lambda group: (len(group), group[0]), reverse=True)
    train, valid, test = [], [], []
    most_train = shares[0] / sum(shares) * len(values)
    most_valid = (shares[0] + shares[1]) / sum(shares) * len(values)
    for group in ordered:
        if len(train) + len(group) > most_train:
            if len(train) + len(valid) + len(group) > most_valid:
                test += group
            else:
                valid += group
        else:
            train += group
    return Split(*(tuple(sorted(part)) for part in (train, valid, test)))


@pytest.mark.parametrize("seed", range(10))
def test_the_largest_groups_train_as_in_the_literal_loop(seed):
    numbers = np.random.default_rng(seed).geometric(0.05, 200)
    values = [str(number) for number in numbers]
    for shares in ((8, 1, 1), (6, 2, 2)):
        split = largest_first(values, shares)
        assert split == literal_scaffold_split(values, shares)
        assert complete(split, 200)
        assert together(split, values)


def test_one_large_group_leaves_no_split():
    with pytest.raises(ConfigError, match="leave a part without graphs"):
        largest_first(["a"] * 20)


def test_time_sorts_numbers_and_dates():
    years = [str(2000 + (7 * at) % 20) for at in range(20)]
    split = ordered_split(years)
    assert complete(split, 20)
    assert {years[at] for at in split.test} == {"2018", "2019"}
    assert {years[at] for at in split.valid} == {"2016", "2017"}
    assert ordered_split([f"{year}-05-31" for year in years]) == split
    assert ordered_split([f"{year}-05-31T10:00:00+02:00" for year in years]) == split
    assert len(ordered_split(years, (1, 1, 2)).test) == 10


def test_time_refuses_words():
    with pytest.raises(DataError, match="'soon' is neither a number nor a date"):
        ordered_split(["1", "2", "soon"], where="here")
    with pytest.raises(DataError, match="'2020-01-01' is neither a number nor a date"):
        ordered_split(["1", "2020-01-01", "2"], where="here")
    with pytest.raises(DataError, match="'soon' is neither a number nor a date"):
        ordered_split(["2020-01-01", "soon", "2020-01-02"], where="here")
