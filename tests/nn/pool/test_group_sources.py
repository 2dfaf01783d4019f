"""MinCutPool, DMoN, StructPool and GMT against PyG and against literal loops of their papers."""

import math
from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, from_edges, odd_graphs, random_graph
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.losses import LossInputs, collapse, modularity
from graphpool.nn.pool.dmon import DMoN
from graphpool.nn.pool.gmt import GMTPool, SeedAttention, SelfAttention
from graphpool.nn.pool.mincut import MinCutPool
from graphpool.nn.pool.structpool import StructPool, within

CLUSTERS = 4
WIDTH = 6


def graphs(**options: Any) -> list[Plain]:
    return [random_graph(n, n, weighted=True, **options).to(torch.float64) for n in (9, 2, 6, 13)]


def sharp(module: Any) -> Any:
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.7)
    return module.double().eval()


def dense(graph: Plain) -> tuple[Tensor, Tensor]:
    return graph.x.unsqueeze(0), graph.adj.unsqueeze(0)


def ragged(module: Any, given: list[Plain]) -> Any:
    batch = batch_of(given)
    return module(batch.x, batch.adjacency, batch.segments)


@torch.no_grad()
def test_mincut_equals_pyg(pyg: Any) -> None:
    module = sharp(MinCutPool(CHANNELS, CLUSTERS, hidden=8))
    for graph in graphs(loops=True):
        out = ragged(module, [graph])
        x, adj, cut, orthogonality = pyg.dense_mincut_pool(*dense(graph), module.scores(graph.x))
        torch.testing.assert_close(out.x, x)
        torch.testing.assert_close(out.adj, adj, atol=1e-5, rtol=1e-5)  # a floor under the degrees
        torch.testing.assert_close(out.losses["cut"] - 1, cut)
        torch.testing.assert_close(out.losses["orthogonality"], orthogonality)


@torch.no_grad()
def test_without_edges_the_cut_of_pyg_is_nan_and_ours_0(pyg: Any) -> None:
    graph, module = odd_graphs()["no edges"].to(torch.float64), MinCutPool(CHANNELS, 4).double()
    assert pyg.dense_mincut_pool(*dense(graph), module.scores(graph.x))[2].isnan()
    out = ragged(module, [graph])
    assert out.losses["cut"] == 0
    assert not out.adj.any()


@torch.no_grad()
def test_dmon_equals_pyg(pyg: Any) -> None:
    module = sharp(DMoN(CHANNELS, CLUSTERS, orthogonality=1.0))
    theirs = pyg.DMoNPooling(CHANNELS, CLUSTERS).double().eval()
    theirs.mlp.lins[0].load_state_dict(module.scores[0].state_dict())
    for graph in graphs(loops=True):
        out = ragged(module, [graph])
        share, x, adj, spectral, orthogonality, cluster = theirs(*dense(graph))
        torch.testing.assert_close(out.assignment, share[0])
        torch.testing.assert_close(out.x, x)
        torch.testing.assert_close(out.adj, adj, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(out.losses["modularity"], spectral)
        torch.testing.assert_close(out.losses["orthogonality"], orthogonality)
        torch.testing.assert_close(out.losses["collapse"], cluster)


@torch.no_grad()
def test_without_edges_the_modularity_of_pyg_is_nan_and_ours_0(pyg: Any) -> None:
    graph, module = odd_graphs()["no edges"].to(torch.float64), DMoN(CHANNELS, CLUSTERS).double()
    assert pyg.DMoNPooling(CHANNELS, CLUSTERS).double()(*dense(graph))[3].isnan()
    assert ragged(module, [graph]).losses["modularity"] == 0


def assigned(graph: Plain, share: Tensor) -> LossInputs:
    batch = batch_of([graph])
    coarse = (share.t() @ graph.adj @ share).unsqueeze(0)
    return LossInputs(share, coarse, batch.adjacency, batch.segments)


@pytest.mark.parametrize("directed", [False, True])
def test_modularity_equals_networkx_on_hard_clusters(directed: bool) -> None:
    networkx = pytest.importorskip("networkx")
    graph = random_graph(12, 5, weighted=True, directed=directed)
    cluster = torch.arange(12) % 3
    level = assigned(graph, nn.functional.one_hot(cluster).float())
    # Of a directed graph we take the mean of both directions.
    both = (graph.adj + graph.adj.t()) / 2
    wanted = networkx.community.modularity(
        networkx.from_numpy_array(both.numpy()),
        [(cluster == c).nonzero().flatten().tolist() for c in range(3)],
    )
    torch.testing.assert_close(-modularity(level), torch.tensor([wanted]).float())


def test_modularity_and_collapse_of_two_triangles_by_hand() -> None:
    graph = from_edges(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)])
    apart = nn.functional.one_hot(torch.tensor([0, 0, 0, 1, 1, 1])).float()
    torch.testing.assert_close(modularity(assigned(graph, apart)), torch.tensor([-0.5]))
    torch.testing.assert_close(collapse(assigned(graph, apart)), torch.tensor([0.0]))
    one = torch.tensor([[1.0, 0.0]]).expand(6, 2)
    torch.testing.assert_close(modularity(assigned(graph, one)), torch.tensor([0.0]))
    torch.testing.assert_close(collapse(assigned(graph, one)), torch.tensor([math.sqrt(2) - 1]))


