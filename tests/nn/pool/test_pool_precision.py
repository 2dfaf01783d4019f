"""Poolers in single precision, compiled and plain, against double precision."""

import copy
import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import spmm
from graphpool.nn.ops.spgemm import Sparse
from graphpool.nn.pool.asap import ASAP, as_adjacency
from graphpool.nn.pool.gmt import GMTPool
from graphpool.nn.pool.structpool import StructPool
from graphpool.nn.pool.topk_base import select_topk

WIDTH = 6
SIZES = (7, 1, 4, 2, 13)
Read = Callable[[Any], tuple[Tensor, ...]]
pytestmark = pytest.mark.usefixtures("both_ways")


def level(directed: bool = False, channels: int = WIDTH) -> GraphBatch:
    options = {"weighted": True, "loops": True, "directed": directed, "channels": channels}
    return batch_of([random_graph(n, n, **options) for n in SIZES])


def sharp(module: nn.Module) -> nn.Module:
    """With weights large enough for attention to be uneven, and biases that are not 0."""
    torch.manual_seed(3)
    for weight in module.parameters():
        nn.init.normal_(weight, std=0.5)
    return module


def as_dtype(adjacency: Adjacency, dtype: torch.dtype) -> Adjacency:
    """Its weights in this precision, to be differentiated."""
    weight = adjacency.weight.to(dtype).clone().requires_grad_()
    return Adjacency(adjacency.row_ptr, adjacency.col, weight, adjacency.symmetric)


def run(module: nn.Module, x: Tensor, *where: Any, read: Read) -> list[Tensor]:
    """What `read` takes from the result, then the gradients of a weighted sum of it."""
    x = x.clone().requires_grad_()
    out = read(module(x, *where))
    total = torch.zeros((), dtype=x.dtype)
    for number, part in enumerate(out):
        weight = torch.randn(part.shape, generator=torch.Generator().manual_seed(number))
        total = total + (part * weight.to(part.dtype)).sum()
    inputs = [x, *module.parameters()]
    edges = getattr(where[0], "weight", None)
    if edges is not None and edges.requires_grad:
        inputs.append(edges)
    grads = torch.autograd.grad(total, inputs, allow_unused=True, materialize_grads=True)
    return [*(part.detach() for part in out), *grads]


def same(found: list[Tensor], wanted: list[Tensor]) -> None:
    for one, other in zip(found, wanted, strict=True):
        assert one.dtype is torch.float32
        size = max(1.0, float(other.abs().max())) if other.numel() else 1.0
        torch.testing.assert_close(one.double(), other, atol=2e-5 * size, rtol=1e-4)


def check(module: nn.Module, x: Tensor, adjacency: Any, where: Any, read: Read) -> None:
    """The module in single precision gives what it gives in double."""
    exact = copy.deepcopy(module).double()
    if isinstance(adjacency, Tensor):
        wide: Any = adjacency.double()
    else:
        known = adjacency.weight.requires_grad
        wide = Adjacency(
            adjacency.row_ptr, adjacency.col, adjacency.weight.detach().double(),
            adjacency.symmetric,
        )  # fmt: skip
        if known:
            wide.weight.requires_grad_()
    wanted = run(exact, x.double(), wide, where, read=read)
    same(run(module, x, adjacency, where, read=read), wanted)


def coarse(out: Any) -> tuple[Tensor, ...]:
    return out.x, out.adj, out.assignment


@pytest.mark.parametrize("clusters", [1, 2, 5])
@pytest.mark.parametrize("heads", [1, 2, 6])
@pytest.mark.parametrize("blocks", [0, 1, 2])
def test_gmt(clusters: int, heads: int, blocks: int) -> None:
    batch = level()
    module = sharp(GMTPool(WIDTH, clusters, seeds=5, heads=heads, blocks=blocks))
    check(module, batch.x, batch.adjacency, batch.segments, coarse)


