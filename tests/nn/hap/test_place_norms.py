"""Batch norm over the clusters that graphs have, and the profile of places that uses it.

The profile in single precision runs compiled loops, in double precision tensor operations; both
are checked.
"""

import copy
import math

import pytest
import torch
from torch import Tensor, nn
from torch.autograd import gradcheck
from torch.func import functional_call

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.segments import Segments
from graphpool.nn.hap.profile import PlaceProfile
from graphpool.nn.ops.normalise import batch_normalised

CHANNELS = 4
SIZES, COUNTS = (5, 1, 9, 4), (3, 1, 4, 2)
MASK = torch.arange(4) < torch.tensor(COUNTS).unsqueeze(-1)
DTYPES = {"compiled": torch.float32, "tensors": torch.float64}
both = pytest.mark.parametrize("dtype", DTYPES.values(), ids=DTYPES)
training = pytest.mark.parametrize("training", [True, False], ids=["training", "eval"])


def norm(dtype: torch.dtype, *, training: bool = True) -> nn.BatchNorm1d:
    """With weights and running statistics away from where they start."""
    made = nn.BatchNorm1d(CHANNELS)
    nn.init.uniform_(made.weight, 0.5, 2.0)
    nn.init.uniform_(made.bias, -1.0, 1.0)
    assert made.running_mean is not None
    assert made.running_var is not None
    made.running_mean.uniform_(-1, 1)
    made.running_var.uniform_(0.5, 2.0)
    return made.to(dtype).train(training)


def tolerance(dtype: torch.dtype) -> dict[str, float]:
    exact = dtype == torch.float64
    return {"atol": 1e-10 if exact else 1e-5, "rtol": 1e-10 if exact else 1e-5}


def features(dtype: torch.dtype) -> Tensor:
    """Cluster features; what stands in rows that are no clusters must not count."""
    return (torch.randn(4, 4, CHANNELS) * 3 + 5).to(dtype).requires_grad_()


def pulled(out: Tensor, inputs: list[Tensor]) -> list[Tensor]:
    draw = torch.Generator().manual_seed(5)
    weight = torch.randn(out.shape, generator=draw).to(out.dtype)
    return [out.detach(), *torch.autograd.grad((out * weight).sum(), inputs)]


@both
@training
def test_rows_that_are_clusters_are_normalised_as_by_torch(
    training: bool, dtype: torch.dtype
) -> None:
    ours = norm(dtype, training=training)
    theirs, x = copy.deepcopy(ours), features(dtype)
    for _ in range(3):  # running statistics move on
        found = pulled(batch_normalised(ours, x, ClusterMask(MASK)), [x, *ours.parameters()])
        out = torch.zeros_like(x).masked_scatter(MASK.unsqueeze(-1), theirs(x[MASK]))
        wanted = pulled(out, [x, *theirs.parameters()])
        for one, other in zip(found, wanted, strict=True):
            torch.testing.assert_close(one, other, **tolerance(dtype))
    for one, other in zip(ours.buffers(), theirs.buffers(), strict=True):
        torch.testing.assert_close(one, other, **tolerance(dtype))
    assert int(ours.num_batches_tracked or 0) == (3 if training else 0)


@both
@training
def test_without_rows_all_of_them_are_normalised(training: bool, dtype: torch.dtype) -> None:
    ours = norm(dtype, training=training)
    theirs, x = copy.deepcopy(ours), features(dtype)
    found = batch_normalised(ours, x)
    torch.testing.assert_close(found, theirs(x.flatten(0, 1)).view_as(x), **tolerance(dtype))
    torch.testing.assert_close(ours.running_var, theirs.running_var)


@both
def test_a_single_cluster_takes_the_running_statistics_and_leaves_them(dtype: torch.dtype) -> None:
    made, x = norm(dtype), features(dtype)
    before = copy.deepcopy(made.state_dict())
    rows = ClusterMask(torch.tensor([[False, True, False, False]]))
    found = pulled(batch_normalised(made, x[:1], rows), [x, *made.parameters()])
    for name, value in made.state_dict().items():
        assert torch.equal(value, before[name]), name
    made.eval()
    wanted = torch.zeros_like(x[:1])
    wanted[0, 1] = made(x[0, 1:2])[0]
    for one, other in zip(found, pulled(wanted, [x, *made.parameters()]), strict=True):
        torch.testing.assert_close(one, other, **tolerance(dtype))


@both
def test_equal_clusters_have_finite_gradients(dtype: torch.dtype) -> None:
    made, x = norm(dtype), torch.full((4, 4, CHANNELS), 7.0, dtype=dtype, requires_grad=True)
    out, *grads = pulled(batch_normalised(made, x, ClusterMask(MASK)), [x, *made.parameters()])
    # The rounding of the mean, against a deviation of √1e-5.
    rounding = 7 * torch.finfo(dtype).eps / math.sqrt(1e-5)
    wanted = made.bias.detach().expand(int(MASK.sum()), -1)
    torch.testing.assert_close(out[MASK], wanted, atol=2 * rounding, rtol=0)
    assert all(grad.isfinite().all() for grad in grads)


def test_a_number_that_is_not_finite_comes_out_unless_no_cluster_holds_it() -> None:
    for at, clean in (((0, 1, 2), False), ((1, 3, 2), True)):
        x = features(torch.float32).detach()
        x[at] = torch.nan
        out = batch_normalised(norm(torch.float32), x, ClusterMask(MASK))
        assert bool(out.isfinite().all()) == clean


