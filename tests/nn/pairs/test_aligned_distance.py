import itertools
import math

import pytest
import torch
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.coarsened import Nodes
from graphpool.nn.pairs.aligned import AlignedDistances, align

SIZES = (4, 1, 9, 4, 6)


def ragged(seed: int = 0, channels: int = 3) -> tuple[Tensor, Segments]:
    draw = torch.Generator().manual_seed(seed)
    x = torch.rand(sum(SIZES), channels, generator=draw, dtype=torch.float64)
    return x, Segments.from_counts(torch.tensor(SIZES))


def all_pairs() -> tuple[Tensor, Tensor]:
    left, right = zip(*itertools.product(range(len(SIZES)), repeat=2), strict=True)
    return torch.tensor(left), torch.tensor(right)


def costs(one: Tensor, other: Tensor) -> Tensor:
    most = max(len(one), len(other))
    sides = [torch.cat([part, part.new_zeros(most - len(part), 3)]) for part in (one, other)]
    return (sides[0][:, None] - sides[1][None]).norm(dim=-1) / math.sqrt(3)


def test_a_sharp_alignment_is_the_best_assignment() -> None:
    """Of a graph and its copy in another order, with a little noise."""
    draw = torch.Generator().manual_seed(0)
    one = torch.rand(7, 3, generator=draw, dtype=torch.float64)
    noise = torch.rand(7, 3, generator=draw, dtype=torch.float64)
    other = one[torch.randperm(7, generator=draw)] + 0.01 * noise
    segments = Segments.from_counts(torch.tensor([7, 7]))
    pair = torch.tensor([0]), torch.tensor([1])
    found = align(torch.cat([one, other]), segments, *pair, torch.tensor(1e3), steps=20)
    cost = costs(one, other).numpy()
    assert float(found) == pytest.approx(cost[linear_sum_assignment(cost)].sum(), rel=1e-6)


def test_a_soft_alignment_against_plain_sinkhorn_steps() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    parts = x.split(SIZES)
    found = align(x, segments, left, right, torch.tensor(4.0), steps=3)
    for w, one, other in zip(found.tolist(), left.tolist(), right.tolist(), strict=True):
        cost = costs(parts[one], parts[other])
        share = torch.exp(-4.0 * cost)
        for _ in range(3):
            share = share / share.sum(1, keepdim=True)
            share = share / share.sum(0, keepdim=True)
        assert w == pytest.approx(float((share * cost).sum()))


def distances(x: Tensor, segments: Segments, left: Tensor, right: Tensor) -> Tensor:
    torch.manual_seed(0)
    module = AlignedDistances((3,)).to(x.dtype)
    return module((Nodes(x, segments, None),), left, right)


def test_a_graph_is_at_0_from_itself_and_from_its_copy_in_another_order() -> None:
    x, segments = ragged()
    four = torch.arange(4)
    x[9 + 5 : 9 + 5 + 4] = x[four.flip(0)]  # graph 3, of four nodes as graph 0
    left, right = torch.tensor([0, 2, 0, 0]), torch.tensor([0, 2, 3, 4])
    d = distances(x, segments, left, right)[0]
    assert d[:3].abs().max() < 1e-9
    assert d[3] > 1e-3


def test_what_else_is_compared_changes_nothing() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    together = distances(x, segments, left, right)[0]
    for position in range(0, len(left), 3):
        alone = distances(
            x, segments, left[position : position + 1], right[position : position + 1]
        )
        torch.testing.assert_close(alone[0, 0], together[position])


def test_gradients() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    apart = left < right

    def work(x: Tensor, sharpness: Tensor) -> Tensor:
        return align(x, segments, left[apart], right[apart], sharpness, steps=3)

    sharpness = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(work, (x.requires_grad_(), sharpness))


def test_equal_nodes_have_finite_gradients() -> None:
    x = torch.ones(4, 3, requires_grad=True)
    segments = Segments.from_counts(torch.tensor([2, 2]))
    module = AlignedDistances((3,))
    d = module((Nodes(x, segments, None),), torch.tensor([0]), torch.tensor([1]))
    d.sum().backward()
    assert (d == 0).all()
    assert x.grad is not None
    assert x.grad.isfinite().all()
