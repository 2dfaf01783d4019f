"""The eigengap is where the spectrum has its largest step, and rounding never decides."""

import networkx as nx
import numpy as np
import pytest

from graphpool.graphs.places import eigengap
from graphpool.graphs.places.eigengap import eigengaps


def gap_of(graph: nx.Graph) -> int:
    """The definition, from a full spectrum."""
    dense = nx.to_numpy_array(graph)
    scale = np.diag(np.where(dense.sum(0) > 0, dense.sum(0), np.inf) ** -0.5)
    values = np.sort(np.linalg.eigvalsh(scale @ dense @ scale))[::-1]
    steps = [values[k - 1] - values[k] for k in range(2, min(12, len(dense) - 1) + 1)]
    return 2 + int(np.argmax(np.round(steps, 6)))


def laid(*graphs: nx.Graph) -> dict[str, object]:
    node_ptr = np.cumsum([0, *map(len, graphs)])
    rows = [sorted(graph[node]) for graph in graphs for node in range(len(graph))]
    return {
        "row_ptr": np.cumsum([0, *map(len, rows)]),
        "col": np.array([other for row in rows for other in row], dtype=np.int64),
        "weight": np.ones(sum(map(len, rows)), dtype=np.float32),
        "node_ptr": node_ptr,
    }


GRAPHS = [nx.ring_of_cliques(k, 5) for k in (3, 6, 11)] + [
    nx.random_labeled_tree(60, seed=1), nx.gnm_random_graph(15, 40, seed=0),
    nx.gnm_random_graph(15, 40, seed=1), nx.disjoint_union(nx.path_graph(4), nx.empty_graph(1)),
]  # fmt: skip


def test_it_is_what_the_definition_says() -> None:
    assert eigengaps(**laid(*GRAPHS)).tolist() == [gap_of(g) for g in GRAPHS]


def test_one_or_two_nodes_are_as_many_clusters() -> None:
    found = eigengaps(**laid(nx.empty_graph(1), nx.path_graph(2), nx.path_graph(3)))
    assert found.tolist() == [1, 2, 2]


def test_the_least_of_equal_steps_is_taken() -> None:
    """Of a matching of 4 pairs the eigenvalues are 1 (4 times) and −1; of nothing, all are 0."""
    pairs = nx.disjoint_union_all([nx.path_graph(2)] * 4)
    assert eigengaps(**laid(pairs, nx.empty_graph(9))).tolist() == [4, 2]


def test_lanczos_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [nx.ring_of_cliques(7, 80), nx.gaussian_random_partition_graph(150, 30, 9, 0.4, 0.01,
              seed=0), nx.ring_of_cliques(5, 25)]  # fmt: skip
    dense = eigengaps(**laid(*graphs))
    monkeypatch.setattr(eigengap, "_DENSE", 100)
    assert eigengaps(**laid(*graphs)).tolist() == dense.tolist() == [gap_of(g) for g in graphs]


def test_eigenvalues_too_close_to_part_give_two() -> None:
    assert eigengaps(**laid(nx.path_graph(5000))).tolist() == [2]
