"""Compiled and plain operations in single precision against plain ones in double precision."""

from collections.abc import Callable

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import Tensor
from torch.autograd import gradcheck

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.segments import Segments
from graphpool.nn.hap.moa import content_assignment
from graphpool.nn.level import Level
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.products import segment_max, segment_mean, segment_sum
from graphpool.nn.readout import Readout

Function = Callable[..., Tensor]
pytestmark = pytest.mark.usefixtures("both_ways")


def batch(directed: bool = False, dtype: torch.dtype = torch.float32) -> GraphBatch:
    options = {"weighted": True, "loops": True, "directed": directed}
    graphs = [random_graph(n, n, **options) for n in (7, 1, 4, 2, 13)]
    return batch_of([graph.to(dtype) for graph in graphs])


def differentiated(function: Function, inputs: tuple[Tensor, ...]) -> list[Tensor]:
    """Result and gradients of a weighted sum of it."""
    inputs = tuple(tensor.detach().clone().requires_grad_() for tensor in inputs)
    out = function(*inputs)
    weight = torch.randn(out.shape, generator=torch.Generator().manual_seed(5)).to(out.dtype)
    return [out.detach(), *torch.autograd.grad((out * weight).sum(), inputs)]


def check(function: Function, exact: Function, inputs: tuple[Tensor, ...]) -> None:
    """`function` in single precision gives what `exact` gives in double."""
    found = differentiated(function, inputs)
    wanted = differentiated(exact, tuple(tensor.double() for tensor in inputs))
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one.double(), other, atol=2e-4, rtol=2e-4)


def formed(given: GraphBatch) -> Function:
    def function(share: Tensor, x: Tensor) -> Tensor:
        made = form_clusters(share, x, given.adjacency, given.segments)
        return torch.cat(made, -1)

    return function


@pytest.mark.parametrize("clusters", [2, 3, 4, 5, 8, 9])
def test_content_assignment(clusters: int) -> None:
    segments = batch().segments
    inputs = batch().x, torch.randn(CHANNELS, clusters)
    function: Function = lambda x, weight: content_assignment(x, weight, segments)  # noqa: E731
    check(function, function, inputs)


