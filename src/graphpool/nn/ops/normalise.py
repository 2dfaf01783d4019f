"""Normalisation: of dense adjacencies, D^-½ B D^-½, and of a level's features over a batch."""

from collections.abc import Callable
from typing import Any, cast, no_type_check

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.errors import InputError
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.switch import compiled, use_compiled
from graphpool.typing import Float

Array = Any


@compiled
@no_type_check
def normalise_forward(
    matrix: Array, keep: float, loop: float, floor: float, scale: Array, out: Array
) -> None:
    """D^-½ B D^-½ with B = A, its diagonal times `keep` plus `loop`, and D the row sums of B."""
    size = matrix.shape[1]
    for graph in range(matrix.shape[0]):
        for i in range(size):
            # Not the whole row less its diagonal: what is left may be far smaller than both.
            total = np.float32(floor)
            for j in range(i):
                total += matrix[graph, i, j]
            for j in range(i + 1, size):
                total += matrix[graph, i, j]
            total += matrix[graph, i, i] * np.float32(keep) + np.float32(loop)
            # Not `total > 0`, which would let NaN pass for an empty row.
            scale[graph, i] = np.float32(0.0) if total <= 0 else np.float32(1.0) / np.sqrt(total)
        for i in range(size):
            own = scale[graph, i]
            for j in range(size):
                out[graph, i, j] = own * matrix[graph, i, j] * scale[graph, j]
            diagonal = matrix[graph, i, i] * np.float32(keep) + np.float32(loop)
            out[graph, i, i] = own * own * diagonal


@compiled
@no_type_check
def normalise_backward(
    grad: Array, out: Array, scale: Array, keep: float, pull: Array, dmatrix: Array
) -> None:
    """Gradient of `normalise_forward`; `pull` is scratch space, `[size]`."""
    size = out.shape[1]
    for graph in range(out.shape[0]):
        for i in range(size):
            pull[i] = np.float32(0.0)
        for i in range(size):
            total = np.float32(0.0)
            for j in range(size):
                value = grad[graph, i, j] * out[graph, i, j]
                total += value
                pull[j] += value
            pull[i] += total
        for i in range(size):
            own = scale[graph, i]
            half = np.float32(0.5) * pull[i] * own * own
            for j in range(size):
                dmatrix[graph, i, j] = grad[graph, i, j] * own * scale[graph, j] - half
            dmatrix[graph, i, i] *= np.float32(keep)


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
    if matrix.ndim != 3 or matrix.shape[1] != matrix.shape[2]:
        raise InputError(f"a matrix of shape {tuple(matrix.shape)}; give [graphs, nodes, nodes]")
    if use_compiled("normalise", matrix):
        return _Normalise.apply(matrix, keep, loop, floor)  # type: ignore[no-any-return]
    if keep != 1 or loop != 0:
        eye = torch.eye(matrix.shape[-1], dtype=matrix.dtype, device=matrix.device)
        matrix = matrix * (1 - (1 - keep) * eye) + loop * eye
    total = matrix.sum(-1) + floor
    # Negative weights: no row gets an imaginary scale. NaN stays NaN, and -∞ becomes NaN.
    scale = total.masked_fill((total <= 0) & total.isfinite(), torch.inf).rsqrt()
    return matrix * scale.unsqueeze(-1) * scale.unsqueeze(-2)


def batch_normalised(
    norm: nn.BatchNorm1d, x: Tensor, rows: ClusterMask | Tensor | None = None
) -> Tensor:
    """Batch norm over all nodes, or over the rows of a dense level that are clusters.

    A single one has no spread of its own and takes the running statistics.

    Args:
        rows: the clusters; or `[nodes, 1]`, 0 for nodes that are padding.
    """
    if isinstance(rows, Tensor):
        return _weighted_batch_norm(norm, x, rows) if norm.training else cast(Tensor, norm(x))
    flat = x.flatten(0, -2) if rows is None else rows.compact(x)
    if flat.shape[0] > 1 or not norm.training:
        flat = cast(Tensor, norm(flat))
    else:
        flat = nn.functional.batch_norm(
            flat, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps
        )
    return flat.view_as(x) if rows is None else rows.expand(flat)


def _weighted_batch_norm(norm: nn.BatchNorm1d, x: Tensor, weight: Tensor) -> Tensor:
    """Batch norm in training over the rows of weight 1; a single one becomes the bias.

    How many there are is never asked of the device.
    """
    count = weight.sum()
    mean = (x * weight).sum(0) / count
    centred = x - mean
    variance = (centred.square() * weight).sum(0) / count
    with torch.no_grad():
        share = cast(float, norm.momentum)
        running_mean, running_var = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
        running_mean.lerp_(mean, share)
        running_var.lerp_(variance * (count / (count - 1).clamp(min=1)), share)
        cast(Tensor, norm.num_batches_tracked).add_(1)
    return centred * (variance + norm.eps).rsqrt() * norm.weight + norm.bias


def make_norm(kind: str, channels: int) -> nn.BatchNorm1d | nn.LayerNorm | None:
    """The normalisation of this name, a key of `NORMS`."""
    return NORMS[kind](channels)


def normalised(
    norm: nn.BatchNorm1d | nn.LayerNorm, x: Tensor, rows: ClusterMask | Tensor | None = None
) -> Tensor:
    """Normalise a level's features; batch norm over the rows that are clusters alone."""
    if isinstance(norm, nn.LayerNorm):
        return cast(Tensor, norm(x))
    return batch_normalised(norm, x, rows)


NORMS: dict[str, Callable[[int], nn.BatchNorm1d | nn.LayerNorm | None]] = {
    "none": lambda channels: None,
    "batch": nn.BatchNorm1d,
    "layer": nn.LayerNorm,
}
