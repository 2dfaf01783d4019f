"""Is a coarsening doing anything? Numbers that show when it collapses or is switched off."""

import torch
from torch import Tensor

from graphpool.nn.coarsen.outputs import PlaceOutput, PoolOutput, Trace
from graphpool.nn.ops.products import segment_mm, segment_sum
from graphpool.typing import Float


def effective_rank(level: PoolOutput) -> Float[Tensor, " graphs"]:
    """exp of the entropy of M's normalised singular values (Roy & Vetterli 2007), `[graphs]`.

    Between 1 (every node has the same assignment) and the number of clusters.
    """
    share = _assignment(level).double()
    gram = segment_mm(share, share, level.node_segments)
    # The eigenvalues of a matrix that is not finite are an error, and its rank is NaN.
    sound = gram.isfinite().all(-1).all(-1)
    gram = torch.where(sound[:, None, None], gram, 0.0)
    values = torch.linalg.eigvalsh(gram.cpu()).clamp(min=0).sqrt()
    weight = values / values.sum(-1, keepdim=True)
    rank: Tensor = torch.special.entr(weight).sum(-1).exp().to(share.device)
    return rank


def clusters_used(level: PoolOutput) -> Float[Tensor, " graphs"]:
    """How many clusters are the strongest one of some node, `[graphs]`."""
    share = _assignment(level)
    chosen = torch.nn.functional.one_hot(share.argmax(-1), level.clusters).float()
    chosen = chosen * (share.sum(-1, keepdim=True) > 0)  # clusters below that a graph has not
    return (segment_sum(chosen, level.node_segments) > 0).sum(-1).double()


def entropy(level: PoolOutput) -> Float[Tensor, " graphs"]:
    """Mean entropy of the nodes' assignments over its largest value, `[graphs]`: 0 hard, 1 even."""
    share = _assignment(level).double()
    held = share.sum(-1, keepdim=True)  # 0 for clusters below that a graph has not, mostly 1 else
    there = (held > 0).double()
    rows = torch.special.entr(share / torch.where(held > 0, held, 1.0)).sum(-1, keepdim=True)
    total, count = segment_sum(rows, level.node_segments), segment_sum(there, level.node_segments)
    mean = (total / count).squeeze(-1)
    # A graph of one cluster has no choice, and counts as hard.
    return mean / level.counts.to(mean.dtype).clamp(min=2).log()


def off_identity(level: PoolOutput) -> Float[Tensor, " graphs"]:
    """Share of the coarse adjacency's weight off the diagonal, `[graphs]`.

    0 when no cluster hears of another: the coarse graph is switched off. NaN for a coarse graph
    without any weight, which has nothing to be switched off.
    """
    adj = level.adj.detach().double().abs()
    total = adj.sum((-2, -1))
    own = adj.diagonal(dim1=-2, dim2=-1).sum(-1)
    return torch.where(total > 0, 1 - own / total, torch.nan)


def _assignment(level: PoolOutput) -> Tensor:
    assert level.assignment is not None, "a group pooler has an assignment"
    return level.assignment.detach()


MEASURES = {
    "effective_rank": effective_rank,
    "clusters_used": clusters_used,
    "entropy": entropy,
    "off_identity": off_identity,
}


@torch.no_grad()
def level_health(trace: Trace) -> dict[str, float]:
    """Means over the graphs of a trace, named `level1/effective_rank` and so on.

    Levels of a single cluster have nothing to measure and are left out, unless graphs may have
    different numbers: then the next batch has more. Of levels that keep nodes `level1/kept` says
    how many. Hard places are found and not learned, and can't collapse: only their number counts.
    """
    measured = {}
    for number, level in enumerate(trace.levels, 1):
        if level.selection is not None:
            measured[f"level{number}/kept"] = float(level.counts.double().mean())
        elif isinstance(level, PlaceOutput):
            if level.single:
                continue
            measured[f"level{number}/clusters"] = float(level.counts.double().mean())
        elif level.clusters > 1 or level.mask is not None:
            measured[f"level{number}/clusters"] = float(level.counts.double().mean())
            for name, measure in MEASURES.items():
                measured[f"level{number}/{name}"] = float(measure(level).nanmean())
    return measured