def mean_field(module: StructPool, graph: Plain) -> Tensor:
    """The paper's algorithm, one node, cluster and pair at a time."""
    nodes, x = graph.nodes, graph.x.relu()
    reach = torch.eye(nodes).double()
    for _ in range(module.hops):
        reach = reach @ ((graph.adj != 0).double() + torch.eye(nodes).double())
    weight = torch.zeros(nodes, nodes).double()
    for i in range(nodes):
        for j in range(nodes):
            if i == j or (module.hops and not reach[i, j]):
                continue
            weight[i, j] = float(x[i] @ x[j]) * (float(graph.adj[i, j]) if module.hops == 1 else 1)
        if weight[i].sum() != 0:
            weight[i] = weight[i] / weight[i].sum()
    assert module.unary is not None
    unary, clusters = module.unary(*dense(graph))[0], module.clusters
    share = unary.softmax(-1)
    for _ in range(module.iterations):
        new = torch.zeros_like(share)
        for i in range(nodes):
            heard = [sum(weight[i, m] * share[m, c] for m in range(nodes)) for c in range(clusters)]
            for c in range(clusters):
                cost = sum(heard[m] * module.compatibility[m, c] for m in range(clusters))
                new[i, c] = unary[i, c] - cost
        share = new.softmax(-1)
    return share


@torch.no_grad()
@pytest.mark.parametrize("hops", [0, 1, 2, 3])
def test_structpool_equals_the_literal_mean_field(hops: int) -> None:
    module = sharp(StructPool(CHANNELS, 3, iterations=2, hops=hops))
    sparse = from_edges(8, [(0, 1), (1, 2), (2, 3), (3, 4), (6, 7)], torch.randn(8, CHANNELS))
    for graph in (random_graph(7, 1, weighted=True).to(torch.float64), sparse.to(torch.float64)):
        wanted = mean_field(module, graph)
        # A floor of 1e-6 stands under the sums of products.
        close = {"atol": 1e-5, "rtol": 1e-4}
        out = ragged(module, [graph])
        torch.testing.assert_close(out.assignment, wanted, **close)
        torch.testing.assert_close(out.adj[0], wanted.t() @ graph.adj @ wanted, **close)
        torch.testing.assert_close(module(*dense(graph)).assignment[0], wanted, **close)


@torch.no_grad()
def test_structpool_begins_by_drawing_joined_nodes_together() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (2, 3)]
    graph = from_edges(6, edges, torch.rand(6, CHANNELS) + 0.5)
    module = StructPool(CHANNELS, 2)

    def together() -> float:
        share = ragged(module, [graph]).assignment
        return sum(float(share[one] @ share[other]) for one, other in edges)

    drawn = together()
    nn.init.zeros_(module.compatibility)
    assert drawn > together()


@torch.no_grad()
def test_signed_products_would_break_the_weights_of_structpool() -> None:
    x = torch.tensor([[1.0, 0.0], [1.0, 0.0], [-1.0, 1e-7]]).double()
    graph = from_edges(3, [(0, 1), (0, 2)], x).to(torch.float64)
    module = sharp(StructPool(2, 2, hops=1))
    products = graph.x @ graph.x.t()
    assert products[0, 1] + products[0, 2] == 0  # the printed weights of node 0: ±∞
    out, wanted = ragged(module, [graph]), mean_field(module, graph)
    torch.testing.assert_close(out.assignment, wanted, atol=1e-5, rtol=1e-5)


