"""Pairs of AIDS700nef and LINUX are at their published distance, and the mappings prove it.

Every fourth pair by default; all of them are `slow`.
"""

from pathlib import Path

import numpy as np
import pytest
from graphs_of import Published, published
from numpy.typing import NDArray

from graphpool.ged import METHODS, Answers, Costs, Limits, make_problem


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", ["AIDS700nef", "LINUX"])
def test_pairs_are_at_their_published_distance(name: str, every: int, data_root: Path) -> None:
    truth = published(data_root, name)
    pairs = np.column_stack(np.triu_indices(len(truth.graphs), 1)).astype(np.int64)[::every]
    answers = METHODS["exact"].solve(make_problem(truth.graphs, Costs()), pairs, Limits())

    np.testing.assert_array_equal(answers.lower, answers.upper)
    np.testing.assert_array_equal(answers.upper, truth.full[pairs[:, 0], pairs[:, 1]])
    expected = truth.ged[pairs[:, 0], pairs[:, 1]]
    known = expected >= 0
    assert known.sum() > 200_000 // every
    np.testing.assert_array_equal(answers.upper[known], expected[known])
    check_mappings(truth, pairs, answers)


def check_mappings(truth: Published, pairs: NDArray[np.int64], answers: Answers) -> None:
    """Every mapping is a permutation that costs the distance, counted edge by edge."""
    label, edge = dense(truth)
    size = label.shape[1]
    larger = np.maximum(*(truth.graphs.sizes[side] for side in pairs.T))
    given = np.arange(size) < larger[:, None]
    np.testing.assert_array_equal(answers.mapping >= 0, given)
    # Beyond a pair's size both graphs have empty nodes only: they stay where they are.
    mapping = np.where(given, answers.mapping, np.arange(size)).astype(np.int64)
    np.testing.assert_array_equal(
        np.sort(mapping, 1), np.broadcast_to(np.arange(size), mapping.shape)
    )
    for part in np.array_split(np.arange(len(pairs)), 20):
        first, second, image = pairs[part, 0], pairs[part, 1], mapping[part]
        nodes = label[first] != np.take_along_axis(label[second], image, 1)
        moved = edge[second[:, None, None], image[:, :, None], image[:, None, :]]
        edges = edge[first] != moved
        cost = nodes.sum(1) + edges.sum((1, 2)) // 2
        np.testing.assert_array_equal(cost, answers.upper[part])


def dense(truth: Published) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Node labels `[graphs, size]`, -1 for no node, and adjacency `[graphs, size, size]`."""
    arrays, count = truth.graphs.arrays, len(truth.graphs)
    size = int(truth.graphs.sizes.max())
    label = np.full((count, size), -1, dtype=np.int64)
    edge = np.zeros((count, size, size), dtype=np.bool_)
    for at in range(count):
        nodes = slice(arrays.node_ptr[at], arrays.node_ptr[at + 1])
        edges = slice(arrays.edge_ptr[at], arrays.edge_ptr[at + 1])
        label[at, : truth.graphs.sizes[at]] = arrays.node_label[nodes]
        edge[at, arrays.source[edges], arrays.target[edges]] = True
    return label, edge
