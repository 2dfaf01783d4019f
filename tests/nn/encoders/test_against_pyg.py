"""Our layers against PyTorch Geometric's, weights copied over: results and gradients."""

import copy
from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, random_graph
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.nn.encoders import GATLayer, GCNLayer, GINLayer, GraphConvLayer


def batch(directed: bool, weighted: bool = False, loops: bool = False) -> GraphBatch:
    options = {"directed": directed, "weighted": weighted, "loops": loops}
    return batch_of([random_graph(n, n, **options) for n in (7, 1, 5, 12)])


def same(ours: nn.Module, found: Tensor, wanted: Tensor, pairs: dict[Tensor, Tensor]) -> None:
    """Equal results, and equal gradients of each pair (our parameter, theirs)."""
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    assert set(pairs) >= set(ours.parameters())
    weight = torch.randn_like(found)
    mine = torch.autograd.grad((found * weight).sum(), list(pairs))
    theirs = torch.autograd.grad((wanted * weight).sum(), list(pairs.values()))
    for one, other in zip(mine, theirs, strict=True):
        if one.shape != other.shape:
            other = other.t() if one.ndim == 2 and other.ndim == 2 else other.reshape(one.shape)
        torch.testing.assert_close(one, other, atol=1e-4, rtol=1e-4)


def gcn_pair(pyg: Any, out_channels: int, **options: bool) -> tuple[GCNLayer, Any]:
    ours, theirs = GCNLayer(CHANNELS, out_channels), pyg.GCNConv(CHANNELS, out_channels, **options)
    with torch.no_grad():
        ours.bias.normal_()
        theirs.lin.weight.copy_(ours.weight.t())
        theirs.bias.copy_(ours.bias)
    return ours, theirs


@pytest.mark.parametrize("out_channels", [3, 8])  # aggregate after and before the weights
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_gcn(pyg: Any, directed: bool, weighted: bool, out_channels: int) -> None:
    given = batch(directed, weighted)
    ours, theirs = gcn_pair(pyg, out_channels)
    x, y = given.x.clone().requires_grad_(), given.x.clone().requires_grad_()
    found = ours(x, given.adjacency)
    wanted = theirs(y, given.edge_index, given.edge_weight)
    pairs = {x: y, ours.weight: theirs.lin.weight, ours.bias: theirs.bias}
    same(ours, found, wanted, pairs)


