"""Which pairs of graphs a network tells apart beyond rounding.

Each graph is embedded several times, with its nodes in another order each time. A network that
does not depend on the order gives one vector up to rounding; two graphs are told apart if their
vectors differ by far more than those of one graph do.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import DataError, plural
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.ragged import take
from graphpool.graphs.refinement import graph_colours

MARGIN = 100.0
"""How many times the spread of one graph's vectors the distance of two graphs must exceed."""

FLOOR = 1e-9
"""Least distance of two graphs, relative to the length of their vectors.

In 64 bits, rounding is about 1e-16 for each number, and below 1e-12 after all layers and sums.
"""

Flags = NDArray[np.bool_]


def check_pairs(graphs: GraphSet) -> None:
    """Raise a `DataError` unless graphs 0 and 1, 2 and 3, … are pairs."""
    if len(graphs) % 2 or not len(graphs):
        raise DataError(
            f"{graphs.name} has {plural(len(graphs), 'graph')}; give pairs: graphs 0 and 1, 2 and "
            "3, and so on"
        )


def relabelled(graphs: GraphSet, seed: int) -> GraphSet:
    """Return the same graphs with the nodes of each in a random order."""
    graph, begin = graphs.node_graph.cpu().numpy(), graphs.node_ptr[:-1].cpu().numpy()
    # Nodes of one graph stay together: position k of the result holds node order[k].
    order = np.lexsort((np.random.default_rng(seed).random(graphs.num_nodes), graph))
    position = np.empty_like(order)
    position[order] = np.arange(len(order))
    node, owner = torch.from_numpy(order), graphs.edge_graph.cpu()
    local = torch.from_numpy(position)[graphs.flat_edges.cpu()] - torch.from_numpy(begin)[owner]
    return GraphSet.build(
        graphs.name,
        graphs.node_counts,
        graphs.edge_counts,
        local,
        ids=graphs.ids,
        edge_weight=graphs.edge_weight,
        edge_label=graphs.edge_label,
        edge_attr=graphs.edge_attr,
        node_label=take(graphs.node_label, node),
        node_attr=take(graphs.node_attr, node),
        x=take(graphs.x, node),
        x_from=graphs.x_from,
        node_label_names=graphs.node_label_names,
        edge_label_names=graphs.edge_label_names,
    )


def separated(copies: Tensor) -> Flags:
    """Return which pairs are told apart, `[pairs]`.

    Args:
        copies: `[copies, 2 * pairs, channels]` vectors of relabelled copies of all graphs.

    The smallest distance between copies of the two graphs must exceed `MARGIN` times the largest
    distance between copies of one of them, and `FLOOR` times the length of the vectors.
    """
    count, graphs, channels = copies.shape
    pairs = copies.reshape(count, graphs // 2, 2, channels).permute(1, 2, 0, 3)
    one, other = pairs.unbind(1)
    gap = _distances(one, other).amin((1, 2))
    spread = torch.maximum(_distances(one, one).amax((1, 2)), _distances(other, other).amax((1, 2)))
    length = pairs.norm(dim=-1).amax((1, 2))
    apart: Flags = (gap > torch.maximum(MARGIN * spread, FLOOR * length)).numpy()
    return apart


def _distances(one: Tensor, other: Tensor) -> Tensor:
    """Return distances of vectors, `[pairs, copies, copies]`, without a product that cancels."""
    return torch.cdist(one, other, compute_mode="donot_use_mm_for_euclid_dist")


def separated_by_size(graphs: GraphSet) -> Flags:
    """Return which pairs differ in the number of nodes or edges, `[pairs]`."""
    sizes = torch.stack([graphs.node_counts, graphs.edge_counts], 1).cpu()
    differs: Flags = (sizes[::2] != sizes[1::2]).any(1).numpy()
    return differs


def separated_by_refinement(graphs: GraphSet) -> Flags:
    """Return which pairs colour refinement (1-WL), with labels and attributes, tells apart."""
    colours = graph_colours(graphs, attributes=True).reshape(-1, 2)
    differs: Flags = colours[:, 0] != colours[:, 1]
    return differs


def separated_by(embed: Callable[[GraphSet], Tensor], copies: list[GraphSet]) -> Flags:
    """Return which pairs are told apart by the vectors, `[graphs, channels]`, of `embed`.

    Args:
        copies: the graphs, and relabelled copies of them.
    """
    return separated(torch.stack([embed(each).double().cpu() for each in copies]))
