import networkx as nx
import numpy as np
import pytest
from graphs_of import random_graph, shuffled

from graphpool.data.load import load
from graphpool.ged import collect, identical, isomorphic
from graphpool.ged.duplicates import first_of


@pytest.mark.parametrize("directed", [False, True])
def test_classes_are_those_of_networkx(directed):
    rng = np.random.default_rng(5)
    kind = {"density": 0.3, "labels": "CN", "edge_labels": "ab", "loops": True}
    sizes = rng.integers(0, 6, 60).tolist()
    graphs = [random_graph(rng, size, directed=directed, **kind) for size in sizes]
    graphs += [shuffled(rng, graphs[at]) for at in rng.integers(0, 60, 60)]
    found = isomorphic(collect(graphs))
    same = nx.algorithms.isomorphism.categorical_node_match("label", None)
    edge = nx.algorithms.isomorphism.categorical_edge_match("label", None)
    for i, first in enumerate(graphs):
        for j, second in enumerate(graphs[:i]):
            true = nx.is_isomorphic(first, second, node_match=same, edge_match=edge)
            assert (found[i] == found[j]) == true, (i, j)


def test_graphs_that_colours_cannot_tell_apart_stay_apart():
    two_triangles = nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    assert isomorphic(collect([two_triangles, nx.cycle_graph(6)])).tolist() == [0, 1]


def test_strongly_regular_graphs_are_told_apart_and_found_again():
    rook = nx.line_graph(nx.complete_bipartite_graph(4, 4))
    steps = [(0, 1), (1, 0), (1, 1)]
    shrikhande = nx.Graph(
        ((i, j), ((i + a) % 4, (j + b) % 4)) for i in range(4) for j in range(4) for a, b in steps
    )
    rng = np.random.default_rng(0)
    plain = [nx.convert_node_labels_to_integers(graph) for graph in (rook, shrikhande)]
    graphs = plain + [shuffled(rng, graph) for graph in plain]
    assert isomorphic(collect(graphs)).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ((["C", "N"], [(0, 1)]), (["C", "C"], [(0, 1)])),
        ((2, [(0, 1, "single")]), (2, [(0, 1, "double")])),
        ((2, [(0, 1), (0, 0)]), (2, [(0, 1)])),
        ((1, []), (2, [])),
        ((1, []), (0, [])),
        ((1, [(0, 0, "a")]), (1, [(0, 0, "b")])),
    ],
    ids=["node label", "edge label", "self-loop", "size", "empty", "label of a self-loop"],
)
def test_a_difference_makes_another_class(first, second):
    assert isomorphic(collect([first, second, first])).tolist() == [0, 1, 0]


def test_a_direction_makes_another_class():
    forth = nx.DiGraph([(0, 1), (1, 2)])
    apart = nx.DiGraph([(1, 0), (1, 2)])
    assert isomorphic(collect([forth, apart])).tolist() == [0, 1]


def test_identical_graphs_have_the_same_order_of_nodes():
    path = (["C", "N"], [(0, 1)])
    turned = (["N", "C"], [(0, 1)])
    graphs = collect([path, turned, (["C", "N"], [(1, 0)])])
    assert identical(graphs).tolist() == [0, 1, 0]
    assert isomorphic(graphs).tolist() == [0, 0, 0]


def test_large_copies_are_recognised_without_a_search():
    ring = (3000, [(i, (i + 1) % 3000) for i in range(3000)])
    assert isomorphic(collect([ring, (1, []), ring])).tolist() == [0, 1, 0]


def test_the_first_graph_of_each_class():
    assert first_of(np.array([0, 1, 0, 2, 1])).tolist() == [0, 1, 3]


@pytest.mark.parametrize(("name", "classes"), [("LINUX", 89), ("AIDS700nef", 667)])
def test_classes_of_published_sets_are_where_the_published_distance_is_0(data_root, name, classes):
    graphs = load(name, root=data_root, features=None, cache=False)
    found = isomorphic(collect(graphs, edge_labels=False))
    full = np.load(data_root / f"{name}.npz", allow_pickle=False)["ged_full"]
    assert len(first_of(found)) == classes
    np.testing.assert_array_equal(found[:, None] == found, full == 0)