def test_gcn_adds_the_identity_to_self_loops_where_pyg_leaves_them(pyg: Any) -> None:
    given = batch(directed=False, loops=True)
    ours, theirs = gcn_pair(pyg, 8)
    assert not torch.allclose(
        ours(given.x, given.adjacency), theirs(given.x, given.edge_index), atol=1e-3
    )
    # PyG without its loops, on A + I written out: the paper's Ã.
    ours, theirs = gcn_pair(pyg, 8, add_self_loops=False)
    source, target = (given.adjacency.dense() + torch.eye(given.num_nodes)).t().nonzero().t()
    weight = (given.adjacency.dense() + torch.eye(given.num_nodes))[target, source]
    wanted = theirs(given.x, torch.stack([source, target]), weight)
    torch.testing.assert_close(ours(given.x, given.adjacency), wanted, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize("directed", [False, True])
def test_gat(pyg: Any, directed: bool, heads: int, loops: bool) -> None:
    given = batch(directed, loops=loops)
    ours, theirs = GATLayer(CHANNELS, 8, heads), pyg.GATConv(CHANNELS, 8 // heads, heads)
    with torch.no_grad():
        ours.bias.normal_()
        theirs.lin.weight.copy_(ours.weight.t())
        theirs.att_src.copy_(ours.source.unsqueeze(0))
        theirs.att_dst.copy_(ours.target.unsqueeze(0))
        theirs.bias.copy_(ours.bias)
    x, y = given.x.clone().requires_grad_(), given.x.clone().requires_grad_()
    pairs = {
        x: y,
        ours.weight: theirs.lin.weight,
        ours.source: theirs.att_src,
        ours.target: theirs.att_dst,
        ours.bias: theirs.bias,
    }
    same(ours, ours(x, given.adjacency), theirs(y, given.edge_index), pairs)


@pytest.mark.parametrize("loops", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_gin(pyg: Any, directed: bool, loops: bool) -> None:
    given = batch(directed, loops=loops)
    ours = GINLayer(CHANNELS, 8)
    mlp = nn.Sequential(nn.Linear(CHANNELS, 8), nn.ReLU(), nn.Linear(8, 8))
    theirs = pyg.GINConv(mlp, train_eps=True)
    mlp.load_state_dict(ours.mlp.state_dict())  # after GINConv, which draws them anew
    with torch.no_grad():
        ours.eps.fill_(0.3)
        theirs.eps.fill_(0.3)
    x, y = given.x.clone().requires_grad_(), given.x.clone().requires_grad_()
    pairs = {x: y, ours.eps: theirs.eps}
    pairs |= dict(zip(ours.mlp.parameters(), mlp.parameters(), strict=True))
    same(ours, ours(x, given.adjacency), theirs(y, given.edge_index), pairs)


@pytest.mark.parametrize("directed", [False, True])
def test_graphconv(pyg: Any, directed: bool) -> None:
    given = batch(directed, loops=True)
    ours = GraphConvLayer(CHANNELS, 8)
    theirs = pyg.GraphConv(CHANNELS, 8)  # lin_rel is the neighbours' and has the bias
    with torch.no_grad():
        theirs.lin_root.weight.copy_(ours.own.weight)
        theirs.lin_rel.weight.copy_(ours.around.weight)
        theirs.lin_rel.bias.copy_(ours.own.bias)
    x, y = given.x.clone().requires_grad_(), given.x.clone().requires_grad_()
    pairs = {
        x: y,
        ours.own.weight: theirs.lin_root.weight,
        ours.own.bias: theirs.lin_rel.bias,
        ours.around.weight: theirs.lin_rel.weight,
    }
    last = copy.deepcopy(ours.out)
    pairs |= dict(zip(ours.out.parameters(), last.parameters(), strict=True))
    same(ours, ours(x, given.adjacency), last(theirs(y, given.edge_index).relu()), pairs)


def test_gat_weighs_neighbours_by_edge_weight() -> None:
    """Worked out by hand: with equal scores, attention is the normalised weight."""
    layer = GATLayer(1, 1, heads=1)
    with torch.no_grad():
        layer.weight.fill_(1.0)
        layer.source.zero_()
        layer.target.zero_()
    adj = torch.tensor([[0.0, 3.0, 0.0], [0.0, 0.0, 0.0], [0.5, 1.0, 2.0]])
    x = torch.tensor([[1.0], [2.0], [4.0]])
    # Row 0: itself (1) and node 1 (3); row 1: itself; row 2: its own loop counts 2.
    wanted = torch.tensor([[(1 + 3 * 2) / 4], [2.0], [(0.5 + 2 + 2 * 4) / 3.5]])
    given = batch_of([Plain(x, adj)])
    torch.testing.assert_close(layer(x, given.adjacency), wanted)
    torch.testing.assert_close(layer(x.unsqueeze(0), adj.unsqueeze(0))[0], wanted)


def test_dense_gat_has_finite_gradients_where_an_edge_has_no_weight() -> None:
    layer, x = GATLayer(CHANNELS, 8), torch.randn(2, 4, CHANNELS)
    adj = torch.rand(2, 4, 4)
    adj[0] = 0.0
    adj[1, 2] = 0.0
    adj.requires_grad_()
    layer(x, adj).square().sum().backward()
    assert adj.grad is not None
    assert adj.grad.isfinite().all()
    assert adj.grad[1, 0].abs().sum() > 0


def test_gat_hardly_looks_along_edges_of_negative_weight() -> None:
    layer, graph = GATLayer(CHANNELS, 8), random_graph(6, weighted=True)
    cut = graph.adj.clone()
    cut[0, graph.adj[0] > 0] = 0.0
    negative = cut.clone()
    negative[0, graph.adj[0] > 0] = -1.0
    assert not torch.equal(cut, negative)
    found, wanted = (
        layer(given.x, given.adjacency)
        for given in (batch_of([Plain(graph.x, adj)]) for adj in (negative, cut))
    )
    torch.testing.assert_close(found, wanted)
