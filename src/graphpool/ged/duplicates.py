"""Find graphs that occur more than once in a collection, to compute each class of them once."""

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import check_type
from graphpool.ged.collection import Arrays, Collection
from graphpool.ged.isomorphism import group
from graphpool.graphs.hashing import Array, mix, numbered

LARGEST = 2000  # nodes; beyond it only graphs with the same node order are recognised
_OWN = np.uint64(0xA0761D6478BD642F)
_OUT = np.uint64(0xE7037ED1A0B428DB)


def isomorphic(graphs: Collection) -> NDArray[np.int64]:
    """Return the isomorphism class of each graph, `[graphs]`, numbered in order of appearance.

    Graphs of one class agree in labels of nodes and edges, directions and self-loops. This is
    proved for each: equal colours only select the pairs to compare. A pair whose proof would take
    too long gets two classes, which costs time later but never makes a distance wrong.
    """
    check_type("graphs", graphs, Collection, "a Collection, as collect makes it")
    copies = identical(graphs)
    first = first_of(copies)
    sizes = graphs.sizes
    colour = node_colours(graphs.arrays)
    apart = np.ones(len(graphs), dtype=bool)
    apart[first] = sizes[first] > LARGEST  # copies of an earlier graph need no proof
    key = graph_colours(graphs.arrays, colour)
    _, bucket, count = np.unique(key, return_inverse=True, return_counts=True)
    bucket = bucket.reshape(-1)
    alone = apart | (count[bucket] == 1)
    bucket = np.where(alone, -1, bucket)
    representative = np.empty(len(graphs), dtype=np.int64)
    group(graphs.arrays, colour, bucket, int(sizes[~alone].max(initial=0)), representative)
    # A copy belongs to the class of the graph that it is a copy of.
    _, classes = np.unique(representative[first[copies]], return_inverse=True)
    return np.asarray(classes.reshape(-1), dtype=np.int64)


def identical(graphs: Collection) -> NDArray[np.int64]:
    """Return classes of graphs that are equal node by node, with nodes in the same order."""
    check_type("graphs", graphs, Collection, "a Collection, as collect makes it")
    arrays = graphs.arrays
    owner = np.repeat(np.arange(len(graphs)), np.diff(arrays.edge_ptr))
    order = np.lexsort((arrays.target, arrays.source, owner))
    rows = np.stack([arrays.source, arrays.target, arrays.edge_label], axis=1)[order]
    nodes, edges = arrays.node_ptr.tolist(), arrays.edge_ptr.tolist()
    met: dict[tuple[bytes, bytes], int] = {}
    number = [
        met.setdefault(
            (
                arrays.node_label[nodes[at] : nodes[at + 1]].tobytes(),
                rows[edges[at] : edges[at + 1]].tobytes(),
            ),
            len(met),
        )
        for at in range(len(graphs))
    ]
    return np.array(number, dtype=np.int64)


def node_colours(arrays: Arrays) -> NDArray[np.int64]:
    """Return the stable colours of all nodes, `[nodes]`, by colour refinement over all graphs."""
    sizes = np.diff(arrays.edge_ptr)
    offset = np.repeat(arrays.node_ptr[:-1], sizes)
    source, target = arrays.source + offset, arrays.target + offset
    edge = mix(arrays.edge_label)
    loop = np.zeros(len(arrays.node_label), dtype=np.int64)
    own = source == target
    loop[source[own]] = arrays.edge_label[own]
    colours, number = numbered(mix(arrays.node_label) + mix(mix(loop)))
    while True:
        spread = mix(colours)
        fresh = mix(spread ^ _OWN)
        np.add.at(fresh, target, mix(spread[source] ^ edge))
        np.add.at(fresh, source, mix(spread[target] ^ edge ^ _OUT))
        finer, count = numbered(fresh)
        if count == number:
            return finer
        colours, number = finer, count


def graph_colours(arrays: Arrays, colour: Array) -> NDArray[np.uint64]:
    """Return a number per graph, `[graphs]`, equal for graphs whose nodes have equal colours."""
    sizes = np.diff(arrays.node_ptr)
    total = mix(sizes)
    owner = np.repeat(np.arange(len(sizes)), sizes)
    np.add.at(total, owner, mix(mix(colour)))
    return total


def first_of(classes: Array) -> NDArray[np.int64]:
    """Return the first graph of each class, `[classes]`; classes are in order of appearance."""
    _, first = np.unique(classes, return_index=True)
    return np.asarray(first, dtype=np.int64)
