"""The distance of two graphs by aligning their nodes: what is left over after a soft matching."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import huber_loss

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.ragged import pointer
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.switch import use_compiled
from graphpool.nn.pairs.distances.base import Laid, LevelDistances
from graphpool.nn.pairs.distances.sinkhorn_compiled import align_backward, align_forward
from graphpool.typing import Float, Int

# Steps of the alignment, each over rows and columns. From 5 to 15 the results hardly differ.
STEPS = 5
# How often nodes are aligned anew, edges in sight. More rounds take longer and gain nothing.
ROUNDS = 1
# How strongly edges in common draw nodes to each other at first: each by a factor of e^3.
PULL = 3.0
# How sharp alignments are at first: a cost of 1 is shunned by a factor of e^-10.
SHARPNESS = 10.0
# Parts of edges below this that are left over are squared: rounding errors then weigh nothing.
ROUNDING = 0.1
# Pairs of graphs are worked off in runs; a run's largest graph has at most so many times the
# nodes of its smallest, so that padding at most doubles what is compared …
SLACK = 1.4
# … but for graphs of so few nodes, of which more calls would cost more than padding does.
SMALL = 16
# Of a logit where nothing may be aligned.
NEVER = -1e9


class Alignment(NamedTuple):
    """How nodes are aligned: sharpness β, pull of common edges γ, steps, rounds with edges."""

    sharpness: Tensor
    pull: Tensor
    steps: int
    rounds: int


class NodeDistances(LevelDistances):
    """Distances by soft alignment of nodes, level by level.

    Nodes of one graph are moved onto those of the other at the cost of their Euclidean distance,
    divided by √channels; the smaller graph is filled up with nodes of zeros. P, how much of node
    i goes to node j, is found by Sinkhorn's steps (Cuturi 2013) from exp(-β C), β learned, and
    w(G₁, G₂) = Σ P C is what is left to move.

    A soft alignment costs something even between a graph and itself, so
    w(G₁, G₂) - ½ w(G₁, G₁) - ½ w(G₂, G₂) is taken, and never below 0 (the Sinkhorn divergence of
    Feydy et al. 2019, without its entropy).

    Steps begin with the rows, which are the nodes of the smaller graph. Of two graphs with as many
    nodes neither is smaller: they are aligned both ways round, and the mean is taken.

    Memory is that of all pairs of nodes of compared graphs; `SortedDistances` needs less.

    Args:
        channels: of the nodes of each level.
        steps: of Sinkhorn's algorithm.
    """

    def __init__(self, channels: tuple[int, ...], steps: int = STEPS) -> None:
        super().__init__(channels)
        if steps < 1:
            raise ValueError(f"steps is {steps}; there must be at least 1")
        self.steps = steps
        self.log_sharpness = nn.Parameter(torch.full((len(channels),), math.log(SHARPNESS)))

    def alignment(self, level: int) -> Alignment:
        """How nodes of a level are aligned."""
        sharpness = self.log_sharpness[level].exp()
        return Alignment(sharpness, torch.zeros_like(sharpness), self.steps, 0)

    def measure(
        self, level: int, nodes: Laid, left: Tensor, right: Tensor
    ) -> Float[Tensor, "terms pairs"]:
        """Nodes to be moved, and edges left over where they count and there are any to see."""
        x, segments, _ = nodes
        adjacency = nodes.adjacency if self.terms > 1 else None
        every = torch.arange(segments.num_graphs, device=x.device)
        counts = segments.ptr.diff()
        mine, yours = counts[left], counts[right]
        small, large = (
            torch.where(mine <= yours, *pair) for pair in ((left, right), (right, left))
        )
        equal = (mine == yours).nonzero().squeeze(-1)
        first = torch.cat([every, small, large[equal]])
        second = torch.cat([every, large, small[equal]])
        found = align(x, segments, first, second, self.alignment(level), adjacency)
        own, there, back = torch.tensor_split(found, (len(every), len(every) + len(left)), dim=1)
        between = there.index_copy(1, equal, (there[:, equal] + back) / 2)
        return (between - (own[:, left] + own[:, right]) / 2).clamp(min=0)


class AlignedDistances(NodeDistances):
    """The same with edges, at levels that have a sparse adjacency.

    P is found once more from exp(-β C + γ A₁PA₂ᵀ), γ learned: A₁PA₂ᵀ are the edges
    that i and j have in common if P is right (of directed graphs those that come in), so that nodes
    with aligned neighbours are drawn to each other (Gold and Rangarajan 1996). They are the more
    the denser graphs are; γ has to suit the graphs of a set, and between graphs of very different
    density it can't.

    And there is a second term, the edges left over: e(G₁, G₂) = ½ Σ |A₁P - PA₂|, which for
    undirected graphs and a P of zeros and ones is their number (Umeyama 1988 has its square). |·|
    is rounded off at 0 (Huber's function with δ = 0.1).

    Args:
        channels: of the nodes of each level.
        steps: of Sinkhorn's algorithm.
        rounds: in which edges help to align.
    """

    terms = 2

    def __init__(self, channels: tuple[int, ...], steps: int = STEPS, rounds: int = ROUNDS) -> None:
        super().__init__(channels, steps)
        self.rounds = rounds
        self.log_pull = nn.Parameter(torch.tensor(math.log(PULL)))

    def alignment(self, level: int) -> Alignment:
        """How nodes of a level are aligned, edges in sight."""
        return super().alignment(level)._replace(pull=self.log_pull.exp(), rounds=self.rounds)


def align(
    x: Float[Tensor, "nodes channels"],
    segments: Segments,
    left: Int[Tensor, " pairs"],
    right: Int[Tensor, " pairs"],
    how: Alignment,
    adjacency: Adjacency | None = None,
) -> Float[Tensor, "terms pairs"]:
    """Σ P C of every pair; with an adjacency of the nodes also the edges left over."""
    sharpness, pull, steps, rounds = how
    if use_compiled("alignment", x):
        fixed = (steps, rounds, segments, left, right, adjacency)
        return _Align.apply(x, sharpness, pull, *fixed)  # type: ignore[no-any-return]
    counts = segments.ptr.diff()
    wide = torch.maximum(counts[left], counts[right])
    order = wide.argsort(stable=True)
    filled = torch.cat([x, x.new_zeros(1, x.shape[1])])
    found = [x.new_zeros(1 if adjacency is None else 2, 0)]
    for begin, end, width in _runs(wide[order]):
        one, other = left[order[begin:end]], right[order[begin:end]]
        rank = torch.arange(width, device=x.device)

        def side(graph: Tensor, rank: Tensor = rank) -> Tensor:
            place = segments.ptr[graph].unsqueeze(-1) + rank
            return filled[torch.where(rank < counts[graph].unsqueeze(-1), place, x.shape[0])]

        # Without the product form, in which the distance of equal nodes is not 0.
        exact = "donot_use_mm_for_euclid_dist"
        cost = torch.cdist(side(one), side(other), compute_mode=exact) / math.sqrt(x.shape[1])
        real = rank < wide[order[begin:end]].unsqueeze(-1)
        plan = _aligned(cost * -sharpness, real, steps)
        if adjacency is None:
            found.append((plan * cost).sum((-2, -1)).unsqueeze(0))
            continue
        mine, yours = (_dense(adjacency, segments, each, width).to(x) for each in (one, other))
        for _ in range(rounds):
            common = mine @ plan @ yours.mT
            plan = _aligned(pull * common - sharpness * cost, real, steps)
        over = mine @ plan - plan @ yours
        size = huber_loss(over, torch.zeros_like(over), reduction="none", delta=ROUNDING)
        terms = [(plan * cost).sum((-2, -1)), size.sum((-2, -1)) / (2 * ROUNDING)]
        found.append(torch.stack(terms))
    return torch.cat(found, 1)[:, order.argsort()]


def _aligned(
    logits: Float[Tensor, "pairs nodes nodes"], real: Tensor, steps: int
) -> Float[Tensor, "pairs nodes nodes"]:
    """P: rows and columns of real nodes sum to one; the others are aligned to themselves."""
    both = real.unsqueeze(-1) & real.unsqueeze(-2)
    itself = torch.eye(logits.shape[-1], dtype=torch.bool, device=logits.device) & ~both
    logits = torch.where(both, logits, torch.where(itself, 0.0, NEVER))
    for _ in range(steps):
        logits = logits - logits.logsumexp(-1, keepdim=True)
        logits = logits - logits.logsumexp(-2, keepdim=True)
    return logits.exp()


def _runs(wide: Int[Tensor, " pairs"]) -> Iterator[tuple[int, int, int]]:
    """Where runs of pairs of like size begin and end, and how wide they are; `wide` is sorted."""
    sizes, begin = wide.cpu().numpy(), 0
    while begin < len(sizes):
        end = int(sizes.searchsorted(max(SLACK * sizes[begin], SMALL), side="right"))
        yield begin, end, int(sizes[end - 1])
        begin = end


def _dense(
    adjacency: Adjacency, segments: Segments, graphs: Int[Tensor, " chosen"], width: int
) -> Float[Tensor, "chosen width width"]:
    """The adjacency matrices of these graphs, filled up with zeros; repeated edges add up."""
    different, back = graphs.unique(return_inverse=True)
    place = different.new_full((segments.num_graphs,), -1)
    place[different] = torch.arange(len(different), device=graphs.device)
    row, col = adjacency.row, adjacency.col
    mine = place[segments.batch[row]]
    kept = (mine >= 0).nonzero().squeeze(-1)
    row, col, mine = row[kept], col[kept], mine[kept]
    start = segments.ptr[segments.batch[row]]
    made = adjacency.weight.new_zeros(len(different), width, width)
    where = (mine, row - start, col - start)
    return made.index_put_(where, adjacency.weight.detach()[kept], accumulate=True)[back]


class _Align(torch.autograd.Function):
    """`align` on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, sharpness: Tensor, pull: Tensor, steps: int, rounds: int,
        segments: Segments, left: Tensor, right: Tensor, adjacency: Adjacency | None,
    ) -> Tensor:  # fmt: skip
        counts = segments.ptr.diff()
        mine, yours = counts[left], counts[right]
        cost_ptr = pointer((mine + (mine < yours)) * (yours + (yours < mine)))
        if adjacency is None:
            none = segments.ptr[:0]
            edges, terms, rounds = (none, none, x.new_zeros(0)), 1, 0
        else:
            weight = adjacency.weight.detach().float()
            edges, terms = (adjacency.row_ptr, adjacency.col, weight), 2
        ctx.fixed = (
            *(part.numpy() for part in (segments.ptr, left, right)),
            *(float(sharpness), float(pull), steps, rounds, ROUNDING),
            *(part.numpy() for part in (*edges, cost_ptr)),
        )
        x = x.contiguous()
        costs, out = x.new_empty(int(cost_ptr[-1])), x.new_empty(terms, len(left))
        align_forward(x.numpy(), *ctx.fixed, costs.numpy(), out.numpy())
        ctx.save_for_backward(x, costs, sharpness)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("a distance by alignment")
        x, costs, sharpness = ctx.saved_tensors
        dx = torch.zeros_like(x)
        gradients = align_backward(
            grad.contiguous().numpy(), x.numpy(), *ctx.fixed, costs.numpy(), dx.numpy()
        )
        both = (sharpness.new_full((), each) for each in gradients)
        return dx, *both, None, None, None, None, None, None
