"""The multiset transformer on a CPU as one step of the backward pass, by hand.

Two facts save most of the work of attention to many nodes by few seeds. A score q·(W_k x) is
(W_kᵀ q)·x, so keys are never made: every lane, one head of one seed, is one vector that all nodes
are multiplied with. And what a lane reads, Σ_i α_i (W_v x_i + b_v), is W_v (Σ_i α_i x_i) + b_v, for
shares sum to one: values are never made either.

Parameters come in the order of the modules: [seed,] W_q, b_q, W_k, W_v, b_v, W_m, b_m, W_f, b_f,
where m is the map of all heads side by side, and f the feed-forward one.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.pool.multiset_compiled import (
    among_backward,
    among_logits,
    among_read,
    seeds_backward,
    seeds_logits,
    seeds_read,
)
from graphpool.typing import Float

_relu_backward = torch.ops.aten.threshold_backward.default


class _Finish:
    """Z + ReLU(Z W_f + b_f) with Z = query + read W_m + b_m, and its way back; rows are vectors."""

    def __init__(self, mix: Tensor, mix_bias: Tensor, feed: Tensor, feed_bias: Tensor) -> None:
        self.mix, self.mix_bias, self.feed, self.feed_bias = mix, mix_bias, feed, feed_bias

    def forward(self, query: Tensor, read: Tensor) -> Tensor:
        self.read = read
        self.z = torch.addmm(self.mix_bias, read, self.mix.t())
        self.z.view(-1, *query.shape).add_(query)  # seeds come once, for all graphs
        self.fed = torch.addmm(self.feed_bias, self.z, self.feed.t()).relu_()
        return self.z + self.fed

    def backward(self, grad: Tensor) -> tuple[Tensor, Tensor, tuple[Tensor, ...]]:
        """Gradients of Z, which is that of the query, of `read`, and of the parameters."""
        dfed = _relu_backward(grad, self.fed, 0)
        dz = torch.addmm(grad, dfed, self.feed)
        learned = dz.t() @ self.read, dz.sum(0), dfed.t() @ self.z, dfed.sum(0)
        return dz, dz @ self.mix, learned


class _Seeds:
    """`SeedAttention` and its way back."""

    def __init__(self, heads: int, parameters: Sequence[Tensor]) -> None:
        self.seed, self.query, self.query_bias, key, value, self.value_bias = parameters[:6]
        self.finish = _Finish(*parameters[6:])
        self.seeds, self.channels = self.seed.shape
        self.heads, self.width = heads, self.channels // heads
        self.scale = 1 / math.sqrt(self.width)
        self.key, self.value = (
            part.view(heads, self.width, self.channels) for part in (key, value)
        )

    def forward(self, x: Tensor, ptr: Any) -> tuple[Tensor, Tensor]:
        """Vectors `[graphs · seeds, channels]`, and the attention `[nodes, seeds]`."""
        self.x, self.ptr = x, ptr
        asked = torch.addmm(self.query_bias, self.seed, self.query.t())
        self.asked = asked.view(self.seeds, self.heads, self.width).transpose(0, 1)
        self.lanes = torch.bmm(self.asked, self.key).view(-1, self.channels)
        self.share, mean = x @ self.lanes.t(), x.new_empty(x.shape[0], self.seeds)
        seeds_logits(self.share.numpy(), ptr, self.scale)
        self.share.exp_()
        self.held = x.new_zeros(self.heads, len(ptr) - 1, self.seeds, self.channels)
        seeds_read(self.share.numpy(), x.numpy(), ptr, mean.numpy(), self.held.numpy())
        read = torch.bmm(self.held.view(self.heads, -1, self.channels), self.value.mT)
        read = read.transpose(0, 1).reshape(-1, self.channels).add_(self.value_bias)
        return self.finish.forward(self.seed, read), mean

    def backward(self, grad: Tensor, grad_mean: Tensor | None) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Gradients of `x` and of the parameters."""
        x, seeds, channels = self.x, self.seeds, self.channels
        dz, dread, learned = self.finish.backward(grad)
        pulled = dread.view(-1, self.heads, self.width).transpose(0, 1)
        dvalue = torch.bmm(pulled.mT, self.held.view(self.heads, -1, channels))
        dheld = torch.bmm(pulled, self.value).view_as(self.held)
        dlanes, dx = torch.empty_like(self.share), torch.zeros_like(x)
        grad_mean = x.new_empty(0, seeds) if grad_mean is None else grad_mean.contiguous()
        seeds_backward(
            self.share.numpy(), x.numpy(), self.ptr, dheld.numpy(), grad_mean.numpy(), self.scale,
            dlanes.numpy(), dx.numpy(),
        )  # fmt: skip
        dx.addmm_(dlanes, self.lanes)
        dlane = (dlanes.t() @ x).view(self.heads, seeds, channels)
        dkey = torch.bmm(self.asked.mT, dlane)
        dasked = torch.bmm(dlane, self.key.mT).transpose(0, 1).reshape(seeds, channels)
        dseed = torch.addmm(dz.view(-1, seeds, channels).sum(0), dasked, self.query)
        return dx, (
            dseed, dasked.t() @ self.seed, dasked.sum(0), dkey.view(channels, channels),
            dvalue.view(channels, channels), dread.sum(0), *learned,
        )  # fmt: skip


