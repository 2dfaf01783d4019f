"""Divide parts that are too large to recur into places, by rings and modularity."""

import numpy as np
import torch

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.hashing import Array
from graphpool.graphs.parts.colours import ColouredGraphs
from graphpool.graphs.places.rule import PlaceRule

RULE = PlaceRule(steps=0, units="auto", most=1024)  # hard ones may be many


def divide_large(graphs: ColouredGraphs, part: Array, counts: Array, largest: int) -> None:
    """Divide every part of more than `largest` nodes as if it were a graph of its own.

    Args:
        part: `[nodes]`, the part of each node, numbered from 0 in each graph; changed in place.
        counts: `[graphs]`, the number of parts of each graph; changed in place.
    """
    owner = np.repeat(np.arange(len(counts)), np.diff(graphs.node_ptr))
    whole = (np.cumsum(counts) - counts)[owner] + part  # numbered through the whole set
    size = np.bincount(whole, minlength=int(counts.sum()))
    if not (size > largest).any():
        return
    node = np.flatnonzero(size[whole] > largest)
    node = node[np.argsort(whole[node], kind="stable")]
    large = np.flatnonzero(size > largest)
    begin = np.cumsum(size[large]) - size[large]
    local = np.zeros(len(part), dtype=np.int64)
    local[node] = np.arange(len(node)) - np.repeat(begin, size[large])
    source, target = graphs.ends
    inside = (whole[source] == whole[target]) & (size[whole[source]] > largest)
    ends = graphs.ends[:, inside]
    ends = ends[:, np.argsort(whole[ends[0]], kind="stable")]
    edges = np.bincount(whole[ends[0]], minlength=len(size))[large]
    pieces = GraphSet.build(
        "parts",
        torch.from_numpy(size[large]),
        torch.from_numpy(edges),
        torch.from_numpy(local[ends]),
        undirected=True,
    ).places(RULE)
    piece = np.zeros(len(part), dtype=np.int64)
    piece[node] = pieces.cluster.numpy()
    _, first, code = np.unique(
        whole * (piece.max() + 1) + piece, return_index=True, return_inverse=True
    )
    counts[:] = np.bincount(owner[first], minlength=len(counts))
    part[:] = code.reshape(-1) - (np.cumsum(counts) - counts)[owner]
