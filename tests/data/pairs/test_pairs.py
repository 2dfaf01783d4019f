"""Pairs: each graph of a batch once, any selection, and the same pairs back from disk."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch
from random_graphs import packed, random_graphs
from safetensors.torch import load_file, save_file

from graphpool.data import content_hash, open_set, save
from graphpool.data.pairs import PairSet
from graphpool.data.pairs.storage import graphs_path, open_pairs, save_pairs
from graphpool.errors import DataError
from graphpool.graphs import GraphSet

LEFT, RIGHT, Y = [0, 4, 2, 2, 5], [3, 4, 0, 5, 2], [1.0, 0.0, 1.0, 0.5, 0.0]


def graphs() -> GraphSet:
    return packed(random_graphs(3))


def pairs() -> PairSet:
    return PairSet(graphs(), torch.tensor(LEFT), torch.tensor(RIGHT), torch.tensor(Y))


def listed(some: PairSet) -> list[tuple[int, int, float]]:
    return list(zip(some.left.tolist(), some.right.tolist(), some.y.tolist(), strict=True))


def test_a_set_tells_what_it_is() -> None:
    some = pairs()
    assert len(some) == 5
    assert some.name == some.graphs.name
    assert some.ids == ("0 & 3", "4 & 4", "2 & 0", "2 & 5", "5 & 2")
    assert (some.num_nodes, some.num_edges) == (some.graphs.num_nodes, some.graphs.num_edges)
    assert some.device == torch.device("cpu")


@pytest.mark.parametrize(
    ("index", "wanted"),
    [
        ([3, 0, -1, 3], [3, 0, 4, 3]),
        (slice(1, 4, 2), [1, 3]),
        (torch.tensor([True, False, False, False, True]), [0, 4]),
        (np.array([2, 1]), [2, 1]),
        ([], []),
    ],
)
def test_any_selection_of_pairs(index: object, wanted: list[int]) -> None:
    every = listed(pairs())
    assert listed(pairs().select(index)) == [every[place] for place in wanted]
    assert pairs().batch(index).index.tolist() == wanted


@pytest.mark.parametrize("index", [[5], [-6], np.array([0.5]), torch.tensor([True])])
def test_a_selection_of_what_is_not_there_is_an_error(index: object) -> None:
    with pytest.raises(IndexError):
        pairs().select(index)


def test_each_graph_of_a_batch_is_there_once() -> None:
    some = pairs()
    batch = some.batch([1, 3, 4])
    assert batch.graphs.index.tolist() == [2, 4, 5]
    assert batch.num_examples == 3
    assert batch.graphs.index[batch.left].tolist() == [4, 2, 5]
    assert batch.graphs.index[batch.right].tolist() == [4, 5, 2]
    assert batch.y.tolist() == [0.0, 0.5, 0.0]
    assert torch.equal(batch.graphs.x, some.graphs.batch([2, 4, 5]).x)


def test_a_batch_without_an_index_is_the_whole_set() -> None:
    batch = pairs().batch()
    assert batch.index.tolist() == [0, 1, 2, 3, 4]
    assert batch.graphs.index.tolist() == [0, 2, 3, 4, 5]


def test_places_are_those_of_the_set() -> None:
    from graphpool.graphs.places import PlaceRule

    rule, some = PlaceRule(), pairs()
    some.graphs.places(rule)
    copy = some.with_graphs(some.graphs.with_x(torch.ones(some.num_nodes, 1)))
    batch = copy.batch([2, 3]).graphs
    assert batch.places_of_set is not None
    known = some.graphs.batch([0, 2, 5]).places(rule)
    assert torch.equal(batch.places(rule).cluster, known.cluster)


def test_pairs_of_flagged_graphs() -> None:
    batch = pairs().batch()
    flags = batch.graphs.index == 2
    assert batch.examples_of(flags).tolist() == [False, False, True, True, True]


def test_the_same_pairs_over_graphs_with_features() -> None:
    some = pairs()
    other = some.with_graphs(some.graphs.with_x(torch.zeros(some.num_nodes, 7)))
    assert listed(other) == listed(some)
    assert other.batch([0]).graphs.x.shape[1] == 7
    with pytest.raises(DataError, match="over 6 graphs, and random has 2"):
        some.with_graphs(some.graphs[:2])


@pytest.mark.parametrize(
    ("key", "values", "message"),
    [
        ("right", torch.tensor([0]), r"right has the shape \[1\]"),
        ("right", torch.tensor([0, 1, 6, 0, 0]), "right of pair 2 is graph 6; graphs are 0 to 5"),
        ("left", torch.tensor([0, 1, -1, 0, 0]), "left of pair 2 is graph -1"),
        ("left", torch.zeros(5), "left holds torch.float32"),
        ("y", torch.zeros(5, dtype=torch.long), "y holds torch.int64"),
    ],
)
def test_what_is_no_pair_is_refused(key: str, values: torch.Tensor, message: str) -> None:
    with pytest.raises(DataError, match=message):
        dataclasses.replace(pairs(), **{key: values})


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_batches_are_made_where_the_set_is() -> None:
    moved, here = pairs().to("cuda").batch([1, 3, 4]), pairs().batch([1, 3, 4])
    for part in ("left", "right", "y", "index"):
        assert getattr(moved, part).device.type == "cuda"
        assert torch.equal(getattr(moved, part).cpu(), getattr(here, part))
    assert torch.equal(moved.graphs.x.cpu(), here.graphs.x)
    assert torch.equal(here.to("cuda").left, moved.left)


# ---------------------------------------------------------------------- on disk


def test_pairs_come_back_from_disk(tmp_path: Path) -> None:
    some = pairs()
    save_pairs(some.select([4, 0, 1]), tmp_path / "p.safetensors", source="key")
    back = open_pairs(tmp_path / "p.safetensors", source="key")
    assert listed(back) == listed(some.select([4, 0, 1]))
    assert content_hash(back.graphs) == content_hash(some.graphs)
    assert {path.name for path in tmp_path.iterdir()} == {
        "p.safetensors",
        "p.graphs.safetensors",
    }
    assert len(open_set(tmp_path / "p.graphs.safetensors")) == 6


def test_pairs_of_another_source_are_refused(tmp_path: Path) -> None:
    save_pairs(pairs(), tmp_path / "p.safetensors", source="one")
    with pytest.raises(DataError, match="something else"):
        open_pairs(tmp_path / "p.safetensors", source="other")


def test_pairs_over_other_graphs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    save_pairs(pairs(), path)
    save(packed(random_graphs(4)), graphs_path(path), overwrite=True)
    with pytest.raises(DataError, match="something else"):
        open_pairs(path)


def test_changed_pairs_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    save_pairs(pairs(), path)
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    with pytest.raises(DataError, match="check sum"):
        open_pairs(path)
    path.write_bytes(bytes(data)[:-4])
    with pytest.raises(DataError, match="not a safetensors file"):
        open_pairs(path)


def test_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.safetensors"
    with pytest.raises(DataError, match="no such file"):
        open_pairs(path)
    save_pairs(pairs(), path)
    save_file(load_file(path), tmp_path / "bare.safetensors")
    with pytest.raises(DataError, match="not one of pairs"):
        open_pairs(tmp_path / "bare.safetensors")
    graphs_path(path).unlink()
    with pytest.raises(DataError, match="no such file"):
        open_pairs(path)