class _Among:
    """`SelfAttention` and its way back."""

    def __init__(self, heads: int, seeds: int, parameters: Sequence[Tensor]) -> None:
        query, query_bias, key, value, value_bias = parameters[:5]
        self.heads, self.seeds = heads, seeds
        self.weight = torch.cat([query, key, value])
        self.bias = torch.cat([query_bias, torch.zeros_like(query_bias), value_bias])
        self.scale = 1 / math.sqrt(query.shape[0] // heads)
        self.finish = _Finish(*parameters[5:])

    def forward(self, x: Tensor) -> Tensor:
        """Vectors `[graphs · seeds, channels]` from such."""
        self.x, heads, seeds = x, self.heads, self.seeds
        self.parts = torch.addmm(self.bias, x, self.weight.t()).view(
            -1, seeds, 3, heads, self.x.shape[1] // heads
        )
        self.share, read = x.new_empty(len(self.parts), heads, seeds, seeds), torch.empty_like(x)
        among_logits(self.parts.numpy(), self.scale, self.share.numpy())
        self.share.exp_()
        out = read.view(-1, seeds, heads, self.parts.shape[-1])
        among_read(self.parts.numpy(), self.share.numpy(), out.numpy())
        return self.finish.forward(x, read)

    def backward(self, grad: Tensor) -> tuple[Tensor, tuple[Tensor, ...]]:
        """Gradients of `x` and of the parameters."""
        parts = self.parts
        dz, dread, learned = self.finish.backward(grad)
        dparts = torch.zeros_like(parts)
        pulled = dread.view(-1, self.seeds, self.heads, parts.shape[-1])
        among_backward(
            parts.numpy(), self.share.numpy(), self.scale, pulled.numpy(), dparts.numpy()
        )
        dparts = dparts.view(grad.shape[0], -1)
        dquery, dkey, dvalue = (dparts.t() @ self.x).chunk(3)
        dquery_bias, _, dvalue_bias = dparts.sum(0).chunk(3)
        dx = torch.addmm(dz, dparts, self.weight)
        return dx, (dquery, dquery_bias, dkey, dvalue, dvalue_bias, *learned)


class _Transformer(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, segments: Segments, heads: int, blocks: int, *parameters: Tensor
    ) -> tuple[Tensor, Tensor]:
        ctx.set_materialize_grads(False)
        x, graphs, count = x.contiguous(), segments.num_graphs, parameters[0].shape[0]
        ctx.seeds = _Seeds(heads, parameters[:10])
        out, share = ctx.seeds.forward(x, segments.ptr.numpy())
        ctx.blocks, ctx.last, ctx.segments = [], None, segments
        for block in range(blocks):
            ctx.blocks.append(_Among(heads, count, parameters[10 + 9 * block : 19 + 9 * block]))
            out = ctx.blocks[-1].forward(out)
        if len(parameters) > 10 + 9 * blocks:
            ctx.last = _Seeds(heads, parameters[-10:])
            out, of_seeds = ctx.last.forward(out, np.arange(0, out.shape[0] + 1, count))
            ctx.shares = share, of_seeds.view(graphs, count).index_select(0, segments.batch)
            share = (share * ctx.shares[1]).sum(-1, keepdim=True)
        # Only so that one changed in place before the backward pass is noticed.
        ctx.save_for_backward(x, *parameters)
        return out.view(graphs, -1, out.shape[1]), share

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, grad_share: Tensor | None) -> tuple[Any, ...]:
        refuse_second_order("the multiset transformer")
        x, *_ = ctx.saved_tensors
        graphs, last = ctx.segments.num_graphs, ctx.last
        count = 1 if last else ctx.seeds.seeds
        flat = x.new_zeros(graphs * count, x.shape[1]) if grad is None else grad.flatten(0, 1)
        learned: list[tuple[Tensor, ...]] = []
        if last:
            of_seeds = None
            if grad_share is not None:
                share, spread = ctx.shares
                of_seeds = torch.zeros(graphs, share.shape[1])
                of_seeds.index_add_(0, ctx.segments.batch, grad_share * share)
                of_seeds, grad_share = of_seeds.view(-1, 1), grad_share * spread
            flat, some = last.backward(flat.contiguous(), of_seeds)
            learned.append(some)
        for block in reversed(ctx.blocks):
            flat, some = block.backward(flat)
            learned.append(some)
        dx, some = ctx.seeds.backward(flat, grad_share)
        learned.append(some)
        return dx, None, None, None, *(value for part in reversed(learned) for value in part)


def transformed(
    x: Float[Tensor, "nodes channels"],
    segments: Segments,
    heads: int,
    blocks: int,
    parameters: Sequence[Tensor],
) -> tuple[Float[Tensor, "graphs clusters channels"], Float[Tensor, "nodes clusters"]]:
    """Seeds, so many blocks of self-attention, and where there is one the last pooling.

    Args:
        x: of float32 and on a CPU.
        segments: the graphs of the nodes.
        heads: of every attention.
        blocks: how many.
        parameters: of the seeds, of each block, and of the last pooling if there is one.
    """
    return _Transformer.apply(x, segments, heads, blocks, *parameters)  # type: ignore[no-any-return]
