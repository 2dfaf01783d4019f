"""The Weisfeiler–Lehman subtree kernel (Shervashidze et al. 2011) of a whole set at once.

A graph is described by how often each colour occurs in it, after 0, 1, …, h rounds of colour
refinement; the kernel of two graphs is the inner product of these counts, divided by their
lengths. It depends on the two graphs alone, so working it out for training and test graphs
together gives nothing away.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.refinement import colour_rounds

Array = NDArray[Any]


def wl_counts(graphs: GraphSet, iterations: int) -> Iterator[Any]:
    """Sparse `[graphs, colours]` counts of the colours after 0, 1, …, `iterations` rounds.

    Refinement starts from node labels, and from degrees in a set that has none. Edge labels and
    weights are not looked at.
    """
    from scipy.sparse import csr_array

    graphs = graphs.to("cpu")
    first = graphs.degree if graphs.node_label is None else graphs.node_label
    owner = graphs.node_graph.numpy()
    ones = np.ones(graphs.num_nodes)
    for colours, number in islice(colour_rounds(graphs, first.numpy()), iterations + 1):
        # Equal places add up when the matrix is made.
        yield csr_array((ones, (owner, colours)), shape=(len(graphs), number))


def wl_kernels(graphs: GraphSet, iterations: int) -> Iterator[Array]:
    """Normalised `[graphs, graphs]` kernels with h = 0, 1, …, `iterations` rounds."""
    total = np.zeros((len(graphs), len(graphs)))
    for counts in wl_counts(graphs, iterations):
        total += (counts @ counts.T).toarray()
        length = np.sqrt(total.diagonal())
        yield total / np.outer(length, length)
