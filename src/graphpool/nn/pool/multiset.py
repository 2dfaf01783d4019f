"""Parts of the Graph Multiset Transformer: attention of seeds to nodes, and among themselves."""

import math

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.module import Module
from graphpool.nn.ops.products import segment_mm
from graphpool.nn.pool.flat import segment_softmax
from graphpool.typing import Float


class SeedAttention(Module):
    """Pooling by multi-head attention, the paper's GMPool: Z = S + MH(S, X, X), then Z + FF(Z).

    MH has softmax(Q Kᵀ / √d) V for every head, over the nodes of one graph at a time, with
    Q = S W_q + b_q, K = X W_k, V = X W_v + b_v, and a linear map of all heads side by side.

    Args:
        channels: of nodes and seeds.
        seeds: how many vectors come out of every graph.
        heads: `channels` must be a multiple.
        norm: whether a layer norm follows each of the two sums.
    """

    def __init__(self, channels: int, seeds: int, heads: int, norm: bool) -> None:
        super().__init__()
        self.heads = heads
        self.seed = nn.Parameter(torch.empty(seeds, channels))
        nn.init.xavier_uniform_(self.seed)
        self.query = nn.Linear(channels, channels)
        self.key = nn.Linear(channels, channels, bias=False)
        self.value = nn.Linear(channels, channels)
        self.finish = Finish(channels, norm)

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.xavier_uniform_(self.seed)
        super().reset_parameters()

    def forward(
        self, x: Float[Tensor, "nodes channels"], segments: Segments
    ) -> tuple[Float[Tensor, "graphs seeds channels"], Float[Tensor, "nodes seeds"]]:
        """The pooled vectors, and the attention to every node, mean over heads."""
        heads, nodes, graphs = self.heads, x.shape[0], segments.num_graphs
        query, key, value = (
            split(self.query(self.seed), heads),
            split(self.key(x), heads),
            split(self.value(x), heads),
        )
        logits = (key @ query.mT) / math.sqrt(key.shape[-1])
        # Every head's nodes are graphs of their own.
        every = repeated(segments, heads)
        share = segment_softmax(logits.flatten(0, 1), every)
        read = segment_mm(share, value.flatten(0, 1), every).unflatten(0, (heads, graphs))
        pooled = self.finish(self.seed, read.permute(1, 2, 0, 3).flatten(2))
        return pooled, share.view(heads, nodes, -1).mean(0)


class SelfAttention(Module):
    """Z = X + MH(X, X, X), then Z + FF(Z), over the few vectors that every graph has.

    Args:
        channels: of the vectors.
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

    def forward(self, x: Float[Tensor, "graphs seeds channels"]) -> Tensor:
        """The same shape."""
        query, key, value = (
            split(part(x), self.heads) for part in (self.query, self.key, self.value)
        )
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


def split(x: Tensor, heads: int) -> Tensor:
    """`[..., nodes, channels]` as `[..., heads, nodes, channels / heads]`."""
    parted: Tensor = x.unflatten(-1, (heads, -1))
    return parted.transpose(-2, -3)


def repeated(segments: Segments, times: int) -> Segments:
    """The graphs of a batch laid end to end with itself so many times."""
    if times == 1:
        return segments
    begins = segments.ptr[:-1] + segments.ptr[-1] * torch.arange(
        times, device=segments.ptr.device
    ).unsqueeze(-1)
    return Segments(torch.cat([begins.flatten(), segments.ptr[-1:] * times]))
