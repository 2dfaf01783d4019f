"""Readouts: from the nodes of a level to one vector per graph."""

from typing import Any

import torch
from torch import Tensor

from graphpool.errors import ConfigError, nearest
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.ops.compiled import compilable, reduce_backward, reduce_forward
from graphpool.nn.ops.products import segment_max, segment_mean, segment_sum
from graphpool.nn.ops.switch import use_compiled

REDUCTIONS = {"sum": segment_sum, "mean": segment_mean, "max": segment_max}


class Readout:
    """Concatenation of reductions over the nodes of each graph.

    Args:
        reductions: any of `"sum"`, `"mean"`, `"max"`, each once.
    """

    def __init__(self, reductions: tuple[str, ...]) -> None:
        for name in reductions:
            if name not in REDUCTIONS:
                raise ConfigError(f"unknown reduction {name!r}; {nearest(name, REDUCTIONS)}")
            if reductions.count(name) > 1:
                raise ConfigError(f"the reduction {name!r} stands twice in {reductions}")
        if not reductions:
            raise ConfigError("a readout needs at least one of: " + ", ".join(REDUCTIONS))
        self.reductions = reductions

    def __call__(self, x: Tensor, segments: Segments | None, rows: Rows | None = None) -> Tensor:
        """`[nodes, channels]` with segments, or `[graphs, nodes, channels]`, to one row a graph.

        `rows` are those that count in a dense level of graphs with different numbers of clusters;
        all others are zero.
        """
        if rows is not None and self.reductions != ("sum",):
            x, segments = rows.compact(x), rows.segments
        elif segments is None and x.shape[-2] == 1:
            return x.squeeze(-2)
        if "max" in self.reductions and use_compiled("readout", x):
            if segments is None:
                segments = Segments.equal(x.shape[0], x.shape[1])
            return _Reduce.apply(x.flatten(0, -2), segments, self.reductions)  # type: ignore[no-any-return]
        made = [REDUCTIONS[name](x, segments) for name in self.reductions]
        return torch.cat(made, -1) if len(made) > 1 else made[0]

    def width(self, channels: int, nodes: int | None = None) -> int:
        """Channels of the result; a level of one node is its own readout."""
        return channels if nodes == 1 else channels * len(self.reductions)


class _Reduce(torch.autograd.Function):
    """All reductions in one pass over the nodes."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, segments: Segments, reductions: tuple[str, ...]) -> Tensor:
        x = x.contiguous()
        total = x.new_empty(segments.num_graphs, x.shape[1])
        top, where = torch.empty_like(total), torch.empty_like(total, dtype=torch.int32)
        reduce_forward(x.numpy(), segments.ptr.numpy(), total.numpy(), top.numpy(), where.numpy())
        ctx.save_for_backward(where)
        ctx.segments, ctx.reductions, ctx.nodes = segments, reductions, x.shape[0]
        made = {"sum": total, "max": top}
        if "mean" in reductions:
            made["mean"] = total / segments.counts
        return torch.cat([made[name] for name in reductions], -1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        (where,) = ctx.saved_tensors
        segments = ctx.segments
        parts = dict(zip(ctx.reductions, grad.chunk(len(ctx.reductions), -1), strict=True))
        total, top = parts.get("sum"), parts.get("max")
        if "mean" in parts:
            mean = parts["mean"] / segments.counts
            total = mean if total is None else mean + total
        total = grad.new_zeros(where.shape) if total is None else total
        top = grad.new_zeros(where.shape) if top is None else top
        if not compilable(grad):
            nodes = where + segments.ptr[:-1].unsqueeze(-1)
            spread = total.index_select(0, segments.batch)
            return spread.scatter_add(0, nodes, top), None, None
        dx = grad.new_empty(ctx.nodes, where.shape[1])
        reduce_backward(
            segments.ptr.numpy(), where.numpy(), total.contiguous().numpy(),
            top.contiguous().numpy(), dx.numpy(),
        )  # fmt: skip
        return dx, None, None
