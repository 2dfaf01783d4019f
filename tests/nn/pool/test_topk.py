from typing import Any

import pytest
import torch
from plain import CHANNELS, batch_of, from_edges, random_graph
from torch import nn

from graphpool.errors import ConfigError
from graphpool.nn.pool.topk import TopKPool


@pytest.mark.parametrize("gate", ["sigmoid", "tanh"])
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.8])
def test_it_is_pyg_s_up_to_the_order_of_nodes(pyg: Any, ratio: float, gate: str) -> None:
    graphs = [random_graph(n, n, weighted=True).to(torch.float64) for n in (9, 1, 14, 6)]
    batch = batch_of(graphs)
    module = TopKPool(CHANNELS, ratio, gate).double()
    theirs = pyg.TopKPooling(CHANNELS, ratio, nonlinearity=gate).double()
    theirs.select.weight.data = module.weight.data.unsqueeze(0).clone()
    edges, weight = batch.adjacency.dense().t().nonzero().t(), batch.adjacency.dense().t()
    x, edge_index, edge_weight, where, index, _ = theirs(
        batch.x, edges, weight[tuple(edges)], batch.batch
    )
    out, order = module(batch.x, batch.adjacency, batch.segments), index.argsort()
    assert torch.equal(out.selection.index, index[order])
    assert torch.equal(out.level.segments.batch, where[order])
    torch.testing.assert_close(out.x, x[order])
    dense = torch.zeros(len(index), len(index)).double()
    dense[edge_index[1], edge_index[0]] = edge_weight
    torch.testing.assert_close(out.adjacency.dense(), dense[order][:, order])
    (mine,) = torch.autograd.grad(out.x.square().sum(), module.weight)
    (other,) = torch.autograd.grad(x.square().sum(), theirs.select.weight)
    torch.testing.assert_close(mine, other.squeeze(0))


def test_worked_out_by_hand() -> None:
    x = torch.tensor([[3.0, 4.0], [0.0, 1.0], [5.0, 0.0], [-5.0, 5.0]])
    batch = batch_of([from_edges(4, [(0, 1), (1, 2), (2, 0), (2, 3)], x)])
    module = TopKPool(2, 0.5)
    module.weight.data = torch.tensor([6.0, 8.0])
    out = module(batch.x, batch.adjacency, batch.segments)
    torch.testing.assert_close(out.selection.score, torch.tensor([5.0, 0.8, 3.0, 1.0]))
    assert out.selection.index.tolist() == [0, 2]
    gate = torch.tensor([[0.993307], [0.952574]])
    torch.testing.assert_close(out.x, x[[0, 2]] * gate, atol=1e-5, rtol=0)
    assert out.adjacency.dense().tolist() == [[0, 1], [1, 0]]


@torch.no_grad()
def test_saturated_scores_keep_their_order_here_and_lose_it_in_pyg(pyg: Any) -> None:
    x = torch.tensor([[20.0], [30.0], [40.0], [50.0]])  # tanh of each is 1
    batch = batch_of([from_edges(4, [(0, 1)], x)])
    module, theirs = TopKPool(1, gate="tanh"), pyg.TopKPooling(1)
    nn.init.ones_(module.weight)
    nn.init.ones_(theirs.select.weight)
    assert module(batch.x, batch.adjacency, batch.segments).selection.index.tolist() == [2, 3]
    assert sorted(theirs(batch.x, batch.edge_index)[4].tolist()) != [2, 3]


@torch.no_grad()
def test_the_length_of_the_projection_does_not_matter() -> None:
    batch, module = batch_of([random_graph(8).to(torch.float64)]), TopKPool(CHANNELS).double()
    one = module(batch.x, batch.adjacency, batch.segments)
    module.weight.mul_(1000)
    torch.testing.assert_close(module(batch.x, batch.adjacency, batch.segments).x, one.x)


def test_an_unknown_gate_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'sigmoid'"):
        TopKPool(3, gate="sigmod")
