"""What every flat pooler keeps: the contract of `test_contract.py`, for readouts that learn."""

from collections.abc import Callable

import pytest
import torch
from plain import CHANNELS, LARGE, Largest, Plain, batch_of, odd_graphs, random_graph
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.segments import Segments
from graphpool.nn.pool.flat import FlatPool, segment_softmax
from graphpool.nn.pool.gated import GatedPool
from graphpool.nn.pool.mean_att import MeanAttPool
from graphpool.nn.pool.set2set import Set2Set
from graphpool.nn.pool.sort import SortPool

POOLERS: dict[str, Callable[[], FlatPool]] = {
    "mean-att": lambda: MeanAttPool(CHANNELS),
    "gated": lambda: GatedPool(CHANNELS, 7),
    "gated/squash": lambda: GatedPool(CHANNELS, squash=True),
    "gated/softmax": lambda: GatedPool(CHANNELS, attention="softmax"),
    "set2set": lambda: Set2Set(CHANNELS),
    "sort": lambda: SortPool(CHANNELS, 12),
    "sort/few": lambda: SortPool(CHANNELS, 3),
    "sort/one": lambda: SortPool(CHANNELS, 1),
}
every = pytest.mark.parametrize("name", POOLERS)
both = pytest.mark.parametrize("dtype", [torch.float32, torch.float64])


def made(name: str, dtype: torch.dtype = torch.float64, seed: int = 0) -> FlatPool:
    torch.manual_seed(seed)
    return POOLERS[name]().to(dtype).eval()


def graphs(dtype: torch.dtype = torch.float64) -> list[Plain]:
    return [random_graph(n, n).to(dtype) for n in (9, 2, 6, 13, 5)]


def pooled(module: FlatPool, given: list[Plain]) -> Tensor:
    batch = batch_of(given)
    out = module(batch)
    assert isinstance(out, Tensor)
    assert out.shape == (len(given), module.out_channels)
    return out


def spoken(out: Tensor) -> Tensor:
    draw = torch.Generator().manual_seed(3)
    return (out * torch.randn(out.shape, generator=draw).to(out.dtype)).sum()


@torch.no_grad()
@both
@every
def test_order_of_nodes_does_not_matter(name: str, dtype: torch.dtype) -> None:
    module, given = made(name, dtype), graphs(dtype)
    shuffled = [graph.permuted(torch.randperm(graph.nodes)) for graph in given]
    one, other = pooled(module, given), pooled(module, shuffled)
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@torch.no_grad()
@both
@every
def test_batch_mates_do_not_matter(name: str, dtype: torch.dtype) -> None:
    module, given = made(name, dtype), [*graphs(dtype), odd_graphs()["large features"].to(dtype)]
    together = pooled(module, given)
    alone = torch.cat([pooled(module, [graph]) for graph in given])
    relative = 1e-5 if dtype == torch.float32 else 1e-9
    torch.testing.assert_close(together, alone, atol=1e-6, rtol=relative)


@both
@pytest.mark.parametrize("odd", odd_graphs())
@every
def test_odd_graphs_are_finite_with_finite_gradients(
    name: str, odd: str, dtype: torch.dtype
) -> None:
    module, graph = made(name, dtype), odd_graphs()[odd].to(dtype)
    graph.x.requires_grad_()
    out = pooled(module, [graph])
    assert out.isfinite().all()
    for grad in torch.autograd.grad(spoken(out), [graph.x, *module.parameters()]):
        assert grad.isfinite().all()


@both
@every
def test_gradients_reach_every_parameter(name: str, dtype: torch.dtype) -> None:
    module = made(name, dtype)
    spoken(pooled(module, graphs(dtype))).backward()
    for where, weight in module.named_parameters():
        assert weight.grad is not None
        assert weight.grad.abs().max() > 0, where