def test_pairs_within_some_hops_are_those_of_the_matrix_power() -> None:
    graph = random_graph(15, 3, directed=True)
    graph.adj *= (torch.rand(15, 15) < 0.3).float()
    step = graph.adj + torch.eye(15)
    for hops in (1, 2, 3):
        near = within(batch_of([graph]).adjacency, hops)
        wanted = (torch.linalg.matrix_power(step, hops) > 0).float()
        assert torch.equal(near.dense(), wanted)


def fill(part: SeedAttention | SelfAttention, block: Any) -> None:
    """Give PyG's block the weights of ours."""
    block.attn.in_proj_weight.copy_(
        torch.cat([part.query.weight, part.key.weight, part.value.weight])
    )
    block.attn.in_proj_bias.copy_(torch.cat([part.query.bias, torch.zeros(WIDTH), part.value.bias]))
    block.attn.out_proj.load_state_dict(part.finish.mix.state_dict())
    block.lin.load_state_dict(part.finish.feed.state_dict())
    if block.layer_norm1 is not None:
        block.layer_norm1.load_state_dict(part.finish.first.state_dict())
        block.layer_norm2.load_state_dict(part.finish.second.state_dict())


@torch.no_grad()
@pytest.mark.parametrize("norm", [False, True])
def test_gmt_without_a_graph_equals_pyg(pyg: Any, norm: bool) -> None:
    from torch_geometric.nn.aggr import GraphMultisetTransformer

    module = sharp(GMTPool(WIDTH, seeds=3, heads=2, blocks=2, norm=norm, graph=False))
    theirs = GraphMultisetTransformer(WIDTH, 3, 2, heads=2, layer_norm=norm).double().eval()
    for part, other in ((module.seeds, theirs.pma1), (module.last, theirs.pma2)):
        other.seed.copy_(part.seed)
        fill(part, other.mab)
        # Before it attends, PyG's has relu(lin(x)): with the identity x, where x is positive.
        other.lin.weight.copy_(torch.eye(WIDTH))
        other.lin.bias.zero_()
    for part, other in zip(module.blocks, theirs.encoders, strict=True):
        fill(part, other.mab)
    given = [random_graph(n, n, channels=WIDTH).to(torch.float64) for n in (7, 1, 4)]
    for graph in given:
        graph.x.abs_()
    batch = batch_of(given)
    first = theirs.pma1(*theirs.to_dense_batch(batch.x, batch.batch))
    torch.testing.assert_close(module.seeds(batch.x, batch.segments)[0], first)
    for part, other in zip(module.blocks, theirs.encoders, strict=True):
        torch.testing.assert_close(part(first), other(first))
    # What the seeds have read may be negative, where that relu would change it.
    theirs.pma2.lin = nn.Identity()
    positive = first.abs()
    own, _ = module.last(positive.flatten(0, 1), Segments.equal(3, 3))
    torch.testing.assert_close(own, theirs.pma2(positive))


@torch.no_grad()
@pytest.mark.parametrize("clusters", [1, 4])
def test_gmt_equals_a_literal_loop(clusters: int) -> None:
    module = sharp(GMTPool(WIDTH, clusters, seeds=3, heads=2))
    given = [random_graph(n, n, channels=WIDTH, weighted=True).to(torch.float64) for n in (7, 1)]
    out = ragged(module, given)
    for position, graph in enumerate(given):
        looped = graph.adj + torch.eye(graph.nodes)
        scale = looped.sum(-1).rsqrt()
        seen = looped * scale[:, None] * scale[None] @ graph.x
        pooled, share = attend(module.seeds, module.seeds.seed, seen)
        for block in module.blocks:
            pooled = attend(block, pooled, pooled)[0]
        if module.last is not None:
            pooled, last = attend(module.last, module.last.seed, pooled)
            share = share @ last
        torch.testing.assert_close(out.x[position], pooled)
        rows = slice(*out.node_segments.ptr[position : position + 2])
        torch.testing.assert_close(out.assignment[rows], share)
        torch.testing.assert_close(out.assignment[rows].sum(0), torch.ones(clusters).double())


def attend(part: Any, query: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Multi-head attention of one graph, head by head and seed by seed; weights by node."""
    q, k, v = part.query(query), part.key(x), part.value(x)
    wide = WIDTH // part.heads
    read, shares = torch.zeros_like(q), []
    for head in range(part.heads):
        lane = slice(head * wide, (head + 1) * wide)
        share = torch.stack([(k[:, lane] @ row[lane] / math.sqrt(wide)).softmax(0) for row in q])
        read[:, lane] = share @ v[:, lane]
        shares.append(share.t())
    return part.finish(query, read), torch.stack(shares).mean(0)
