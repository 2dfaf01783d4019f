import pytest
import torch
from random_graphs import packed, random_graphs

from graphpool.errors import DataError
from graphpool.graphs import Adjacency

PATH = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])


def test_every_row_begins_with_its_diagonal_slot() -> None:
    adjacency = Adjacency.from_edge_index(PATH, 3)
    assert adjacency.row_ptr.tolist() == [0, 2, 5, 7]
    assert adjacency.col.tolist() == [0, 1, 1, 0, 2, 2, 1]
    assert adjacency.row.tolist() == [0, 0, 1, 1, 1, 2, 2]
    assert adjacency.weight.tolist() == [0, 1, 0, 1, 1, 0, 1]
    assert adjacency.diagonal.tolist() == [True, False, True, False, False, True, False]
    assert adjacency.present.tolist() == [False, True, False, True, True, False, True]


def test_self_loops_fill_the_diagonal_slot_and_add_up() -> None:
    edges = torch.tensor([[0, 1, 1], [1, 1, 1]])
    adjacency = Adjacency.from_edge_index(edges, 2, torch.tensor([1.0, 2.0, 3.0]))
    assert adjacency.col.tolist() == [0, 1, 0]
    assert adjacency.weight.tolist() == [0.0, 5.0, 1.0]
    assert adjacency.dense().tolist() == [[0.0, 0.0], [1.0, 5.0]]


def test_repeated_edges_add_up_in_products() -> None:
    edges = torch.tensor([[0, 0], [1, 1]])
    adjacency = Adjacency.from_edge_index(edges, 2, torch.tensor([1.0, 2.0]))
    assert adjacency.col.shape[0] == 4
    assert adjacency.dense()[1, 0] == 3.0


def test_gcn_values_are_the_normalised_matrix_with_loops() -> None:
    gcn = Adjacency.from_edge_index(PATH, 3).gcn
    # Degrees of A + I on the path 0-1-2 are 2, 3, 2.
    side = 6**-0.5
    assert gcn.tolist() == pytest.approx([1 / 2, side, 1 / 3, side, side, 1 / 2, side])


@pytest.mark.parametrize("directed", [False, True])
def test_gcn_values_equal_the_dense_formula(directed: bool) -> None:
    adjacency = packed(random_graphs(6, directed=directed)).batch().adjacency
    full = adjacency.dense() + torch.eye(adjacency.num_nodes)
    scale = full.sum(1).rsqrt()
    found = torch.zeros_like(full)
    found[adjacency.row, adjacency.col] = adjacency.gcn
    assert torch.allclose(found, scale[:, None] * full * scale, atol=1e-6)


def test_negative_row_sums_give_zeros_and_no_infinity() -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    adjacency = Adjacency.from_edge_index(edges, 2, torch.tensor([-1.0, -3.0]))
    assert adjacency.gcn.tolist() == [0.0] * 4


def test_directed_and_unequally_weighted_edges_are_not_symmetric() -> None:
    weights = torch.tensor([1.0, 1.0, 2.0, 2.0])
    assert Adjacency.from_edge_index(PATH, 3, weights).symmetric
    assert not Adjacency.from_edge_index(PATH, 3, torch.arange(4.0)).symmetric
    assert not Adjacency.from_edge_index(PATH[:, :3], 3).symmetric


def test_reverse_lists_the_slots_of_the_transpose() -> None:
    adjacency = packed(random_graphs(6, directed=True)).batch().adjacency
    rows = torch.repeat_interleave(torch.arange(adjacency.num_nodes), adjacency.reverse_ptr.diff())
    dense = torch.zeros_like(adjacency.dense())
    columns = adjacency.row[adjacency.reverse]
    dense.index_put_((rows, columns), adjacency.weight[adjacency.reverse], accumulate=True)
    assert torch.equal(dense, adjacency.dense().t())


@pytest.mark.parametrize("bad", [3, -1])
def test_node_out_of_range_is_refused(bad: int) -> None:
    with pytest.raises(DataError, match="number them from 0 to 2"):
        Adjacency.from_edge_index(torch.tensor([[0], [bad]]), 3)


def test_no_edges_and_no_nodes() -> None:
    nothing = torch.zeros(2, 0, dtype=torch.long)
    assert Adjacency.from_edge_index(nothing, 2).gcn.tolist() == [1.0, 1.0]
    assert Adjacency.from_edge_index(nothing, 0).row_ptr.tolist() == [0]


def test_gradients_reach_edge_weights() -> None:
    weight = torch.ones(4, requires_grad=True)
    Adjacency.from_edge_index(PATH, 3, weight).dense().sum().backward()
    assert weight.grad is not None
    assert weight.grad.tolist() == [1.0] * 4
