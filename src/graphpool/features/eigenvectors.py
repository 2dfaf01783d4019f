"""Laplacian eigenvectors: the position of a node in its graph, up to signs and rotations.

They are a baseline and not a default: see `Eigenvectors` for what is arbitrary in them.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.errors import DataError
from graphpool.features.base import Feature, refuse_negative_weights
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor

Array = NDArray[Any]

ENTRIES = 1 << 20
"""Numbers in one stack of matrices (8 MB); there are a few of them at a time."""

DENSE = 600
"""Graphs of more nodes than this use Lanczos iterations on the sparse matrix."""

SKEW = 1e-6
"""The sign of a vector whose mean cube is nearer to 0 than this is arbitrary."""


class Eigenvectors(Feature):
    """Eigenvectors of L = I - D^-½ A D^-½ with the smallest eigenvalues after 0, one column each.

    Eigenvalue 0, once for each connected component, carries only the degrees and is left out.
    Vectors have unit root mean square over the nodes of their graph; where a graph has fewer than
    `count`, the last columns are 0. Edges have no direction here, A is the mean of the adjacency
    and its transpose; weights count, and self-loops are edges like others.

    The sign of an eigenvector is arbitrary. Here its cubes have a positive sum, whatever the
    numbering of nodes; where that sum is 0 up to rounding, as for a vector that a symmetry of the
    graph maps to its negative, the sign is the solver's. The eigenvectors of a repeated eigenvalue
    are any orthogonal basis, which the solver chooses. So in graphs with symmetries **this feature
    depends on how the nodes are numbered**, the same graph can get two results, and nearly equal
    eigenvalues are swapped by small edits. That is why it is a baseline and not a default.

    Args:
        count: number of eigenvectors.
    """

    kind = "eigen"
    summary = "first K Laplacian eigenvectors, a baseline that numbering can change: eigen:K"
    stored = ("count",)
    least = 1

    def __init__(self, count: int = 8) -> None:
        self.count = count

    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Compute the eigenvectors."""
        refuse_negative_weights(graphs, "for which the Laplacian is not defined")
        found = torch.from_numpy(_eigenvectors(graphs.to("cpu"), self.count))
        return found.float().to(graphs.device)

    @property
    def names(self) -> tuple[str, ...]:
        """`eigenvector 1`, `eigenvector 2` and so on."""
        return tuple(f"eigenvector {number}" for number in range(1, self.count + 1))


def _eigenvectors(graphs: GraphSet, count: int) -> Array:
    """The columns of all graphs of a set, `[nodes, count]` in float64."""
    walk, trivial, component, spare = _parts(graphs)
    start, nodes = graphs.node_ptr.numpy(), graphs.node_counts.numpy()
    found = np.zeros((graphs.num_nodes, count))
    for members in _equal_sizes(nodes, spare > 0):
        rows = start[members][:, None] + np.arange(nodes[members[0]])
        if rows.shape[1] > DENSE:
            part, wanted = slice(rows[0, 0], rows[0, -1] + 1), min(count, int(spare[members[0]]))
            vectors = _lanczos(walk[part, part], trivial[part], component[part], wanted)[None]
            if not vectors.size:
                raise DataError(
                    f"{graphs.name}, graph {graphs.ids[members[0]]}: its eigenvectors were not "
                    "found, because their eigenvalues are too close together; use other features, "
                    "such as rw:8"
                )
        else:
            block = _stack(walk, rows)
            together = component[rows][:, :, None] == component[rows][:, None, :]
            block -= 3 * together * trivial[rows][:, :, None] * trivial[rows][:, None, :]
            # Eigenvalues come in ascending order; largest of D^-½ A D^-½ is smallest of L.
            vectors = np.linalg.eigh(block)[1][:, :, ::-1][:, :, :count]
            exist = np.arange(vectors.shape[2]) < spare[members][:, None]
            vectors = vectors * exist[:, None, :]
        found[rows, : vectors.shape[2]] = _signed(vectors * np.sqrt(rows.shape[1]))
    return found


