"""Attributes of NetworkX graphs are found under common names, and none is dropped silently."""

import warnings
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import graphpool as gp
from graphpool.errors import DataError


def chain(node: dict[str, Any], edge: dict[str, Any] | None = None, **graph: Any) -> nx.Graph:
    """A path of two nodes, the attributes of each given as a pair of values."""
    made = nx.path_graph(2)
    made.graph.update(graph)
    for key, values in node.items():
        for number, value in enumerate(values):
            made.nodes[number][key] = value
    made.edges[0, 1].update(edge or {})
    return made


@pytest.mark.parametrize("key", ["label", "atom", "element", "symbol", "type", "anything"])
def test_words_under_a_common_or_only_name_are_labels(key: str) -> None:
    graphs = gp.from_networkx([chain({key: "CN"}, {key: "single"})])
    assert graphs.node_label_names == ("C", "N")
    assert graphs.edge_label_names == ("single",)
    assert graphs.notes == ()


def test_whole_numbers_are_labels_under_a_common_name_only() -> None:
    named = gp.from_networkx([chain({"atom": (6, 7)})])
    assert named.node_label_names == (6, 7)
    other = gp.from_networkx([chain({"charge": (6, 7)})])
    assert other.node_label is None
    assert other.node_attr.tolist() == [[6.0], [7.0]]


def test_numbers_become_channels_in_the_order_of_their_names() -> None:
    graph = chain(
        {"z": (1, 2), "attr": ([0.5], [1.5]), "pos": (np.array([3, 4]), (5, 6)), "big": "CN"},
        {"weight": 2.0, "length": 1.5, "aromatic": True},
    )
    graphs = gp.from_networkx([graph])
    assert graphs.node_attr.tolist() == [[0.5, 3, 4, 1], [1.5, 5, 6, 2]]
    assert graphs.edge_attr[0].tolist() == [1.0, 1.5]
    assert graphs.edge_weight.tolist() == [2.0, 2.0]
    assert graphs.node_label_names == ("C", "N")


@pytest.mark.parametrize(
    ("graph", "said"),
    [
        (chain({"label": "CN", "shape": ("round", "square")}), "'shape' of nodes"),
        (chain({"one": "ab", "two": "cd"}), "'one', 'two' of nodes"),
        (chain({"charge": (1.0,)}), "'charge' of nodes"),
        (chain({"vector": ([1.0], [1.0, 2.0])}), "'vector' of nodes"),
        (chain({}, {"made": object()}), "'made' of edges"),
        (chain({}, year=2001), "'year' of graphs"),
    ],
)
def test_what_is_not_used_is_named(graph: nx.Graph, said: str) -> None:
    with pytest.warns(UserWarning, match=f"not used: {said}; graphpool.from_networkx"):
        graphs = gp.from_networkx([graph])
    assert graphs.notes == (f"not used: {said}",)


def test_text_of_graphs_is_a_column() -> None:
    graphs = gp.from_networkx([chain({}, site="north", y=1.5), chain({}, site="south", y=2.5)])
    assert graphs.columns == {"site": ("north", "south")}
    with pytest.warns(UserWarning, match="not used: 'site' of graphs"):
        assert not gp.from_networkx([chain({}, site="north"), chain({}, site=3)]).columns


def test_names_of_ones_own() -> None:
    graph = chain({"kind": "CN", "shape": "ab", "a": (1, 2), "b": (3, 4)}, {"t": 3}, result="x")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        graphs = gp.from_networkx(
            [graph], node_label="shape", edge_label="t", y="result", node_attr=["b"]
        )
    assert graphs.node_label_names == ("a", "b")
    assert graphs.edge_label_names == (3,)
    assert graphs.node_attr.tolist() == [[3.0], [4.0]]
    assert graphs.classes == ("x",)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ({"node_label": "knid"}, "none of the nodes has the attribute 'knid'; did you mean 'kind'"),
        ({"node_attr": ["kind", "size"]}, "none of the nodes has the attribute 'size'"),
        ({"edge_label": "t"}, "none of the edges has the attribute 't'; they have no attributes"),
        ({"y": "class"}, "none of the graphs has the attribute 'class'"),
    ],
)
def test_a_name_that_nothing_has_is_refused(names: dict[str, Any], said: str) -> None:
    with pytest.raises(DataError, match=said):
        gp.from_networkx([chain({"kind": "CN"})], **names)


@pytest.mark.parametrize("key", ["y", "class", "label"])
def test_classes_under_a_common_name(key: str) -> None:
    assert gp.from_networkx([chain({}, **{key: "toxic"})]).classes == ("toxic",)


def test_labels_that_repeat_the_ids_of_nodes_are_none(tmp_path: Path) -> None:
    graph = nx.Graph([("a", "b")])
    nx.write_gexf(graph, tmp_path / "one.gexf")
    read = nx.read_gexf(tmp_path / "one.gexf")
    assert read.nodes["a"]["label"] == "a"
    assert gp.from_networkx(read).node_label is None


def test_attributes_of_a_graph_come_back() -> None:
    graphs = gp.from_networkx([chain({}, attr=[1.0, 2.0])])
    assert graphs.graph_attr.tolist() == [[1.0, 2.0]]
    back = gp.from_networkx(gp.to_networkx(graphs))
    assert back.graph_attr.tolist() == [[1.0, 2.0]]


def test_classes_beside_the_graphs_are_counted() -> None:
    with pytest.raises(DataError, match="y has 1 value for 2 graphs"):
        gp.from_networkx([nx.path_graph(2), nx.path_graph(3)], y=["a"])
