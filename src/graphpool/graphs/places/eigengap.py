"""Number of clusters of a graph by the eigengap of its normalised adjacency.

S = D^-½ (A + Aᵀ) D^-½ has eigenvalues 1 = λ₁ ≥ λ₂ ≥ …, of which as many are near 1 as there are
loosely connected parts; their number is the position of the largest gap after the second.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

FROM, TO = 2, 12
_DENSE = 500  # nodes; larger graphs use the Lanczos method
_ROOM = 1 << 22  # matrix entries in memory at a time
_SAME = 1e-5  # gaps that differ by less count as equal, to ignore rounding errors


def eigengaps(row_ptr: Array, col: Array, weight: Array, node_ptr: Array) -> NDArray[np.int64]:
    """Return argmax over k = 2 … 12 of λ_k − λ_(k+1) for each graph, `[graphs]`.

    Ties go to the smallest k. A graph of one or two nodes gets one cluster per node, and a large
    graph whose first eigenvalues are too close for Lanczos to converge gets 2. Self-loops and
    weights that are not positive or not finite are ignored.

    The graphs are given as in `cache.Graphs`.
    """
    counts = np.diff(node_ptr)
    row = np.repeat(np.arange(len(row_ptr) - 1), np.diff(row_ptr))
    owner = np.repeat(np.arange(len(counts)), counts)[row]
    row = row - node_ptr[:-1][owner]
    weight = np.where(np.isfinite(weight) & (weight > 0) & (row != col), weight, 0).astype(float)
    edge_ptr = row_ptr[node_ptr]
    found = np.minimum(counts, FROM).astype(np.int64)
    for nodes in np.unique(counts[counts > FROM]):
        of_size = np.flatnonzero(counts == nodes)
        step = max(1, _ROOM // int(nodes) ** 2) if nodes <= _DENSE else 1
        for first in range(0, len(of_size), step):
            chosen = of_size[first : first + step]
            edges = np.concatenate([np.arange(*edge_ptr[i : i + 2]) for i in chosen])
            graph = np.searchsorted(chosen, owner[edges])
            spectrum = _dense if nodes <= _DENSE else _lanczos
            values = spectrum(graph, row[edges], col[edges], weight[edges], len(chosen), int(nodes))
            found[chosen] = _largest_gap(values)
    return found


def _largest_gap(values: Array) -> NDArray[np.int64]:
    """Return the first k with the largest gap; `values` `[graphs, n]` are sorted, descending."""
    gaps = -np.diff(values, axis=1)[:, FROM - 1 : TO]
    return np.asarray(FROM + np.argmax(gaps > gaps.max(1, keepdims=True) - _SAME, axis=1))


def _dense(graph: Array, row: Array, col: Array, weight: Array, graphs: int, nodes: int) -> Array:
    """Return the eigenvalues of graphs of one size, descending, `[graphs, nodes]`."""
    full = np.zeros((graphs, nodes, nodes))
    np.add.at(full, (graph, row, col), weight)
    full += full.transpose(0, 2, 1)
    scale = _inverse_root(full.sum(1))
    return np.linalg.eigvalsh(scale[:, :, None] * full * scale[:, None, :])[:, ::-1]


def _lanczos(graph: Array, row: Array, col: Array, weight: Array, graphs: int, nodes: int) -> Array:
    """Return the 13 largest eigenvalues of one large graph, `[1, 13]`; ones if not converged."""
    from scipy.sparse import coo_array, diags_array
    from scipy.sparse.linalg import ArpackNoConvergence, eigsh

    full = coo_array((weight, (row, col)), shape=(nodes, nodes)).tocsr()
    full = full + full.T
    scale = diags_array(_inverse_root(np.asarray(full.sum(0)).ravel()))
    start = np.random.default_rng(0).standard_normal(nodes)
    try:
        values = eigsh(scale @ full @ scale, TO + 1, which="LA", v0=start, tol=1e-6, ncv=64,
                       maxiter=30, return_eigenvectors=False)  # fmt: skip
    except ArpackNoConvergence:
        values = np.ones(TO + 1)  # all gaps are equal
    return np.sort(values)[None, ::-1]


def _inverse_root(degree: Array) -> Array:
    return np.where(degree > 0, degree, np.inf) ** -0.5
