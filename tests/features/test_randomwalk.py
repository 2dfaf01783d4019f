from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from graphpool.data import from_networkx
from graphpool.errors import DataError
from graphpool.features import RandomWalk, randomwalk
from graphpool.graphs import GraphSet


def literal(graph: nx.Graph, steps: int) -> np.ndarray:
    """Diagonals of the powers of D^-1 A, with the dense matrix."""
    matrix = nx.to_numpy_array(graph)
    total = matrix.sum(1, keepdims=True)
    walk = np.divide(matrix, total, out=np.zeros_like(matrix), where=total > 0)
    powers = [np.linalg.matrix_power(walk, step) for step in range(1, steps + 1)]
    return np.stack([np.diag(power) for power in powers], axis=1)


def assert_literal(graphs: list[nx.Graph], steps: int) -> None:
    found = RandomWalk(steps).transform(from_networkx(graphs)).numpy()
    expected = np.concatenate([literal(graph, steps) for graph in graphs])
    np.testing.assert_allclose(found, expected, atol=1e-6)


def mixed(directed: bool) -> list[nx.Graph]:
    """Sparse, dense, large, small, with self-loops, isolated nodes and single nodes."""
    sizes = [(1, 0.0), (1, 1.0), (2, 1.0), (5, 0.5), (9, 0.0), (30, 0.9), (40, 0.05), (90, 0.02)]
    made = [
        nx.gnp_random_graph(nodes, density, seed=nodes, directed=directed)
        for nodes, density in [*sizes, *sizes]
    ]
    for graph in made[::2]:
        graph.add_edge(0, 0)
    return made


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("steps", [1, 2, 7])
def test_returns_equal_the_dense_powers(directed: bool, steps: int) -> None:
    assert_literal(mixed(directed), steps)


@pytest.mark.parametrize("directed", [False, True])
def test_working_memory_does_not_change_the_result(
    directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(randomwalk, "ENTRIES", 300)
    assert_literal(mixed(directed), 5)


def test_walk_follows_weights_in_proportion() -> None:
    graph = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 3.0), (1, 2, 1.0), (2, 0, 0.5), (1, 1, 2.0)])
    assert_literal([graph], 6)


def test_directed_cycle_returns_after_its_length() -> None:
    cycle = nx.cycle_graph(4, create_using=nx.DiGraph)
    found = RandomWalk(8).transform(from_networkx([cycle]))
    assert found.tolist() == [[0, 0, 0, 1, 0, 0, 0, 1]] * 4


def test_isolated_nodes_never_return() -> None:
    bare = GraphSet.build("bare", torch.tensor([3]), torch.tensor([0]), torch.zeros(2, 0))
    assert RandomWalk(4).transform(bare).tolist() == [[0.0] * 4] * 3


def test_relabelled_graph_has_relabelled_rows() -> None:
    graph = nx.gnp_random_graph(60, 0.06, seed=1)
    order = np.random.default_rng(0).permutation(60)
    moved = nx.Graph()
    moved.add_nodes_from(range(60))
    moved.add_edges_from((order[a], order[b]) for a, b in graph.edges)
    one = RandomWalk(8).transform(from_networkx([graph]))
    two = RandomWalk(8).transform(from_networkx([moved]))
    assert torch.allclose(two[torch.from_numpy(order)], one, atol=1e-7)


def test_negative_weights_are_refused() -> None:
    graph = nx.Graph()
    graph.add_edge(0, 1, weight=-1.0)
    with pytest.raises(DataError, match="negative edge weights"):
        RandomWalk().transform(from_networkx([graph]))


def test_real_proteins_agree_with_dense_powers(data_root: Path) -> None:
    from graphpool.data import read_tu, to_networkx

    graphs = read_tu(data_root / "PROTEINS.zip")
    found = RandomWalk(8).transform(graphs).numpy()
    for position in (0, 76, 500, 1112):
        graph = to_networkx(graphs[position])
        assert isinstance(graph, nx.Graph)
        part = found[graphs.node_ptr[position] : graphs.node_ptr[position + 1]]
        np.testing.assert_allclose(part, literal(graph, 8), atol=1e-6)
