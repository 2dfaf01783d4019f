"""Independent checks of generated matching pairs: by the known numbering of nodes, and by VF2.

They use the finished graphs and not how they were drawn. A failure is a bug in graphpool.
"""

from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.graphs.graphset import GraphSet

if TYPE_CHECKING:
    import networkx as nx
    from networkx.algorithms.isomorphism import GraphMatcher

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

VF2_NODES = 1600  # of the pairs of one size that VF2 checks: 80 pairs of 20 nodes, 5 of 300


def shared_edges(graphs: GraphSet, left: Ints, right: Ints, origin: Ints) -> tuple[Ints, Ints]:
    """Count the edges that both graphs of each pair have, and the left one between shared nodes.

    Args:
        left: `[pairs]`, positions of the first graphs; `right` of the second.
        origin: the node of the left graph that each node of the right graphs corresponds to, of
            all graphs concatenated, or -1 for none.

    Returns two counts, `[pairs]`; each edge counts in both directions.
    """
    one, other = graphs.select(left), graphs.select(right)
    widest = int(one.node_counts.max())
    kept = np.zeros(one.num_nodes, dtype=bool)
    of = other.node_graph.numpy()
    begin = one.node_ptr.numpy()
    kept[(begin[of] + origin)[origin >= 0]] = True

    a, b = one.flat_edges.numpy()
    between = kept[a] & kept[b]
    known = a * widest + one.edge_index[1].numpy()
    c, d = origin[other.flat_edges.numpy()]
    both = (c >= 0) & (d >= 0)
    pair = other.edge_graph.numpy()
    found = both & np.isin((begin[pair] + c) * widest + d, known)
    pairs = len(left)
    return (
        np.bincount(pair[found], minlength=pairs),
        np.bincount(one.edge_graph.numpy()[between], minlength=pairs),
    )


def _vf2(graphs: GraphSet, left: Ints, right: Ints, pair: int) -> "GraphMatcher":
    """Return NetworkX's VF2 for the two graphs of a pair."""
    from networkx.algorithms.isomorphism import GraphMatcher

    return GraphMatcher(*(_as_networkx(graphs, int(side[pair])) for side in (left, right)))


def _as_networkx(graphs: GraphSet, position: int) -> "nx.Graph":
    """Convert one graph, nodes by falling degree: VF2 then finds a match a hundred times faster."""
    import networkx as nx

    graph = graphs[position]
    degree = torch.bincount(graph.edge_index[1], minlength=graph.num_nodes)
    made = nx.Graph()
    made.add_nodes_from(degree.argsort(descending=True, stable=True).tolist())
    made.add_edges_from(graph.edge_index.T.tolist())
    return made


def require(holds: bool, what: str) -> None:
    """Raise an error where a check fails; no setting of a user can cause it."""
    if not holds:
        raise RuntimeError(f"matching pairs are not what they should be: {what}")


def check_paper(
    graphs: GraphSet, left: Ints, right: Ints, origin: Ints, y: Flags, *, vf2: bool
) -> None:
    """Check that smaller second graphs are parts of the first, and larger ones contain it."""
    shared, between = shared_edges(graphs, left, right, origin)
    edges = graphs.edge_counts.numpy()
    smaller = np.where(y, edges[right], edges[left])
    require(bool((shared == between).all()), "a second graph lacks edges of the first")
    require(bool((shared == smaller).all()), "a second graph has edges that the first lacks")
    for pair in _sample(graphs, left, y, vf2):
        found = _vf2(graphs, left, right, pair).subgraph_is_isomorphic()
        require(found, f"VF2 finds no match of {graphs.ids[right[pair]]}")


def check_balanced(
    graphs: GraphSet, left: Ints, right: Ints, origin: Ints, y: Flags, changed: Ints, *, vf2: bool
) -> None:
    """Check that both graphs have the same size, and differ in as many edges as were changed.

    Args:
        changed: `[pairs]`, edges that were replaced; -1: all may be.
    """
    shared, edges = shared_edges(graphs, left, right, origin)[0], graphs.edge_counts.numpy()
    nodes, known = graphs.node_counts.numpy(), changed >= 0
    require(bool((nodes[left] == nodes[right]).all()), "numbers of nodes differ")
    require(bool((edges[left] == edges[right]).all()), "numbers of edges differ")
    kept = edges[left] - 2 * changed
    require(bool((shared == kept)[known].all()), "the edges are not those that were kept")
    for wanted, rows in ((False, ~y), (True, changed == 0)):
        for pair in _sample(graphs, left, rows, vf2):
            same = _vf2(graphs, left, right, pair).is_isomorphic()
            require(same == wanted, f"VF2 on {graphs.ids[left[pair]]} says isomorphic: {same}")


def _sample(graphs: GraphSet, left: Ints, rows: Flags, vf2: bool) -> Ints:
    """Return the first of these pairs, as many as VF2 is to check."""
    if not vf2 or not rows.any():
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(rows)[: max(1, VF2_NODES // int(graphs.node_counts[left[0]]))]
