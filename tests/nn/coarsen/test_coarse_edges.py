"""Features of coarse edges against sums written out edge by edge."""

import pytest
import torch
from plain import CHANNELS, EDGE_CHANNELS, Plain, batch_of, random_graph
from torch import Tensor

from graphpool.config import ModelConfig
from graphpool.nn.coarsen.base import coarse_edges, form
from graphpool.nn.level import Level
from graphpool.nn.pool import DiffPool, TopKPool
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