def profile(dtype: torch.dtype, *, training: bool = True) -> PlaceProfile:
    made = PlaceProfile(CHANNELS)
    made.norm = norm(torch.float32)
    return made.to(dtype).train(training)


def level(dtype: torch.dtype) -> tuple[Tensor, Tensor, Tensor, Segments]:
    """Features, weights between clusters, an assignment, and the graphs of the nodes."""
    segments = Segments(torch.tensor([0, *SIZES]).cumsum(0))
    real = MASK.unsqueeze(-1) & MASK.unsqueeze(-2)
    adj = (torch.rand(4, 4, 4) + 0.1).masked_fill(~real, 0.0)
    score = torch.randn(sum(SIZES), 4).masked_fill(~MASK[segments.batch], -torch.inf)
    inputs = (torch.randn(4, 4, CHANNELS), adj, score.softmax(-1))
    x, adj, share = (value.to(dtype).requires_grad_() for value in inputs)
    return x, adj, share, segments


def literal(
    module: PlaceProfile, x: Tensor, adj: Tensor, share: Tensor, segments: Segments
) -> Tensor:
    """Cluster by cluster, then torch's own batch norm."""
    rows = []
    for graph, count in enumerate(COUNTS):
        part = share[int(segments.ptr[graph]) : int(segments.ptr[graph + 1])]
        for j in range(count):
            outer = sum(adj[graph, j, other] for other in range(count) if other != j)
            facts = [part[:, j].sum(), adj[graph, j, j], outer]
            logs = torch.stack([torch.as_tensor(fact, dtype=x.dtype).log1p() for fact in facts])
            rows.append(x[graph, j] + logs @ module.weight)
    out = torch.zeros_like(x)
    return out.masked_scatter(MASK.unsqueeze(-1), module.norm(torch.stack(rows)))


@both
@training
def test_profile_and_its_gradients_are_those_of_the_formula(
    training: bool, dtype: torch.dtype
) -> None:
    ours = profile(dtype, training=training)
    theirs, (x, adj, share, segments) = copy.deepcopy(ours), level(dtype)
    # Weights of pairs that are no clusters stay 0, whatever their gradient.
    real = (MASK.unsqueeze(-1) & MASK.unsqueeze(-2)).to(dtype)
    held = MASK[segments.batch].to(dtype)
    found = pulled(
        ours(x, adj * real, share * held, segments, ClusterMask(MASK)),
        [x, adj, share, *ours.parameters()],
    )
    wanted = pulled(literal(theirs, x, adj, share, segments), [x, adj, share, *theirs.parameters()])
    for one, other in zip(found, wanted, strict=True):
        scale = max(1.0, float(other.abs().max()))
        torch.testing.assert_close(one / scale, other / scale, **tolerance(dtype))
    for one, other in zip(ours.buffers(), theirs.buffers(), strict=True):
        torch.testing.assert_close(one, other, **tolerance(dtype))


@training
def test_profile_gradients_are_those_of_finite_differences(training: bool) -> None:
    module = profile(torch.float64, training=training)
    x, adj, share, segments = level(torch.float64)
    names = [name for name, _ in module.named_parameters()]

    def function(*given: Tensor) -> Tensor:
        weights = dict(zip(names, given[2:], strict=True))
        real = (MASK.unsqueeze(-1) & MASK.unsqueeze(-2)).double()
        inputs = (given[0], given[1] * real, share.detach(), segments, ClusterMask(MASK))
        return functional_call(module, weights, inputs)

    values = [value.detach().clone().requires_grad_() for value in module.parameters()]
    assert gradcheck(function, (x, adj.detach().clamp(min=0.1).requires_grad_(), *values))


@torch.no_grad()
@both
def test_profile_by_hand(dtype: torch.dtype) -> None:
    """Two clusters of 3 and 1 nodes: a triangle, and a node that hangs on it by two edges."""
    module = PlaceProfile(3).to(dtype).eval()
    module.weight.copy_(torch.eye(3))
    share = torch.tensor([[1.0, 0], [1, 0], [1, 0], [0, 1]], dtype=dtype)
    adj = torch.tensor([[[6.0, 2.0], [2.0, 0.0]]], dtype=dtype)
    rows = ClusterMask(torch.ones(1, 2, dtype=torch.bool))
    x = torch.zeros(1, 2, 3, dtype=dtype)
    found = module(x, adj, share, Segments(torch.tensor([0, 4])), rows)
    scale = 1 / math.sqrt(1 + 1e-5)
    wanted = [[math.log(4), math.log(7), math.log(3)], [math.log(2), 0.0, math.log(3)]]
    torch.testing.assert_close(found[0], torch.tensor(wanted, dtype=dtype) * scale)


@torch.no_grad()
@both
def test_negative_weights_have_no_logarithm_and_count_as_none(dtype: torch.dtype) -> None:
    module, (x, _, share, segments) = profile(dtype, training=False), level(dtype)
    negative = -torch.rand(4, 4, 4).to(dtype)
    rows = ClusterMask(MASK)
    found = module(x, negative, share, segments, rows)
    torch.testing.assert_close(found, module(x, torch.zeros_like(negative), share, segments, rows))