@pytest.mark.parametrize("channels", [1, 4, 7])
@pytest.mark.parametrize("clusters", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("directed", [False, True])
def test_formation(directed: bool, clusters: int, channels: int) -> None:
    nodes = batch().num_nodes
    inputs = torch.rand(nodes, clusters), torch.randn(nodes, channels)
    check(formed(batch(directed)), formed(batch(directed, torch.float64)), inputs)


@pytest.mark.parametrize("size", [1, 2, 5, 8])
@pytest.mark.parametrize(
    ("keep", "loop", "floor"), [(1.0, 0.0, 0.1), (0.0, 0.0, 1e-2), (1.0, 1.0, 0.0), (0.5, 2.0, 0.0)]
)
def test_normalise(size: int, keep: float, loop: float, floor: float) -> None:
    function: Function = lambda matrix: normalise(matrix, keep, loop, floor)  # noqa: E731
    check(function, function, (torch.rand(3, size, size),))


def test_normalise_sees_what_is_small_beside_the_diagonal() -> None:
    """Clusters that hardly share an edge: a difference of sums would leave nothing but rounding."""
    matrix = torch.tensor([[[50.0, 1e-6, 2e-6], [1e-6, 30.0, 3e-6], [2e-6, 3e-6, 70.0]]])
    found = normalise(matrix, keep=0.0, floor=1e-6)
    wanted = normalise(matrix.double(), keep=0.0, floor=1e-6)
    torch.testing.assert_close(found, wanted.float())


REDUCTIONS = [("sum",), ("mean",), ("max",), ("mean", "max"), ("max", "sum", "mean")]


@pytest.mark.parametrize("reductions", REDUCTIONS, ids="+".join)
def test_readout(reductions: tuple[str, ...]) -> None:
    segments, readout = batch().segments, Readout(reductions)
    function: Function = lambda x: readout(Level(x, segments=segments))  # noqa: E731
    check(function, function, (batch().x,))


@pytest.mark.parametrize("reductions", REDUCTIONS, ids="+".join)
def test_dense_readout(reductions: tuple[str, ...]) -> None:
    readout = Readout(reductions)
    function: Function = lambda x: readout(Level(x))  # noqa: E731
    check(function, function, (torch.randn(3, 4, 5),))


@pytest.mark.parametrize("directed", [False, True])
def test_tensor_operations_have_the_right_gradients(directed: bool) -> None:
    given = batch(directed, torch.float64)
    weight = torch.randn(CHANNELS, 3, dtype=torch.float64, requires_grad=True)
    x = given.x.clone().requires_grad_()
    assert gradcheck(lambda x, w: content_assignment(x, w, given.segments), (x, weight))
    share = torch.rand(given.num_nodes, 2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(formed(given), (share, x))
    matrix = torch.rand(2, 3, 3, dtype=torch.float64, requires_grad=True)
    for options in ((1.0, 0.0, 0.1), (0.0, 0.0, 0.1), (1.0, 1.0, 0.0)):
        assert gradcheck(lambda m, o=options: normalise(m, *o), (matrix,))


BAD = [torch.nan, torch.inf, -torch.inf]


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("node", range(7, 12))
def test_numbers_that_are_not_finite_come_out_of_assignment_and_formation(
    bad: float, node: int
) -> None:
    given, weight = batch(), torch.rand(CHANNELS, 4) + 0.1
    x = given.x.clone()
    x[node, 2] = bad
    graph = int(given.batch[node])
    share = content_assignment(x, weight, given.segments)
    assert not share[given.batch == graph].isfinite().all()
    assert share[given.batch != graph].isfinite().all()
    coarse_x, _ = form_clusters(torch.rand(27, 4), x, given.adjacency, given.segments)
    assert not coarse_x[graph].isfinite().all()
    _, coarse_adj = form_clusters(share, given.x, given.adjacency, given.segments)
    assert not coarse_adj[graph].isfinite().all() or int(given.ptr.diff()[graph]) == 1


@pytest.mark.parametrize("bad", BAD)
def test_gradients_that_are_not_finite_come_out_of_the_backward_passes(bad: float) -> None:
    given = batch()
    weight = torch.rand(CHANNELS, 4, requires_grad=True)
    share = content_assignment(given.x, weight, given.segments)
    grad = torch.zeros_like(share)
    grad[8, 1] = bad
    assert not torch.autograd.grad(share, weight, grad)[0].isfinite().all()
    rows = torch.rand(27, 4, requires_grad=True)
    made = form_clusters(rows, given.x, given.adjacency, given.segments)
    for part in made:
        grad = torch.zeros_like(part)
        grad[2, 1, 1] = bad
        found = torch.autograd.grad(part, rows, grad, retain_graph=True)[0]
        assert not found[given.batch == 2].isfinite().all()


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("place", [(0, 0), (0, 3), (3, 0), (2, 2)])
def test_numbers_that_are_not_finite_come_out_of_normalise(
    bad: float, place: tuple[int, int]
) -> None:
    matrix = torch.rand(2, 4, 4)
    matrix[(1, *place)] = bad
    matrix.requires_grad_()
    out = normalise(matrix, loop=1.0)
    assert out[0].isfinite().all()
    assert not out[1].isfinite().all()
    grad = torch.autograd.grad(out, matrix, torch.ones_like(out))[0]
    assert not grad[1].isfinite().all()


@pytest.mark.parametrize("reduction", ["sum", "mean", "max"])
@pytest.mark.parametrize("node", range(8, 12))
def test_nan_comes_out_of_every_readout(reduction: str, node: int) -> None:
    given = batch()
    x = given.x.clone()
    x[node, 3] = torch.nan
    out = Readout((reduction,))(Level(x, segments=given.segments))
    assert out.isnan().nonzero().tolist() == [[2, 3]]


def test_graph_without_nodes_reads_out_as_zeros_and_touches_no_memory_of_others() -> None:
    segments = Segments(torch.tensor([0, 2, 2, 3, 3]))
    x = torch.randn(3, 2, requires_grad=True)
    out = Readout(("sum", "max"))(Level(x, segments=segments))
    assert out[[1, 3]].abs().sum() == 0
    (grad,) = torch.autograd.grad(out.sum(), x)
    assert grad.sum(0).tolist() == [3 + 2, 3 + 2]
    torch.testing.assert_close(out[:, :2], segment_sum(x, segments))


def test_rows_that_sum_to_nothing_or_less_are_normalised_to_zeros() -> None:
    for dtype in (torch.float32, torch.float64):
        matrix = torch.tensor([[[0.0, -1.0], [4.0, 0.0]]], dtype=dtype, requires_grad=True)
        out = normalise(matrix)
        assert out.tolist() == [[[0.0, 0.0], [0.0, 0.0]]]
        assert torch.autograd.grad(out.sum(), matrix)[0].isfinite().all()


def test_backward_pass_leaves_the_incoming_gradient_alone() -> None:
    given = batch()
    weight = torch.randn(CHANNELS, 3, requires_grad=True)
    share = content_assignment(given.x, weight, given.segments)
    incoming = torch.randn(3, given.num_nodes)  # its transpose lies as the loop wants it
    before = incoming.clone()
    torch.autograd.grad(share, weight, incoming.t())
    assert torch.equal(incoming, before)


def test_readout_can_be_differentiated_twice() -> None:
    given = batch()
    x = given.x.clone().requires_grad_()
    for reductions in REDUCTIONS:
        out = Readout(reductions)(Level(x, segments=given.segments))
        (grad,) = torch.autograd.grad(out.square().sum(), x, create_graph=True)
        (second,) = torch.autograd.grad(grad.square().sum(), x)
        kinds = {"sum": segment_sum, "mean": segment_mean, "max": segment_max}
        exact = x.detach().double().requires_grad_()
        parts = [kinds[name](exact, given.segments) for name in reductions]
        (grad,) = torch.autograd.grad(torch.cat(parts, -1).square().sum(), exact, create_graph=True)
        (wanted,) = torch.autograd.grad(grad.square().sum(), exact)
        torch.testing.assert_close(second.double(), wanted, atol=1e-3, rtol=1e-3)
