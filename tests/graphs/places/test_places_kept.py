"""Places are worked out once per set, and go where its graphs go."""

import tracemalloc

import networkx as nx
import pytest
import torch

import graphpool as gp
from graphpool.errors import InputError
from graphpool.graphs import GraphBatch, GraphSet
from graphpool.graphs import graphset as graphset_module
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.places import PlaceRule, Places, places_of
from graphpool.graphs.places.find import TINY
from graphpool.graphs.segments import Segments


@pytest.fixture
def graphs() -> GraphSet:
    made = [nx.ring_of_cliques(4, 4), nx.path_graph(2), nx.ring_of_cliques(6, 5), nx.cycle_graph(5)]
    packed = gp.from_networkx(made)
    return packed.with_x(torch.ones(packed.num_nodes, 1))


@pytest.fixture
def found_once(monkeypatch: pytest.MonkeyPatch, graphs: GraphSet) -> GraphSet:
    """A set whose default places are known, in a world where no more can be found."""
    graphs.places()

    def refuse(*_: object, **__: object) -> Places:
        raise AssertionError("worked out again")

    monkeypatch.setattr(graphset_module, "places_of", refuse)
    return graphs


def same(one: Places, other: Places) -> bool:
    pairs = zip(
        (one.cluster, one.counts, one.share),
        (other.cluster, other.counts, other.share),
        strict=True,
    )
    return all(torch.equal(a, b) for a, b in pairs)


def test_a_set_works_them_out_once(found_once: GraphSet) -> None:
    assert found_once.places(PlaceRule()) is found_once.places()


def test_each_rule_has_its_own(graphs: GraphSet) -> None:
    assert graphs.places(PlaceRule(most=5)).counts.tolist() == [4, 1, 1, 1]
    assert graphs.places(PlaceRule()).counts.tolist() == [4, 1, 6, 1]


def test_a_selection_has_them(found_once: GraphSet) -> None:
    part = found_once[[3, 0]].places()
    assert part.counts.tolist() == [1, 4]
    assert part.share.shape == (21, 4)
    assert torch.equal(part.cluster[5:], found_once.places().cluster[:16])


def test_other_features_change_nothing(found_once: GraphSet) -> None:
    assert found_once.with_x(torch.zeros(found_once.num_nodes, 3)).places() is found_once.places()


def test_what_a_copy_with_other_features_finds_its_origin_knows_too(graphs: GraphSet) -> None:
    copy = graphs.with_x(torch.zeros(graphs.num_nodes, 3))
    assert copy.places() is graphs.places()


def test_a_copy_elsewhere_has_them(found_once: GraphSet) -> None:
    moved = found_once.to("meta")
    assert moved.places().share.device.type == "meta"


def test_a_batch_gathers_those_of_its_set(found_once: GraphSet) -> None:
    batch = found_once.batch([1, 2])
    part = batch.places()
    assert part.counts.tolist() == [1, 6]
    assert part.share.shape == (32, 6)
    assert same(part, found_once[[1, 2]].places())


def test_a_batch_of_small_graphs_is_narrow(found_once: GraphSet) -> None:
    assert found_once.batch([1, 3]).places().share.shape == (7, 1)


def test_a_batch_made_by_hand_works_them_out(graphs: GraphSet) -> None:
    known = graphs.batch([0, 2])
    bare = GraphBatch(known.x, known.adjacency, known.batch, known.ptr, known.index)
    assert same(bare.places(), known.places())


def test_a_batch_of_nothing_has_none(graphs: GraphSet) -> None:
    empty = graphs[[]].places()
    assert empty.cluster.shape == (0,)
    assert empty.share.shape == (0, 0)


def test_a_batch_copied_to_a_device_gathers_there(graphs: GraphSet) -> None:
    batch = graphs.batch([0, 2])
    assert same(batch.to("cpu").places(), batch.places())


