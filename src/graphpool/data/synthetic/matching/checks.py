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


def shared_edges(graphs: GraphSet, origin: Ints) -> tuple[Ints, Ints]:
    """Count the edges that both graphs of each pair have, and the left one between shared nodes.

    Args:
        graphs: all left graphs, and then the right ones in the same order.
        origin: the node of the left graph that each node of the right graphs corresponds to, of
            all graphs concatenated, or -1 for none.

    Returns two counts, `[pairs]`; each edge counts in both directions.
    """
    pairs = len(graphs) // 2
    one, other = graphs[:pairs], graphs[pairs:]
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
    return (
        np.bincount(pair[found], minlength=pairs),
        np.bincount(one.edge_graph.numpy()[between], minlength=pairs),
    )


def _vf2(graphs: GraphSet, pair: int) -> "GraphMatcher":
    """Return NetworkX's VF2 for the two graphs of a pair."""
    from networkx.algorithms.isomorphism import GraphMatcher

    return GraphMatcher(*(_as_networkx(graphs, at) for at in (pair, pair + len(graphs) // 2)))


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


def check_paper(graphs: GraphSet, origin: Ints, y: Flags, *, vf2: bool) -> None:
    """Check that smaller second graphs are parts of the first, and larger ones contain it."""
    shared, between = shared_edges(graphs, origin)
    left, right = graphs.edge_counts.numpy().reshape(2, -1)
    smaller = np.where(y, right, left)
    require(bool((shared == between).all()), "a second graph lacks edges of the first")
    require(bool((shared == smaller).all()), "a second graph has edges that the first lacks")
    for pair in _sample(graphs, y, vf2):
        found = _vf2(graphs, pair).subgraph_is_isomorphic()
        require(found, f"VF2 finds no match of {graphs.ids[len(y) + pair]}")


def check_balanced(graphs: GraphSet, origin: Ints, y: Flags, changed: Ints, *, vf2: bool) -> None:
    """Check that both graphs have the same size, and differ in as many edges as were changed.

    Args:
        changed: `[pairs]`, edges that were replaced; -1: all may be.
    """
    shared, known = shared_edges(graphs, origin)[0], changed >= 0
    for what, counts in (("nodes", graphs.node_counts), ("edges", graphs.edge_counts)):
        left, right = counts.numpy().reshape(2, -1)
        require(bool((left == right).all()), f"numbers of {what} differ")
    kept = graphs.edge_counts.numpy()[: len(y)] - 2 * changed
    require(bool((shared == kept)[known].all()), "the edges are not those that were kept")
    for wanted, rows in ((False, ~y), (True, changed == 0)):
        for pair in _sample(graphs, rows, vf2):
            same = _vf2(graphs, pair).is_isomorphic()
            require(same == wanted, f"VF2 on {graphs.ids[pair]} says isomorphic: {same}")


def _sample(graphs: GraphSet, rows: Flags, vf2: bool) -> list[int]:
    """Return the first of these pairs, as many as VF2 is to check."""
    most = max(1, VF2_NODES // int(graphs.node_counts[0])) if vf2 else 0
    return [int(pair) for pair in np.flatnonzero(rows)[:most]]
