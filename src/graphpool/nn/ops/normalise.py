"""Symmetric normalisation of dense adjacencies, D^-½ B D^-½, with its backward pass by hand."""

from typing import Any

import torch
from torch import Tensor

from graphpool.nn.ops.compiled import compilable, normalise_backward, normalise_forward
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.switch import enabled
from graphpool.typing import Float


class _Normalise(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, matrix: Tensor, keep: float, loop: float, floor: float) -> Tensor:
        ctx.keep = keep
        if compilable(matrix):
            matrix = matrix.contiguous()
            out, scale = torch.empty_like(matrix), matrix.new_empty(matrix.shape[:2])
            normalise_forward(matrix.numpy(), keep, loop, floor, scale.numpy(), out.numpy())
        else:
            if keep != 1 or loop != 0:
                eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
                matrix = matrix * (1 - (1 - keep) * eye) + loop * eye
            total = matrix.sum(-1) + floor
            # Negative weights: no row gets an imaginary scale, and NaN stays NaN.
            scale = total.masked_fill(total <= 0, torch.inf).rsqrt()
            out = matrix * scale.unsqueeze(-1) * scale.unsqueeze(-2)
        ctx.save_for_backward(out, scale)
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("normalise")
        out, scale = ctx.saved_tensors
        if compilable(grad):
            dmatrix = torch.empty_like(out)
            pull = scale.new_empty(out.shape[-1])
            normalise_backward(
                grad.contiguous().numpy(), out.numpy(), scale.numpy(), ctx.keep,
                pull.numpy(), dmatrix.numpy(),
            )  # fmt: skip
            return dmatrix, None, None, None
        # out_ij = s_i B_ij s_j with s = (row sum)^-½, so ds/drow = -½ s³, and Σ(∂out/∂s_i) s_i is
        # the sum of grad · out over row i and column i.
        weighted = grad * out
        pull = (weighted.sum(-1) + weighted.sum(-2)) * scale * scale
        dmatrix = grad * scale.unsqueeze(-1) * scale.unsqueeze(-2) - 0.5 * pull.unsqueeze(-1)
        if ctx.keep != 1:
            eye = torch.eye(out.shape[-1], dtype=out.dtype, device=out.device)
            dmatrix = dmatrix * (1 - (1 - ctx.keep) * eye)
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
    if enabled("normalise"):
        return _Normalise.apply(matrix, keep, loop, floor)  # type: ignore[no-any-return]
    if keep != 1 or loop != 0:
        eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
        matrix = matrix * (1 - (1 - keep) * eye) + loop * eye
    total = matrix.sum(-1) + floor
    # Negative weights: no row gets an imaginary scale. NaN stays NaN, and -∞ becomes NaN.
    scale = total.masked_fill((total <= 0) & total.isfinite(), torch.inf).rsqrt()
    return matrix * scale.unsqueeze(-1) * scale.unsqueeze(-2)
