"""Graphs from whatever users have become one collection with common labels."""

from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

from graphpool import ged
from graphpool.errors import ConfigError, DataError, GraphpoolWarning, collect_warnings
from graphpool.ged import Collection, collect
from graphpool.graphs.graphset import GraphSet

# Formaldehyde's heavy atoms and carbon dioxide.
PLAIN: list[Any] = [("CO", [(0, 1, "=")]), ("OCO", [(0, 1, "="), (1, 2, "=")])]


class Data:
    """Something with edges that is none of our graphs."""

    edge_index = torch.zeros((2, 0), dtype=torch.long)


def as_set(**other: Any) -> GraphSet:
    return GraphSet.build(
        "oxides",
        torch.tensor([2, 3]),
        torch.tensor([1, 2]),
        torch.tensor([[0, 0, 1], [1, 1, 2]]),
        undirected=True,
        ids=["formaldehyde", "dioxide"],
        **(
            {
                "node_label": torch.tensor([0, 1, 1, 0, 1]),
                "node_label_names": ("C", "O"),
                "edge_label": torch.zeros(3, dtype=torch.long),
                "edge_label_names": ("=",),
            }
            | other
        ),
    )


def as_networkx(name: str = "label") -> list[Any]:
    made = []
    for labels, edges in PLAIN:
        graph = nx.Graph()
        graph.add_nodes_from((f"atom {at}", {name: label}) for at, label in enumerate(labels))
        graph.add_edges_from((f"atom {i}", f"atom {j}", {name: kind}) for i, j, kind in edges)
        made.append(graph)
    return made


def content(graphs: Collection) -> list[tuple[list[Any], set[tuple[int, int, Any]]]]:
    """Labels and edges of each graph by name."""
    arrays, made = graphs.arrays, []
    for at in range(len(graphs)):
        nodes = arrays.node_label[arrays.node_ptr[at] : arrays.node_ptr[at + 1]].tolist()
        edges = range(arrays.edge_ptr[at], arrays.edge_ptr[at + 1])
        made.append(
            (
                [graphs.node_names[code] for code in nodes],
                {
                    (
                        int(arrays.source[e]),
                        int(arrays.target[e]),
                        graphs.edge_names[arrays.edge_label[e] - 1],
                    )
                    for e in edges
                },
            )
        )
    return made


EXPECTED = [
    (["C", "O"], {(0, 1, "="), (1, 0, "=")}),
    (["O", "C", "O"], {(0, 1, "="), (1, 0, "="), (1, 2, "="), (2, 1, "=")}),
]


@pytest.mark.parametrize(
    "graphs",
    [PLAIN, as_networkx(), as_set(), list(as_set()), [PLAIN[0], as_networkx()[1]]],
    ids=["plain", "networkx", "set", "items of a set", "mixed"],
)
def test_every_kind_of_input_means_the_same(graphs: Any) -> None:
    made = collect(graphs)
    assert content(made) == EXPECTED
    assert not made.directed
    assert made.sizes.tolist() == [2, 3]


@pytest.mark.parametrize("item", [0, 1], ids=["first", "second"])
def test_distance_takes_every_kind(item: int) -> None:
    kinds = [PLAIN, as_networkx(), as_set()]
    for kind in kinds:
        assert ged.distance(kind[item], PLAIN[0]).distance == 2 * item


def test_a_collection_is_taken_as_it_is() -> None:
    made = collect(PLAIN)
    assert collect(made) is made


def test_ids_are_those_of_the_set_the_names_of_the_graphs_or_numbers() -> None:
    named = nx.Graph(name="benzene")
    assert collect(as_set()).ids == ("formaldehyde", "dioxide")
    assert collect([named, PLAIN[0]]).ids == ("benzene", "1")


def test_labels_have_the_name_that_the_user_gives() -> None:
    made = collect(as_networkx("element"), node_label="element", edge_label="element")
    assert content(made) == EXPECTED


@pytest.mark.parametrize(
    ("names", "words"),
    [
        ({"node_label": "elemnt"}, "none of the nodes has the attribute 'elemnt'.*'element'"),
        ({"edge_label": "bond"}, "none of the edges has the attribute 'bond'; known: element"),
    ],
)
def test_an_attribute_that_no_graph_has_is_refused(names: dict[str, str], words: str) -> None:
    with pytest.raises(DataError, match=words):
        collect(as_networkx("element"), **names)


def test_a_label_that_is_a_list_is_refused() -> None:
    graph = nx.Graph(name="benzene")
    graph.add_node(0, label=[6, 0])
    with pytest.raises(DataError, match=r"graph benzene: the label \[6, 0\] is a list"):
        collect([graph])


