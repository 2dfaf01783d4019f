"""Graph Multiset Transformer, pooling by attention of learned seeds (Baek et al., ICLR 2021)."""

import math

import torch
from torch import Tensor, nn

from graphpool.errors import ConfigError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.checks import trusted
from graphpool.graphs.segments import Segments
from graphpool.nn.coarsen.base import Pooler, coarse_edges, form, offdiagonal
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.encoders.base import edges_of
from graphpool.nn.level import Level
from graphpool.nn.module import Module
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.products import row_mm, segment_mm, spmm
from graphpool.nn.pool.flat import segment_softmax
from graphpool.typing import Float


class GMTPool(Pooler[PoolOutput]):
    """GMPool_G to k seeds, self-attention among them, then GMPool_I to one vector.

    Every seed is a learned query. In GMPool_G keys and values are graph networks, one GCN layer
    each: D̃^-½ (A + I) D̃^-½ X W. In GMPool_I, over the k results, they are linear. With one
    cluster the result is the vector of the paper; with more, the paper's GMPool_k, there are as
    many seeds as clusters and no GMPool_I.

    `assignment` is the attention, mean over heads (through both poolings): unlike that of other
    coarsenings its *columns* sum to one, over the nodes of a graph. The coarse graph, which the
    paper has none of, is Sᵀ A S of it without its diagonal, normalised.

    Deviation from the paper: none of the keys has a bias, which a softmax over them cancels.
    Nodes are not padded: a softmax over ragged nodes is one over segments.

    Args:
        in_channels: channels of the node features and of the result.
        clusters: vectors that come out; with 1 the whole transformer.
        seeds: k, of GMPool_G before the last pooling to 1; 0: only that last one, for a level that
            was pooled to k already. Not looked at with more clusters.
        heads: of every attention; `in_channels` must be a multiple.
        blocks: self-attention blocks.
        norm: whether a layer norm follows each sum; by default not, as in PyG.
        graph: whether keys and values of the first pooling see the graph (GMPool_G or GMPool).
    """

    shown = ("in_channels", "clusters", "graph")

    def __init__(
        self,
        in_channels: int,
        clusters: int = 1,
        seeds: int = 8,
        heads: int = 4,
        blocks: int = 1,
        norm: bool = False,
        graph: bool = True,
    ) -> None:
        super().__init__()
        if clusters < 1:
            raise ConfigError(f"clusters is {clusters}; a coarse graph needs at least 1")
        if seeds < 0 or blocks < 0:
            raise ConfigError(f"seeds ({seeds}) and blocks ({blocks}) must be 0 or more")
        if heads < 1 or in_channels % heads:
            raise ConfigError(f"in_channels ({in_channels}) must be a multiple of heads ({heads})")
        self.in_channels, self.clusters, self.graph = in_channels, clusters, graph
        self.heads, self.norm = heads, norm
        first = clusters if clusters > 1 else seeds or 1
        between = blocks if clusters > 1 or seeds else 0
        self.seeds = SeedAttention(in_channels, first, heads, norm)
        self.blocks = nn.ModuleList(SelfAttention(in_channels, heads, norm) for _ in range(between))
        whole = clusters == 1 and seeds > 0
        self.last = SeedAttention(in_channels, 1, heads, norm) if whole else None

    def pool_level(self, level: Level) -> PoolOutput:
        """Let the seeds attend to the nodes of every graph."""
        x, mask = level.x, level.mask
        seen = level.with_x(self._aggregated(x if mask is None else mask.keep(x), level))
        pooled, share = self._transformed(*seen.flat())
        if mask is not None:
            share = mask.expand(share)
        elif level.is_dense:
            share = share.unflatten(0, x.shape[:2])
        joined = self._joined(share, level)
        edges = coarse_edges(share, level, joined)
        joined = offdiagonal(joined, self.training) if self.clusters > 1 else joined
        coarse = trusted(Level, x=pooled, adjacency=joined, edges=edges)
        return PoolOutput(coarse, share, node_segments=level.segments)

    def coarse_edge_channels(self, channels: int) -> int:
        """How many edges there are, and a mean of every feature."""
        return channels + 1

    def _transformed(self, x: Tensor, segments: Segments) -> tuple[Tensor, Tensor]:
        """Pooled vectors `[graphs, clusters, channels]` and the attention `[nodes, clusters]`."""
        pooled, share = self.seeds(x, segments)
        for block in self.blocks:
            pooled = block(pooled)
        if self.last is not None:
            graphs, count = pooled.shape[:2]
            runs = Segments.equal(graphs, count, x.device)
            pooled, of_seeds = self.last(pooled.flatten(0, 1), runs)
            share = row_mm(share, of_seeds.view(graphs, count, 1), segments)
        return pooled, share

    def _joined(self, share: Tensor, level: Level) -> Tensor:
        """Sᵀ A S; one cluster is joined to no other."""
        if self.clusters == 1:
            return share.new_zeros(level.num_graphs, 1, 1)
        return form(share, level.with_x(level.x[..., :0]))[1]

    def _aggregated(self, x: Tensor, level: Level) -> Tensor:
        """D̃^-½ (A + I) D̃^-½ X, which keys and values have in common."""
        if not self.graph:
            return x
        edges = edges_of(level)
        if isinstance(edges, Adjacency):
            return spmm(edges, edges.gcn, x)
        return normalise(edges, loop=1.0) @ x


