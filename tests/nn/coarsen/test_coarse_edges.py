"""Features of coarse edges against sums written out edge by edge."""

from dataclasses import replace

import pytest
import torch
from plain import CHANNELS, EDGE_CHANNELS, Plain, batch_of, random_graph
from torch import Tensor, nn

from graphpool.config import ModelConfig
from graphpool.nn.coarsen.base import coarse_edges, form
from graphpool.nn.level import Level
from graphpool.nn.pool import ASAP, AttPoolGlobal, AttPoolLocal, DiffPool, TopKPool
from graphpool.nn.pool.attpool import _shares
from graphpool.nn.zoo.build import build_model

CLUSTERS = 3


def literal(graph: Plain, share: Tensor) -> Tensor:
    """log(1 + A') and the sum of features over 1 + A', of every pair of clusters."""
    count = torch.zeros(CLUSTERS, CLUSTERS)
    total = torch.zeros(CLUSTERS, CLUSTERS, EDGE_CHANNELS)
    for i in range(graph.nodes):
        for j in range(graph.nodes):
            both = torch.outer(share[i], share[j]) * graph.adj[i, j]
            count += both
            total += both.unsqueeze(-1) * graph.edges[i, j]
    return torch.cat([count.log1p().unsqueeze(-1), total / (1 + count).unsqueeze(-1)], -1)


@pytest.mark.parametrize("directed", [False, True])
def test_they_are_what_was_summed(directed: bool) -> None:
    options = {"directed": directed, "weighted": True, "loops": True}
    graphs = [random_graph(n, n, **options) for n in (6, 1, 9)]
    share = [torch.rand(graph.nodes, CLUSTERS).softmax(-1) for graph in graphs]
    level = Level.from_batch(batch_of(graphs))
    found = coarse_edges(torch.cat(share), level, form(torch.cat(share), level)[1])
    wanted = torch.stack([literal(*each) for each in zip(graphs, share, strict=True)])
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)


def test_a_dense_level_says_the_same_as_a_ragged_one() -> None:
    graphs = [random_graph(6, seed, weighted=True, loops=True) for seed in range(4)]
    share = torch.rand(4, 6, CLUSTERS).softmax(-1)
    edges = torch.stack([graph.edges for graph in graphs])
    x, adj = (torch.stack([getattr(graph, name) for graph in graphs]) for name in ("x", "adj"))
    dense, ragged = Level(x, adj, edges=edges), Level.from_batch(batch_of(graphs))
    flat = share.flatten(0, 1)
    found = coarse_edges(share, dense, form(share, dense)[1])
    torch.testing.assert_close(found, coarse_edges(flat, ragged, form(flat, ragged)[1]))


def test_selected_nodes_keep_the_features_of_their_edges() -> None:
    graph = random_graph(9, 2, loops=True)
    out = TopKPool(CHANNELS)(batch_of([graph]))
    index = out.selection.index
    wanted = Plain(graph.x[index], graph.adj[index][:, index])
    rows = out.level.edges.rows()
    adjacency = out.level.adjacency
    for slot, (i, j) in enumerate(zip(adjacency.row, adjacency.col, strict=True)):
        torch.testing.assert_close(rows[slot], graph.edges[index[i], index[j]])
    assert rows[adjacency.present].shape[0] == int((wanted.adj != 0).sum())


