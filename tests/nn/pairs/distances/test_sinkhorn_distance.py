import math

import pytest
import torch
from multisets import SIZES, all_pairs, ragged
from scipy.optimize import linear_sum_assignment
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.level import Level
from graphpool.nn.pairs.distances import EdgeAwareSinkhornDistance, SinkhornDistance
from graphpool.nn.pairs.distances.sinkhorn import Alignment, align


def some_edges(seed: int = 0) -> Adjacency:
    """Weighted edges both ways or one, loops and repeated edges within the graphs of `ragged`."""
    draw = torch.Generator().manual_seed(seed)
    graph = torch.repeat_interleave(torch.arange(len(SIZES)), torch.tensor(SIZES))
    edges = (graph[:, None] == graph[None]).nonzero().t()
    edges = edges[:, torch.randint(edges.shape[1], (60,), generator=draw)]
    return Adjacency.from_edge_index(edges, sum(SIZES), torch.rand(60, generator=draw) + 0.5)


def bare(sharpness: float, steps: int) -> Alignment:
    """Without edges."""
    return Alignment(torch.tensor(sharpness), torch.tensor(0.0), steps, 0)


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
    found = align(torch.cat([one, other]), segments, *pair, bare(1e3, 20))
    cost = costs(one, other).numpy()
    assert found.item() == pytest.approx(cost[linear_sum_assignment(cost)].sum(), rel=1e-6)


def test_a_soft_alignment_against_plain_sinkhorn_steps() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    parts = x.split(SIZES)
    found = align(x, segments, left, right, bare(4.0, 3))
    for w, one, other in zip(found[0].tolist(), left.tolist(), right.tolist(), strict=True):
        cost = costs(parts[one], parts[other])
        share = torch.exp(-4.0 * cost)
        for _ in range(3):
            share = share / share.sum(1, keepdim=True)
            share = share / share.sum(0, keepdim=True)
        assert w == pytest.approx(float((share * cost).sum()))


def distances(x: Tensor, segments: Segments, left: Tensor, right: Tensor) -> Tensor:
    torch.manual_seed(0)
    module = EdgeAwareSinkhornDistance((3,)).to(x.dtype)
    return module((Level(x, None, segments),), left, right)


def test_a_graph_is_at_0_from_itself_and_from_its_copy_in_another_order() -> None:
    x, segments = ragged()
    four = torch.arange(4)
    x[9 + 5 : 9 + 5 + 4] = x[four.flip(0)]  # graph 3, of four nodes as graph 0
    left, right = torch.tensor([0, 2, 0, 0]), torch.tensor([0, 2, 3, 4])
    d = distances(x, segments, left, right)[0]
    assert d[:3].abs().max() < 1e-9
    assert d[3] > 1e-3


@pytest.mark.parametrize("kind", [torch.float32, torch.float64])
@pytest.mark.parametrize("pull", [1.0, 300.0])
def test_a_copy_in_another_order_is_at_0_with_its_edges(kind: torch.dtype, pull: float) -> None:
    draw = torch.Generator().manual_seed(0)
    n = 12
    one = torch.rand(n, 3, generator=draw, dtype=kind)
    order = torch.randperm(n, generator=draw)
    edges = (torch.rand(n, n, generator=draw).triu(1) < 0.3).nonzero().t()
    both = torch.cat([edges, order.argsort()[edges] + n], 1)
    adjacency = Adjacency.from_edge_index(torch.cat([both, both.flip(0)], 1), 2 * n)
    module = EdgeAwareSinkhornDistance((3,)).to(kind)
    torch.nn.init.constant_(module.log_pull, math.log(pull))
    level = Level(
        torch.cat([one, one[order]]), adjacency, Segments.from_counts(torch.tensor([n, n]))
    )
    d = module((level,), torch.tensor([0, 0]), torch.tensor([0, 1]))
    assert d.abs().max() < 1e-4


def test_what_else_is_compared_changes_nothing() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    together = distances(x, segments, left, right)[0]
    for position in range(0, len(left), 3):
        alone = distances(
            x, segments, left[position : position + 1], right[position : position + 1]
        )
        torch.testing.assert_close(alone[0, 0], together[position])