def test_a_batch_has_what_a_selection_has(graphs: GraphSet) -> None:
    graphs.places()
    for chosen in ([0, 1, 2, 3], [3, 0], [1, 3], [2, 2, 1]):
        assert same(graphs.batch(chosen).places(), graphs[chosen].places())


def test_columns_are_shares_and_their_logarithms(graphs: GraphSet) -> None:
    graphs.places()
    batch = graphs.batch([3, 0, 2])
    given, made = batch.places().columns, graphs[[3, 0, 2]].places().columns
    share = batch.places().share.t()
    real = torch.arange(6).unsqueeze(-1) < batch.places().counts[batch.batch]
    for columns in (given, made):
        assert columns.is_contiguous()
        assert torch.equal(columns[0], share)
        assert torch.equal(columns[1][real], share.clamp(min=TINY).log()[real])


def test_widened_places_have_empty_columns() -> None:
    share = torch.tensor([[0.25, 0.75], [1.0, 0.0]])
    places = Places(torch.tensor([1, 0]), torch.tensor([2]), share)
    assert places.widened(2) is places
    wide = places.widened(4)
    assert wide.width == 4
    assert wide.share.tolist() == [[0.25, 0.75, 0, 0], [1, 0, 0, 0]]
    assert wide.columns[0].tolist() == [[0.25, 1], [0.75, 0], [0, 0], [0, 0]]


# ---------------------------------------------------------------------- hard places

HARD = PlaceRule(steps=0)


def test_hard_places_have_shares_only_when_asked_for(graphs: GraphSet) -> None:
    places = graphs.places(HARD)
    for made in (
        places,
        graphs[[3, 0]].places(HARD),
        graphs.batch([3, 0]).places(HARD),
        places.widened(9),
        places.to("meta"),
    ):
        assert made.soft is None
        assert "share" not in vars(made)


def test_shares_of_hard_places_are_zero_and_one(graphs: GraphSet) -> None:
    places = graphs.places(HARD)
    expected = torch.nn.functional.one_hot(places.cluster, 6).float()
    assert torch.equal(places.share, expected)
    assert torch.equal(places.widened(8).share, torch.nn.functional.pad(expected, (0, 2)))
    assert graphs.to("meta").places(HARD).share.shape == (53, 6)


def test_a_batch_of_hard_places_is_its_selection(graphs: GraphSet) -> None:
    graphs.places(HARD)
    for chosen in ([0, 1, 2, 3], [3, 0], [1, 3], [2, 2, 1]):
        part = graphs.batch(chosen).places(HARD)
        assert same(part, graphs[chosen].places(HARD))
        assert part.columns.is_contiguous()
        assert torch.equal(part.columns[0], part.share.t())


def test_hard_places_made_by_hand() -> None:
    places = Places(torch.tensor([1, 0, 0]), torch.tensor([2, 1]))
    assert places.width == 2
    assert places.share.tolist() == [[0, 1], [1, 0], [1, 0]]
    assert repr(places) == "Places(hard, graphs=2, nodes=3, width=2)"
    with pytest.raises(InputError, match="cluster holds 2"):
        Places(torch.tensor([2, 0, 0]), torch.tensor([2, 1]))


def test_hard_places_cost_memory_linear_in_the_nodes(graphs: GraphSet) -> None:
    many = 20_000
    rule = PlaceRule(steps=0, most=many)
    graphs.places(rule)  # which compiles the search
    corner, first = torch.tensor([0, 0, 1, 1, 2, 2]), 3 * torch.arange(many).unsqueeze(-1)
    end = torch.tensor([1, 2, 0, 2, 0, 1])
    adjacency = Adjacency.from_edge_index(
        torch.stack([(first + corner).flatten(), (first + end).flatten()]), 3 * many
    )
    tracemalloc.start()
    places = places_of(adjacency, Segments.from_counts(torch.tensor([3 * many])), rule)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert places.counts.tolist() == [many]
    assert peak < 1000 * 3 * many  # shares would need 80,000 bytes a node