def members_of(pool: nn.Module, level: Level, index: Tensor) -> Tensor:
    """S, a row for each node that stays, dense."""
    _, adjacency, _ = level.ragged()
    if isinstance(pool, ASAP):
        share = pool._clusters(level, adjacency)[0]
    else:
        share = _shares(adjacency, index)
    dense = torch.zeros(adjacency.num_nodes, adjacency.num_nodes)
    dense[adjacency.row, adjacency.col] = share.detach()
    return dense[index]


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("kind", [ASAP, AttPoolGlobal, AttPoolLocal])
def test_those_of_gathered_nodes_are_what_was_summed(kind: type[nn.Module], directed: bool) -> None:
    options = {"directed": directed, "weighted": True, "loops": True}
    graphs = [random_graph(n, n, **options) for n in (6, 1, 9)]
    torch.manual_seed(0)
    pool = kind(CHANNELS)
    level = Level.from_batch(batch_of(graphs))
    out = pool(level)
    share = members_of(pool, level, out.selection.index)
    start, row = 0, 0
    rows, adjacency = out.level.edges.rows(), out.level.adjacency
    found = torch.zeros(adjacency.num_nodes, adjacency.num_nodes, EDGE_CHANNELS + 1)
    found[adjacency.row, adjacency.col] = rows.detach()
    weight = torch.zeros(adjacency.num_nodes, adjacency.num_nodes)
    weight[adjacency.row, adjacency.col] = adjacency.weight.detach()
    for graph, kept in zip(graphs, out.level.segments.ptr.diff().tolist(), strict=True):
        own = share[row : row + kept, start : start + graph.nodes]
        total = torch.einsum("ia,abc,jb->ijc", own, graph.edges * graph.adj.unsqueeze(-1), own)
        count = weight[row : row + kept, row : row + kept].unsqueeze(-1)
        wanted = torch.cat([count.log1p(), total / (1 + count)], -1)
        block = found[row : row + kept, row : row + kept]
        edge = count.squeeze(-1) != 0
        torch.testing.assert_close(block[edge], wanted[edge], atol=1e-5, rtol=1e-5)
        start, row = start + graph.nodes, row + kept


@pytest.mark.parametrize(
    "pooler", ["asap", "attpool-global", "attpool-local", "gpool", "diffpool", "hap-one-way"]
)
def test_encoders_after_every_kind_of_pooler_use_them(pooler: str) -> None:
    """Gradients of the second encoder reach the features of edges by way of the coarse ones."""
    batch = batch_of([random_graph(9, 2), random_graph(7, 1)])
    torch.manual_seed(0)
    settings = ModelConfig(pooler=pooler, encoder="gine", hidden_channels=8, norm="none")
    if pooler in ("diffpool", "hap-one-way"):
        settings = replace(settings, clusters=(4, 1))
    model = build_model(settings, CHANNELS, 2, edge_channels=EDGE_CHANNELS).eval()
    level = Level.from_batch(batch)
    table = batch.edges.table.clone().requires_grad_()
    level = Level(level.x, level.adjacency, level.segments, edges=batch.edges.with_table(table))
    coarsening = model.coarsenings[0]
    x = torch.randn(batch.x.shape[0], 8)
    out = coarsening(level.with_x(x))
    assert model.encoders[1].edge_channels == out.level.edge_channels > 0
    made = model.encoders[1](out.level)
    made.square().sum().backward()
    assert table.grad is not None
    assert bool(table.grad.isfinite().all())
    assert bool((table.grad != 0).any())


def test_they_are_made_only_where_an_encoder_uses_them() -> None:
    batch = batch_of([random_graph(9, 2), random_graph(5, 1)])
    for encoder, used in (("gcn", False), ("gine", True)):
        settings = ModelConfig(pooler="diffpool", encoder=encoder, hidden_channels=8)
        model = build_model(settings, CHANNELS, 2, edge_channels=EDGE_CHANNELS)
        first, last = model.levels(batch)
        assert (first.level.edges is not None) is used
        assert last.level.edges is None
    assert DiffPool(CHANNELS)(batch).level.edges.shape == (2, 8, 8, EDGE_CHANNELS + 1)


def test_what_differs_in_a_bond_alone_is_told_apart_by_coarse_edges() -> None:
    """Two graphs with the same nodes, whose kinds of edges stand between different parts."""
    graph = random_graph(8, 3)
    batch = batch_of([graph])
    table = torch.randn(batch.edges.table.shape[0], EDGE_CHANNELS)
    level = Level.from_batch(batch)
    share = torch.eye(4).repeat_interleave(2, 0)
    other = Level(level.x, level.adjacency, level.segments, edges=batch.edges.with_table(table))
    adj = form(share, level)[1]
    assert not torch.allclose(coarse_edges(share, level, adj), coarse_edges(share, other, adj))
