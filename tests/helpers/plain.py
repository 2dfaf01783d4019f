"""Small graphs for the tests of this folder, and batches made of them.

A graph is its features and its dense adjacency; entry (i, j) is the edge from j to i.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.coarsen.outputs import PoolOutput

CHANNELS = 5
EDGE_CHANNELS = 3
# Of `large_graph`: a matrix of all its pairs of nodes has 400 million entries.
LARGE, LARGE_SLOTS = 20_000, 88_000


@dataclass
class Plain:
    x: Tensor
    adj: Tensor

    @property
    def nodes(self) -> int:
        return self.x.shape[0]

    @property
    def edges(self) -> Tensor:
        """Features of edges, `[nodes, nodes, EDGE_CHANNELS]`; zeros where none is.

        They are made of weights and of both ends, so that permuted nodes permute them.
        """
        one, other = self.x[:, 0].detach().tanh(), self.x[:, -1].detach().tanh()
        made = [self.adj.detach().sin(), one[:, None] + one, other[:, None] * other]
        return torch.stack(made, -1) * (self.adj != 0).unsqueeze(-1)

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


def sample(dtype: torch.dtype = torch.float32, directed: bool = False) -> list[Plain]:
    """Graphs of several sizes with weights and loops."""
    sizes = (9, 2, 6, 13, 5)
    graphs = [random_graph(n, n, weighted=True, loops=True, directed=directed) for n in sizes]
    return [graph.to(dtype) for graph in graphs]


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
        edges=EdgeFeatures.of_edges(
            torch.cat([graph.edges[graph.adj != 0] for graph in graphs]), adjacency, edge_index
        ),
    )


def select_nodes(pooler: nn.Module, graphs: list[Plain]) -> PoolOutput:
    """What a Top-K pooler makes of the graphs."""
    out = pooler(batch_of(graphs))
    assert isinstance(out, PoolOutput)
    assert out.selection is not None
    return out


def _path(nodes: int) -> list[tuple[int, int]]:
    return [(node, node + 1) for node in range(nodes - 1)]


def fix_seed(seed: int = 0) -> None:
    """`torch.manual_seed`, which takes a millisecond to note it for GPUs where there is none."""
    if torch.cuda.is_available():
        torch.manual_seed(seed)
    else:
        torch.default_generator.manual_seed(seed)


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


def large_graph() -> tuple[Tensor, Adjacency]:
    """Features and edges of a sparse graph of `LARGE` nodes, none of which stands alone.

    A ring with 14,000 random chords: each node has some 40 others within three steps.
    """
    node, chords = torch.arange(LARGE), torch.randint(LARGE, (2, 14_000))
    one_way = torch.cat([torch.stack([node, (node + 1) % LARGE]), chords], 1)
    adjacency = Adjacency.from_edge_index(torch.cat([one_way, one_way.flip(0)], 1), LARGE)
    return torch.randn(LARGE, CHANNELS), adjacency


class Largest(TorchDispatchMode):
    """Remembers how many numbers the largest tensor made inside of it has."""

    numbers = 0

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        out = func(*args, **(kwargs or {}))
        for made in out if isinstance(out, tuple | list) else [out]:
            if isinstance(made, Tensor):
                sparse = made.layout is torch.sparse_coo
                self.numbers = max(self.numbers, made._nnz() if sparse else made.numel())
        return out


def open_gates(module: nn.Module) -> nn.Module:
    """Open gates that are closed at first, so that what is behind them has its say."""
    with torch.no_grad():
        for name, value in module.named_parameters():
            if name.endswith(".gate"):
                value.copy_(torch.rand_like(value) + 0.5)
    return module
