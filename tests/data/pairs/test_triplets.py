"""`TripletSet`: triplets over graphs that are kept, and laid into a batch, once."""

import numpy as np
import pytest
import torch
from random_graphs import packed, random_graphs

from graphpool.data.pairs import TripletSet
from graphpool.errors import DataError
from graphpool.graphs import GraphSet


@pytest.fixture
def graphs() -> GraphSet:
    made = packed(random_graphs(seed=1, graphs=8))
    return made.with_x(torch.rand(made.num_nodes, 3))


@pytest.fixture
def triplets(graphs: GraphSet) -> TripletSet:
    return TripletSet(
        graphs,
        query=torch.tensor([5, 5, 0, 7]),
        first=torch.tensor([2, 7, 5, 2]),
        second=torch.tensor([7, 3, 2, 5]),
        r=torch.tensor([1.0, -2.0, 3.0, -0.5]),
    )


def test_a_set_tells_about_its_triplets(triplets: TripletSet, graphs: GraphSet) -> None:
    assert len(triplets) == 4
    assert triplets.name == graphs.name
    assert triplets.ids == ("5: 2 & 7", "5: 7 & 3", "0: 5 & 2", "7: 2 & 5")
    assert (triplets.num_nodes, triplets.num_edges) == (graphs.num_nodes, graphs.num_edges)
    assert triplets.device == graphs.device
    assert repr(triplets) == "TripletSet('random', triplets=4, graphs=8)"


def test_a_batch_has_each_graph_once(triplets: TripletSet) -> None:
    batch = triplets.batch()
    assert batch.graphs.index.tolist() == [0, 2, 3, 5, 7]
    assert batch.num_examples == 4
    for part in ("query", "first", "second"):
        assert batch.graphs.index[getattr(batch, part)].equal(getattr(triplets, part))
    assert batch.r.equal(triplets.r)
    assert batch.index.tolist() == [0, 1, 2, 3]


def test_a_batch_of_some_has_their_graphs_alone(triplets: TripletSet, graphs: GraphSet) -> None:
    batch = triplets.batch([3, 1])
    assert batch.graphs.index.tolist() == [2, 3, 5, 7]
    assert batch.query.tolist() == [3, 2]
    assert batch.first.tolist() == [0, 3]
    assert batch.second.tolist() == [2, 1]
    assert batch.r.tolist() == [-0.5, -2.0]
    assert batch.index.tolist() == [3, 1]
    assert batch.graphs.x.equal(graphs.batch([2, 3, 5, 7]).x)


@pytest.mark.parametrize(
    "index",
    [[3, 1], torch.tensor([3, 1]), torch.tensor([-1, -3]).numpy(), slice(3, None, None), [-1]],
)
def test_select_and_batch_agree(triplets: TripletSet, index: object) -> None:
    chosen, batch = triplets.select(index), triplets.batch(index)  # type: ignore[arg-type]
    assert batch.graphs.index[batch.query].equal(chosen.query)
    assert batch.graphs.index[batch.second].equal(chosen.second)
    assert batch.r.equal(chosen.r)
    assert chosen.graphs is triplets.graphs


def test_a_mask_selects(triplets: TripletSet) -> None:
    assert triplets.select(torch.tensor([True, False, False, True])).query.tolist() == [5, 7]


def test_examples_of_flagged_graphs(triplets: TripletSet) -> None:
    batch = triplets.batch()
    for graph, expected in {0: [2], 3: [1], 2: [0, 2, 3], 7: [0, 1, 3]}.items():
        found = batch.examples_of(batch.graphs.index == graph)
        assert found.nonzero().flatten().tolist() == expected


def test_with_graphs_keeps_the_triplets(triplets: TripletSet, graphs: GraphSet) -> None:
    other = graphs.with_x(torch.ones(graphs.num_nodes, 1))
    changed = triplets.with_graphs(other)
    assert changed.graphs is other
    assert changed.r is triplets.r
    with pytest.raises(DataError, match="over 8 graphs, and random has 3"):
        triplets.with_graphs(graphs[:3])


def test_no_triplets_are_a_set_too(triplets: TripletSet) -> None:
    none = triplets.select([])
    assert len(none) == 0
    assert none.ids == ()
    assert none.batch().num_examples == triplets.batch([]).num_examples == 0


def test_a_batch_goes_to_a_device(triplets: TripletSet) -> None:
    batch = triplets.batch().to("meta")
    parts = (batch.graphs.x, batch.query, batch.first, batch.second, batch.r, batch.index)
    assert {part.device.type for part in parts} == {"meta"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"first": torch.tensor([2, 8, 5, 2])}, "first of triplet 1 is graph 8; graphs are 0 to 7"),
        ({"second": torch.tensor([2, 1])}, r"second has the shape \[2\] and query \[4\]"),
        ({"query": torch.tensor([1, 2, 3, 4]).int()}, "query holds torch.int32"),
        ({"r": torch.tensor([1, 2, 3, 4])}, "r holds torch.int64; give float32"),
    ],
)
def test_wrong_parts_are_named(
    triplets: TripletSet, change: dict[str, torch.Tensor], message: str
) -> None:
    parts = {key: getattr(triplets, key) for key in ("query", "first", "second", "r")}
    with pytest.raises(DataError, match=message):
        TripletSet(triplets.graphs, **{**parts, **change})


@pytest.mark.parametrize(
    ("index", "message"),
    [
        ([4], "triplet 4 of a set of 4"),
        ([-5], "triplet -5 of a set of 4"),
        (np.array([1.5]), "integers, not float64"),
        (torch.tensor([True]), "a mask of"),
    ],
)
def test_wrong_selections_are_refused(triplets: TripletSet, index: object, message: str) -> None:
    with pytest.raises(IndexError, match=message):
        triplets.batch(index)  # type: ignore[arg-type]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
def test_batches_on_a_device_equal_those_on_the_cpu(triplets: TripletSet) -> None:
    there, here = triplets.to("cuda").batch([3, 1]), triplets.batch([3, 1])
    assert all(part.is_cuda for part in (there.query, there.graphs.x))
    for part in ("query", "first", "second", "r", "index"):
        assert getattr(there, part).cpu().equal(getattr(here, part))
    assert there.graphs.index.cpu().equal(here.graphs.index)