@pytest.mark.parametrize("rounds", [0, 1, 3])
def test_edges_left_over_against_plain_products(rounds: int) -> None:
    x, segments = ragged()
    left, right = all_pairs()
    parts, edges = x.split(SIZES), some_edges()
    dense = torch.zeros(len(x), len(x), dtype=x.dtype)
    dense.index_put_((edges.row, edges.col), edges.weight.double(), accumulate=True)
    how = Alignment(torch.tensor(4.0), torch.tensor(0.5), 3, rounds)
    found = align(x, segments, left, right, how, edges)
    for (work, over), one, other in zip(
        found.t().tolist(), left.tolist(), right.tolist(), strict=True
    ):
        cost = costs(parts[one], parts[other])
        sides = []
        for graph in (one, other):
            low, high = int(segments.ptr[graph]), int(segments.ptr[graph + 1])
            side = torch.zeros_like(cost)
            side[: high - low, : high - low] = dense[low:high, low:high]
            sides.append(side)
        pulled = torch.zeros_like(cost)
        for _ in range(1 + rounds):
            share = torch.exp(pulled - 4.0 * cost)
            for _ in range(3):
                share = share / share.sum(1, keepdim=True)
                share = share / share.sum(0, keepdim=True)
            pulled = 0.5 * torch.einsum("ik,kl,jl->ij", sides[0], share, sides[1])
        assert work == pytest.approx(float((share * cost).sum()))
        apart = (sides[0] @ share - share @ sides[1]).abs().flatten().tolist()
        entries = [size**2 / 0.2 if size < 0.1 else size - 0.05 for size in apart]
        assert over == pytest.approx(sum(entries) / 2)


def test_edges_left_over_by_a_sharp_alignment_are_edges_that_differ() -> None:
    """Two graphs of equal nodes but for one edge that is elsewhere: one too many, one missing."""
    x = torch.eye(5, dtype=torch.float64).repeat(2, 1)
    one = [(0, 1), (1, 2), (2, 3), (3, 4)]
    other = [(5, 6), (6, 7), (7, 8), (5, 9)]
    edges = torch.tensor(one + other).t()
    adjacency = Adjacency.from_edge_index(torch.cat([edges, edges.flip(0)], 1), 10)
    segments = Segments.from_counts(torch.tensor([5, 5]))
    pair = torch.tensor([0, 0]), torch.tensor([1, 0])
    found = align(x, segments, *pair, bare(1e3, 5), adjacency)[1]
    # Two edges, four entries, each under Huber's function short of 1 by 0.05.
    assert found.tolist() == pytest.approx([2 * 0.95, 0])


def test_rounds_with_edges_find_nodes_that_look_alike() -> None:
    """Paths whose nodes all look alike but the two ends: only edges tell where the others go."""
    length = 6
    path = torch.tensor([(i, i + 1) for i in range(length - 1)]).t()
    order = torch.tensor([3, 0, 5, 2, 4, 1])
    edges = torch.cat([path, order[path] + length], 1)
    adjacency = Adjacency.from_edge_index(torch.cat([edges, edges.flip(0)], 1), 2 * length)
    x = torch.zeros(2 * length, 2, dtype=torch.float64)
    x[[0, length + int(order[0])]] = torch.tensor([1.0, 0.0], dtype=torch.float64)
    x[[length - 1, length + int(order[-1])]] = torch.tensor([0.0, 1.0], dtype=torch.float64)
    segments = Segments.from_counts(torch.tensor([length, length]))
    pair = torch.tensor([0]), torch.tensor([1])
    over = [
        align(x, segments, *pair, bare(10.0, 5)._replace(pull=torch.tensor(8.0), rounds=rounds),
              adjacency)[1].item()
        for rounds in (0, 1, 2, 4)
    ]  # fmt: skip
    assert over == sorted(over, reverse=True)
    assert over[0] > 3
    assert over[-1] < 0.01


def test_distances_of_nodes_leave_edges_out() -> None:
    x, segments = ragged()
    pairs = all_pairs()
    torch.manual_seed(0)
    alone = SinkhornDistance((3,)).double()
    both = EdgeAwareSinkhornDistance((3,)).double()
    both.maps.load_state_dict(alone.maps.state_dict())
    bare, dressed = (Level(x, edges, segments) for edges in (None, some_edges()))
    torch.testing.assert_close(alone((dressed,), *pairs), both((bare,), *pairs))
    assert (both((dressed,), *pairs) > both((bare,), *pairs) + 1e-3).any()


