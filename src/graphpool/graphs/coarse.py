"""Coarse graphs of hard places: a node for each place, an edge between places that have edges.

With M the 0/1 membership of nodes in places, the weight of the edge from place l to place j is
A'_jl = (Mᵀ A M)_jl. As in the search for places, self-loops and weights that are negative, zero or
not finite are ignored. Coarse graphs are ragged: their memory is linear in nodes and edges, however
many places a graph has.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.find import Places
from graphpool.graphs.segments import pointer

LARGEST = 10
"""Places of at least so many nodes have the last column of sizes in their profile."""

CYCLES = 16
"""Of more independent cycles than this in a place, the logarithm of the rest counts."""

PROFILE_CHANNELS = 4 + LARGEST
"""Columns of a place's profile: the features `x` of a coarse graph."""

FACT_CHANNELS = 3
"""Columns of the facts of a coarse edge: the features `edge_x` of a coarse graph."""


def coarse_set(graphs: GraphSet, places: Places) -> GraphSet:
    """Return the coarse graphs of a set, on its device.

    Args:
        places: of these graphs; the cluster of each node counts.

    Returns a set whose nodes are the places of each graph, in the order of their numbers. `x` is
    their profile, `edge_weight` A'_jl off the diagonal, and `edge_x` are facts of the edges; see
    `profile_of` and `facts_of`.
    """
    weight, (source, target) = graphs.edge_weight, graphs.flat_edges.cpu()
    edges = _Edges(
        source,
        target,
        torch.ones(graphs.num_edges) if weight is None else weight.detach().cpu(),
        # An edge of an undirected set is there once in each direction.
        both_ways=graphs.undirected,
    )
    ids = graphs.ids
    return _coarse(f"places of {graphs.name}", ids, graphs.node_graph.cpu(), edges, places)


def coarse_batch(batch: GraphBatch, places: Places) -> GraphBatch:
    """Return the coarse graphs of a batch that was not taken from a set; see `coarse_set`."""
    source, target = batch.edge_index.cpu()
    edges = _Edges(source, target, batch.edge_weight.detach().cpu(), both_ways=False)
    ids = tuple(str(graph) for graph in range(batch.num_graphs))
    return _coarse("places", ids, batch.batch.cpu(), edges, places).batch()


def profile_of(size: Tensor, inner: Tensor, outer: Tensor) -> Tensor:
    """Return what is known of places from their structure, `[places, PROFILE_CHANNELS]`.

    log(1 + n), log(1 + inner), log(1 + outer), r = inner - n + 1 (the number of independent cycles
    of a connected place), and n as one-hot, where `LARGEST` stands for more. Where |r| is larger
    than `CYCLES`, CYCLES + log(1 + |r| - CYCLES) with the sign of r stands for it: a dense place of
    70 nodes has 2,000 cycles, which would drown all else.

    Args:
        size: `[places]`, n, the nodes of each place.
        inner: `[places]`, pairs of its nodes that an edge joins.
        outer: `[places]`, pairs of one of its nodes and another node that an edge joins.
    """
    counts = torch.stack([size, inner, outer]).float()
    cycles = (inner - size + 1).float()
    rest = (cycles.abs() - CYCLES).clamp(min=0)
    cycles = cycles.clamp(-CYCLES, CYCLES) + cycles.sign() * rest.log1p()
    sizes = torch.nn.functional.one_hot(size.clamp(max=LARGEST) - 1, LARGEST).float()
    return torch.cat([counts.log1p().t(), cycles.unsqueeze(-1), sizes], 1)


def facts_of(source: Tensor, target: Tensor, weight: Tensor, places: int) -> Tensor:
    """Return facts of coarse edges, `[edges, FACT_CHANNELS]`: 1, log A'_jl, Â'_jl.

    Â' = D^-½ A' D^-½ with D the row sums of A' off the diagonal.
    """
    degree = torch.zeros(places, dtype=weight.dtype).index_add_(0, target, weight)
    scale = torch.where(degree > 0, degree, torch.inf).rsqrt()
    normalised = scale[target] * weight * scale[source]
    return torch.stack([torch.ones_like(weight), weight.log(), normalised], 1).float()


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edges between the nodes of all graphs together; `both_ways`: each once in each direction."""

    source: Tensor
    target: Tensor
    weight: Tensor
    both_ways: bool

    def used(self) -> "_Edges":
        """Leave out self-loops and weights that do not count."""
        keep = (self.source != self.target) & (self.weight > 0) & self.weight.isfinite()
        if bool(keep.all()):
            return self
        parts = (self.source[keep], self.target[keep], self.weight[keep])
        return _Edges(*parts, self.both_ways)

    def pairs(self, nodes: int) -> tuple[Tensor, Tensor]:
        """Return the pairs of nodes that an edge joins in any direction, each once."""
        if self.both_ways:
            once = self.source < self.target
            return self.source[once], self.target[once]
        low, high = torch.minimum(self.source, self.target), torch.maximum(self.source, self.target)
        key = torch.unique(low * nodes + high)
        return key.div(max(nodes, 1), rounding_mode="floor"), key.remainder(max(nodes, 1))


def _coarse(
    name: str, ids: tuple[str, ...], node_graph: Tensor, edges: _Edges, places: Places
) -> GraphSet:
    device, counts = places.cluster.device, places.counts.cpu()
    node_ptr = pointer(counts)
    total = int(node_ptr[-1])
    place = node_ptr[node_graph] + places.cluster.cpu()
    edges = edges.used()
    one, other = (place[end] for end in edges.pairs(place.shape[0]))
    inside = one == other
    inner = torch.bincount(one[inside], minlength=total)
    crossing = torch.cat([one[~inside], other[~inside]])
    outer = torch.bincount(crossing, minlength=total)
    x = profile_of(torch.bincount(place, minlength=total), inner, outer)
    source, target = place[edges.source], place[edges.target]
    cut = source != target
    # Sorted by target, then by source: the order of a GraphSet, whose places have no self-loops.
    key, slot = torch.unique(target[cut] * total + source[cut], return_inverse=True)
    target, source = key.div(max(total, 1), rounding_mode="floor"), key.remainder(max(total, 1))
    weight = torch.zeros(key.shape[0], dtype=torch.float64)
    weight.index_add_(0, slot, edges.weight[cut].double())
    graph = torch.repeat_interleave(torch.arange(len(counts)), counts)[target]
    return GraphSet(
        name=name,
        node_ptr=node_ptr,
        edge_ptr=pointer(torch.bincount(graph, minlength=len(counts))),
        edge_index=(torch.stack([source, target]) - node_ptr[graph]).int(),
        ids=ids,
        edge_weight=weight.float(),
        x=x,
        edge_x=facts_of(source, target, weight, total),
    ).to(device)
