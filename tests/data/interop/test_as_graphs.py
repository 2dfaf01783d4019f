"""`as_graphs` makes a set of any graphs, and the estimators take what it takes."""

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import csr_array
from sklearn.model_selection import cross_val_score
from torch_geometric.data import Data

import graphpool as gp
from graphpool.data import as_graphs
from graphpool.errors import DataError

QUICK = {"epochs": 2, "hidden_channels": 8}


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    return gp.load("MUTAG", features=None)[:40]


@pytest.fixture(scope="module")
def networks(graphs: gp.GraphSet) -> list[nx.Graph]:
    """The same graphs in NetworkX, their labels in the same order of codes."""
    made = gp.to_networkx(graphs)
    assert isinstance(made, list)
    return made


def test_a_set_is_returned_as_it_is(graphs: gp.GraphSet) -> None:
    assert as_graphs(graphs) is graphs


def test_graphs_of_a_set_and_of_networkx(graphs: gp.GraphSet, networks: list[nx.Graph]) -> None:
    made: list[Any] = [list(graphs), networks, np.array(networks, dtype=object), iter(networks)]
    for each in made:
        found = as_graphs(each)
        assert torch.equal(found.edge_index, graphs.edge_index)
        assert found.ids == graphs.ids
        assert found.y is not None
        assert torch.equal(found.y, graphs.y)
    assert as_graphs(graphs[3]).ids == as_graphs(networks[3]).ids == ("3",)


def test_lists_of_adjacency_matrices() -> None:
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    for given in ([path, path[:2, :2]], [csr_array(path), csr_array(path[:2, :2])]):
        assert as_graphs(given).node_counts.tolist() == [3, 2]
        assert as_graphs(given).edge_counts.tolist() == [4, 2]
    assert len(as_graphs(np.stack([path, path]))) == 2
    graphs = [path] * 20
    model = gp.GraphRegressor(pooler="sum", **QUICK).fit(graphs, np.linspace(0, 1, 20))
    assert model.predict(graphs[:3]).shape == (3,)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("MUTAG", r"graphs must not be a name or path; give graphpool.load\('MUTAG'\)"),
        (Path("mine.jsonl"), "give graphpool.load"),
        (5, "int is not a graph; give a GraphSet"),
        (None, "NoneType is not a graph"),
        ([], "there are no graphs"),
        (np.ones((3, 2)), "ndarray is not a graph; give a GraphSet"),
        ([nx.path_graph(2), 3], "graph 1: int is not a graph"),
        ([Data(x=torch.ones(1, 1)), nx.path_graph(2)], "graph 1: Graph is not a graph"),
    ],
)
def test_what_is_no_graph_is_refused(given: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        as_graphs(given)


def test_a_classifier_takes_networkx_graphs(graphs: gp.GraphSet, networks: list[nx.Graph]) -> None:
    expected = gp.GraphClassifier(**QUICK).fit(graphs)
    model = gp.GraphClassifier(**QUICK).fit(networks)
    assert np.array_equal(model.predict_proba(networks), expected.predict_proba(graphs))
    assert np.array_equal(model.predict(graphs), expected.predict(networks))
    assert np.array_equal(model.transform(networks[:3]), expected.transform(graphs[:3]))
    assert model.score(networks) == expected.score(graphs)
    y = np.array([network.graph["y"] for network in networks])
    assert model.fit(networks, y).score(networks, y) >= 0
    assert len(cross_val_score(gp.GraphClassifier(**QUICK), networks, y, cv=2)) == 2


def test_a_classifier_takes_pyg_graphs_whatever_their_targets(graphs: gp.GraphSet) -> None:
    data = [
        Data(x=torch.eye(7)[graph.node_label], edge_index=graph.edge_index, y=torch.rand(1, 3))
        for graph in graphs
    ]
    y = ["safe", "toxic"] * 20
    model = gp.GraphClassifier(**QUICK, features="given").fit(data, y)
    assert set(model.predict(data)) <= {"safe", "toxic"}
    assert 0 <= model.score(data, y) <= 1
    with pytest.raises(DataError, match="GraphRegressor"):
        model.fit(data)


def test_a_comparer_and_a_matcher_take_networkx_graphs(networks: list[nx.Graph]) -> None:
    distances = np.abs(np.subtract.outer(*[[len(graph) for graph in networks]] * 2)).astype(float)
    comparer = gp.GraphComparer(**QUICK, triplets=20).fit(networks, distances)
    assert comparer.distances(networks[:3], networks[3:5]).shape == (3, 2)
    assert comparer.kneighbors(networks[:2], 3)[1].shape == (2, 3)
    pairs = np.array([[i, (i + 1) % 40] for i in range(40)])
    matcher = gp.GraphMatcher(**QUICK, validation=0).fit(networks, pairs, np.arange(40) % 2)
    assert matcher.predict(networks, pairs[:4]).shape == (4,)
