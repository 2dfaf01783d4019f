"""The distance of two graphs by aligning their nodes: what is left to move in a soft matching."""

import math
from collections.abc import Iterator

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.pairs.levels import LevelDistances
from graphpool.shapes import Float, Int

# Steps of the alignment, each over rows and columns. From 5 to 15 the results hardly differ.
STEPS = 5
# How sharp alignments are at first: a cost of 1 is shunned by a factor of e^-10.
SHARPNESS = 10.0
# Pairs of graphs are worked off in runs; a run's largest graph has at most so many times the
# nodes of its smallest, so that padding at most doubles what is compared …
SLACK = 1.4
# … but for graphs of so few nodes, of which more calls would cost more than padding does.
SMALL = 16
# Of a logit where nothing may be aligned.
NEVER = -1e9


class AlignedDistances(LevelDistances):
    """Distances by soft alignment, level by level.

    Nodes of one graph are moved onto those of the other at the cost of their Euclidean distance,
    divided by √channels; the smaller graph is filled up with nodes of zeros. P, how much of node
    i goes to node j, is found by Sinkhorn's steps (Cuturi 2013) from exp(-β C), β learned, and
    w(G₁, G₂) = Σ P C. A soft alignment costs something even between a graph and itself, so
    d = w(G₁, G₂) - ½ w(G₁, G₁) - ½ w(G₂, G₂), and never below 0 (the Sinkhorn divergence of
    Feydy et al. 2019, without its entropy).

    Memory is that of all pairs of nodes of compared graphs; `SortedDistances` needs less.

    Args:
        channels: of the nodes of each level.
        steps: of Sinkhorn's algorithm.
    """

    def __init__(self, channels: tuple[int, ...], steps: int = STEPS) -> None:
        super().__init__(channels)
        self.steps = steps
        self.log_sharpness = nn.Parameter(torch.full((len(channels),), math.log(SHARPNESS)))

    def measure(
        self, level: int, x: Tensor, segments: Segments, left: Tensor, right: Tensor
    ) -> Float[Tensor, " pairs"]:
        """d of every pair."""
        every = torch.arange(segments.num_graphs, device=x.device)
        first, second = torch.cat([every, left]), torch.cat([every, right])
        sharpness = self.log_sharpness[level].exp()
        work = align(x, segments, first, second, sharpness, self.steps)
        own, between = work[: len(every)], work[len(every) :]
        return (between - (own[left] + own[right]) / 2).clamp(min=0)


def align(
    x: Float[Tensor, "nodes channels"],
    segments: Segments,
    left: Int[Tensor, " pairs"],
    right: Int[Tensor, " pairs"],
    sharpness: Tensor,
    steps: int,
) -> Float[Tensor, " pairs"]:
    """w = Σ P C of every pair, `[pairs]`."""
    counts = segments.ptr.diff()
    wide = torch.maximum(counts[left], counts[right])
    order = wide.argsort(stable=True)
    filled = torch.cat([x, x.new_zeros(1, x.shape[1])])
    found = []
    for begin, end, width in _runs(wide[order]):
        run = order[begin:end]
        rank = torch.arange(width, device=x.device)

        def side(graph: Tensor, rank: Tensor = rank) -> Tensor:
            place = segments.ptr[graph].unsqueeze(-1) + rank
            return filled[torch.where(rank < counts[graph].unsqueeze(-1), place, x.shape[0])]

        # Without the product form, in which the distance of equal nodes is not 0.
        exact = "donot_use_mm_for_euclid_dist"
        cost = torch.cdist(side(left[run]), side(right[run]), compute_mode=exact)
        cost = cost / math.sqrt(x.shape[1])
        share = _aligned(cost * -sharpness, rank < wide[run].unsqueeze(-1), steps)
        found.append((share * cost).sum((-2, -1)))
    return torch.cat(found)[order.argsort()] if found else x.new_zeros(0)


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
