from typing import Any

import pytest
import torch
from plain import (
    CHANNELS,
    LARGE,
    LARGE_SLOTS,
    Largest,
    Plain,
    batch_of,
    large_graph,
    odd_graphs,
    random_graph,
)

from graphpool.errors import ConfigError
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.pool import DiffPool

CLUSTERS = 4


def layer(dtype: torch.dtype = torch.float64, clusters: int = CLUSTERS) -> DiffPool:
    made = DiffPool(CHANNELS, clusters).to(dtype).eval()
    for weight in made.parameters():  # sharper than at the start, so that nothing is nearly even
        torch.nn.init.normal_(weight)
    return made


def graphs(dtype: torch.dtype = torch.float64) -> list[Plain]:
    return [random_graph(n, n, weighted=True).to(dtype) for n in (9, 2, 6, 13)]


def coarsen(module: DiffPool, given: list[Plain]) -> PoolOutput:
    batch = batch_of(given)
    out = module(batch.x, batch.adjacency, batch.segments)
    assert isinstance(out, PoolOutput)
    return out


@torch.no_grad()
@pytest.mark.parametrize("form", ["ragged", "dense"])
@pytest.mark.parametrize("nodes", [1, 3, 8, 15])
def test_one_graph_equals_pyg(pyg: Any, nodes: int, form: str) -> None:
    graph, module = random_graph(nodes, nodes, weighted=True).to(torch.float64), layer()
    dense = graph.x.unsqueeze(0), graph.adj.unsqueeze(0)
    out = coarsen(module, [graph]) if form == "ragged" else module(*dense)
    assert module.scores is not None
    x, adj, link, entropy = pyg.dense_diff_pool(*dense, module.scores(*dense))
    torch.testing.assert_close(out.x, x)
    torch.testing.assert_close(out.adj, adj)
    # PyG divides the norm by N², we by N.
    torch.testing.assert_close(out.losses["link"], link * nodes)
    torch.testing.assert_close(out.losses["entropy"], entropy)


def test_gradients_are_those_of_pyg(pyg: Any) -> None:
    graph, module = random_graph(8, 8, weighted=True).to(torch.float64), layer()
    dense = graph.x.unsqueeze(0), graph.adj.unsqueeze(0)
    assert module.scores is not None
    x, adj, link, entropy = pyg.dense_diff_pool(*dense, module.scores(*dense))
    wanted = x.square().sum() + adj.square().sum() + 8 * link + entropy
    out = coarsen(module, [graph])
    found = out.x.square().sum() + out.adj.square().sum() + sum(out.losses.values())
    weights = list(module.parameters())
    mine, theirs = torch.autograd.grad(found, weights), torch.autograd.grad(wanted, weights)
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other)


