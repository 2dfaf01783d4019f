"""Flat poolers against their papers' equations, node by node, and against PyG."""

import math
from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, random_graph
from torch import Tensor, nn

from graphpool.nn.pool.gated import GatedPool
from graphpool.nn.pool.mean_att import MeanAttPool
from graphpool.nn.pool.set2set import Set2Set


@pytest.fixture(scope="module")
def aggr() -> Any:
    return pytest.importorskip("torch_geometric.nn.aggr")


def graphs() -> list[Plain]:
    return [random_graph(n, n).to(torch.float64) for n in (9, 1, 6, 13)]


@torch.no_grad()
def test_mean_att_pool_is_the_equation_of_simgnn() -> None:
    module, given = MeanAttPool(CHANNELS).double(), graphs()
    weight = module.weight.tolist()
    expected = []
    for graph in given:
        nodes = graph.x.tolist()
        mean = [sum(node[a] for node in nodes) / len(nodes) for a in range(CHANNELS)]
        context = [
            math.tanh(sum(mean[a] * weight[a][b] for a in range(CHANNELS))) for b in range(CHANNELS)
        ]
        total = [0.0] * CHANNELS
        for node in nodes:
            like = sum(a * b for a, b in zip(node, context, strict=True))
            total = [t + a / (1 + math.exp(-like)) for t, a in zip(total, node, strict=True)]
        expected.append(total)
    batch = batch_of(given)
    torch.testing.assert_close(module(batch), torch.tensor(expected).double())


@torch.no_grad()
def test_mean_att_pool_of_one_node_by_hand() -> None:
    module = MeanAttPool(1)
    module.weight.fill_(2.0)
    # c = tanh(0.5 · 2) = 0.761594; σ(0.5 · 0.761594) = 0.594069; 0.594069 · 0.5 = 0.297034
    torch.testing.assert_close(module(torch.tensor([[0.5]])), torch.tensor([[0.297034]]))


@torch.no_grad()
@pytest.mark.parametrize("squash", [False, True])
def test_gated_pool_is_the_equation_of_gated_graph_networks(squash: bool) -> None:
    module, given = GatedPool(CHANNELS, 3, squash=squash).double(), graphs()
    gate, transform = module.gate, module.transform
    expected = []
    for graph in given:
        total = [0.0] * 3
        for node in graph.x:
            for channel in range(3):
                let = float(gate.weight[channel] @ node + gate.bias[channel])
                value = float(transform.weight[channel] @ node + transform.bias[channel])
                total[channel] += math.tanh(value) / (1 + math.exp(-let))
        expected.append([math.tanh(part) for part in total] if squash else total)
    batch = batch_of(given)
    torch.testing.assert_close(module(batch), torch.tensor(expected).double())


def same_gradients(module: nn.Module, ours: Tensor, theirs: Tensor) -> None:
    torch.testing.assert_close(ours, theirs)
    weights = list(module.parameters())
    found = torch.autograd.grad(ours.square().sum(), weights, retain_graph=True)
    wanted = torch.autograd.grad(theirs.square().sum(), weights)
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other)


def test_softmax_gated_pool_equals_pyg_with_its_gradients(aggr: Any) -> None:
    module, batch = GatedPool(CHANNELS, 3, "softmax").double(), batch_of(graphs())
    other = aggr.AttentionalAggregation(module.gate, nn.Sequential(module.transform, nn.Tanh()))
    same_gradients(module, module(batch), other(batch.x, batch.batch))


@torch.no_grad()
@pytest.mark.parametrize("steps", [1, 4])
def test_set2set_equals_pyg(aggr: Any, steps: int) -> None:
    module, batch = Set2Set(CHANNELS, steps).double(), batch_of(graphs())
    other = aggr.Set2Set(CHANNELS, steps).double()
    state = module.lstm.state_dict()
    other.lstm.load_state_dict({f"{name}_l0": value for name, value in state.items()})
    ours, theirs = module(batch), other(batch.x, batch.batch)
    torch.testing.assert_close(ours, theirs)


@torch.no_grad()
def test_set2set_asks_all_graphs_the_same_at_first() -> None:
    module, batch = Set2Set(CHANNELS, 1).double(), batch_of(graphs())
    question = module(batch)[:, :CHANNELS]
    assert torch.equal(question, question[:1].expand_as(question))