def test_it_is_the_same_both_ways_round_however_sharp() -> None:
    """Also of graphs with as many nodes, of which neither comes first."""
    x, segments = ragged()
    left, right = all_pairs()
    module = EdgeAwareSinkhornDistance((3,)).double()
    levels = (Level(x, some_edges(), segments),)
    for sharpness in (1.0, 30.0, 1000.0):
        torch.nn.init.constant_(module.log_sharpness, math.log(sharpness))
        there, back = module(levels, left, right), module(levels, right, left)
        torch.testing.assert_close(there, back, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("with_edges", "rounds", "strength"),
    [(False, 2, 1.0), (True, 0, 1.0), (True, 1, 0.7), (True, 3, 0.7), (True, 1, 200.0)],
)
def test_compiled_loops_agree_with_products(with_edges: bool, rounds: int, strength: float) -> None:
    x, segments = ragged(channels=5)
    left, right = all_pairs()
    edges = some_edges() if with_edges else None
    weigh = torch.randn(2, len(left), generator=torch.Generator().manual_seed(1))
    results = []
    for kind in (torch.float32, torch.float64):
        nodes = x.to(kind, copy=True).requires_grad_()
        sharpness = torch.tensor(6.0, dtype=kind, requires_grad=True)
        pull = torch.tensor(strength, dtype=kind, requires_grad=True)
        found = align(nodes, segments, left, right, Alignment(sharpness, pull, 4, rounds), edges)
        assert found.shape == (1 + with_edges, len(left))
        (found * weigh[: len(found)].to(kind)).sum().backward()
        looked = pull.grad if with_edges and rounds else torch.zeros_like(pull)
        results.append([found, nodes.grad, sharpness.grad, looked])
    rounding = 1e-5 * max(1.0, strength / 10)  # of costs, which are single
    for compiled, plain in zip(*results, strict=True):
        torch.testing.assert_close(compiled.double(), plain, rtol=1e-5, atol=rounding)


def test_costs_far_apart_are_finite() -> None:
    """Where exp(-β C) of a whole column is 0."""
    x = torch.tensor([[0.0], [0.0], [1e4], [0.0]]).requires_grad_()
    segments = Segments.from_counts(torch.tensor([2, 2]))
    pair = torch.tensor([0]), torch.tensor([1])
    found = align(x, segments, *pair, bare(50.0, 5))
    found.sum().backward()
    assert found.item() == pytest.approx(1e4)
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_a_second_derivative_is_refused() -> None:
    x, segments = ragged()
    nodes = x.float().requires_grad_()
    found = align(nodes, segments, *all_pairs(), bare(6.0, 4))
    with pytest.raises(RuntimeError, match="differentiated twice"):
        torch.autograd.grad(found.sum(), nodes, create_graph=True)


@pytest.mark.parametrize("with_edges", [False, True])
def test_gradients(with_edges: bool) -> None:
    x, segments = ragged()
    left, right = all_pairs()
    apart = left < right
    edges = some_edges() if with_edges else None

    def work(x: Tensor, sharpness: Tensor, pull: Tensor) -> Tensor:
        how = Alignment(sharpness, pull, 3, 2)
        return align(x, segments, left[apart], right[apart], how, edges)

    sharpness, pull = (
        torch.tensor(value, dtype=torch.float64, requires_grad=True) for value in (3.0, 0.5)
    )
    assert torch.autograd.gradcheck(work, (x.requires_grad_(), sharpness, pull))


def test_the_network_learns_from_the_sum_and_a_level_learns_its_scale() -> None:
    x, segments = ragged()
    left, right = all_pairs()
    module = EdgeAwareSinkhornDistance((3, 3)).double()
    levels = (Level(x, some_edges(), segments), Level(x.flip(1), None, segments))
    rows = module(levels, left, right)
    rows[:-1].sum().backward()
    learning = [name for name, weight in module.named_parameters() if (weight.grad != 0).any()]
    assert learning == ["log_scale"]
    torch.testing.assert_close(rows[-1], rows[:-1].sum(0))  # scales of 1 at first


def test_equal_nodes_have_finite_gradients() -> None:
    x = torch.ones(4, 3, requires_grad=True)
    segments = Segments.from_counts(torch.tensor([2, 2]))
    module = EdgeAwareSinkhornDistance((3,))
    d = module((Level(x, None, segments),), torch.tensor([0]), torch.tensor([1]))
    d.sum().backward()
    assert (d == 0).all()
    assert x.grad is not None
    assert x.grad.isfinite().all()


def test_levels_above_the_nodes_begin_small_where_asked() -> None:
    distance = EdgeAwareSinkhornDistance((3, 3))
    assert torch.equal(distance.weight, torch.ones_like(distance.weight))
    distance.start_with_nodes()
    for _ in range(2):
        assert torch.equal(distance.weight[0], torch.ones_like(distance.weight[0]))
        assert torch.allclose(distance.weight[1:], torch.tensor(math.exp(-4.0)))
        distance.slow_log_weight.data.fill_(1.0)
        distance.reset_parameters()