@pytest.mark.parametrize("clusters", [1, 3])
def test_gmt_of_a_dense_level(clusters: int) -> None:
    module = sharp(GMTPool(WIDTH, clusters, seeds=4, heads=2))
    check(module, torch.randn(3, 5, WIDTH), torch.rand(3, 5, 5), None, coarse)


def test_gmt_that_pools_to_one_vector_at_once() -> None:
    batch = level()
    module = sharp(GMTPool(WIDTH, 1, seeds=0, heads=2, graph=False))
    assert module.last is None
    assert not module.blocks
    check(module, batch.x, batch.adjacency, batch.segments, coarse)


@pytest.mark.parametrize("name", ["x", "assignment"])
def test_gmt_where_one_result_alone_is_used(name: str) -> None:
    batch = level()
    module = sharp(GMTPool(WIDTH, 1, seeds=3, heads=2))
    check(module, batch.x, batch.adjacency, batch.segments, lambda out: (getattr(out, name),))


def test_gmt_with_large_scores_stays_finite() -> None:
    batch = level()
    module = sharp(GMTPool(WIDTH, 3, heads=2))
    out = module(batch.x * 1e4, batch.adjacency, batch.segments)
    assert out.x.isfinite().all()
    assert out.assignment.isfinite().all()


def test_gmt_shows_nan_in_its_graph_and_nowhere_else() -> None:
    batch = level()
    x = batch.x.clone()
    x[0, 0] = torch.nan
    out = sharp(GMTPool(WIDTH, 3, heads=2))(x, batch.adjacency, batch.segments)
    assert out.x[0].isnan().any()
    assert out.x[1:].isfinite().all()


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("hops", [1, 2])
@pytest.mark.parametrize(("clusters", "iterations"), [(2, 1), (5, 3), (8, 5)])
def test_structpool(directed: bool, hops: int, clusters: int, iterations: int) -> None:
    batch = level(directed)
    assert batch.adjacency.symmetric is not directed
    module = sharp(StructPool(WIDTH, clusters, iterations, hops))
    check(module, batch.x, batch.adjacency, batch.segments, coarse)


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_structpool_leaves_negative_edges_out(directed: bool) -> None:
    batch = level(directed)
    signed = batch.adjacency.weight - 0.8
    adjacency = Adjacency(
        batch.adjacency.row_ptr, batch.adjacency.col, signed, batch.adjacency.symmetric
    )
    assert (signed < 0).any()
    check(sharp(StructPool(WIDTH, 3)), batch.x, adjacency, batch.segments, coarse)


def test_structpool_keeps_the_gradient_of_edges() -> None:
    batch = level()
    adjacency = as_dtype(batch.adjacency, torch.float32)
    check(sharp(StructPool(WIDTH, 3)), batch.x, adjacency, batch.segments, coarse)


def kept(out: Any) -> tuple[Tensor, ...]:
    return out.x, out.adjacency.weight, out.selection.score


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
@pytest.mark.parametrize("encode", [True, False], ids=["encoded", "bare"])
@pytest.mark.parametrize("learned", [True, False], ids=["edges learned", "edges given"])
def test_asap(directed: bool, encode: bool, learned: bool) -> None:
    batch = level(directed, CHANNELS)
    module = sharp(ASAP(CHANNELS, 0.6, encode))
    adjacency = as_dtype(batch.adjacency, torch.float32) if learned else batch.adjacency
    check(module, batch.x, adjacency, batch.segments, kept)
    out = module(batch.x, adjacency, batch.segments)
    assert out.adjacency.symmetric is not directed


@pytest.mark.parametrize("read", [lambda out: (out.x,), lambda out: (out.adjacency.weight,)])
def test_asap_where_one_result_alone_is_used(read: Read) -> None:
    batch = level(channels=CHANNELS)
    check(sharp(ASAP(CHANNELS)), batch.x, batch.adjacency, batch.segments, read)


