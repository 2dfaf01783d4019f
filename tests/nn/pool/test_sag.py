from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, from_edges, random_graph
from torch import nn

from graphpool.graphs.batch import GraphBatch
from graphpool.nn.pool.sag import SAGPool


def pair(pyg: Any, sign: float, ratio: float = 0.5) -> tuple[SAGPool, Any]:
    """Ours and PyG's with the same layer; PyG's further weight has this sign."""
    ours = SAGPool(CHANNELS, ratio).double()
    theirs = pyg.SAGPooling(CHANNELS, ratio, GNN=pyg.GCNConv).double()
    theirs.gnn.lin.weight.data = ours.attend.weight.data.t().clone()
    theirs.gnn.bias.data = ours.attend.bias.data.clone()
    theirs.select.weight.data.fill_(0.7 * sign)
    return ours, theirs


def sample() -> GraphBatch:
    return batch_of([random_graph(n, 40 + n).to(torch.float64) for n in (9, 1, 14, 11)])


@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.8])
def test_it_is_pyg_s_where_the_further_weight_is_positive(pyg: Any, ratio: float) -> None:
    batch, (module, theirs) = sample(), pair(pyg, 1.0, ratio)
    x, edge_index, _, where, index, _ = theirs(batch.x, batch.edge_index, None, batch.batch)
    out, order = module(batch.x, batch.adjacency, batch.segments), index.argsort()
    assert torch.equal(out.selection.index, index[order])
    assert torch.equal(out.level.segments.batch, where[order])
    torch.testing.assert_close(out.x, x[order])
    dense = torch.zeros(len(index), len(index)).double()
    dense[edge_index[1], edge_index[0]] = 1.0
    assert torch.equal(out.adjacency.dense(), dense[order][:, order])
    mine = torch.autograd.grad(out.x.square().sum(), list(module.parameters()))
    other = torch.autograd.grad(x.square().sum(), [theirs.gnn.lin.weight, theirs.gnn.bias])
    torch.testing.assert_close(mine[0].t(), other[0])
    torch.testing.assert_close(mine[1], other[1])


@torch.no_grad()
def test_pyg_keeps_the_worst_nodes_where_that_weight_is_negative(pyg: Any) -> None:
    batch, (module, theirs) = batch_of([random_graph(12).to(torch.float64)]), pair(pyg, -1.0)
    score = theirs.gnn(batch.x, batch.edge_index).squeeze(-1)
    kept = theirs(batch.x, batch.edge_index)[4]
    assert set(kept.tolist()) == set(score.argsort()[:6].tolist())  # the smallest
    out = module(batch.x, batch.adjacency, batch.segments)
    assert set(out.selection.index.tolist()) == set(score.argsort()[6:].tolist())  # the largest


def test_that_sign_is_drawn_at_random_and_never_learned(pyg: Any) -> None:
    drawn = [pyg.SAGPooling(CHANNELS).select.weight.item() for _ in range(50)]
    assert 10 < sum(value < 0 for value in drawn) < 40
    batch, (_, theirs) = sample(), pair(pyg, -1.0)
    theirs(batch.x, batch.edge_index, None, batch.batch)[0].square().sum().backward()
    assert theirs.gnn.lin.weight.grad.abs().max() > 0.1
    assert theirs.select.weight.grad.abs().max() < 1e-12


@torch.no_grad()
def test_nodes_with_one_neighbourhood_stay_together_and_in_pyg_the_first_stays(pyg: Any) -> None:
    # 0 and 1 are joined and both touch 2: their sums, and so their scores, are equal and largest.
    x = torch.zeros(4, CHANNELS).double()
    x[:, 0] = torch.tensor([3.0, 2.0, 1.0, -8.0])
    edges = [(0, 1), (0, 2), (1, 2), (2, 3)]
    graph = Plain(x, from_edges(4, edges).adj.double())
    module, theirs = pair(pyg, 1.0, 0.25)
    module.attend.weight[0] = theirs.gnn.lin.weight[:, 0] = 1.0
    theirs_kept = []
    for order in (torch.tensor([0, 1, 2, 3]), torch.tensor([1, 0, 2, 3])):
        batch = batch_of([graph.permuted(order)])
        out = module(batch.x, batch.adjacency, batch.segments)
        torch.testing.assert_close(out.selection.score[0], out.selection.score[1])
        assert out.selection.index.tolist() == [0, 1]
        theirs_kept.append(theirs(batch.x, batch.edge_index)[0].flatten().tolist())
    assert theirs_kept[0] != theirs_kept[1]


@torch.no_grad()
def test_worked_out_by_hand() -> None:
    # A path of three: D̃ = 2, 3, 2; the middle's score is 4/3 + (1 + 5)/√6.
    x = torch.tensor([[1.0], [4.0], [5.0]])
    batch, module = batch_of([from_edges(3, [(0, 1), (1, 2)], x)]), SAGPool(1, 0.3)
    nn.init.ones_(module.attend.weight)
    out = module(batch.x, batch.adjacency, batch.segments)
    root = 6**0.5
    wanted = torch.tensor([1 / 2 + 4 / root, 4 / 3 + 6 / root, 5 / 2 + 4 / root])
    torch.testing.assert_close(out.selection.score, wanted)
    assert out.selection.index.tolist() == [2]
    torch.testing.assert_close(out.x, 5 * wanted[2:].tanh().unsqueeze(-1))