@every
def test_gradients_are_those_of_small_differences(name: str) -> None:
    module, given = made(name), graphs()[:3]
    segments = batch_of(given).segments
    x = torch.cat([graph.x for graph in given]).requires_grad_()
    assert torch.autograd.gradcheck(lambda values: module(values, None, segments), (x,))


@torch.no_grad()
@every
def test_eval_mode_is_deterministic(name: str) -> None:
    module = made(name, torch.float32)
    assert torch.equal(pooled(module, graphs(torch.float32)), pooled(module, graphs(torch.float32)))


@torch.no_grad()
@every
def test_state_dict_round_trip_gives_the_same_answers(name: str) -> None:
    first, second = made(name, seed=1), made(name, seed=2)
    assert not torch.equal(pooled(first, graphs()), pooled(second, graphs()))
    second.load_state_dict(first.state_dict())
    assert torch.equal(pooled(first, graphs()), pooled(second, graphs()))


@torch.no_grad()
@every
def test_a_dense_level_means_the_same_as_a_ragged_one(name: str) -> None:
    module, given = made(name), [random_graph(6, seed).to(torch.float64) for seed in range(4)]
    dense = module(torch.stack([graph.x for graph in given]), None)
    torch.testing.assert_close(dense, pooled(module, given))


@torch.no_grad()
@every
def test_rows_that_are_no_nodes_do_not_count(name: str) -> None:
    module, given = made(name), graphs()
    wide = torch.full((len(given), 13, CHANNELS), 50.0, dtype=torch.float64)
    mask = torch.zeros(len(given), 13, dtype=torch.bool)
    for position, graph in enumerate(given):
        wide[position, : graph.nodes], mask[position, : graph.nodes] = graph.x, True
    torch.testing.assert_close(module(wide, None, ClusterMask(mask)), pooled(module, given))


@torch.no_grad()
@every
def test_a_batch_vector_means_the_same_as_segments(name: str) -> None:
    module, batch = made(name), batch_of(graphs())
    assert torch.equal(module(batch.x, batch.edge_index, batch.batch), module(batch))
    lone = graphs()[0]
    assert torch.equal(module(lone.x), pooled(module, [lone]))


@every
def test_a_large_graph_takes_memory_in_proportion_to_its_size(name: str) -> None:
    module, x = made(name, torch.float32), torch.randn(LARGE, CHANNELS, requires_grad=True)
    with Largest() as seen:
        out = module(x)
        spoken(out).backward()
    assert out.isfinite().all()
    assert LARGE <= seen.numbers <= 2 * LARGE * max(CHANNELS, 7)


@torch.no_grad()
def test_the_softmax_of_a_segment_is_that_of_its_nodes() -> None:
    scores = [300 * torch.randn(n, 3).double() for n in (4, 1, 7)]  # exp alone would overflow
    segments = Segments(torch.tensor([0, 4, 5, 12]))
    expected = torch.cat([score.softmax(0) for score in scores])
    torch.testing.assert_close(segment_softmax(torch.cat(scores), segments), expected)


def test_features_and_where_they_belong_must_be_of_one_form() -> None:
    module = made("mean-att", torch.float32)
    rows = ClusterMask(torch.ones(1, 3).bool())
    with pytest.raises(ValueError, match="need a batch vector or Segments"):
        module(torch.randn(3, CHANNELS), None, rows)
    with pytest.raises(ValueError, match="take ClusterMask"):
        module(torch.randn(1, 3, CHANNELS), None, Segments(torch.tensor([0, 3])))
    with pytest.raises(ValueError, match=f"takes in_channels={CHANNELS}"):
        module(torch.randn(3, CHANNELS + 1))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: GatedPool(3, attention="softmx"), "'softmax'"),
        (lambda: Set2Set(3, 0), "at least 1"),
        (lambda: SortPool(3, 0), "at least 1 node"),
        (lambda: SortPool(3, 4, span=0), "at least 1"),
    ],
)
def test_wrong_settings_are_refused(make: Callable[[], FlatPool], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()
