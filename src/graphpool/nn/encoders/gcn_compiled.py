"""GCN over the clusters that graphs have, where these differ in number: on a CPU, compiled.

A dense batch is as wide as its widest graph, and most graphs have far fewer clusters than that.
Here the rows that are clusters lie one after the other; only they are multiplied.
"""

from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.ops.compiled import compiled
from graphpool.nn.ops.products import refuse_second_order
from graphpool.typing import Float

Array = Any


@compiled
@no_type_check
def rows_forward(
    matrix: Array, index: Array, ptr: Array, moved: Array, bias: Array, out: Array
) -> None:
    """ReLU(S x + b) with the rows of S, `[graphs, nodes, nodes]`, that `index` counts."""
    width, channels, zero = matrix.shape[1], moved.shape[1], np.float32(0.0)
    for graph in range(ptr.shape[0] - 1):
        start, stop, shift = ptr[graph], ptr[graph + 1], graph * width
        for i in range(start, stop):
            made, weights = out[i], matrix[graph, index[i] - shift]
            for c in range(channels):
                made[c] = bias[c]
            for j in range(start, stop):
                row, weight = moved[j], weights[index[j] - shift]
                for c in range(channels):
                    made[c] += weight * row[c]
            for c in range(channels):
                # Not max(…, 0), which would let NaN pass for 0.
                made[c] = zero if made[c] < 0 else made[c]


@compiled
@no_type_check
def rows_backward(
    grad: Array, out: Array, matrix: Array, index: Array, ptr: Array, moved: Array,
    dmatrix: Array, dmoved: Array, dbias: Array,
) -> None:  # fmt: skip
    """Gradients of `rows_forward`; `grad` is overwritten, and `dmatrix` is added to."""
    width, channels, zero = matrix.shape[1], moved.shape[1], np.float32(0.0)
    for c in range(channels):
        dbias[c] = zero
    for graph in range(ptr.shape[0] - 1):
        start, stop, shift = ptr[graph], ptr[graph + 1], graph * width
        for i in range(start, stop):
            pulled, made, back = grad[i], out[i], dmoved[i]
            for c in range(channels):
                pulled[c] = zero if made[c] <= 0 else pulled[c]
                dbias[c] += pulled[c]
                back[c] = zero
        for i in range(start, stop):
            pulled, at = grad[i], index[i] - shift
            for j in range(start, stop):
                row, back = moved[j], dmoved[j]
                weight, total = matrix[graph, at, index[j] - shift], zero
                for c in range(channels):
                    back[c] += weight * pulled[c]
                    total += pulled[c] * row[c]
                dmatrix[graph, at, index[j] - shift] += total


@compiled
@no_type_check
def take_rows(x: Array, index: Array, out: Array) -> None:
    """The rows of x, `[graphs, nodes, channels]`, that `index` counts, one after the other."""
    width, channels = x.shape[1], x.shape[2]
    for i in range(index.shape[0]):
        row, made = x[index[i] // width, index[i] % width], out[i]
        for c in range(channels):
            made[c] = row[c]


@compiled
@no_type_check
def put_rows(rows: Array, index: Array, out: Array) -> None:
    """The way back: only the rows of `out` that `index` counts are written."""
    width, channels = out.shape[1], out.shape[2]
    for i in range(index.shape[0]):
        row, made = rows[i], out[index[i] // width, index[i] % width]
        for c in range(channels):
            made[c] = row[c]


class _RowsGCN(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, matrix: Tensor, rows: ClusterMask, *parameters: Tensor
    ) -> Tensor:
        matrix, index = matrix.contiguous(), rows.index.numpy()
        where, flat = (matrix.numpy(), index, rows.segments.ptr.numpy()), _compact(x, index)
        # `matrix` too, so that one changed in place afterwards is noticed.
        saved, ctx.layers = [matrix], []
        for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
            moved = flat @ weight
            out = torch.empty_like(moved)
            ctx.layers.append((out.numpy(), moved.numpy()))
            made, reached = ctx.layers[-1]
            rows_forward(*where, reached, bias.numpy(), made)
            saved += [flat, weight]
            flat = out
        ctx.save_for_backward(*saved)
        ctx.where = where
        return _spread(flat, index, x.shape)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("GCN")
        matrix, *saved = ctx.saved_tensors
        index, shape = ctx.where[1], grad.shape
        dmatrix = torch.zeros_like(matrix)
        added = dmatrix.numpy()
        grads: list[Tensor] = []
        grad = _compact(grad, index)
        for position in range(len(ctx.layers) - 1, -1, -1):
            (x, weight), (made, moved) = (
                saved[2 * position : 2 * position + 2],
                ctx.layers[position],
            )
            back, dbias = torch.empty_like(grad), grad.new_empty(grad.shape[1])
            rows_backward(grad.numpy(), made, *ctx.where, moved, added, back.numpy(), dbias.numpy())
            grads += [dbias, x.t() @ back]
            grad = back @ weight.t()
        return _spread(grad, index, shape), dmatrix, None, *reversed(grads)


def rows_gcn(
    x: Float[Tensor, "graphs nodes channels"],
    matrix: Float[Tensor, "graphs nodes nodes"],
    rows: ClusterMask,
    *parameters: Any,
) -> Float[Tensor, "graphs nodes out_channels"]:
    """ReLU(S x W + b), layer by layer, of the real rows; zeros in the others.

    Args:
        x: float32, on a CPU, like all others.
        matrix: S, the normalised adjacency.
        rows: the rows of `x` that are nodes.
        parameters: W₁, b₁, W₂, b₂, …
    """
    return _RowsGCN.apply(x, matrix, rows, *parameters)  # type: ignore[no-any-return]


def _compact(x: Tensor, index: Array) -> Tensor:
    """The real rows of `[graphs, clusters, channels]`, one after the other."""
    flat = x.new_empty(index.shape[0], x.shape[2])
    take_rows(x.contiguous().numpy(), index, flat.numpy())
    return flat


def _spread(flat: Tensor, index: Array, shape: torch.Size) -> Tensor:
    """The real rows among zeros, `[graphs, clusters, channels]`."""
    full = flat.new_zeros(*shape[:2], flat.shape[1])
    put_rows(flat.numpy(), index, full.numpy())
    return full
