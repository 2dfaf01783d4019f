import math

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.sparse import linalg as sparse

from graphpool.data import from_networkx
from graphpool.errors import DataError
from graphpool.features import Eigenvectors, eigenvectors
from graphpool.graphs import GraphSet


def laplacian(graph: nx.Graph) -> np.ndarray:
    """NetworkX's, as a dense matrix."""
    return nx.normalized_laplacian_matrix(graph, nodelist=sorted(graph)).toarray()


def columns(graph: nx.Graph, count: int) -> np.ndarray:
    return Eigenvectors(count).transform(from_networkx([graph])).double().numpy()


def relabelled(graph: nx.Graph, order: np.ndarray) -> nx.Graph:
    """Node i becomes order[i]."""
    moved = nx.Graph()
    moved.add_nodes_from(range(len(graph)))
    moved.add_edges_from((int(order[a]), int(order[b])) for a, b in graph.edges)
    return moved


def assert_eigenvectors(graph: nx.Graph, found: np.ndarray) -> None:
    """The columns belong to the first eigenvalues after those of the components, in order."""
    matrix, size = laplacian(graph), len(graph)
    zeros = nx.number_connected_components(graph)
    exist = min(found.shape[1], size - zeros)
    expected = np.linalg.eigvalsh(matrix)[zeros : zeros + exist]
    used = found[:, :exist]
    np.testing.assert_allclose(matrix @ used, used * expected, atol=1e-5)
    np.testing.assert_allclose(used.T @ used / size, np.eye(exist), atol=1e-5)
    assert not found[:, exist:].any()


def mixed() -> list[nx.Graph]:
    """Several of a size, bipartite, disconnected, with self-loops, lone nodes, single nodes."""
    made = [nx.gnp_random_graph(20, share, seed=5) for share in (0.0, 0.05, 0.1, 0.3, 0.9)]
    made += [nx.gnp_random_graph(size, 0.4, seed=size) for size in (1, 2, 3, 9, 10, 33)]
    made += [nx.complete_bipartite_graph(3, 4), nx.cycle_graph(8), nx.path_graph(20)]
    made += [nx.disjoint_union(nx.cycle_graph(4), nx.path_graph(2))]
    made[2].add_edge(0, 0)
    made[5].add_edge(0, 0)
    return made


def test_columns_are_the_first_eigenvectors_that_are_not_trivial() -> None:
    graphs = mixed()
    found = Eigenvectors(6).transform(from_networkx(graphs)).double().numpy()
    parts = np.split(found, np.cumsum([len(graph) for graph in graphs])[:-1])
    for graph, part in zip(graphs, parts, strict=True):
        assert_eigenvectors(graph, part)


def test_working_memory_does_not_change_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = from_networkx(mixed())
    whole = Eigenvectors(4).transform(graphs)
    monkeypatch.setattr(eigenvectors, "ENTRIES", 500)
    assert torch.equal(Eigenvectors(4).transform(graphs), whole)


def test_large_graphs_are_solved_sparsely_with_the_same_result(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph = nx.disjoint_union(nx.gnp_random_graph(90, 0.04, seed=2), nx.path_graph(12))
    dense = columns(graph, 7)
    monkeypatch.setattr(eigenvectors, "DENSE", 50)
    large = columns(graph, 7)
    assert_eigenvectors(graph, large)
    np.testing.assert_allclose(large, dense, atol=1e-4)


def test_a_graph_beyond_the_dense_size_is_solved() -> None:
    graph = nx.barabasi_albert_graph(640, 2, seed=1)
    found = columns(graph, 2)
    assert_eigenvectors(graph, found)
    assert np.array_equal(columns(graph, 2), found)


def test_a_graph_that_can_not_be_solved_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def give_up(*_: object, **__: object) -> None:
        raise sparse.ArpackNoConvergence("no convergence", np.empty(0), np.empty((0, 0)))

    monkeypatch.setattr(sparse, "eigsh", give_up)
    monkeypatch.setattr(eigenvectors, "DENSE", 5)
    with pytest.raises(DataError, match="graph 1: its eigenvectors were not found"):
        Eigenvectors().transform(from_networkx([nx.path_graph(4), nx.path_graph(9)]))


def test_path_of_three_by_hand() -> None:
    # L has the eigenvalues 0, 1, 2, those of 1 and 2 with (1, 0, -1) and (1, -√2, 1).
    found = columns(nx.path_graph(3), 3)
    np.testing.assert_allclose(np.abs(found[:, 0]), math.sqrt(1.5) * np.array([1, 0, 1]), atol=1e-6)
    second = np.array([-1, math.sqrt(2), -1]) * math.sqrt(3) / 2  # its cubes have a positive sum
    np.testing.assert_allclose(found[:, 1], second, atol=1e-6)
    assert not found[:, 2].any()


def test_the_sum_of_cubes_is_positive() -> None:
    found = columns(nx.gnp_random_graph(60, 0.08, seed=1), 8)
    assert ((found**3).sum(axis=0) > 0).all()


def test_graph_without_symmetry_has_the_same_columns_in_any_numbering() -> None:
    graph, order = nx.gnp_random_graph(60, 0.08, seed=1), np.random.default_rng(0).permutation(60)
    moved = columns(relabelled(graph, order), 8)
    np.testing.assert_allclose(moved[order], columns(graph, 8), atol=1e-5)


def test_graph_with_symmetries_has_not() -> None:
    """What makes it a baseline: the same cycle gets two answers."""
    graph = nx.cycle_graph(12)
    one = columns(graph, 4)
    answers = (
        columns(relabelled(graph, order), 4)[order]
        for order in (np.random.default_rng(seed).permutation(12) for seed in range(4))
    )
    assert max(np.abs(two - one).max() for two in answers) > 0.1


def test_weights_count_and_directions_do_not() -> None:
    graph = nx.DiGraph()
    graph.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 1.0), (2, 3, 4.0), (3, 1, 0.5)])
    both = nx.Graph()
    both.add_weighted_edges_from([(0, 1, 2.0), (1, 2, 1.0), (2, 3, 4.0), (3, 1, 0.5)])
    np.testing.assert_allclose(columns(graph, 3), columns(both, 3), atol=1e-6)
    assert_eigenvectors(both, columns(both, 3))


def test_edges_of_weight_zero_join_nothing() -> None:
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 1.0), (1, 2, 0.0), (2, 3, 1.0)])
    found = columns(graph, 2)
    np.testing.assert_allclose((found**2).mean(axis=0), [1, 1], atol=1e-6)
    np.testing.assert_allclose(found[[0, 2]], -found[[1, 3]], atol=1e-6)  # eigenvalue 2, twice


def test_nodes_without_edges_have_zeros() -> None:
    bare = GraphSet.build("bare", torch.tensor([3]), torch.tensor([0]), torch.zeros(2, 0))
    assert Eigenvectors(4).transform(bare).tolist() == [[0.0] * 4] * 3


def test_negative_weights_are_refused() -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=-1.0)
    with pytest.raises(DataError, match="negative edge weights"):
        Eigenvectors().transform(from_networkx([graph]))
