import warnings
from collections import Counter
from itertools import islice

import numpy as np
import pytest
import torch
from small import mutag

from graphpool.evaluation.baselines.wl import wl_counts, wl_kernels
from graphpool.graphs.graphset import GraphSet


def literal_kernel(graphs: GraphSet, iterations: int, labels: list[list[int]]) -> np.ndarray:
    """The kernel as the paper defines it: labels are nested tuples, counted in each graph."""
    counts = []
    for graph, names in zip(graphs, labels, strict=True):
        near = [[] for _ in range(graph.num_nodes)]
        for source, target in graph.edge_index.t().tolist():
            near[target].append(source)
        colours = [str(name) for name in names]
        count = Counter((0, colour) for colour in colours)
        for step in range(1, iterations + 1):
            colours = [
                f"({own}|{','.join(sorted(colours[other] for other in near[node]))})"
                for node, own in enumerate(colours)
            ]
            count.update((step, colour) for colour in colours)
        counts.append(count)
    kernel = np.array([[sum(a[key] * b[key] for key in a) for b in counts] for a in counts])
    length = np.sqrt(kernel.diagonal())
    return kernel / np.outer(length, length)


def grakel_kernel(graphs: GraphSet, iterations: int, labels: list[list[int]]) -> np.ndarray:
    """The kernel as grakel computes it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        grakel = pytest.importorskip("grakel")
        given = [
            [[tuple(edge) for edge in graph.edge_index.t().tolist()], dict(enumerate(names))]
            for graph, names in zip(graphs, labels, strict=True)
        ]
        kernel = grakel.WeisfeilerLehman(
            n_iter=iterations, base_graph_kernel=grakel.VertexHistogram, normalize=True
        )
        return kernel.fit_transform([grakel.Graph(edges, names) for edges, names in given])


@pytest.mark.parametrize("iterations", [1, 3])
def test_kernel_is_the_papers(iterations):
    graphs = mutag()[:60]
    labels = [graph.node_label.tolist() for graph in graphs]
    ours = list(wl_kernels(graphs, iterations))[iterations]
    np.testing.assert_allclose(ours, literal_kernel(graphs, iterations, labels), atol=1e-12)


@pytest.mark.parametrize("iterations", [1, 4])
def test_kernel_equals_grakels(iterations):
    graphs = mutag()
    labels = [graph.node_label.tolist() for graph in graphs]
    ours = list(wl_kernels(graphs, iterations))[iterations]
    np.testing.assert_allclose(ours, grakel_kernel(graphs, iterations, labels), atol=1e-12)


def test_without_labels_degrees_start():
    graphs = mutag()
    degrees = [
        torch.bincount(graph.edge_index[1], minlength=graph.num_nodes).tolist() for graph in graphs
    ]
    bare = GraphSet(
        "bare", graphs.node_ptr, graphs.edge_ptr, graphs.edge_index, graphs.ids, y=graphs.y
    )
    ours = list(wl_kernels(bare, 2))[2]
    np.testing.assert_allclose(ours, literal_kernel(bare, 2, degrees), atol=1e-12)


def test_counts_of_a_path_by_hand():
    # A path a - b - a and a single a: two labels, then ends, middle and the single node apart.
    graphs = GraphSet.build(
        "path",
        torch.tensor([3, 1]),
        torch.tensor([2, 0]),
        torch.tensor([[0, 1], [1, 2]]),
        undirected=True,
        node_label=torch.tensor([0, 1, 0, 0]),
    )
    first, second = (counts.toarray() for counts in islice(wl_counts(graphs, 1), 2))
    assert first.tolist() == [[2, 1], [1, 0]]
    assert sorted(map(tuple, second.T.tolist())) == [(0, 1), (1, 0), (2, 0)]


def test_kernel_of_two_graphs_ignores_all_others():
    graphs = mutag()
    alone = list(wl_kernels(graphs[[3, 8]], 3))[3]
    among = list(wl_kernels(graphs, 3))[3]
    np.testing.assert_allclose(alone, among[np.ix_([3, 8], [3, 8])], atol=1e-12)


def test_edge_labels_and_weights_do_not_count():
    graphs = mutag()
    plain = GraphSet(
        "plain", graphs.node_ptr, graphs.edge_ptr, graphs.edge_index, graphs.ids,
        node_label=graphs.node_label,
    )  # fmt: skip
    assert graphs.edge_label is not None
    np.testing.assert_array_equal(list(wl_kernels(graphs, 2))[2], list(wl_kernels(plain, 2))[2])