@pytest.mark.parametrize(
    "graphs", [PLAIN, as_networkx(), as_set(), collect(PLAIN)], ids=["plain", "nx", "set", "made"]
)
def test_edge_labels_can_be_left_out(graphs: Any) -> None:
    assert collect(graphs, edge_labels=False).edge_names == (None,)


def test_a_set_without_labels_has_one_of_each() -> None:
    bare = as_set(node_label=None, node_label_names=(), edge_label=None, edge_label_names=())
    for graphs in (collect(bare), collect(list(bare))):
        assert content(graphs)[0] == ([None, None], {(0, 1, None), (1, 0, None)})


def test_labels_without_names_are_their_codes() -> None:
    bare = as_set(node_label_names=(), edge_label_names=())
    for graphs in (collect(bare), collect(list(bare))):
        assert content(graphs)[1][0] == [1, 0, 1]


def test_the_number_of_nodes_stands_for_labels() -> None:
    assert content(collect([(2, [(0, 1)])])) == [([None, None], {(0, 1, None), (1, 0, None)})]


def test_a_graph_without_nodes() -> None:
    made = collect([(0, []), PLAIN[0]])
    assert made.sizes.tolist() == [0, 2]


def test_a_self_loop_stands_once() -> None:
    made = collect([(1, [(0, 0)])])
    assert made.arrays.source.tolist() == [0]
    assert not made.directed


def test_an_edge_given_twice_is_one_edge() -> None:
    made = collect([(2, [(0, 1), (1, 0)])])
    assert len(made.arrays.source) == 2


def test_an_edge_with_two_labels_is_refused() -> None:
    with pytest.raises(DataError, match="graph 1: edge 1-0 has two labels"):
        collect([PLAIN[0], (2, [(0, 1, "a"), (1, 0, "b")])])


@pytest.mark.parametrize("edge", [(0, 2), (-1, 0)])
def test_an_edge_beyond_the_nodes_names_the_graph(edge: tuple[int, int]) -> None:
    with pytest.raises(DataError, match=rf"graph 1: edge {edge[0]}-{edge[1]} .* 0 to 1"):
        collect([PLAIN[0], (2, [edge])])


@pytest.mark.parametrize("graph", ["benzene", 3, None, (2, [(0,)]), ([], 1), Data()])
def test_what_is_no_graph_is_refused(graph: Any) -> None:
    with pytest.raises(DataError, match=r"graph 1 is .* not a graph"):
        collect([PLAIN[0], graph])


def test_a_multigraph_is_refused() -> None:
    with pytest.raises(DataError, match="graph 0 is a multigraph"):
        collect([nx.MultiGraph([(0, 1), (0, 1)])])


def test_directed_where_an_edge_has_no_reverse() -> None:
    one_way = GraphSet.build(
        "one way", torch.tensor([2]), torch.tensor([1]), torch.tensor([[0], [1]])
    )
    assert collect(one_way).directed
    assert collect(list(one_way)).directed


def test_directed_where_the_two_ways_have_different_labels() -> None:
    graph = nx.DiGraph()
    graph.add_edge(0, 1, label="a")
    graph.add_edge(1, 0, label="b")
    assert collect([graph]).directed


def test_directed_where_networkx_says_so() -> None:
    assert collect([nx.DiGraph([(0, 1), (1, 0)])]).directed


def test_a_mixed_collection_says_that_undirected_edges_count_twice() -> None:
    one_way, ring = nx.DiGraph([(0, 1)], name="arrow"), nx.cycle_graph(3)
    with collect_warnings(GraphpoolWarning) as texts:
        assert collect([ring, one_way, nx.path_graph(2), nx.empty_graph(2)]).directed
    assert texts == [
        "graph arrow has directed edges, but graph 0 (and 1 other) has none: there each edge "
        "counts as two"
    ]
    # The ring has six arcs then, of which five have no counterpart.
    assert ged.distance(one_way, ring).distance == 1 + 5


def test_a_collection_of_one_kind_says_nothing() -> None:
    with collect_warnings(GraphpoolWarning) as texts:
        collect([nx.DiGraph([(0, 1), (1, 0)]), nx.DiGraph([(0, 1)])])
        collect([nx.path_graph(2), (2, [(0, 1), (1, 1)])])
    assert not texts


def test_an_unknown_method_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'hungarian'"):
        ged.distance(*PLAIN, method="hungarain")


def test_arrays_are_what_compiled_loops_expect() -> None:
    for graphs in (collect(PLAIN), collect(as_set()), collect([(0, [])])):
        types = [array.dtype for array in graphs.arrays]
        assert types == [np.int64, np.int32, np.int64, np.int32, np.int32, np.int32]
        assert all(array.flags.c_contiguous for array in graphs.arrays)
