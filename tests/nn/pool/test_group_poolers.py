"""What every group pooler of other papers must keep; those of one cluster too."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from plain import CHANNELS, LARGE, Largest, batch_of, large_graph, odd_graphs, random_graph, sample
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.ops.products import segment_sum, spmm
from graphpool.nn.pool.asap import ASAP
from graphpool.nn.pool.dmon import DMoN
from graphpool.nn.pool.gmt import GMTPool
from graphpool.nn.pool.mincut import MinCutPool
from graphpool.nn.pool.structpool import StructPool

CLUSTERS = 4
COARSE: dict[str, Callable[[int], nn.Module]] = {
    "mincut": lambda width: MinCutPool(width, CLUSTERS),
    "mincut/hidden": lambda width: MinCutPool(width, CLUSTERS, hidden=8),
    "dmon": lambda width: DMoN(width, CLUSTERS, orthogonality=0.5),
    "structpool": lambda width: StructPool(width, CLUSTERS),
    "structpool/two hops": lambda width: StructPool(width, CLUSTERS, hops=2),
    "structpool/all pairs": lambda width: StructPool(width, CLUSTERS, hops=0),
    "gmt": lambda width: GMTPool(width, seeds=3, heads=1, norm=True),
    "gmt-last": lambda width: GMTPool(width, seeds=0, heads=1, graph=False),
    "gmt/clusters": lambda width: GMTPool(width, CLUSTERS, heads=width),
    "gmt/no graph": lambda width: GMTPool(width, CLUSTERS, heads=1, graph=False),
}
POOLERS: dict[str, Callable[[int], nn.Module]] = {
    **COARSE,
    "asap": ASAP,
    "asap/bare": lambda width: ASAP(width, ratio=0.3, encode=False),
}
ODD = odd_graphs()
DTYPES = {"single": torch.float32, "double": torch.float64}
every = pytest.mark.parametrize("name", POOLERS)
coarse = pytest.mark.parametrize("name", COARSE)
both = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)


def layer(name: str, dtype: torch.dtype = torch.float64, seed: int = 0) -> nn.Module:
    torch.manual_seed(seed)
    made = POOLERS[name](CHANNELS).to(dtype).eval()
    with torch.no_grad():
        for weight in made.parameters():  # away from the start, where some have special values
            weight.add_(0.3 * torch.randn_like(weight))
    return made


def read(out: PoolOutput) -> Tensor:
    """One row per graph that depends on features and edges of the level."""
    if out.assignment is not None:
        return torch.cat([out.x.flatten(1), out.adj.flatten(1)], -1)
    near = spmm(out.adjacency, out.adjacency.weight, out.x)
    wide = torch.cat([out.x, near, torch.ones_like(out.x[:, :1])], -1)
    return segment_sum((wide / 4).tanh(), out.level.segments)


def run(module: nn.Module, batch: GraphBatch) -> tuple[Tensor, dict[str, Tensor]]:
    out = module(batch.x, batch.adjacency, batch.segments)
    return read(out), out.losses


def spoken(out: Tensor, losses: dict[str, Tensor]) -> Tensor:
    """A scalar that depends on every entry, each in its own way, and on losses."""
    draw = torch.Generator().manual_seed(3)
    weight = torch.randn(out.shape, generator=draw).to(out.dtype)
    return (out * weight).sum() + sum(losses.values(), out.new_zeros(()))


@torch.no_grad()
@both
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@every
def test_order_of_nodes_does_not_matter(name: str, directed: bool, dtype: torch.dtype) -> None:
    module, graphs = layer(name, dtype), sample(dtype, directed)
    shuffled = [graph.permuted(torch.randperm(graph.nodes)) for graph in graphs]
    torch.testing.assert_close(
        run(module, batch_of(graphs)), run(module, batch_of(shuffled)), atol=1e-5, rtol=1e-5
    )


@torch.no_grad()
@every
def test_batch_mates_change_neither_outputs_nor_losses(name: str) -> None:
    module = layer(name)
    graphs = [*sample(torch.float64), *(graph.to(torch.float64) for graph in ODD.values())]
    together, losses = run(module, batch_of(graphs))
    alone = [run(module, batch_of([graph])) for graph in graphs]
    rows = torch.cat([out for out, _ in alone])
    torch.testing.assert_close(together, rows, atol=1e-6, rtol=1e-9)
    for term, value in losses.items():
        mean = torch.stack([own[term] for _, own in alone]).mean()
        torch.testing.assert_close(value, mean, atol=1e-6, rtol=0)


@both
@pytest.mark.parametrize("odd", ODD)
@every
def test_odd_graphs_are_finite_with_finite_gradients(
    name: str, odd: str, dtype: torch.dtype
) -> None:
    module, batch = layer(name, dtype), batch_of([ODD[odd].to(dtype)])
    batch.x.requires_grad_()
    out, losses = run(module, batch)
    assert out.isfinite().all()
    assert all(loss.isfinite() for loss in losses.values())
    spoken(out, losses).backward()
    assert batch.x.grad is not None
    assert batch.x.grad.isfinite().all()
    for where, weight in module.named_parameters():
        assert weight.grad is not None, where
        assert weight.grad.isfinite().all(), where


@both
@every
def test_gradients_reach_every_parameter(name: str, dtype: torch.dtype) -> None:
    module = layer(name, dtype)
    spoken(*run(module, batch_of(sample(dtype)))).backward()
    for where, weight in module.named_parameters():
        assert weight.grad is not None, where
        assert weight.grad.abs().max() > 1e-7, where


@every
def test_gradients_are_those_of_finite_differences(name: str) -> None:
    module, batch = layer(name), batch_of(sample(torch.float64)[:3])

    def value(x: Tensor) -> Tensor:
        out = module(x, batch.adjacency, batch.segments)
        return spoken(read(out), out.losses)

    assert torch.autograd.gradcheck(value, (batch.x.clone().requires_grad_(),), fast_mode=True)


@torch.no_grad()
@every
def test_eval_mode_is_deterministic(name: str) -> None:
    module, batch = layer(name, torch.float32), batch_of(sample(torch.float32))
    assert torch.equal(run(module, batch)[0], run(module, batch)[0])


@torch.no_grad()
@every
def test_state_dict_round_trip_gives_the_same_answers(name: str) -> None:
    first, second = layer(name, seed=1), layer(name, seed=2)
    batch = batch_of(sample(torch.float64))
    assert not torch.equal(run(first, batch)[0], run(second, batch)[0])
    second.load_state_dict(first.state_dict())
    assert torch.equal(run(first, batch)[0], run(second, batch)[0])


@both
@coarse
def test_ragged_equals_dense_with_its_gradients(name: str, dtype: torch.dtype) -> None:
    module = layer(name, dtype)
    graphs = [random_graph(6, seed, weighted=True, loops=True).to(dtype) for seed in range(4)]
    weights, batch = list(module.parameters()), batch_of(graphs)
    dense = module(torch.stack([g.x for g in graphs]), torch.stack([g.adj for g in graphs]))
    found = []
    for out in (module(batch.x, batch.adjacency, batch.segments), dense):
        grads = torch.autograd.grad(spoken(read(out), out.losses), weights)
        found.append((read(out), out.assignment.flatten(0, -2), out.losses, grads))
    close = 1e-4 if dtype == torch.float32 else 1e-9
    torch.testing.assert_close(found[0], found[1], atol=close, rtol=close)


@torch.no_grad()
@coarse
def test_padded_rows_of_a_dense_level_change_nothing(name: str) -> None:
    module, graph = layer(name), random_graph(6, 6, weighted=True).to(torch.float64)
    own = module(graph.x.unsqueeze(0), graph.adj.unsqueeze(0))
    x = torch.full((1, 11, CHANNELS), 3.0).double()
    adj = torch.zeros(1, 11, 11).double()
    x[0, :6], adj[0, :6, :6] = graph.x, graph.adj
    padded = module(x, adj, ClusterMask((torch.arange(11) < 6).unsqueeze(0)))
    torch.testing.assert_close(read(padded), read(own))
    torch.testing.assert_close(padded.losses, own.losses)
    torch.testing.assert_close(padded.assignment[:, :6], own.assignment)
    assert not padded.assignment[:, 6:].any()


@torch.no_grad()
@pytest.mark.parametrize("name", [name for name in COARSE if not name.startswith("gmt")])
def test_rows_of_the_assignment_sum_to_one_and_form_the_clusters(name: str) -> None:
    module, graph = layer(name), random_graph(9, 3).to(torch.float64)
    out = module(graph.x, batch_of([graph]).adjacency)
    torch.testing.assert_close(out.assignment.sum(-1), torch.ones(9).double())
    formed = out.assignment.t() @ graph.x
    if isinstance(module, DMoN):
        formed = nn.functional.selu(formed)
    torch.testing.assert_close(out.x[0], formed)


@torch.no_grad()
@pytest.mark.parametrize("kind", [MinCutPool, DMoN, StructPool])
def test_one_cluster_is_a_sum_without_parameters_and_losses(kind: Any) -> None:
    module, graphs = kind(CHANNELS, 1).double(), sample(torch.float64)
    assert not list(module.parameters())
    out = module(*(getattr(batch_of(graphs), part) for part in ("x", "adjacency", "segments")))
    assert out.losses == {}
    wanted = torch.stack([graph.x.sum(0) for graph in graphs])
    torch.testing.assert_close(out.x[:, 0], module.activate(wanted))


@torch.no_grad()
@every
def test_edge_index_and_batch_vector_mean_the_same_as_adjacency_and_segments(name: str) -> None:
    module = layer(name, torch.float32)
    batch = batch_of([random_graph(5), random_graph(3)])
    one = module(batch.x, batch.adjacency, batch.segments)
    other = module(batch.x, batch.edge_index, batch.batch)
    assert torch.equal(read(one), read(other))
    assert read(module(batch.x, batch.edge_index)).shape[0] == 1


@coarse
def test_features_and_adjacency_must_be_of_one_form(name: str) -> None:
    module = layer(name, torch.float32)
    with pytest.raises(ValueError, match=r"need an adjacency of shape \(2, 3, 3\)"):
        module(torch.randn(2, 3, CHANNELS), torch.zeros(2, 0).long())
    mask = ClusterMask(torch.ones(1, 3).bool())
    with pytest.raises(ValueError, match="need a batch vector or Segments"):
        module(torch.randn(3, CHANNELS), torch.zeros(2, 0).long(), mask)
    with pytest.raises(ValueError, match="take ClusterMask"):
        module(torch.randn(1, 3, CHANNELS), torch.zeros(1, 3, 3), torch.zeros(3).long())


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: MinCutPool(3, 0), "at least 1"),
        (lambda: MinCutPool(3, 4, cut=-1.0), "'cut'"),
        (lambda: MinCutPool(3, 4, hidden=-1), "hidden"),
        (lambda: DMoN(3, 4, collapse=float("nan")), "'collapse'"),
        (lambda: StructPool(3, 4, iterations=0), "iterations"),
        (lambda: StructPool(3, 4, hops=-1), "hops"),
        (lambda: ASAP(3, ratio=0.0), "ratio"),
        (lambda: GMTPool(6, clusters=0), "at least 1"),
        (lambda: GMTPool(6, heads=4), "multiple"),
        (lambda: GMTPool(6, heads=2, seeds=-1), "seeds"),
    ],
)
def test_wrong_settings_are_refused(make: Callable[[], nn.Module], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make()


@pytest.mark.parametrize(
    ("kind", "names"),
    [(MinCutPool, ("cut", "orthogonality")), (DMoN, ("modularity", "collapse", "orthogonality"))],
)
def test_losses_are_weighted_and_can_be_left_out(kind: Any, names: tuple[str, ...]) -> None:
    batch = batch_of(sample(torch.float64))
    heavy = kind(CHANNELS, CLUSTERS, **dict.fromkeys(names, 1.0))
    light = kind(CHANNELS, CLUSTERS, **{**dict.fromkeys(names, 0.0), names[0]: 0.25})
    light.load_state_dict(heavy.state_dict())
    full = run(heavy.double(), batch)[1]
    assert set(full) == set(names)
    found = run(light.double(), batch)[1]
    torch.testing.assert_close(found, {names[0]: 0.25 * full[names[0]]})


@every
def test_a_large_graph_takes_memory_in_proportion_to_its_size(name: str) -> None:
    (x, adjacency), module = large_graph(), layer(name, torch.float32)
    with Largest() as seen:
        out = module(x, adjacency)
        spoken(read(out), out.losses).backward()
    assert all(weight.grad is not None for weight in module.parameters())
    # Pairs up to two edges apart are some 15 a node, up to three as for ASAP's clusters 40.
    pairs = name.startswith("asap") or name == "structpool/two hops"
    assert seen.numbers <= LARGE * (100 if pairs else 32)
