"""Two graphs are told apart if their vectors differ by far more than those of one graph."""

import networkx as nx
import pytest
import torch
from hard_pairs import bicyclopentyl, decalin, triangles

import graphpool as gp
from graphpool.errors import DataError
from graphpool.evaluation.separation import (
    check_pairs,
    relabelled,
    separated,
    separated_by_refinement,
    separated_by_size,
)


def vectors(gap: float, spread: float) -> torch.Tensor:
    """Copies of two graphs whose vectors, of length 1, are so far apart and spread so far."""
    copies = torch.zeros(2, 2, 2, dtype=torch.float64)
    copies[..., 0] = 1.0
    copies[:, 1, 1] = gap
    copies[1, :, 1] += torch.tensor([-spread, spread])
    return copies


@pytest.mark.parametrize(
    ("gap", "spread", "apart"),
    [
        (0.0, 0.0, False),
        (1e-10, 0.0, False),  # below the floor
        (1e-8, 0.0, True),
        (1e-8, 1e-11, True),
        (1e-8, 1e-9, False),  # ten times the spread of one graph
        (0.5, 1e-3, True),
        (0.5, 0.1, False),
        (float("nan"), 0.0, False),
    ],
)
def test_the_gap_must_exceed_spread_and_floor(gap: float, spread: float, apart: bool) -> None:
    assert separated(vectors(gap, spread)).tolist() == [apart]


def test_vectors_of_zeros_are_not_told_apart() -> None:
    assert separated(torch.zeros(3, 4, 2, dtype=torch.float64)).tolist() == [False, False]


def test_the_nearest_copies_count() -> None:
    copies = torch.zeros(2, 2, 1, dtype=torch.float64)
    copies[:, 0, 0] = torch.tensor([1.0, 1.001])
    copies[:, 1, 0] = torch.tensor([1.002, 5.0])
    assert separated(copies).tolist() == [False]


def test_relabelled_graphs_are_the_same_graphs() -> None:
    graphs = gp.load("MUTAG", features=None)[:12]
    copy = relabelled(graphs, 1)
    assert not torch.equal(copy.edge_index, graphs.edge_index)
    for one, other in zip(gp.to_networkx(graphs), gp.to_networkx(copy), strict=True):
        assert nx.is_isomorphic(
            one, other, node_match=lambda a, b: a == b, edge_match=lambda a, b: a == b
        )


def test_orders_differ_between_seeds_and_are_repeatable() -> None:
    graphs = gp.load("MUTAG", features=None)[:4]
    one, again, other = (relabelled(graphs, seed).edge_index for seed in (1, 1, 2))
    assert torch.equal(one, again)
    assert not torch.equal(one, other)


def test_sizes_and_colours() -> None:
    pairs = [nx.cycle_graph(6), triangles(), decalin(), bicyclopentyl(),
             nx.path_graph(4), nx.star_graph(3), nx.path_graph(4), nx.path_graph(5)]  # fmt: skip
    graphs = gp.from_networkx(pairs)
    assert separated_by_size(graphs).tolist() == [False, False, False, True]
    assert separated_by_refinement(graphs).tolist() == [False, False, True, True]


@pytest.mark.parametrize("count", [1, 3])
def test_an_odd_number_of_graphs_is_an_error(count: int) -> None:
    graphs = gp.from_networkx([nx.path_graph(3)] * count, name="mine")
    with pytest.raises(DataError, match=r"mine has .* give pairs"):
        check_pairs(graphs)
