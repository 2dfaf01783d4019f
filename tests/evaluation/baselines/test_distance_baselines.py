"""Classical baselines on the queries and candidates of similarity learning."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.data import load as datasets
from graphpool.errors import ConfigError
from graphpool.evaluation.baselines.distances import (
    EDIT_METHODS,
    RULES,
    classical_distances,
    edit_distances,
    label_edge_rule,
    wl_rule,
)
from graphpool.evaluation.ranking import ranking_metrics, triplet_accuracy
from graphpool.graphs.graphset import GraphSet


def labelled() -> GraphSet:
    """A path C-C-O, a triangle C-C-C with a tail N, an O with a self-loop."""
    return GraphSet.build(
        "three",
        torch.tensor([3, 4, 1]),
        torch.tensor([2, 4, 1]),
        torch.tensor([[0, 1, 0, 1, 2, 2, 0], [1, 2, 1, 2, 0, 3, 0]]),
        undirected=True,
        node_label=torch.tensor([0, 0, 1, 0, 0, 0, 2, 1]),
        node_label_names=("C", "O", "N"),
    )


def test_the_rule_by_hand() -> None:
    # Labels C2 O1, C3 N1, O1; nodes 3, 4, 1; edges 2, 4, 1.
    found = label_edge_rule(labelled(), [0, 2], [1, 0, 2])
    expected = [
        [(1 + 1 + 1) / 2 + 1 + 2, 0, 2 / 2 + 2 + 1],
        [(3 + 1 + 1) / 2 + 3 + 3, 2 / 2 + 2 + 1, 0],
    ]
    assert found.tolist() == expected


def test_the_rule_without_labels_counts_nodes_and_edges() -> None:
    bare = GraphSet.build(
        "bare", torch.tensor([3, 5]), torch.tensor([1, 4]),
        torch.tensor([[0, 0, 1, 2, 3], [1, 1, 2, 3, 4]]), undirected=True,
    )  # fmt: skip
    assert label_edge_rule(bare, [0], [1]).tolist() == [[2 / 2 + 2 + 3]]


def test_the_wl_rule_by_hand() -> None:
    # Round 0: C2 O1 against C3 N1. Round 1: only the C beside C and O, or beside C alone, could
    # recur, and the triangle has none of them.
    found = wl_rule(labelled(), [0], [1, 0], rounds=1)
    assert found.tolist() == [[3 + 7, 0]]
    assert wl_rule(labelled(), [0], [1], rounds=0).tolist() == [[3]]


def test_the_wl_rule_is_zero_for_relabelled_graphs() -> None:
    graph = nx.gnp_random_graph(12, 0.3, seed=1)
    other = nx.relabel_nodes(graph, dict(enumerate(np.random.default_rng(0).permutation(12))))
    third = nx.gnp_random_graph(12, 0.3, seed=2)
    graphs = gp.from_networkx([graph, other, third])
    found = wl_rule(graphs, [0], [1, 2], rounds=3)
    assert found[0, 0] == 0 < found[0, 1]


@pytest.mark.parametrize("method", EDIT_METHODS)
def test_edit_distances_are_those_of_single_pairs(method: str, data_root: Path) -> None:
    graphs = datasets.load("AIDS700nef", data_root, features=None)
    queries, candidates = [600, 3, 650], [20, 3, 11, 7]
    found = edit_distances(graphs, queries, candidates, method, jobs=1)
    assert found.shape == (3, 4)
    for row, i in enumerate(queries):
        for column, j in enumerate(candidates):
            one = gp.ged.distance(graphs[i], graphs[j], method=method, edge_labels=False)
            assert found[row, column] == one.upper


def test_copies_are_asked_like_any_other_pair(data_root: Path) -> None:
    graphs = datasets.load("LINUX", data_root, features=None)
    twice = graphs[[*range(20), *range(20)]]
    found = edit_distances(twice, range(20), range(20, 40), "vj", jobs=2)
    alone = [gp.ged.distance(graph, graph, method="vj").upper for graph in graphs[:20]]
    assert found.diagonal().tolist() == alone
    assert max(alone) > 0


def test_baselines_are_judged_on_their_queries(data_root: Path) -> None:
    known = datasets.distances("LINUX", data_root)
    graphs = datasets.load("LINUX", data_root, features=None)
    queries, candidates = known.test[:12], known.train[:60]
    true = known.values[np.ix_(queries, candidates)]
    found = {
        name: classical_distances(name, graphs, queries, candidates, jobs=1)
        for name in (*EDIT_METHODS, *RULES)
    }
    for name, distances in found.items():
        assert distances.shape == true.shape
        assert 0.6 < triplet_accuracy(distances, true) <= 1, name
    for name in EDIT_METHODS:  # the length of some edit path is never below the distance
        assert (found[name] >= true).all()
    assert triplet_accuracy(found["beam80"], true) > triplet_accuracy(found["beam1"], true)
    exact = classical_distances("exact", graphs, queries, candidates, jobs=1)
    assert list(ranking_metrics(exact, true).values()) == pytest.approx([1.0] * 5)


def test_the_rule_on_published_test_graphs(data_root: Path) -> None:
    for name, accuracy in {"AIDS700nef": 0.8230, "LINUX": 0.9223}.items():
        known = datasets.distances(name, data_root)
        graphs = datasets.load(name, data_root, features=None)
        true = known.values[np.ix_(known.test, known.train)]
        found = classical_distances("label-edge", graphs, known.test, known.train)
        assert triplet_accuracy(found, true) == pytest.approx(accuracy, abs=1e-4)


def test_an_unknown_name_is_an_error() -> None:
    with pytest.raises(ConfigError, match="no baseline 'beam8'; did you mean 'beam80'"):
        classical_distances("beam8", labelled(), [0, 1], [1, 2])
