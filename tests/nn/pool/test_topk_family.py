"""The contract of poolers that keep nodes, over all of them."""

from collections.abc import Callable

import pytest
import torch
from plain import (
    CHANNELS,
    LARGE,
    LARGE_SLOTS,
    Largest,
    Plain,
    batch_of,
    from_edges,
    large_graph,
    odd_graphs,
    random_graph,
    select_nodes,
)
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.nn.encoders import Encoder
from graphpool.nn.pool.attpool import AttPoolGlobal, AttPoolLocal
from graphpool.nn.pool.sag import SAGPool
from graphpool.nn.pool.topk import TopKPool

POOLERS: dict[str, Callable[..., nn.Module]] = {
    "topk": TopKPool,
    "topk/tanh": lambda *given: TopKPool(*given, gate="tanh"),
    "sag": SAGPool,
    "att-global": AttPoolGlobal,
    "att-local": AttPoolLocal,
    "att-global/induced": lambda *given: AttPoolGlobal(*given, connect="induced"),
    "att-local/induced": lambda *given: AttPoolLocal(*given, connect="induced"),
}
DTYPES = [torch.float32, torch.float64]

every = pytest.mark.parametrize("name", POOLERS)
both = pytest.mark.parametrize("dtype", DTYPES)


def layer(name: str, dtype: torch.dtype = torch.float64, ratio: float = 0.5) -> nn.Module:
    made = POOLERS[name](CHANNELS, ratio).to(dtype).eval()
    for weight in made.parameters():  # larger than at the start, so that nothing is nearly even
        nn.init.normal_(weight)
    return made


def sample(dtype: torch.dtype = torch.float64, directed: bool = False) -> list[Plain]:
    sizes = (9, 2, 6, 13, 1)
    return [random_graph(n, n, weighted=True, directed=directed).to(dtype) for n in sizes]


def connected() -> list[Plain]:
    """Graphs in which no node stands alone: among neighbours those would all be equal."""
    graphs = [random_graph(n, 0, weighted=True).to(torch.float64) for n in (9, 6, 13)]
    assert all((graph.adj.sum(0) > 0).all() for graph in graphs)
    return [*graphs, random_graph(1).to(torch.float64)]


def symmetric_graphs(dtype: torch.dtype) -> dict[str, Plain]:
    """Graphs whose nodes are partly alike, with constant features."""
    ring = [(i, (i + 1) % 6) for i in range(6)]
    return {
        "ring": from_edges(6, ring).to(dtype),
        "two rings": from_edges(10, [*ring, (6, 7), (7, 8), (8, 9), (9, 6)]).to(dtype),
        "naphthalene": from_edges(10, [*[(i, (i + 1) % 10) for i in range(10)], (0, 5)]).to(dtype),
        "star": from_edges(8, [(0, i) for i in range(1, 8)]).to(dtype),
        "cliques": from_edges(
            9, [(i, j) for b in (range(5), range(4, 9)) for i in b for j in b if i < j]
        ).to(dtype),
        "grid": from_edges(
            9, [(i, i + 1) for i in range(9) if i % 3 < 2] + [(i, i + 3) for i in range(6)]
        ).to(dtype),
    }


def assert_same_up_to_order(module: nn.Module, graph: Plain, order: Tensor) -> None:
    """The permuted graph keeps the same nodes, with the same features and edges."""
    one, other = select_nodes(module, [graph]), select_nodes(module, [graph.permuted(order)])
    old = order[other.selection.index]  # the numbers that they had before
    back = old.argsort()
    assert torch.equal(old[back], one.selection.index)
    torch.testing.assert_close(other.x[back], one.x, atol=1e-5, rtol=1e-5)
    dense = other.adjacency.dense()[back][:, back]
    torch.testing.assert_close(dense, one.adjacency.dense(), atol=1e-5, rtol=1e-5)


@torch.no_grad()
@both
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@every
def test_the_numbering_of_nodes_does_not_matter(
    name: str, directed: bool, dtype: torch.dtype
) -> None:
    module = layer(name, dtype)
    for graph in [*sample(dtype, directed), *(g.to(dtype) for g in odd_graphs().values())]:
        assert_same_up_to_order(module, graph, torch.randperm(graph.nodes))


@pytest.mark.usefixtures("unchecked_shapes")  # the test above checks them
@torch.no_grad()
@both
@pytest.mark.parametrize("ratio", [0.3, 0.6])
@every
def test_nor_does_it_among_nodes_that_are_alike(
    name: str, ratio: float, dtype: torch.dtype
) -> None:
    module, encoder = layer(name, dtype, ratio), Encoder("gcn", CHANNELS, CHANNELS).to(dtype)
    for graph in symmetric_graphs(dtype).values():
        for _ in range(2):
            order = torch.randperm(graph.nodes)
            assert_same_up_to_order(module, graph, order)
            # Other numbers, another order of summation: what was equal differs by rounding.
            adjacency = batch_of([graph]).adjacency
            shuffled = graph.permuted(order)
            moved = encoder(shuffled.x, batch_of([shuffled]).adjacency)
            one = select_nodes(module, [Plain(encoder(graph.x, adjacency), graph.adj)])
            other = select_nodes(module, [Plain(moved, shuffled.adj)])
            assert torch.equal(order[other.selection.index].sort().values, one.selection.index)