def test_asap_shows_nan() -> None:
    batch = level(channels=CHANNELS)
    x = batch.x.clone()
    x[2, 1] = torch.nan
    out = sharp(ASAP(CHANNELS))(x, batch.adjacency, batch.segments)
    first = out.level.segments.batch == 0
    assert out.x[first].isnan().any()
    assert out.x[~first].isfinite().all()


@pytest.mark.parametrize("symmetric", [True, False])
def test_a_product_as_an_adjacency_has_its_entries_but_the_diagonal(symmetric: bool) -> None:
    full = torch.randn(9, 9) * (torch.rand(9, 9) < 0.5)
    if symmetric:
        full = full + full.t()
    row, col = full.nonzero().t()
    # Columns in no order, as a product has them.
    order = (row * 100 + torch.randperm(len(row))).argsort()
    row, col = row[order], col[order]
    ptr = torch.cat([torch.zeros(1, dtype=torch.long), row.bincount(minlength=9).cumsum(0)])
    made = Sparse(ptr, col, full[row, col], 9)
    adjacency = as_adjacency(made, symmetric)
    assert adjacency.symmetric is symmetric
    assert torch.equal(adjacency.dense(), full.fill_diagonal_(0))


def literal_choice(score: Tensor, segments: Segments, wanted: Tensor, size: Tensor) -> list[int]:
    """The nodes that stay, graph by graph, by the rule of `select_topk`."""
    kept, start = [], 0
    for count, number in zip(segments.ptr.diff().tolist(), wanted.tolist(), strict=True):
        own = score[start : start + count]
        near = size[start : start + count].max() * 64 * torch.finfo(score.dtype).eps
        last = own.sort(descending=True).values[number - 1]
        above, tied = own > last + near, ~(own < last - near)
        fewer, more = int(above.sum()), int(tied.sum())
        if own.isnan().any():
            stays = torch.ones(count, dtype=torch.bool)
        else:
            stays = tied if fewer == 0 or more - number <= number - fewer else above
        kept += (start + stays.nonzero().squeeze(-1)).tolist()
        start += count
    return kept


@pytest.mark.parametrize("seed", range(20))
def test_the_choice_is_that_of_a_loop_over_graphs(seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    counts = torch.randint(1, 12, (15,), generator=draw)
    segments = Segments(torch.cat([counts.new_zeros(1), counts.cumsum(0)]))
    nodes = int(counts.sum())
    # Few values, so that many are equal, some but for rounding.
    score = torch.randint(-3, 4, (nodes,), generator=draw) / 3
    score = score * (1 + 1e-7 * torch.randint(0, 3, (nodes,), generator=draw))
    if seed % 4 == 0:
        score[torch.randint(0, nodes, (2,), generator=draw)] = torch.nan
    if seed % 4 == 1:
        score[torch.randint(0, nodes, (3,), generator=draw)] = torch.inf
    ratio = float(torch.rand(1, generator=draw)) or 1.0
    wanted = torch.tensor([math.ceil(count * ratio) for count in counts.tolist()])
    scale = score.abs()
    found = select_topk(score, segments, ratio, scale)
    assert found.tolist() == literal_choice(score, segments, wanted, scale)


@pytest.mark.parametrize("transpose", [False, True])
def test_the_gradient_of_the_entries_of_a_sparse_product(transpose: bool) -> None:
    batch = level(directed=True)
    adjacency = batch.adjacency

    def gradient(dtype: torch.dtype) -> Tensor:
        value = adjacency.weight.to(dtype).clone().requires_grad_()
        out = spmm(adjacency, value, batch.x.to(dtype), transpose)
        return torch.autograd.grad(out.square().sum(), value)[0]

    found, wanted = gradient(torch.float32), gradient(torch.float64)
    torch.testing.assert_close(found.double(), wanted, atol=1e-4, rtol=1e-4)
