"""Compiled gathering of a batch's places from those of its set, in the layout it reads."""

from typing import Any, no_type_check

from graphpool.graphs.places.kernel import compiled

Array = Any


@compiled
@no_type_check
def gather_columns(
    share: Array, log: Array, node: Array, ptr: Array, counts: Array, out: Array
) -> None:
    """Gather shares and logarithms `[nodes, clusters]` of nodes into `[2, clusters, nodes]`.

    Only the clusters that a graph has are written.
    """
    for graph in range(counts.shape[0]):
        # A node's columns are adjacent in memory, so a graph's rows stay in the CPU cache.
        for j in range(counts[graph]):
            shares, logs = out[0, j], out[1, j]
            for i in range(ptr[graph], ptr[graph + 1]):
                at = node[i]
                shares[i] = share[at, j]
                logs[i] = log[at, j]
