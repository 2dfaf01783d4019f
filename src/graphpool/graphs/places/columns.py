"""The places of a batch from those of its set, laid out as it reads them, in one compiled pass."""

from typing import Any, no_type_check

from graphpool.graphs.places.kernel import compiled

Array = Any


@compiled
@no_type_check
def gather_columns(
    share: Array, log: Array, node: Array, ptr: Array, counts: Array, out: Array
) -> None:
    """Shares and their logarithms of some nodes, `[nodes, clusters]`, as `[2, clusters, nodes]`.

    Only the clusters that a graph has are written.
    """
    for graph in range(counts.shape[0]):
        # A node's columns lie side by side: a graph's rows stay in the cache for all of them.
        for j in range(counts[graph]):
            shares, logs = out[0, j], out[1, j]
            for i in range(ptr[graph], ptr[graph + 1]):
                at = node[i]
                shares[i] = share[at, j]
                logs[i] = log[at, j]
