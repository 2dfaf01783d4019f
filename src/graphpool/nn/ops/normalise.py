"""Symmetric normalisation of dense adjacencies, D^-½ B D^-½."""

from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.nn.ops.compiled import normalise_backward, normalise_forward
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.switch import use_compiled
from graphpool.typing import Float


class _Normalise(torch.autograd.Function):
    """`normalise` for float32 on a CPU, compiled."""

    @staticmethod
    def forward(ctx: Any, matrix: Tensor, keep: float, loop: float, floor: float) -> Tensor:
        ctx.keep = keep
        matrix = matrix.contiguous()
        out, scale = torch.empty_like(matrix), np.empty(matrix.shape[:2], np.float32)
        normalise_forward(matrix.numpy(), keep, loop, floor, scale, out.numpy())
        ctx.save_for_backward(out)
        ctx.scale = scale
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("normalise")
        (out,) = ctx.saved_tensors
        dmatrix, pull = torch.empty_like(out), np.empty(out.shape[-1], np.float32)
        normalise_backward(
            grad.contiguous().numpy(), out.numpy(), ctx.scale, ctx.keep, pull, dmatrix.numpy()
        )
        return dmatrix, None, None, None


def normalise(
    matrix: Float[Tensor, "graphs nodes nodes"],
    keep: float = 1.0,
    loop: float = 0.0,
    floor: float = 0.0,
) -> Float[Tensor, "graphs nodes nodes"]:
    """D^-½ B D^-½ with D the row sums of B plus `floor`.

    B is `matrix` with its diagonal multiplied by `keep` and then raised by `loop`: `keep=0` drops
    the diagonal, `loop=1` adds the identity. A row that sums to zero or less (negative weights)
    gives zeros, and so does its column.
    """
    if use_compiled("normalise", matrix):
        return _Normalise.apply(matrix, keep, loop, floor)  # type: ignore[no-any-return]
    if keep != 1 or loop != 0:
        eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
        matrix = matrix * (1 - (1 - keep) * eye) + loop * eye
    total = matrix.sum(-1) + floor
    # Negative weights: no row gets an imaginary scale. NaN stays NaN, and -∞ becomes NaN.
    scale = total.masked_fill((total <= 0) & total.isfinite(), torch.inf).rsqrt()
    return matrix * scale.unsqueeze(-1) * scale.unsqueeze(-2)
