from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from random_graphs import packed, random_graphs

from graphpool.errors import DataError
from graphpool.graphs import GraphSet, checks

COUNTS, SPLIT = torch.tensor([3, 2]), torch.tensor([3, 1])
EDGES = torch.tensor([[2, 0, 1, 1], [1, 1, 1, 0]])


def small(**other: object) -> GraphSet:
    """Graph 0: 2→1, 0→1, 1→1; graph 1: 1→0."""
    return GraphSet.build("small", COUNTS, SPLIT, EDGES, **other)


def test_edges_are_sorted_by_target_then_self_loop_then_source() -> None:
    assert small().edge_index.tolist() == [[1, 0, 2, 1], [1, 1, 1, 0]]
    assert small().edge_ptr.tolist() == [0, 3, 4]
    assert small().node_ptr.tolist() == [0, 3, 5]


@pytest.mark.parametrize("directed", [False, True])
def test_attributes_follow_their_edges_through_the_sorting(directed: bool) -> None:
    plain = random_graphs(3, graphs=12, directed=directed)
    for graph, expected in zip(packed(plain, seed=1), plain, strict=True):
        assert graph.edge_label is not None
        assert graph.edge_attr is not None
        assert graph.edge_weight is not None
        found = {
            (source, target): (label, pytest.approx(attr), pytest.approx(weight))
            for (source, target), label, attr, weight in zip(
                graph.edge_index.t().tolist(),
                graph.edge_label.tolist(),
                graph.edge_attr.tolist(),
                graph.edge_weight.tolist(),
                strict=True,
            )
        }
        assert found == expected.edges


def test_repeated_edge_is_kept_once_with_its_first_label_and_a_note() -> None:
    graphs = GraphSet.build(
        "twice",
        torch.tensor([2]),
        torch.tensor([3]),
        torch.tensor([[0, 0, 1], [1, 1, 0]]),
        edge_label=torch.tensor([7, 8, 9]),
    )
    assert graphs.edge_index.tolist() == [[1, 0], [0, 1]]
    assert graphs.edge_label is not None
    assert graphs.edge_label.tolist() == [9, 7]
    assert graphs.notes == ("1 repeated edge was kept once",)


def test_undirected_adds_reverse_edges_and_notes_only_real_repetitions() -> None:
    edges = torch.tensor([[0, 1, 1, 1], [1, 2, 2, 0]])
    graphs = GraphSet.build("u", torch.tensor([3]), torch.tensor([4]), edges, undirected=True)
    assert graphs.edge_index.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graphs.notes == ("1 repeated edge was kept once",)
    assert graphs.undirected


def test_self_loop_of_weight_zero_is_no_edge() -> None:
    graphs = small(edge_weight=torch.tensor([1.0, 1.0, 0.0, 1.0]), notes=("read",))
    assert graphs.num_edges == 3
    assert graphs.notes == ("read", "1 self-loop of weight 0 was dropped")


def test_integer_weights_become_floats() -> None:
    weight = small(edge_weight=torch.tensor([1, 2, 3, 4])).edge_weight
    assert weight is not None
    assert weight.tolist() == [3.0, 2.0, 1.0, 4.0]


@pytest.mark.parametrize("edges", [1, 2, 4, 1000])
def test_edges_are_checked_a_few_graphs_at_a_time(
    monkeypatch: pytest.MonkeyPatch, edges: int
) -> None:
    monkeypatch.setattr(checks, "_BLOCK", edges)
    graphs = packed(random_graphs(3, graphs=12), seed=1)
    assert replace(graphs).edge_index is graphs.edge_index
    swapped, outside = graphs.edge_index.clone(), graphs.edge_index.clone()
    swapped[:, -2:] = swapped[:, -2:].flip(1)
    with pytest.raises(DataError, match="once and in order"):
        replace(graphs, edge_index=swapped)
    outside[0, -1] = 99
    last = graphs.ids[int(graphs.edge_graph[-1])]
    with pytest.raises(DataError, match=f"graph {last}: edge 99 -> "):
        replace(graphs, edge_index=outside)


def test_edge_that_leaves_its_graph_is_refused_with_the_graph_named() -> None:
    with pytest.raises(DataError, match=r"s, graph b: edge 1 -> 2 leaves its 2 nodes"):
        GraphSet.build("s", COUNTS, SPLIT, torch.tensor([[2, 0, 1, 1], [1, 1, 1, 2]]), ids="ab")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("node_label", torch.zeros(4)),
        ("y", torch.zeros(3)),
        ("edge_attr", torch.zeros(5, 1)),
        ("ids", ("a",)),
    ],
)
def test_field_of_the_wrong_length_is_refused_by_name(field: str, value: object) -> None:
    with pytest.raises(DataError, match=field):
        small(**{field: value})


def test_edge_counts_must_add_up() -> None:
    with pytest.raises(DataError, match="add up to 3"):
        GraphSet.build("s", COUNTS, torch.tensor([2, 1]), EDGES)


