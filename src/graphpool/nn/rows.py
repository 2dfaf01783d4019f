"""The clusters that graphs really have in a dense level whose graphs differ in their number."""

from functools import cached_property
from typing import Any, cast

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.compiled import norm_backward, norm_forward, norm_statistics
from graphpool.nn.products import refuse_second_order
from graphpool.shapes import Bool, Float, Int


class Rows:
    """Real rows of a dense level.

    Args:
        mask: `[graphs, clusters]`, every graph has at least one.
    """

    def __init__(self, mask: Bool[Tensor, "graphs clusters"]) -> None:
        self.mask = mask

    @cached_property
    def index(self) -> Int[Tensor, " rows"]:
        """Positions of the real rows in the flat level."""
        return self.mask.flatten().nonzero().squeeze(-1)

    @cached_property
    def segments(self) -> Segments:
        """The graphs of the real rows."""
        counts = self.mask.sum(-1)
        return Segments(torch.cat([counts.new_zeros(1), counts.cumsum(0)]))

    @cached_property
    def weight(self) -> Float[Tensor, "graphs clusters 1"]:
        """1 for the real rows, 0 for the others."""
        return self.mask.unsqueeze(-1).to(torch.get_default_dtype())

    def keep(self, x: Float[Tensor, "graphs clusters channels"]) -> Tensor:
        """`x` with zeros in the rows that are not real."""
        return x * self.weight.to(x.dtype)

    def compact(
        self, x: Float[Tensor, "graphs clusters channels"]
    ) -> Float[Tensor, "rows channels"]:
        """The real rows, one graph after the other."""
        return x.flatten(0, 1).index_select(0, self.index)

    def expand(
        self, rows: Float[Tensor, "rows channels"]
    ) -> Float[Tensor, "graphs clusters channels"]:
        """The dense level with these real rows and zeros elsewhere."""
        flat = rows.new_zeros(self.mask.numel(), rows.shape[1])
        return flat.index_copy(0, self.index, rows).view(*self.mask.shape, -1)


def batch_normalised(norm: nn.BatchNorm1d, x: Tensor, rows: Rows | None = None) -> Tensor:
    """Batch norm over all nodes, or over the rows of a dense level that are clusters.

    A single one has no spread of its own and takes the running statistics.
    """
    if rows is not None and x.dtype is torch.float32 and x.is_cpu:
        flat = x.flatten(0, -2).contiguous()
        return _RowNorm.apply(flat, norm.weight, norm.bias, norm, rows).view_as(x)  # type: ignore[no-any-return]
    flat = x.flatten(0, -2) if rows is None else rows.compact(x)
    if flat.shape[0] > 1 or not norm.training:
        flat = cast(Tensor, norm(flat))
    else:
        flat = nn.functional.batch_norm(
            flat, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps
        )
    return flat.view_as(x) if rows is None else rows.expand(flat)


class RowNorm:
    """Batch norm over some of the rows on a CPU, compiled, with its way back; others become 0."""

    def __init__(self, norm: nn.BatchNorm1d, rows: Rows) -> None:
        self.norm, self.real = norm, rows.mask.flatten()

    def forward(self, x: Tensor) -> Tensor:
        """`[rows, channels]`, contiguous; running statistics move while training."""
        norm, real = self.norm, self.real
        mean, variance = torch.empty_like(x[0]), torch.empty_like(x[0])
        count = 0
        if norm.training:
            count = norm_statistics(x.numpy(), real.numpy(), mean.numpy(), variance.numpy())
        known = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
        if count < 2:
            mean, variance = known[0].clone(), known[1].clone()
        else:
            cast(Tensor, norm.num_batches_tracked).add_(1)
            known[0].lerp_(mean, cast(float, norm.momentum))
            known[1].lerp_(variance * (count / (count - 1)), cast(float, norm.momentum))
        self.x, self.mean, self.count = x, mean, count
        self.scale, self.weight = (variance + norm.eps).rsqrt(), norm.weight.detach().clone()
        out = torch.empty_like(x)
        norm_forward(
            x.numpy(), real.numpy(), mean.numpy(), self.scale.numpy(), self.weight.numpy(),
            norm.bias.detach().numpy(), out.numpy(),
        )  # fmt: skip
        return out

    def backward(self, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of x, weight and bias."""
        dx = torch.empty_like(self.x)
        dweight, dbias = torch.empty_like(self.mean), torch.empty_like(self.mean)
        norm_backward(
            grad.numpy(), self.x.numpy(), self.real.numpy(), self.mean.numpy(),
            self.scale.numpy(), self.weight.numpy(), max(self.count, 1), self.count > 1,
            dx.numpy(), dweight.numpy(), dbias.numpy(),
        )  # fmt: skip
        return dx, dweight, dbias


class _RowNorm(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, norm: nn.BatchNorm1d, rows: Rows
    ) -> Tensor:
        ctx.made = RowNorm(norm, rows)
        return cast(RowNorm, ctx.made).forward(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("batch norm")
        return (*ctx.made.backward(grad.contiguous()), None, None)
