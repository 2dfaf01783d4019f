"""The coarsening by places against its literal form, and its gradients against finite differences.

Single precision runs compiled loops, double precision tensor operations; both are checked.
"""

import itertools

import literal
import pytest
import torch
from plain import CHANNELS, Plain, batch_of, random_graph
from torch import Tensor
from torch.autograd import gradcheck
from torch.func import functional_call

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.places.find import Places, places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.hap import CONNECTIONS, PLACE_ASSIGNMENTS, HAPCoarsening
from graphpool.nn.hap.places import PlaceAttention
from graphpool.nn.level import Level

DTYPES = {"compiled": torch.float32, "tensors": torch.float64}
COUNTS = (4, 1, 2, 5, 3)
SIZES = (7, 1, 4, 13, 6)
both = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
every = pytest.mark.parametrize(
    ("assignment", "connect", "profile"),
    list(itertools.product(PLACE_ASSIGNMENTS, CONNECTIONS, [True, False])),
)


def graphs(dtype: torch.dtype) -> list[Plain]:
    return [random_graph(n, n, weighted=True, loops=True).to(dtype) for n in SIZES]


def drawn_places() -> Places:
    """Shares drawn at random, some of them exactly 0, for graphs of `SIZES`."""
    draw = torch.Generator().manual_seed(4)
    parts = []
    for size, count in zip(SIZES, COUNTS, strict=True):
        share = torch.rand(size, count, generator=draw) + 0.05
        share[0, : count - 1] = 0.0
        share = share / share.sum(-1, keepdim=True)
        parts.append(torch.nn.functional.pad(share, (0, max(COUNTS) - count)))
    share = torch.cat(parts)
    return Places(share.argmax(-1), torch.tensor(COUNTS), share)


def layer(assignment: str, connect: str, profile: bool, dtype: torch.dtype) -> HAPCoarsening:
    """Every weight and running statistic away from where it starts."""
    made = HAPCoarsening(
        CHANNELS, assignment=assignment, connect=connect, rule=PlaceRule(), profile=profile
    )
    for value in (*made.parameters(), *made.buffers()):
        if value.is_floating_point():
            value.data.uniform_(-0.7, 0.7)
    if made.profile is not None:
        made.profile.norm.running_var.uniform_(0.5, 3.0)
    return made.to(dtype).eval()


def with_places(batch: GraphBatch, places: Places, x: Tensor | None = None) -> Level:
    """The level of a batch whose places are known."""
    x = batch.x if x is None else x
    return Level(x, batch.adjacency, batch.segments, place_source=lambda rule: places)


def check(out: PoolOutput, given: list[Plain], places: Places, module: HAPCoarsening) -> None:
    assert out.counts.tolist() == places.counts.tolist()
    weights = literal.place_weights_of(module.assign)
    profile = None if module.profile is None else literal.profile_weights_of(module.profile)
    sizes = [graph.nodes for graph in given]
    rows = out.assignment.split(sizes) if out.node_segments else tuple(out.assignment)
    tolerance = 2e-5 if given[0].x.dtype == torch.float32 else 1e-9
    for at, (graph, share) in enumerate(zip(given, places.share.split(sizes), strict=True)):
        count = int(places.counts[at])
        wanted = literal.coarsen_places(
            graph.x.tolist(), graph.adj.tolist(), share[:, :count].tolist(),
            weights, profile, module.connect,
        )  # fmt: skip
        found = out.x[at][:count], out.adj[at][:count, :count], rows[at][:, :count]
        for one, other in zip(found, wanted, strict=True):
            other_tensor = torch.tensor(other, dtype=one.dtype)
            torch.testing.assert_close(one, other_tensor, atol=tolerance, rtol=tolerance)
        # Clusters that the graph has not are zeros everywhere.
        assert not out.x[at][count:].any()
        assert not out.adj[at][count:].any()
        assert not out.adj[at][:, count:].any()
        assert not rows[at][:, count:].any()


@torch.no_grad()
@both
@every
def test_drawn_shares(assignment: str, connect: str, profile: bool, dtype: torch.dtype) -> None:
    given, module = graphs(dtype), layer(assignment, connect, profile, dtype)
    batch, places = batch_of(given), drawn_places()
    check(module(with_places(batch, places)), given, places, module)


@torch.no_grad()
@both
@every
def test_places_of_the_graphs(
    assignment: str, connect: str, profile: bool, dtype: torch.dtype
) -> None:
    given, module = graphs(dtype), layer(assignment, connect, profile, dtype)
    batch = batch_of(given)
    places = places_of(batch.adjacency, batch.segments, PlaceRule())
    assert len(set(places.counts.tolist())) > 1
    check(module(batch.x, batch.adjacency, batch.segments), given, places, module)


@torch.no_grad()
@both
@every
def test_dense_batch(assignment: str, connect: str, profile: bool, dtype: torch.dtype) -> None:
    given = [random_graph(9, seed, weighted=True, loops=True).to(dtype) for seed in range(5)]
    module, batch = layer(assignment, connect, profile, dtype), batch_of(given)
    places = places_of(batch.adjacency, batch.segments, PlaceRule())
    assert len(set(places.counts.tolist())) > 1
    dense = torch.stack([graph.x for graph in given]), torch.stack([graph.adj for graph in given])
    check(module(*dense), given, places, module)