def test_degree_counts_incoming_edges_without_self_loops() -> None:
    assert small().degree.tolist() == [0, 2, 0, 1, 0]


@pytest.mark.parametrize("directed", [False, True])
def test_undirected_says_whether_all_edges_have_their_reverse(directed: bool) -> None:
    assert packed(random_graphs(1, graphs=9, directed=directed)).undirected is not directed


def test_different_weights_in_the_two_directions_are_directed() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    graphs = GraphSet.build(
        "w", torch.tensor([2]), torch.tensor([2]), edges, edge_weight=torch.tensor([1.0, 2.0])
    )
    assert not graphs.undirected


def test_one_graph_is_read_by_position_from_either_end() -> None:
    graphs = packed(random_graphs(5))
    assert graphs[-1].id == graphs[5].id == graphs[np.int32(5)].id == "5"
    assert graphs[2].classes == ("no", "yes")
    for position in (6, -7):
        with pytest.raises(IndexError, match=f"graph {position} of a set of 6"):
            graphs[position]


@pytest.mark.parametrize(
    ("item", "ids"),
    [
        (slice(1, 4), "123"),
        (slice(None, None, -2), "531"),
        ([4, -1, 0], "450"),
        ([2, 2], "22"),
        (range(2), "01"),
        (np.array([3, 1]), "31"),
        (torch.tensor([0, -6]), "00"),
        (torch.tensor([True, False, False, False, True, False]), "04"),
        ([], ""),
        (torch.empty(0), ""),
        (slice(3, 3), ""),
    ],
)
def test_selection_takes_graphs_in_the_given_order(item: object, ids: str) -> None:
    graphs = packed(random_graphs(5))
    part = graphs[item]  # type: ignore[call-overload]
    assert part.ids == tuple(ids)
    for graph in part:
        original = graphs[int(graph.id)]
        assert torch.equal(graph.edge_index, original.edge_index)
        for field in ("node_label", "node_attr", "edge_label", "edge_attr", "x", "graph_attr"):
            assert torch.equal(getattr(graph, field), getattr(original, field))
        assert graph.y == original.y


@pytest.mark.parametrize("item", [[6], [-7], [0, 99], torch.tensor([True]), torch.tensor([0.5])])
def test_selection_out_of_range_is_an_index_error(item: object) -> None:
    graphs = packed(random_graphs(5))
    for choose in (graphs.select, graphs.batch):
        with pytest.raises(IndexError):
            choose(item)  # type: ignore[arg-type]


@settings(max_examples=25, deadline=None, derandomize=True, database=None)
@given(st.integers(0, 1000), st.lists(st.integers(0, 5), max_size=8), st.booleans())
def test_selecting_twice_is_selecting_once(seed: int, chosen: list[int], directed: bool) -> None:
    graphs = packed(random_graphs(seed, directed=directed))
    once, twice = graphs[chosen], graphs[chosen][list(range(len(chosen)))[::-1]]
    back = twice[list(range(len(chosen)))[::-1]]
    assert torch.equal(once.flat_edges, back.flat_edges)
    assert torch.equal(once.node_ptr, back.node_ptr)
    assert once.ids == back.ids


def test_empty_selection_is_a_set() -> None:
    empty = packed(random_graphs(5))[[]]
    assert len(empty) == empty.num_nodes == empty.num_edges == 0
    assert empty.batch().num_graphs == 0
    assert list(empty) == []


def test_new_features_keep_the_structure_that_was_worked_out() -> None:
    graphs = packed(random_graphs(5))
    assert graphs.undirected
    changed = graphs.with_x(torch.ones(graphs.num_nodes, 1))
    assert changed._csr is graphs._csr
    assert changed.batch().x.shape == (graphs.num_nodes, 1)


def test_features_need_a_row_per_node() -> None:
    with pytest.raises(DataError, match=r"give \[5, any\]"):
        small().with_x(torch.ones(3, 1))


def test_batch_without_features_says_how_to_make_them() -> None:
    with pytest.raises(DataError, match="features='auto'"):
        small().batch()


def test_moving_to_the_same_device_costs_nothing() -> None:
    graphs = small()
    assert graphs.to("cpu") is graphs
    assert graphs.to("meta").device.type == "meta"


def test_repr_shows_the_sizes() -> None:
    assert (
        repr(small()) == "GraphSet('small', graphs=2, nodes=5, edges=4, classes=0, features=None)"
    )


def test_repr_of_a_graph_is_one_line_with_its_class() -> None:
    graphs = small(y=torch.tensor([1, 0]), classes=("no", "yes"))
    assert repr(graphs[0]) == "Graph('0', nodes=3, edges=3, class='yes')"
    assert repr(small()[1]) == "Graph('1', nodes=2, edges=1, class=None)"


def test_a_graph_without_nodes_is_refused_by_name():
    with pytest.raises(DataError, match="set, graph b has no nodes"):
        GraphSet.build(
            "set",
            torch.tensor([2, 0]),
            torch.tensor([1, 0]),
            torch.tensor([[0], [1]]),
            ids=["a", "b"],
        )
