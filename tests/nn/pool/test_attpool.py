import math

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, from_edges, random_graph
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.pool.attpool import AttPool, AttPoolGlobal, AttPoolLocal

KINDS: list[type[AttPool]] = [AttPoolGlobal, AttPoolLocal]

each = pytest.mark.parametrize("kind", KINDS)


def literal(graph: Plain, weight: Tensor, local: bool, ratio: float) -> tuple[Tensor, ...]:
    """Attention, features, adjacency and kept nodes of one graph, by dense loops."""
    nodes = graph.nodes
    full = graph.adj + torch.eye(nodes, dtype=graph.adj.dtype)
    raised = [math.exp(float(row @ weight)) for row in graph.x]
    attention = torch.zeros(nodes, dtype=graph.x.dtype)
    for i in range(nodes):
        if local:
            around = sum(float(full[i, j]) * raised[j] for j in range(nodes))
            attention[i] = float(full[i].sum()) * float(full[i, i]) * raised[i] / around
        else:
            attention[i] = raised[i] / sum(raised)
    best = sorted(range(nodes), key=lambda node: -float(attention[node]))
    index = sorted(best[: math.ceil(ratio * nodes)])
    share = torch.zeros(len(index), nodes, dtype=graph.x.dtype)
    for place, i in enumerate(index):
        for v in range(nodes):
            touched = sum(float(full[other, v]) for other in index)
            share[place, v] = float(full[i, v]) / touched if touched else 0.0
    x = share @ (attention.unsqueeze(-1) * graph.x)
    return attention, x, share @ full @ share.t(), torch.tensor(index)


@torch.no_grad()
@pytest.mark.parametrize("ratio", [0.3, 0.5, 0.8])
@pytest.mark.parametrize("directed", [False, True])
@each
def test_it_is_what_loops_over_dense_matrices_give(
    kind: type[AttPool], directed: bool, ratio: float
) -> None:
    graphs = [
        random_graph(n, 2, weighted=True, loops=True, directed=directed).to(torch.float64)
        for n in (9, 1, 14, 6)
    ]
    batch, module = batch_of(graphs), kind(CHANNELS, ratio).double()
    nn.init.normal_(module.weight)
    out = module(batch.x, batch.adjacency, batch.segments)
    local = kind is AttPoolLocal
    wanted = [literal(graph, module.weight, local, ratio) for graph in graphs]
    attention, x, adj, index = zip(*wanted, strict=True)
    start = batch.ptr[:-1].tolist()
    moved = [part + first for part, first in zip(index, start, strict=True)]
    assert torch.equal(out.selection.index, torch.cat(moved))
    torch.testing.assert_close(out.selection.score.exp(), torch.cat(attention))
    torch.testing.assert_close(out.x, torch.cat(x))
    torch.testing.assert_close(out.adjacency.dense(), torch.block_diag(*adj))
    assert out.adjacency.symmetric is not directed
    bare = kind(CHANNELS, ratio, connect="induced").double()
    bare.load_state_dict(module.state_dict())
    other = bare(batch.x, batch.adjacency, batch.segments)
    assert torch.equal(other.x, out.x)
    block = torch.block_diag(*(graph.adj for graph in graphs))
    assert torch.equal(other.adjacency.dense(), block[out.selection.index][:, out.selection.index])


@torch.no_grad()
@each
def test_a_node_is_shared_among_the_kept_ones_that_it_touches(kind: type[AttPool]) -> None:
    # Nothing is lost but nodes that touch none: weights of 1, features of 1.
    batch = batch_of([random_graph(12, 3).to(torch.float64)])
    module = kind(CHANNELS, 0.5).double()
    out = module(batch.x, batch.adjacency, batch.segments)
    full = batch.adjacency.dense() + torch.eye(12)
    touched = full[out.selection.index].sum(0) > 0
    held = (out.selection.score.exp().unsqueeze(-1) * batch.x)[touched].sum(0)
    torch.testing.assert_close(out.x.sum(0), held)


@torch.no_grad()
def test_local_attention_of_equal_nodes_does_not_depend_on_degree() -> None:
    batch, module = batch_of([from_edges(6, [(0, i) for i in range(1, 6)])]), AttPoolLocal(CHANNELS)
    score = module(batch.x, batch.adjacency, batch.segments).selection.score
    torch.testing.assert_close(score, torch.zeros(6), atol=1e-6, rtol=0)


@torch.no_grad()
def test_local_attention_disperses_what_global_attention_heaps_up() -> None:
    # A path; importance falls from one end, with a small local peak at the far end.
    importance = torch.tensor([9.0, 8.5, 8.0, 7.0, 3.0, 1.0, 2.0, 1.0])
    graph = from_edges(8, [(i, i + 1) for i in range(7)], importance.unsqueeze(-1))
    batch = batch_of([graph])
    kept = []
    for kind in KINDS:
        module = kind(1, 0.5)
        nn.init.ones_(module.weight)
        kept.append(module(batch.x, batch.adjacency, batch.segments).selection.index.tolist())
    assert kept[0] == [0, 1, 2, 3]
    assert 6 in kept[1]


@torch.no_grad()
@each
def test_attention_does_not_underflow(kind: type[AttPool]) -> None:
    x = torch.tensor([[1000.0], [0.0], [-500.0], [-501.0], [-502.0], [-503.0]])
    batch = batch_of([from_edges(6, [(i, i + 1) for i in range(5)], x)])
    module = kind(1, 0.5)
    nn.init.ones_(module.weight)
    out = module(batch.x, batch.adjacency, batch.segments)
    assert out.selection.score.isfinite().all()
    assert out.x.isfinite().all()
    if kind is AttPoolGlobal:  # all but the first have a softmax of 0 in single precision
        assert out.selection.index.tolist() == [0, 1, 2]


@torch.no_grad()
@each
def test_negative_weights_and_repeated_edges_stay_finite(kind: type[AttPool]) -> None:
    edge_index = torch.tensor([[0, 1, 1, 2, 2, 0, 0, 3, 3], [1, 0, 2, 1, 0, 2, 2, 3, 0]])
    weight = torch.tensor([-1.0, -1.0, 2.0, 2.0, -3.0, -3.0, 1.0, -1.0, 0.5])
    adjacency = Adjacency.from_edge_index(edge_index, 4, weight)
    out = kind(CHANNELS)(torch.randn(4, CHANNELS), adjacency)
    assert out.x.isfinite().all()
    assert out.adjacency.weight.isfinite().all()


def test_the_graph_that_was_given_is_left_alone() -> None:
    batch = batch_of([random_graph(8, weighted=True)])
    before = batch.adjacency.weight.clone()
    AttPoolLocal(CHANNELS)(batch.x, batch.adjacency, batch.segments)
    assert torch.equal(batch.adjacency.weight, before)


def test_an_unknown_connection_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'induced'"):
        AttPoolGlobal(3, connect="inducd")