@torch.no_grad()
@both
def test_directed_edges_keep_their_direction(dtype: torch.dtype) -> None:
    given = [random_graph(n, n, directed=True).to(dtype) for n in SIZES]
    batch, module = batch_of(given), layer("places", "plain", True, dtype)
    out = module(with_places(batch, drawn_places()))
    assert not torch.allclose(out.adj, out.adj.mT)
    check(out, given, drawn_places(), module)


@torch.no_grad()
@both
def test_a_wider_level_has_the_same_clusters(dtype: torch.dtype) -> None:
    """`clusters` of the module set the width, and the places how much of it each graph has."""
    given = graphs(dtype)
    batch, module = batch_of(given), HAPCoarsening(CHANNELS, 8).to(dtype).eval()
    places = drawn_places()
    out = module(with_places(batch, places))
    assert out.clusters == 8
    check(out, given, places, module)


def attended(
    module: PlaceAttention, batch: GraphBatch, values: tuple[Tensor, ...], x: Tensor
) -> Tensor:
    names = [name for name, _ in module.named_parameters()]
    given = dict(zip(names, values, strict=True))
    return functional_call(module, given, (x, batch.segments, drawn_places()))


def away_from_start(module: torch.nn.Module) -> tuple[Tensor, ...]:
    return tuple(torch.empty_like(value).uniform_(-0.7, 0.7) for value in module.parameters())


@pytest.mark.parametrize("content", [True, False])
def test_gradients_are_those_of_finite_differences(content: bool) -> None:
    module, batch = PlaceAttention(CHANNELS, 3, content).double(), batch_of(graphs(torch.float64))
    values = [value.requires_grad_() for value in away_from_start(module)]
    x = batch.x.clone().requires_grad_()
    inputs = (x, *values) if content else tuple(values)

    def function(*given: Tensor) -> Tensor:
        at, weights = (given[0], given[1:]) if content else (batch.x, given)
        return attended(module, batch, weights, at)

    assert gradcheck(function, inputs)


@pytest.mark.parametrize("channels", [1, 3, 8])
def test_compiled_gradients_are_those_of_tensor_operations(channels: int) -> None:
    module = PlaceAttention(CHANNELS, channels)
    start = away_from_start(module)
    found = []
    for dtype in DTYPES.values():
        batch = batch_of(graphs(dtype))
        inputs = [value.to(dtype).requires_grad_() for value in (batch.x, *start)]
        out = attended(module.to(dtype), batch, tuple(inputs[1:]), inputs[0])
        pull = torch.randn(out.shape, generator=torch.Generator().manual_seed(5)).to(dtype)
        found.append([out.detach(), *torch.autograd.grad((out * pull).sum(), inputs)])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one.double(), other, atol=2e-5, rtol=2e-4)


@pytest.mark.parametrize("connect", CONNECTIONS)
def test_gradients_of_the_whole_coarsening(connect: str) -> None:
    """Features and coarse edges back to every weight, compiled against tensor operations."""
    found = []
    for dtype in DTYPES.values():
        torch.manual_seed(0)
        module, batch = layer("places", connect, True, dtype), batch_of(graphs(dtype))
        x = batch.x.requires_grad_()
        out = module(with_places(batch, drawn_places(), x))
        pull = torch.Generator().manual_seed(5)
        total = sum(
            (part * torch.randn(part.shape, generator=pull).to(dtype)).sum()
            for part in (out.x, out.adj)
        )
        found.append(torch.autograd.grad(total, [x, *module.parameters()]))
    for one, other in zip(*found, strict=True):
        scale = other.abs().max()
        torch.testing.assert_close(one.double() / scale, other / scale, atol=2e-4, rtol=0)


@pytest.mark.parametrize("bad", [torch.nan, torch.inf, -torch.inf])
@both
def test_numbers_that_are_not_finite_come_out_again(bad: float, dtype: torch.dtype) -> None:
    module, batch = layer("places", "offdiagonal", True, dtype), batch_of(graphs(dtype))
    batch.x[9, 2] = bad  # a node of the third graph
    out = module(with_places(batch, drawn_places()))
    assert out.x.isfinite().all(-1).all(-1).tolist() == [True, True, False, True, True]


def test_backward_pass_leaves_the_incoming_gradient_alone() -> None:
    module, batch = PlaceAttention(CHANNELS, 3), batch_of(graphs(torch.float32))
    values = tuple(value.requires_grad_() for value in away_from_start(module))
    out = attended(module, batch, values, batch.x)
    incoming = torch.randn(max(COUNTS), batch.num_nodes)  # its transpose lies as the loop wants it
    before = incoming.clone()
    torch.autograd.grad(out, values, incoming.t())
    assert torch.equal(incoming, before)


def test_second_derivatives_are_refused_and_not_wrong() -> None:
    module, batch = PlaceAttention(CHANNELS, 3), batch_of(graphs(torch.float32))
    values = tuple(value.requires_grad_() for value in away_from_start(module))
    out = attended(module, batch, values, batch.x)
    torch.autograd.grad(out.square().sum(), values, retain_graph=True)
    with pytest.raises(RuntimeError, match="can't be differentiated twice"):
        torch.autograd.grad(out.square().sum(), values, create_graph=True)


def test_at_the_start_each_node_goes_where_most_of_its_share_is() -> None:
    """b = 0 and a small gate: M is nearly P itself."""
    batch, places = batch_of(graphs(torch.float64)), drawn_places()
    module = HAPCoarsening(CHANNELS, rule=PlaceRule(), assignment="places-only").double()
    out = module(with_places(batch, places))
    wanted = places.share.double()
    torch.testing.assert_close(out.assignment, wanted, atol=1e-5, rtol=0)
