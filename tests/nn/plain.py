"""Small graphs for the tests of this folder, and batches made of them.

A graph is its features and its dense adjacency; entry (i, j) is the edge from j to i.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch

CHANNELS = 5


@dataclass
class Plain:
    x: Tensor
    adj: Tensor

    @property
    def nodes(self) -> int:
        return self.x.shape[0]

    def permuted(self, order: Tensor) -> "Plain":
        return Plain(self.x[order], self.adj[order][:, order])

    def to(self, dtype: torch.dtype) -> "Plain":
        return Plain(self.x.to(dtype), self.adj.to(dtype))


def random_graph(
    nodes: int,
    seed: int = 0,
    *,
    directed: bool = False,
    weighted: bool = False,
    loops: bool = False,
    channels: int = CHANNELS,
) -> Plain:
    draw = torch.Generator().manual_seed(seed)
    adj = (torch.rand(nodes, nodes, generator=draw) < 0.4).float()
    if weighted:
        adj = adj * (0.5 + torch.rand(nodes, nodes, generator=draw))
    if not directed:
        adj = adj.triu() + adj.triu(1).t()
    if not loops:
        adj.fill_diagonal_(0)
    return Plain(torch.randn(nodes, channels, generator=draw), adj)


def from_edges(nodes: int, edges: list[tuple[int, int]], x: Tensor | None = None) -> Plain:
    """An undirected graph; constant features unless given."""
    adj = torch.zeros(nodes, nodes)
    for one, other in edges:
        adj[one, other] = adj[other, one] = 1.0
    return Plain(torch.ones(nodes, CHANNELS) if x is None else x, adj)


def batch_of(graphs: list[Plain]) -> GraphBatch:
    """Lay the graphs end to end; the dtype is that of their features."""
    ptr = torch.tensor([0, *(graph.nodes for graph in graphs)]).cumsum(0)
    block = torch.block_diag(*(graph.adj for graph in graphs))
    target, source = block.nonzero().t()
    edge_index = torch.stack([source, target])
    adjacency = Adjacency.from_edge_index(edge_index, int(ptr[-1]), block[target, source])
    counts = ptr.diff()
    return GraphBatch(
        x=torch.cat([graph.x for graph in graphs]),
        adjacency=adjacency,
        batch=torch.repeat_interleave(torch.arange(len(graphs)), counts),
        ptr=ptr,
        index=torch.arange(len(graphs)),
    )


def _path(nodes: int) -> list[tuple[int, int]]:
    return [(node, node + 1) for node in range(nodes - 1)]


def odd_graphs() -> dict[str, Plain]:
    """Graphs that break careless code."""
    draw = torch.Generator().manual_seed(7)

    def features(nodes: int) -> Tensor:
        return torch.randn(nodes, CHANNELS, generator=draw)

    pieces = [(0, 1), (1, 2), (3, 4), (5, 6), (6, 7), (7, 5)]
    return {
        "one node": from_edges(1, [], features(1)),
        "one node with a loop": from_edges(1, [(0, 0)], features(1)),
        "no edges": from_edges(6, [], features(6)),
        "fewer nodes than clusters": from_edges(2, [(0, 1)], features(2)),
        "self-loops": from_edges(5, [*_path(5), (0, 0), (3, 3)], features(5)),
        "several components": from_edges(9, pieces, features(9)),
        "identical features": from_edges(7, _path(7)),
        "zero features": from_edges(4, _path(4), torch.zeros(4, CHANNELS)),
        "large features": from_edges(6, _path(6), features(6) * 100),
    }
