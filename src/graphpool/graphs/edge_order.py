"""The order in which a `GraphSet` stores edges: by target, self-loops first, then by source."""

import torch
from torch import Tensor

from graphpool.errors import plural, was
from graphpool.graphs.segments import pointer

Edges = tuple[Tensor, Tensor, Tensor, Tensor]


def csr_order(
    owner: Tensor,
    source: Tensor,
    target: Tensor,
    weight: Tensor | None,
    node_counts: Tensor,
    undirected: bool,
) -> tuple[Edges, list[str]]:
    """Sort edges and drop repeated ones; see `GraphSet.build`.

    Returns graph, source, target and former position of each edge, and notes on what was dropped.
    """
    device, empty = source.device, 0
    given = torch.arange(source.shape[0], device=device)
    if weight is not None:
        real = (source != target) | (weight != 0)
        source, target, owner, given = source[real], target[real], owner[real], given[real]
        empty = int((~real).sum())
    listed = source.shape[0]
    if undirected:
        source, target = torch.cat([source, target]), torch.cat([target, source])
        owner, given = owner.repeat(2), given.repeat(2)
    widest = int(node_counts.max()) + 1 if len(node_counts) else 1
    within = torch.where(source == target, 0, source + 1)
    rank = (pointer(node_counts)[owner] + target) * widest + within
    rank, order = torch.sort(rank, stable=True)
    first = torch.ones(rank.shape[0], dtype=torch.bool, device=device)
    first[1:] = rank[1:] != rank[:-1]
    # An edge that meets its own reverse is no repetition, so only listed ones count.
    repeated = int((~first & (order < listed)).sum())
    kept = order[first]
    return (owner[kept], source[kept], target[kept], given[kept]), dropped_notes(empty, repeated)


def dropped_notes(empty: int, repeated: int) -> list[str]:
    """Return what a set says about self-loops of weight 0 and repeated edges."""
    loops = f"{plural(empty, 'self-loop')} of weight 0 {was(empty)} dropped"
    edges = f"{plural(repeated, 'repeated edge')} {was(repeated)} kept once"
    return [note for note, count in ((loops, empty), (edges, repeated)) if count]