@torch.no_grad()
@both
@every
def test_a_graph_does_not_see_its_batch_mates(name: str, dtype: torch.dtype) -> None:
    module, graphs = layer(name, dtype), [*sample(dtype), odd_graphs()["no edges"].to(dtype)]
    together = select_nodes(module, graphs)
    start, relative = 0, 1e-5 if dtype == torch.float32 else 1e-9
    dense = together.adjacency.dense()
    for position, graph in enumerate(graphs):
        alone = select_nodes(module, [graph])
        first, last = (
            together.level.segments.ptr[position],
            together.level.segments.ptr[position + 1],
        )
        assert torch.equal(together.selection.index[first:last], alone.selection.index + start)
        torch.testing.assert_close(together.x[first:last], alone.x, atol=1e-6, rtol=relative)
        block = dense[first:last, first:last]
        torch.testing.assert_close(block, alone.adjacency.dense(), atol=1e-6, rtol=relative)
        start += graph.nodes
    assert together.losses == {}
    ids = together.level.segments.batch
    assert not dense[ids.unsqueeze(0) != ids.unsqueeze(1)].any()


@both
@every
def test_odd_graphs_are_finite_with_finite_gradients(name: str, dtype: torch.dtype) -> None:
    module = layer(name, dtype)
    for odd, graph in odd_graphs().items():
        graph = graph.to(dtype)
        graph.x.requires_grad_()
        out = select_nodes(module, [graph])
        assert 1 <= out.x.shape[0] <= graph.nodes
        assert out.x.isfinite().all(), odd
        assert out.adjacency.gcn.isfinite().all(), odd
        for grad in torch.autograd.grad(out.x.square().sum(), [graph.x, *module.parameters()]):
            assert grad.isfinite().all(), odd


@both
@every
def test_gradients_reach_every_parameter(name: str, dtype: torch.dtype) -> None:
    module = layer(name, dtype)
    select_nodes(module, sample(dtype)).x.square().sum().backward()
    for where, weight in module.named_parameters():
        assert weight.grad is not None
        assert weight.grad.abs().max() > 0, where


@every
def test_gradients_are_those_of_small_differences(name: str) -> None:
    module, (graph, *_) = layer(name), sample()
    batch = batch_of([graph])

    def features(x: Tensor, *_: Tensor) -> Tensor:
        return module(x, batch.adjacency, batch.segments).x

    inputs = (graph.x.clone().requires_grad_(), *module.parameters())
    assert torch.autograd.gradcheck(features, inputs)


@torch.no_grad()
@every
def test_eval_mode_is_deterministic(name: str) -> None:
    module = layer(name)
    one, other = select_nodes(module, sample()), select_nodes(module, sample())
    assert torch.equal(one.x, other.x)
    assert torch.equal(one.adjacency.weight, other.adjacency.weight)


@torch.no_grad()
@every
def test_state_dict_round_trip_gives_the_same_answers(name: str) -> None:
    first, second = layer(name), layer(name)
    second.load_state_dict(first.state_dict())
    assert torch.equal(select_nodes(first, sample()).x, select_nodes(second, sample()).x)


@torch.no_grad()
@every
def test_every_graph_keeps_its_share(name: str) -> None:
    out = select_nodes(layer(name, ratio=0.3), connected())
    assert out.level.segments.ptr.diff().tolist() == [3, 2, 4, 1]
    assert out.adjacency.num_nodes == out.x.shape[0] == out.selection.index.shape[0] == 10


@torch.no_grad()
@every
def test_edge_index_and_batch_vector_mean_the_same_as_adjacency_and_segments(name: str) -> None:
    module = layer(name, torch.float32)
    batch = batch_of([random_graph(5), random_graph(3)])
    one = module(batch.x, batch.adjacency, batch.segments)
    other = module(batch.x, batch.edge_index, batch.batch)
    assert torch.equal(one.x, other.x)
    assert torch.equal(one.adjacency.dense(), other.adjacency.dense())
    assert module(batch.x, batch.edge_index).level.segments.num_graphs == 1


@torch.no_grad()
@every
def test_levels_follow_one_another(name: str) -> None:
    module = layer(name)
    level = select_nodes(module, sample())
    for _ in range(3):
        following = module(level.x, level.adjacency, level.level.segments)
        assert following.x.isfinite().all()
        assert following.level.segments.num_graphs == level.level.segments.num_graphs
        assert 5 <= following.x.shape[0] <= level.x.shape[0]
        level = following


@every
def test_wrong_ratios_are_refused(name: str) -> None:
    with pytest.raises(ConfigError, match="ratio"):
        POOLERS[name](CHANNELS, 1.5)


@every
def test_a_large_graph_takes_memory_in_proportion_to_its_size(name: str) -> None:
    (x, adjacency), module = large_graph(), layer(name, torch.float32)
    with Largest() as seen:
        out = module(x, adjacency)
        out.x.sum().backward()
    assert abs(out.x.shape[0] - LARGE // 2) < 10  # so many scores are nearly equal now and then
    # Gathered edges lead up to three steps: few more in a sparse graph, never all pairs.
    gathered = name in ("att-global", "att-local")
    assert seen.numbers <= (150 * LARGE if gathered else LARGE * CHANNELS + 2 * LARGE_SLOTS)