class Attention(Module):
    """Multi-head attention and what follows it, for seeds over nodes or for vectors themselves.

    MH(Q, K, V) has softmax(Q Kᵀ / √d) V for every head, with linear maps before it, K's without a
    bias, and a linear map of all heads side by side. Then Z = query + MH and Z + FF(Z).

    Args:
        heads: `channels` must be a multiple.
        norm: whether a layer norm follows each of the two sums.
    """

    def __init__(self, channels: int, heads: int, norm: bool) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(channels, channels)
        self.key = nn.Linear(channels, channels, bias=False)
        self.value = nn.Linear(channels, channels)
        self.finish = Finish(channels, norm)

    def split(self, x: Float[Tensor, "*graphs nodes channels"]) -> Tensor:
        """The heads one after the other, `[..., heads, nodes, channels / heads]`."""
        parts: Tensor = x.unflatten(-1, (self.heads, -1))
        return parts.transpose(-2, -3)


class SeedAttention(Attention):
    """The paper's GMPool: `seeds` learned queries attend to the nodes of one graph at a time."""

    def __init__(self, channels: int, seeds: int, heads: int, norm: bool) -> None:
        seed = nn.init.xavier_uniform_(torch.empty(seeds, channels))
        super().__init__(channels, heads, norm)
        self.seed = nn.Parameter(seed)

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.xavier_uniform_(self.seed)
        super().reset_parameters()

    def forward(
        self, x: Float[Tensor, "nodes channels"], segments: Segments
    ) -> tuple[Float[Tensor, "graphs seeds channels"], Float[Tensor, "nodes seeds"]]:
        """The pooled vectors, and the attention to every node, mean over heads."""
        heads, nodes, graphs = self.heads, x.shape[0], segments.num_graphs
        query = self.split(self.query(self.seed))
        key, value = self.split(self.key(x)), self.split(self.value(x))
        logits = (key @ query.mT) / math.sqrt(key.shape[-1])
        # Every head's nodes are graphs of their own.
        every = _repeated(segments, heads)
        share = segment_softmax(logits.flatten(0, 1), every)
        read = segment_mm(share, value.flatten(0, 1), every).unflatten(0, (heads, graphs))
        pooled = self.finish(self.seed, read.permute(1, 2, 0, 3).flatten(2))
        return pooled, share.view(heads, nodes, -1).mean(0)


class SelfAttention(Attention):
    """Attention among the few vectors that every graph has."""

    def forward(self, x: Float[Tensor, "graphs seeds channels"]) -> Tensor:
        """The same shape."""
        query, key, value = (self.split(part(x)) for part in (self.query, self.key, self.value))
        share = (query @ key.mT / math.sqrt(key.shape[-1])).softmax(-1)
        read: Tensor = self.finish(x, (share @ value).transpose(-2, -3).flatten(-2))
        return read


class Finish(Module):
    """What follows the heads: their linear map, the sum with the query, a feed-forward sum."""

    def __init__(self, channels: int, norm: bool) -> None:
        super().__init__()
        self.mix = nn.Linear(channels, channels)
        self.feed = nn.Linear(channels, channels)
        self.first = nn.LayerNorm(channels) if norm else nn.Identity()
        self.second = nn.LayerNorm(channels) if norm else nn.Identity()

    def forward(self, query: Tensor, read: Tensor) -> Tensor:
        """Z of the query and of what its heads have read."""
        z = self.first(query + self.mix(read))
        out: Tensor = self.second(z + self.feed(z).relu())
        return out


def _repeated(segments: Segments, times: int) -> Segments:
    """The graphs of a batch, the batch laid end to end with itself so many times."""
    if times == 1:
        return segments
    shift = segments.ptr[-1] * torch.arange(times, device=segments.ptr.device)
    begins = segments.ptr[:-1] + shift.unsqueeze(-1)
    return Segments.trusted(torch.cat([begins.flatten(), segments.ptr[-1:] * times]))
