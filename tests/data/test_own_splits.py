"""Splits of a user's own, as JSON files."""

import json

import pytest

from graphpool.data.formats.safetensors import content_hash
from graphpool.data.load import load
from graphpool.data.own_splits import read_own_splits
from graphpool.data.splits import Split, save_splits
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    """Six graphs with the ids 0 to 5."""
    return load("MUTAG", features=None)[:6]


SPLIT = Split((0, 1, 2), (3,), (4, 5))


def write(tmp_path, content):
    path = tmp_path / "split.json"
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


def test_words_are_ids_and_numbers_are_positions(tmp_path, graphs):
    ids = [graphs.ids[at] for at in range(6)]
    by_id = {"train": [ids[2], ids[0], ids[1]], "valid": [ids[3]], "test": [ids[5], ids[4]]}
    by_position = {"train": [0, 1, 2], "valid": [3], "test": [4, 5]}
    for content in (by_id, by_position, {**by_id, "valid": [3]}):
        assert read_own_splits(write(tmp_path, content), graphs) == (SPLIT,)


def test_several_splits_are_a_list(tmp_path, graphs):
    first = {"train": [0, 1, 2], "valid": [3], "test": [4, 5]}
    second = {"train": [3, 4, 5], "valid": [2], "test": [0, 1]}
    for content in ([first, second], {"splits": [first, second]}):
        found = read_own_splits(write(tmp_path, content), graphs)
        assert found == (SPLIT, Split((3, 4, 5), (2,), (0, 1)))


def test_the_file_of_a_run_can_be_used_again(tmp_path, graphs):
    save_splits(tmp_path / "s.json", [SPLIT], content_hash(graphs), "holdout", 0)
    assert read_own_splits(tmp_path / "s.json", graphs) == (SPLIT,)
    with pytest.raises(DataError, match="made for other graphs"):
        read_own_splits(tmp_path / "s.json", graphs[::-1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train": [0, 1, 2, "nosuch"]}, "train: no graph has the id 'nosuch'"),
        ({"test": [4, 6]}, "test: there is no graph 6; .* 0 to 5"),
        ({"test": [4, -1]}, "there is no graph -1"),
        ({"test": [4, 5, True]}, "true is neither an id nor a position"),
        ({"test": [4, 5, [1]]}, r"\[1\] is neither"),
        ({"train": [0, 1, 2, 3]}, "graph '3' is in train and in valid"),
        ({"test": [4, 5, "4"]}, "graph '4' is twice in test"),
        ({"test": [4]}, "1 of 6 graphs of MUTAG are in no part, such as '5'"),
        ({"valid": []}, "valid is empty"),
        ({"tset": [1]}, "unknown part 'tset'; did you mean 'test'"),
        ({"valid": 3}, "not a split"),
    ],
)
def test_a_wrong_split_is_named(tmp_path, graphs, change, message):
    content = {"train": [0, 1, 2], "valid": [3], "test": [4, 5], **change}
    with pytest.raises(DataError, match=message):
        read_own_splits(write(tmp_path, content), graphs)


@pytest.mark.parametrize(
    "content", ["[" * 100_000, "", "[]", "null", "3", '"a"', "{", '{"splits": 5}']
)
def test_a_file_that_is_no_split_is_refused(tmp_path, graphs, content):
    with pytest.raises(DataError, match=r"split\.json"):
        read_own_splits(write(tmp_path, content), graphs)


def test_a_missing_file_is_named(tmp_path, graphs):
    with pytest.raises(DataError, match="no such"):
        read_own_splits(tmp_path / "none.json", graphs)


def test_without_valid_a_tenth_of_the_training_graphs_validates(tmp_path):
    graphs = load("MUTAG", features=None)[:60]
    content = {"train": list(range(50)), "test": list(range(50, 60))}
    (split,) = read_own_splits(write(tmp_path, content), graphs)
    assert (len(split.train), len(split.valid)) == (45, 5)
    assert sorted((*split.train, *split.valid)) == list(range(50))
    assert split.test == tuple(range(50, 60))
    assert read_own_splits(write(tmp_path, content), graphs) == (split,)


def test_the_form_of_errica_et_al_is_read(tmp_path, graphs):
    fold = {"test": [4, 5], "model_selection": [{"train": [0, 1, 2], "validation": [3]}]}
    assert read_own_splits(write(tmp_path, [fold]), graphs) == (SPLIT,)
    assert read_own_splits(
        write(tmp_path, {"train": [0, 1, 2], "val": [3], "test": [4, 5]}), graphs
    ) == (SPLIT,)


def test_a_folder_of_index_files_has_a_split_for_each_number(tmp_path, graphs):
    folder = tmp_path / "10fold_idx"
    folder.mkdir()
    for number, test in {1: (4, 5), 2: (0, 1), 10: (2, 3)}.items():
        train = [at for at in range(6) if at not in test]
        (folder / f"test_idx-{number}.txt").write_text("\n".join(map(str, test)) + "\n")
        (folder / f"train_idx-{number}.txt").write_text("\n".join(map(str, train)))
    (folder / "readme.txt").write_text("what this is")
    splits = read_own_splits(folder, graphs)
    assert [split.test for split in splits] == [(4, 5), (0, 1), (2, 3)]
    assert all(len(split.valid) == 1 for split in splits)
    (folder / "val_idx-1.txt").write_text("3\n")
    (folder / "train_idx-1.txt").write_text("0\n1\n2\n")
    assert read_own_splits(folder, graphs)[0] == SPLIT
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(DataError, match=r"no files test_idx-1\.txt"):
        read_own_splits(empty, graphs)