@torch.no_grad()
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_order_of_nodes_does_not_matter(dtype: torch.dtype) -> None:
    module, given = layer(dtype), graphs(dtype)
    one = coarsen(module, given)
    other = coarsen(module, [graph.permuted(torch.randperm(graph.nodes)) for graph in given])
    torch.testing.assert_close(one.x, other.x, atol=1e-5, rtol=1e-5)
    torch.testing.assert_close(one.adj, other.adj, atol=1e-5, rtol=1e-5)
    for name, value in one.losses.items():
        torch.testing.assert_close(value, other.losses[name], atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_batch_mates_change_neither_outputs_nor_losses() -> None:
    module, given = layer(), [*graphs(), odd_graphs()["no edges"].to(torch.float64)]
    together, alone = coarsen(module, given), [coarsen(module, [graph]) for graph in given]
    for position, level in enumerate(alone):
        torch.testing.assert_close(together.x[position], level.x[0], atol=1e-6, rtol=0)
        torch.testing.assert_close(together.adj[position], level.adj[0], atol=1e-6, rtol=0)
    for name, value in together.losses.items():
        mean = torch.stack([level.losses[name] for level in alone]).mean()
        torch.testing.assert_close(value, mean, atol=1e-6, rtol=0)


@torch.no_grad()
def test_padding_changes_the_link_loss_of_pyg_and_not_ours(pyg: Any) -> None:
    graph, module = random_graph(6, 6).to(torch.float64), layer()
    assert module.scores is not None
    wide = torch.zeros(1, 12, CHANNELS).double(), torch.zeros(1, 12, 12).double()
    wide[0][0, :6], wide[1][0, :6, :6] = graph.x, graph.adj
    mask = (torch.arange(12) < 6).unsqueeze(0)
    own, padded = coarsen(module, [graph]), module(*wide, ClusterMask(mask))
    torch.testing.assert_close(padded.x, own.x)
    torch.testing.assert_close(padded.adj, own.adj)
    for name, value in own.losses.items():
        torch.testing.assert_close(padded.losses[name], value)
    theirs = pyg.dense_diff_pool(*wide, module.scores(*wide), mask)[2]
    assert theirs * 6 < 0.5 * own.losses["link"]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("odd", odd_graphs())
def test_odd_graphs_are_finite_with_finite_gradients(odd: str, dtype: torch.dtype) -> None:
    module, graph = layer(dtype), odd_graphs()[odd].to(dtype)
    graph.x.requires_grad_()
    out = coarsen(module, [graph])
    assert out.x.isfinite().all()
    assert out.adj.isfinite().all()
    total = out.x.sum() + out.adj.square().sum() + sum(out.losses.values())
    for grad in torch.autograd.grad(total, [graph.x, *module.parameters()]):
        assert grad.isfinite().all()


def test_losses_are_weighted_and_can_be_left_out() -> None:
    given, module = graphs(), layer()
    both = coarsen(module, given).losses
    assert set(both) == {"link", "entropy"}
    lighter = DiffPool(CHANNELS, CLUSTERS, link=0.25, entropy=0.0).double()
    lighter.load_state_dict(module.state_dict())
    torch.testing.assert_close(coarsen(lighter, given).losses, {"link": 0.25 * both["link"]})


@torch.no_grad()
def test_one_cluster_is_a_sum_without_parameters_and_losses() -> None:
    given, module = graphs(), layer(clusters=1)
    assert not list(module.parameters())
    out = coarsen(module, given)
    assert out.losses == {}
    torch.testing.assert_close(out.x[:, 0], torch.stack([graph.x.sum(0) for graph in given]))
    torch.testing.assert_close(out.adj.flatten(), torch.stack([g.adj.sum() for g in given]))


@torch.no_grad()
def test_edge_index_and_batch_vector_mean_the_same_as_adjacency_and_segments() -> None:
    module = layer(torch.float32)
    batch = batch_of([random_graph(5), random_graph(3)])
    one = module(batch.x, batch.adjacency, batch.segments)
    other = module(batch.x, batch.edge_index, batch.batch)
    assert torch.equal(one.x, other.x)
    assert torch.equal(one.adj, other.adj)
    assert module(batch.x, batch.edge_index).x.shape == (1, CLUSTERS, CHANNELS)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"clusters": 0}, "at least 1"), ({"link": -1.0}, "'link'"), ({"entropy": -1.0}, "'entropy'")],
)
def test_wrong_settings_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        DiffPool(**{"in_channels": 3, "clusters": 4, **options})


def test_features_and_adjacency_must_be_of_one_form() -> None:
    module = layer(torch.float32)
    with pytest.raises(ValueError, match=r"need an adjacency of shape \(2, 3, 3\)"):
        module(torch.randn(2, 3, CHANNELS), torch.zeros(2, 0).long())
    mask = ClusterMask(torch.ones(1, 3).bool())
    with pytest.raises(ValueError, match="need a batch vector or Segments"):
        module(torch.randn(3, CHANNELS), torch.zeros(2, 0).long(), mask)


def test_a_large_graph_takes_memory_in_proportion_to_its_size() -> None:
    (x, adjacency), module = large_graph(), layer(torch.float32, 16)
    with Largest() as seen:
        out = module(x, adjacency)
        (out.x.sum() + out.adj.sum() + sum(out.losses.values())).backward()
    assert all(value.isfinite() for value in out.losses.values())
    assert all(weight.grad is not None for weight in module.parameters())
    assert LARGE * 16 <= seen.numbers <= 2 * (LARGE * 16 + LARGE_SLOTS)