def _parts(graphs: GraphSet) -> tuple[Any, Array, Array, Array]:
    """Prepare the matrices that the eigenvectors of a set are computed from.

    Returns D^-½ A D^-½ of all graphs along one diagonal, sparse; for each node its entry in the
    eigenvector 0 of its component, at unit length; its component; for each graph the number of
    eigenvectors besides those.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    total = graphs.num_nodes
    weight = np.ones(graphs.num_edges)
    if graphs.edge_weight is not None:
        weight = graphs.edge_weight.numpy().astype(np.float64)
    source, target = graphs.flat_edges.numpy()
    adjacency = csr_array((weight, (target, source)), shape=(total, total))
    if not graphs.undirected:
        adjacency = (adjacency + adjacency.T) / 2
    adjacency.eliminate_zeros()
    adjacency.sort_indices()
    number, component = connected_components(adjacency, directed=False)
    degree = np.asarray(adjacency.sum(axis=1)).ravel()
    share = np.sqrt(np.divide(1.0, degree, out=np.zeros(total), where=degree > 0))
    row = np.repeat(np.arange(total), np.diff(adjacency.indptr))
    adjacency.data = adjacency.data * share[row] * share[adjacency.indices]
    mass = np.where(degree > 0, degree, 1.0)  # a lone node is a component of its own
    trivial = np.sqrt(mass / np.bincount(component, weights=mass, minlength=number)[component])
    first = np.unique(component, return_index=True)[1]
    trivial_of = np.bincount(graphs.node_graph.numpy()[first], minlength=len(graphs))
    return adjacency, trivial, component, graphs.node_counts.numpy() - trivial_of


def _equal_sizes(nodes: Array, chosen: Array) -> Iterator[Array]:
    """Positions of graphs of the same size, as many at a time as fit; large ones alone."""
    for size in np.unique(nodes[chosen]):
        members = np.flatnonzero(chosen & (nodes == size))
        share = 1 if size > DENSE else max(1, ENTRIES // int(size) ** 2)
        for first in range(0, len(members), share):
            yield members[first : first + share]


def _stack(walk: Any, rows: Array) -> Array:
    """Dense blocks of the sparse matrix, `[graphs, size, size]`, for nodes `[graphs, size]`."""
    entries = walk[rows.ravel()].tocoo()
    graph, row = np.divmod(entries.row, rows.shape[1])
    blocks = np.zeros((*rows.shape, rows.shape[1]))
    blocks[graph, row, entries.col - rows[graph, 0]] = entries.data
    return blocks


def _lanczos(walk: Any, trivial: Array, component: Array, count: int) -> Array:
    """Eigenvectors of one large graph, `[nodes, count]`; none if they can't be found."""
    from scipy.sparse import csr_array
    from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

    size = len(trivial)
    index = np.unique(component, return_inverse=True)[1]
    known = csr_array((trivial, (np.arange(size), index)), shape=(size, int(index.max()) + 1))
    # Those of eigenvalue 1 are known, and moved past the end: the rest comes first.
    moved = LinearOperator(
        (size, size),
        matvec=lambda x: walk @ x - 3 * (known @ (known.T @ x)),
        dtype=np.float64,
    )
    begin = np.random.default_rng(0).standard_normal(size)  # the same answer every time
    try:
        values, vectors = eigsh(moved, count, which="LA", v0=begin, ncv=min(size, 4 * count + 20))
    except ArpackNoConvergence:
        return np.empty((size, 0))
    return np.asarray(vectors[:, np.argsort(-values, kind="stable")])


def _signed(vectors: Array) -> Array:
    """Vectors `[..., nodes, count]` of unit root mean square with the sign that the cubes give."""
    cube = (vectors**3).mean(axis=-2, keepdims=True)
    return np.where(cube < -SKEW, -vectors, vectors)
