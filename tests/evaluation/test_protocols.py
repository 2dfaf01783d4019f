import numpy as np
import pytest
from small import CV3, mutag

from graphpool.data.splits import Split
from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.protocols import (
    CV10,
    PAPER,
    Protocol,
    find_protocol,
    overlap,
    split_digest,
    splits_for,
    stored_splits,
)


def test_cv10_tests_every_graph_once_per_seed():
    splits = splits_for(CV10, mutag(), 0)
    assert len(splits) == 10
    assert sorted(i for split in splits for i in split.test) == list(range(len(mutag())))


def test_every_seed_has_folds_of_its_own():
    first, second = (splits_for(CV10, mutag(), seed)[0].test for seed in (0, 1))
    assert first != second


def test_cv10_keeps_the_mix_of_classes():
    y = mutag().y.numpy()
    shares = [y[list(split.test)].sum() for split in splits_for(CV10, mutag(), 3)]
    assert max(shares) - min(shares) <= 1


def test_paper_is_one_split_of_8_1_1_for_each_of_ten_seeds():
    assert len(PAPER.seeds) == 10
    (split,) = splits_for(PAPER, mutag(), 4)
    sizes = [len(split.train), len(split.valid), len(split.test)]
    assert sizes == [37, 5, 5]  # of 47
    assert sorted((*split.train, *split.valid, *split.test)) == list(range(47))


def test_misspelt_protocol_names_the_nearest():
    with pytest.raises(ConfigError, match="cv10"):
        find_protocol("cv01")


def test_cross_validation_needs_two_folds():
    with pytest.raises(ConfigError, match="at least 2"):
        Protocol("cv1", "cv", 1, (0,))


def test_stored_splits_are_used_again(tmp_path):
    path = tmp_path / "splits.json"
    made = stored_splits(CV3, mutag(), "abc", 0, path)
    text = path.read_text()
    # What is in the file counts, not what the seed would give today.
    moved = made[0].train[0], made[0].test[0]
    path.write_text(
        text.replace(f'"train": [{moved[0]}, ', '"train": [', 1).replace(
            f'"test": [{moved[1]}, ', f'"test": [{moved[0]}, {moved[1]}, ', 1
        )
    )
    assert stored_splits(CV3, mutag(), "abc", 0, path)[0].test == (moved[0], *made[0].test)


@pytest.mark.parametrize(("set_hash", "seed"), [("other", 0), ("abc", 1)])
def test_splits_of_another_set_or_seed_are_refused(tmp_path, set_hash, seed):
    path = tmp_path / "splits.json"
    stored_splits(CV3, mutag(), "abc", 0, path)
    with pytest.raises(DataError, match="belong to another set"):
        stored_splits(CV3, mutag(), set_hash, seed, path)


def test_splits_of_another_number_are_refused(tmp_path):
    path = tmp_path / "splits.json"
    stored_splits(CV3, mutag(), "abc", 0, path)
    with pytest.raises(DataError, match="3 splits"):
        stored_splits(Protocol("cv3", "cv", 4, (0,)), mutag(), "abc", 0, path)


def test_overlap_is_test_over_training_graphs():
    splits = [Split((0, 1, 2), (3,), (4, 5)), Split((1, 2, 3, 4, 5), (), (0,))]
    assert overlap(splits) == pytest.approx(3 / 8)


def test_digest_depends_on_which_part_a_graph_is_in():
    parts = Split((0, 1), (2,), (3,)), Split((0, 1), (3,), (2,))
    assert split_digest(parts[0]) != split_digest(parts[1])
    assert np.unique([split_digest(parts[0])] * 2).size == 1
