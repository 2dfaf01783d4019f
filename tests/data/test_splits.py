import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from graphpool.data.splits import (
    Split,
    cv_splits,
    load_splits,
    random_splits,
    save_splits,
    stratified_folds,
)
from graphpool.errors import ConfigError, DataError

MUTAG = [0] * 63 + [1] * 125
FOLDS = [(3, 6), (2, 7), (1, 4), (0, 5)]
RANDOM = Split(train=(0, 1, 4, 5, 6, 7, 8, 9), valid=(2,), test=(3,))


def everything(split: Split) -> list[int]:
    return sorted((*split.train, *split.valid, *split.test))


@settings(max_examples=30, deadline=None, derandomize=True, database=None)
@given(st.lists(st.integers(0, 3), min_size=12, max_size=80), st.integers(2, 12), st.integers(0, 9))
def test_folds_hold_every_graph_once_and_every_class_evenly(
    y: list[int], folds: int, seed: int
) -> None:
    parts = stratified_folds(y, folds, seed)
    assert sorted(position for part in parts for position in part) == list(range(len(y)))
    sizes = [len(part) for part in parts]
    assert max(sizes) - min(sizes) <= 1
    for value in set(y):
        counts = [sum(y[position] == value for position in part) for part in parts]
        assert max(counts) - min(counts) <= 1


def test_cv_parts_are_disjoint_and_every_graph_is_tested_once() -> None:
    splits = cv_splits(MUTAG, seed=3)
    assert len(splits) == 10
    assert sorted(position for split in splits for position in split.test) == list(range(188))
    for split in splits:
        assert everything(split) == list(range(188))
        assert len(split.test) in (18, 19)
        assert len(split.valid) in (18, 19)


def test_cv_parts_keep_the_mix_of_classes() -> None:
    for split in cv_splits(MUTAG, seed=3):
        for part in (split.valid, split.test):
            assert Counter(MUTAG[position] for position in part)[0] in (6, 7)


def test_validation_parts_differ_from_the_neighbouring_fold() -> None:
    splits = cv_splits(MUTAG, seed=3)
    assert all(set(split.valid) != set(other.test) for split in splits for other in splits)


def test_splits_of_one_seed_never_change() -> None:
    # Written down once: a new numpy, torch or platform must give the same graphs.
    assert stratified_folds([0, 0, 0, 0, 1, 1, 1, 1], 4, seed=0) == FOLDS
    assert random_splits(10, seed=0)[0] == RANDOM


def test_kind_of_the_classes_does_not_matter() -> None:
    expected = cv_splits(MUTAG, seed=1)
    assert cv_splits(np.array(MUTAG), seed=1) == expected
    assert cv_splits(torch.tensor(MUTAG), seed=1) == expected


def test_seeds_give_different_splits() -> None:
    assert len({cv_splits(MUTAG, seed=seed) for seed in range(5)}) == 5
    assert len(set(random_splits(188, seed=0, repeats=5))) == 5


def test_random_split_of_mutag_leaves_19_test_graphs() -> None:
    (split,) = random_splits(MUTAG, seed=2)
    assert [len(part) for part in (split.train, split.valid, split.test)] == [150, 19, 19]
    assert everything(split) == list(range(188))


def test_two_folds_still_have_a_validation_part() -> None:
    for split in cv_splits([0, 1] * 6, folds=2):
        assert [len(part) for part in (split.train, split.valid, split.test)] == [3, 3, 6]


@pytest.mark.parametrize("folds", [0, 1, 9])
def test_impossible_number_of_folds_is_refused(folds: int) -> None:
    with pytest.raises(ConfigError, match=f"8 graphs can't be cut into {folds} folds"):
        stratified_folds([0, 1] * 4, folds, seed=0)


def test_two_folds_need_graphs_to_train_and_to_validate() -> None:
    with pytest.raises(ConfigError, match="3 graphs: too few for 2 folds"):
        cv_splits([0, 1, 1], folds=2)


def test_a_random_split_without_test_graphs_is_refused() -> None:
    with pytest.raises(ConfigError, match="4 graphs: too few for a split"):
        random_splits(4)


@pytest.mark.parametrize("fractions", [(0.5, 0.1, 0.1), (1.2, -0.1, -0.1), (0.0, 0.5, 0.5)])
def test_impossible_fractions_are_refused(fractions: tuple[float, float, float]) -> None:
    with pytest.raises(ConfigError):
        random_splits(10, fractions=fractions)


def test_file_gives_the_same_splits_back(tmp_path: Path) -> None:
    splits = cv_splits(MUTAG, seed=4)
    save_splits(tmp_path / "splits.json", splits, "abc", "cv10", 4)
    assert load_splits(tmp_path / "splits.json", "abc") == splits
    assert load_splits(tmp_path / "splits.json", "abc", protocol="cv10", seed=4) == splits
    assert list(tmp_path.iterdir()) == [tmp_path / "splits.json"]


@pytest.mark.parametrize(
    ("expected", "message"),
    [
        ({"expected_hash": "other"}, "made for graphs of another content .abc, not other"),
        ({"protocol": "paper"}, "protocol is 'cv10', not 'paper'"),
        ({"seed": 5}, "seed is 4, not 5"),
    ],
)
def test_splits_of_something_else_are_refused(
    tmp_path: Path, expected: dict[str, object], message: str
) -> None:
    save_splits(tmp_path / "splits.json", cv_splits(MUTAG, seed=4), "abc", "cv10", 4)
    with pytest.raises(DataError, match=message):
        load_splits(tmp_path / "splits.json", **{"expected_hash": "abc", **expected})


@pytest.mark.parametrize(
    "damage",
    [
        lambda content: content["splits"][1]["train"].pop(),
        lambda content: content["splits"][1]["test"].append(content["splits"][1]["train"][0]),
        lambda content: content["splits"][1]["test"].append(188),
        lambda content: content["splits"][0].pop("valid"),
        lambda content: content["splits"][0].update(test=[0.5]),
        lambda content: content["splits"][0].update(test=None),
        lambda content: content.update(format="other"),
        lambda content: content.pop("graphs"),
    ],
)
def test_damaged_file_is_refused(tmp_path: Path, damage: object) -> None:
    path = tmp_path / "splits.json"
    save_splits(path, cv_splits(MUTAG, seed=4), "abc", "cv10", 4)
    content = json.loads(path.read_text())
    damage(content)  # type: ignore[operator]
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=r"splits\.json"):
        load_splits(path, "abc")


@pytest.mark.parametrize("text", ["", "{", "[]", "\xff"])
def test_file_that_holds_no_splits_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "splits.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(DataError, match=r"splits\.json: .*; delete the file"):
        load_splits(tmp_path / "splits.json", "abc")


def test_missing_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_splits(tmp_path / "none.json", "abc")


def test_splits_over_different_graphs_are_not_written(tmp_path: Path) -> None:
    splits = [*random_splits(10), *random_splits(20)]
    with pytest.raises(ConfigError, match="over the same graphs"):
        save_splits(tmp_path / "splits.json", splits, "abc", "paper", 0)
    assert not list(tmp_path.iterdir())
