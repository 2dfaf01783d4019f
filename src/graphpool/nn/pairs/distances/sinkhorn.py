"""The distance of two graphs by a soft alignment of their nodes (Sinkhorn)."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import huber_loss

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments, pointer
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.switch import use_compiled
from graphpool.nn.pairs.distances.base import LevelNodes, MultisetDistance
from graphpool.nn.pairs.distances.sinkhorn_compiled import align_backward, align_forward
from graphpool.typing import Float, Int

# Steps of the alignment, each over rows and columns. Results hardly differ from 5 to 15.
STEPS = 5
# How often nodes are aligned again with edges. More rounds take longer and gain nothing.
ROUNDS = 1
# Initial weight of common edges: each raises the affinity of two nodes by a factor of e^3.
PULL = 3.0
# Initial sharpness of alignments: a cost of 1 lowers the affinity by a factor of e^-10.
SHARPNESS = 10.0
# Parts of unmatched edges below this are squared, so that rounding errors have no weight.
ROUNDING = 0.1
# Pairs of graphs are processed in runs; the largest graph of a run has at most this many times the
# nodes of its smallest, so that padding at most doubles the work …
SLACK = 1.4
# … except for graphs with at most this many nodes, for which more calls cost more than padding.
SMALL = 16
# Logit of nodes that must not be aligned.
NEVER = -1e9


class Alignment(NamedTuple):
    """Settings of an alignment: sharpness β, pull of common edges γ, steps, rounds with edges."""

    sharpness: Tensor
    pull: Tensor
    steps: int
    rounds: int


class SinkhornDistance(MultisetDistance):
    """A distance by soft alignment of nodes, level by level.

    Nodes of one graph are moved onto those of the other at the cost C of their Euclidean distance,
    divided by √channels; the smaller graph is padded with nodes of zeros. P, the share of node i
    that is moved to node j, is found by Sinkhorn's algorithm (Cuturi 2013) from exp(-β C) with
    learned β, and w(G₁, G₂) = Σ P C is the cost of the alignment.

    A soft alignment has a cost even between a graph and itself, so the distance is
    w(G₁, G₂) - ½ w(G₁, G₁) - ½ w(G₂, G₂), but at least 0 (the Sinkhorn divergence of Feydy et al.
    2019, without its entropy).

    Steps begin with the rows, which are the nodes of the smaller graph. Two graphs with the same
    number of nodes are aligned in both orders, and the mean is used.

    Memory grows with the number of pairs of nodes of compared graphs; `SortedDistance` needs less.

    Args:
        channels: number of channels of the nodes of each level.
        steps: steps of Sinkhorn's algorithm.
    """

    def __init__(self, channels: tuple[int, ...], steps: int = STEPS) -> None:
        super().__init__(channels)
        if steps < 1:
            raise ValueError(f"steps is {steps}; it must be at least 1")
        self.steps = steps
        self.log_sharpness = nn.Parameter(torch.full((len(channels),), math.log(SHARPNESS)))

    def reset_parameters(self) -> None:
        """Draw the maps again, and set all other parameters to their initial values."""
        super().reset_parameters()
        nn.init.constant_(self.log_sharpness, math.log(SHARPNESS))

    def alignment(self, level: int) -> Alignment:
        """Return the settings of the alignment at a level."""
        sharpness = self.log_sharpness[level].exp()
        return Alignment(sharpness, torch.zeros_like(sharpness), self.steps, 0)

    def measure(
        self, level: int, nodes: LevelNodes, left: Tensor, right: Tensor
    ) -> Float[Tensor, "terms pairs"]:
        """Return the cost of the alignment and, with a sparse adjacency, the unmatched edges."""
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
        terms = align(x, segments, first, second, self.alignment(level), adjacency)
        own, there, back = torch.tensor_split(terms, (len(every), len(every) + len(left)), dim=1)
        between = there.index_copy(1, equal, (there[:, equal] + back) / 2)
        return (between - (own[:, left] + own[:, right]) / 2).clamp(min=0)


class EdgeAwareSinkhornDistance(SinkhornDistance):
    """A distance by soft alignment of nodes and edges, at levels with a sparse adjacency.

    P is computed a second time from exp(-β C + γ A₁PA₂ᵀ) with learned γ. A₁PA₂ᵀ is the number of
    edges that i and j have in common under P (of incoming edges in directed graphs), so nodes with
    aligned neighbours attract each other (Gold and Rangarajan 1996). That number grows with the
    density of the graphs, so one γ can't suit graphs of very different density.

    A second term counts the unmatched edges: e(G₁, G₂) = ½ Σ |A₁P - PA₂|, which for undirected
    graphs and a P of zeros and ones is their number (Umeyama 1988 has its square). |·| is smoothed
    at 0 (Huber's function with δ = 0.1).

    Args:
        channels: number of channels of the nodes of each level.
        steps: steps of Sinkhorn's algorithm.
        rounds: number of alignments with edges.
    """

    terms = 2

    def __init__(self, channels: tuple[int, ...], steps: int = STEPS, rounds: int = ROUNDS) -> None:
        super().__init__(channels, steps)
        self.rounds = rounds
        self.log_pull = nn.Parameter(torch.tensor(math.log(PULL)))

    def reset_parameters(self) -> None:
        """Draw the maps again, and set all other parameters to their initial values."""
        super().reset_parameters()
        nn.init.constant_(self.log_pull, math.log(PULL))

    def alignment(self, level: int) -> Alignment:
        """Return the settings of the alignment at a level, with edges."""
        return super().alignment(level)._replace(pull=self.log_pull.exp(), rounds=self.rounds)


def align(
    x: Float[Tensor, "nodes channels"],
    segments: Segments,
    left: Int[Tensor, " pairs"],
    right: Int[Tensor, " pairs"],
    settings: Alignment,
    adjacency: Adjacency | None = None,
) -> Float[Tensor, "terms pairs"]:
    """Return Σ P C of every pair and, with an adjacency of the nodes, the unmatched edges."""
    sharpness, pull, steps, rounds = settings
    if use_compiled("alignment", x):
        fixed = (steps, rounds, segments, left, right, adjacency)
        return _Align.apply(x, sharpness, pull, *fixed)  # type: ignore[no-any-return]
    counts = segments.ptr.diff()
    wide = torch.maximum(counts[left], counts[right])
    order = wide.argsort(stable=True)
    filled = torch.cat([x, x.new_zeros(1, x.shape[1])])
    rows = [x.new_zeros(1 if adjacency is None else 2, 0)]
    for begin, end, width in _runs(wide[order]):
        one, other = left[order[begin:end]], right[order[begin:end]]
        rank = torch.arange(width, device=x.device)

        def side(graph: Tensor, rank: Tensor = rank) -> Tensor:
            node = segments.ptr[graph].unsqueeze(-1) + rank
            return filled[torch.where(rank < counts[graph].unsqueeze(-1), node, x.shape[0])]

        # Without the product form, in which the distance of equal nodes is not 0.
        exact = "donot_use_mm_for_euclid_dist"
        cost = torch.cdist(side(one), side(other), compute_mode=exact) / math.sqrt(x.shape[1])
        real = rank < wide[order[begin:end]].unsqueeze(-1)
        plan = _aligned(cost * -sharpness, real, steps)
        if adjacency is None:
            rows.append((plan * cost).sum((-2, -1)).unsqueeze(0))
            continue
        mine, yours = (_dense(adjacency, segments, each, width).to(x) for each in (one, other))
        for _ in range(rounds):
            common = mine @ plan @ yours.mT
            plan = _aligned(pull * common - sharpness * cost, real, steps)
        over = mine @ plan - plan @ yours
        size = huber_loss(over, torch.zeros_like(over), reduction="none", delta=ROUNDING)
        terms = [(plan * cost).sum((-2, -1)), size.sum((-2, -1)) / (2 * ROUNDING)]
        rows.append(torch.stack(terms))
    return torch.cat(rows, 1)[:, order.argsort()]


def _aligned(
    logits: Float[Tensor, "pairs nodes nodes"], real: Tensor, steps: int
) -> Float[Tensor, "pairs nodes nodes"]:
    """Return P: rows and columns of real nodes sum to one, others are aligned to themselves."""
    both = real.unsqueeze(-1) & real.unsqueeze(-2)
    itself = torch.eye(logits.shape[-1], dtype=torch.bool, device=logits.device) & ~both
    logits = torch.where(both, logits, torch.where(itself, 0.0, NEVER))
    for _ in range(steps):
        logits = logits - logits.logsumexp(-1, keepdim=True)
        logits = logits - logits.logsumexp(-2, keepdim=True)
    return logits.exp()


def _runs(wide: Int[Tensor, " pairs"]) -> Iterator[tuple[int, int, int]]:
    """Yield begin, end and width of the runs of pairs of similar size; `wide` is sorted."""
    sizes, begin = wide.cpu().numpy(), 0
    while begin < len(sizes):
        end = int(sizes.searchsorted(max(SLACK * sizes[begin], SMALL), side="right"))
        yield begin, end, int(sizes[end - 1])
        begin = end


def _dense(
    adjacency: Adjacency, segments: Segments, graphs: Int[Tensor, " chosen"], width: int
) -> Float[Tensor, "chosen width width"]:
    """Return the adjacency matrices of these graphs, padded with zeros; repeated edges add up."""
    different, back = graphs.unique(return_inverse=True)
    position = different.new_full((segments.num_graphs,), -1)
    position[different] = torch.arange(len(different), device=graphs.device)
    row, col = adjacency.row, adjacency.col
    mine = position[segments.batch[row]]
    chosen = (mine >= 0).nonzero().squeeze(-1)
    row, col, mine = row[chosen], col[chosen], mine[chosen]
    start = segments.ptr[segments.batch[row]]
    dense = adjacency.weight.new_zeros(len(different), width, width)
    where = (mine, row - start, col - start)
    return dense.index_put_(where, adjacency.weight.detach()[chosen], accumulate=True)[back]


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
            tuple(part.numpy() for part in edges),
            cost_ptr.numpy(),
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
