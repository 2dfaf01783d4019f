from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import packed, random_graphs

from graphpool.errors import DataError
from graphpool.graphs import Graph, GraphSet, PlaceRule, concatenate
from graphpool.graphs import graphset as graphset_module


def names(graph: Graph) -> tuple[list[object], list[object], object]:
    """Node labels, edge labels and class of a graph by name."""
    assert graph.node_label is not None
    assert graph.edge_label is not None
    assert graph.y is not None
    return (
        [graph.node_label_names[code] for code in graph.node_label],
        [graph.edge_label_names[code] for code in graph.edge_label],
        graph.classes[graph.y],
    )


@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 10_000), st.permutations(["C", "N", "O", "Xe"]))
def test_graphs_keep_labels_and_classes_by_name(seed: int, order: list[str]) -> None:
    one = packed(random_graphs(seed), name="one")
    two = replace(
        packed(random_graphs(seed + 1, graphs=4), name="two"),
        node_label_names=tuple(order),
        classes=("maybe", "no"),
        edge_label_names=(4, 3, "1"),
    )
    both = concatenate([one, two])
    assert both.node_label_names == ("C", "N", "O", "F", "Xe")
    assert both.edge_label_names == (1, 2, 4, 3, "1")
    assert both.classes == ("no", "yes", "maybe")
    for graph, expected in zip(both, [*one, *two], strict=True):
        assert names(graph) == names(expected)
        assert torch.equal(graph.edge_index, expected.edge_index)
        for field in ("node_attr", "edge_attr", "edge_weight", "x", "graph_attr"):
            assert torch.equal(getattr(graph, field), getattr(expected, field)), field


def test_cut_set_is_put_together_again() -> None:
    graphs = packed(random_graphs(1))
    again = concatenate([graphs[:2], graphs[2:3], graphs[3:]])
    assert again.ids == graphs.ids
    assert again.name == "random"
    for field in ("node_ptr", "edge_ptr", "edge_index", "node_label", "edge_label", "y", "x"):
        assert torch.equal(getattr(again, field), getattr(graphs, field)), field


def test_clashing_ids_get_the_name_of_their_set() -> None:
    one, two = (
        packed(random_graphs(seed, graphs=2), name=name) for seed, name in ((0, "a"), (1, "b"))
    )
    assert concatenate([one, two]).ids == ("a/0", "a/1", "b/0", "b/1")
    assert concatenate([one, one]).ids == ("a#1/0", "a#1/1", "a#2/0", "a#2/1")
    assert concatenate([one, two], name="both").name == "both"


def test_missing_weights_are_ones() -> None:
    weighted = packed(random_graphs(2))
    both = concatenate([weighted, replace(weighted, edge_weight=None)])
    assert both.edge_weight is not None
    assert weighted.edge_weight is not None
    assert both.edge_weight[: weighted.num_edges].equal(weighted.edge_weight)
    assert (both.edge_weight[weighted.num_edges :] == 1).all()


@pytest.mark.parametrize("field", ["node_label", "y", "edge_attr", "x"])
def test_field_missing_in_one_set_is_refused_by_name(field: str) -> None:
    one = packed(random_graphs(2), name="one")
    two = replace(packed(random_graphs(3), name="two"), **{field: None})
    with pytest.raises(DataError, match=f"two has no {field}, but one has"):
        concatenate([one, two])


def test_set_without_edges_lacks_no_edge_fields() -> None:
    one = packed(random_graphs(2))
    bare = replace(one[[1]], edge_label=None, edge_attr=None, edge_label_names=())
    assert bare.num_edges == 0
    both = concatenate([bare, one])
    assert both.edge_label is not None
    assert both.edge_label.shape == (one.num_edges,)


def test_other_number_of_channels_is_refused() -> None:
    one = packed(random_graphs(2), name="one")
    two = replace(one, name="two", x=torch.ones(one.num_nodes, 9))
    with pytest.raises(DataError, match="two has 9 channels of x, but one has 3"):
        concatenate([one, two])


def test_nothing_can_not_be_concatenated() -> None:
    with pytest.raises(DataError, match="nothing to concatenate"):
        concatenate([])


def test_notes_say_which_set_they_are_about() -> None:
    part = GraphSet.build("p", torch.tensor([2]), torch.tensor([2]), torch.tensor([[0, 0], [1, 1]]))
    assert concatenate([part]).notes == ("p: 1 repeated edge was kept once",)


@pytest.mark.parametrize("steps", [0, 2], ids=["hard", "soft"])
def test_places_that_all_sets_know_are_kept(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = PlaceRule(steps=steps, resolution=4.0)
    graphs = packed(random_graphs(1))
    parts = [graphs[:2], graphs[2:3], graphs[3:]]
    expected = concatenate(parts).places(rule)
    assert len({part.places(rule).width for part in parts}) > 1
    monkeypatch.delattr(graphset_module, "places_of")
    places = concatenate(parts).places(rule)
    assert torch.equal(places.cluster, expected.cluster)
    assert torch.equal(places.counts, expected.counts)
    assert torch.equal(places.share, expected.share)
    assert (places.soft is None) == (expected.soft is None)


def test_places_that_one_set_does_not_know_are_found() -> None:
    graphs = packed(random_graphs(1))
    parts = [graphs[:2], graphs[2:]]
    parts[0].places()
    assert torch.equal(concatenate(parts).places().cluster, graphs.places().cluster)
