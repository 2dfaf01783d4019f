from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, from_edges, random_graph, select_nodes
from torch import Tensor, nn

from graphpool.nn.pool.asap import ASAP


def layer(ratio: float = 0.5, encode: bool = True) -> ASAP:
    module = ASAP(CHANNELS, ratio, encode).double().eval()
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.4)
    return module


def without_twins(nodes: int, directed: bool = False) -> Plain:
    """Nodes with the same neighbours, themselves included, make equal clusters: a tie."""
    for seed in range(100):
        graph = random_graph(nodes, seed, directed=directed).to(torch.float64)
        if len((graph.adj + torch.eye(nodes)).unique(dim=0)) == nodes:
            return graph
    raise AssertionError(f"no graph of {nodes} nodes without twins")


def from_ours(pyg: Any, module: ASAP) -> Any:
    """PyG's layer with the weights of ours."""
    gnn = None if module.encoder is None else pyg.GCNConv
    theirs = pyg.ASAPooling(CHANNELS, module.ratio, gnn).double().eval()
    with torch.no_grad():
        theirs.select.weight.fill_(1.0)  # its sign is random, and decides between best and worst
        theirs.lin.load_state_dict(module.master.state_dict())
        attention = torch.cat([module.of_master.weight, module.of_member.weight], -1)
        theirs.att.weight.copy_(attention)
        theirs.att.bias.copy_(module.of_master.bias)
        theirs.gnn_score.lin1.load_state_dict(module.fit_near.state_dict())
        theirs.gnn_score.lin2.load_state_dict(module.fit_less.state_dict())
        theirs.gnn_score.lin3.load_state_dict(module.fit_own.state_dict())
        if module.encoder is not None:
            theirs.gnn_intra_cluster.lin.weight.copy_(module.encoder.weight.t())
            theirs.gnn_intra_cluster.bias.copy_(module.encoder.bias)
    return theirs


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("encode", [True, False], ids=["encoded", "bare"])
@torch.no_grad()
def test_it_equals_pyg(pyg: Any, encode: bool, directed: bool) -> None:
    module = layer(0.6, encode)
    given = [without_twins(nodes, directed) for nodes in (9, 4, 1, 12)]
    batch, out = batch_of(given), select_nodes(module, given)
    x, edges, weight, _, order = from_ours(pyg, module)(
        batch.x, batch.edge_index, batch.x.new_ones(batch.edge_index.shape[1]), batch.batch
    )
    assert torch.equal(order.sort()[0], out.selection.index)
    torch.testing.assert_close(out.x, x[order.argsort()])
    adj = torch.zeros(len(order), len(order)).double()
    adj[edges[1], edges[0]] = weight
    adj = adj[order.argsort()][:, order.argsort()]
    torch.testing.assert_close(out.adjacency.dense(), adj)


def literal(module: ASAP, graph: Plain) -> tuple[Tensor, Tensor, Tensor]:
    """Fitness, features and S of all clusters, one node and member at a time."""
    nodes = graph.nodes
    looped = graph.adj.clone()
    own = looped.diagonal()
    own[own == 0] = 1
    seen = graph.x
    if module.encoder is not None:
        seen = module.encoder(graph.x.unsqueeze(0), graph.adj.unsqueeze(0))[0]
    share, clusters = torch.zeros(nodes, nodes).double(), []
    for i in range(nodes):
        members = [j for j in range(nodes) if looped[i, j] != 0]
        master = module.master(torch.stack([seen[j] for j in members]).amax(0))
        logits = [module.of_master(master) + module.of_member(seen[j]) for j in members]
        alpha = nn.functional.leaky_relu(torch.cat(logits), module.slope).softmax(0)
        for j, a in zip(members, alpha, strict=True):
            share[j, i] = a
        clusters.append(sum(a * graph.x[j] for j, a in zip(members, alpha, strict=True)))
    x = torch.stack(clusters)
    fitness = [
        module.fit_own(x[i])
        + sum(looped[i, j] * (module.fit_near(x[j]) - module.fit_less(x[i])) for j in range(nodes))
        for i in range(nodes)
    ]
    return torch.cat(fitness), x, share.t() @ looped @ share


@torch.no_grad()
@pytest.mark.parametrize("directed", [False, True])
def test_it_equals_a_literal_loop_on_weighted_graphs_with_loops(directed: bool) -> None:
    module = layer(0.4)
    graph = random_graph(11, 4, weighted=True, loops=True, directed=directed).to(torch.float64)
    fitness, x, adj = literal(module, graph)
    index = fitness.topk(5)[1].sort()[0]
    out = select_nodes(module, [graph])
    torch.testing.assert_close(out.selection.score, fitness)
    assert torch.equal(out.selection.index, index)
    torch.testing.assert_close(out.x, x[index] * fitness[index].sigmoid().unsqueeze(-1))
    wanted = adj[index][:, index].fill_diagonal_(0)
    torch.testing.assert_close(out.adjacency.dense(), wanted)
    assert out.adjacency.symmetric is not directed


def test_gradients_of_the_coarse_edges_are_those_of_the_literal_loop() -> None:
    module, graph = layer(0.4), random_graph(11, 4, weighted=True).to(torch.float64)
    out = select_nodes(module, [graph])
    weights = [weight for name, weight in module.named_parameters() if "fit" not in name]
    pull = torch.randn(5, 5).double().fill_diagonal_(0)
    found = torch.autograd.grad((out.adjacency.dense() * pull).sum(), weights)
    wanted = literal(module, graph)[2][out.selection.index][:, out.selection.index]
    pull = (pull + pull.t()) / 2  # ours averages the two equal halves of a symmetric matrix
    torch.testing.assert_close(found, torch.autograd.grad((wanted * pull).sum(), weights))


@torch.no_grad()
def test_a_second_level_takes_what_the_first_gives() -> None:
    first, second = layer(), layer()
    one = select_nodes(first, [without_twins(nodes) for nodes in (12, 1, 7)])
    two = second(one.x, one.adjacency, one.level.segments)
    assert two.level.segments.ptr.diff().tolist() == [3, 1, 2]
    assert two.x.isfinite().all()


@torch.no_grad()
def test_equal_clusters_are_kept_or_dropped_together() -> None:
    # Of a path of 9 equal nodes those in the middle are alike: 5 have the same fitness.
    path = from_edges(9, [(node, node + 1) for node in range(8)]).to(torch.float64)
    module = layer(0.5)
    out = select_nodes(module, [path])
    mirrored = (8 - out.selection.index).sort()[0]
    assert torch.equal(mirrored, out.selection.index)
    for seed in range(5):
        order = torch.randperm(9, generator=torch.Generator().manual_seed(seed))
        other = select_nodes(module, [path.permuted(order)])
        assert torch.equal(order[other.selection.index].sort()[0], out.selection.index)


@pytest.mark.filterwarnings("ignore:Sparse")
@torch.no_grad()
def test_where_every_gate_is_one_ours_still_keeps_the_fittest_and_pyg_does_not(pyg: Any) -> None:
    module, graph = layer(0.5, encode=False), random_graph(10, 2).to(torch.float64)
    module.fit_own.bias.fill_(100.0)
    batch, out = batch_of([graph]), select_nodes(module, [graph])
    assert (out.selection.score.sigmoid() == 1).all()
    assert torch.equal(out.selection.index, out.selection.score.topk(5)[1].sort()[0])
    weight = batch.x.new_ones(batch.edge_index.shape[1])
    theirs = from_ours(pyg, module)(batch.x, batch.edge_index, weight)[-1]
    assert not torch.equal(theirs.sort()[0], out.selection.index)
