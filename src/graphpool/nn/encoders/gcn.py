"""GCN layer (Kipf & Welling 2017), equation GCN of the paper.

Over the clusters that graphs have, where these differ in number, a stack of layers is compiled on
a CPU. A dense batch is as wide as its widest graph, and most graphs have far fewer clusters than
that. There the rows that are clusters lie one after the other; only they are multiplied.
"""

import math
from collections.abc import Sequence
from typing import Any, cast, no_type_check

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.encoders.base import EncoderLayer, Prepared, edges_of
from graphpool.nn.level import Level
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.products import constant, refuse_second_order, spmm
from graphpool.nn.ops.switch import compiled, use_compiled

Array = Any


class GCNLayer(EncoderLayer):
    """`D̃^-½ (A + I) D̃^-½ H W + b`, with D̃ the row sums of A + I.

    Deviation from the paper: it takes D̃ from A by a slip of the pen; D̃ belongs to Ã = A + I.
    The nonlinearity is the encoder's. Edge weights count, but have no gradient over a sparse
    adjacency.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.empty(out_channels))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        limit = math.sqrt(6 / (self.in_channels + self.out_channels))
        nn.init.uniform_(self.weight, -limit, limit)
        nn.init.zeros_(self.bias)

    def prepare(self, level: Level) -> Prepared:
        """Normalise a dense adjacency; a sparse one carries its normalised values."""
        adjacency = edges_of(level)
        if isinstance(adjacency, Adjacency):
            return adjacency
        return normalise(adjacency, loop=1.0)

    def propagate(self, x: Tensor, prepared: Prepared, activate: bool = False) -> Tensor:
        """Aggregate on the narrower side of the weight matrix."""
        out = self._aggregate(x, prepared)
        return out.relu_() if activate else out

    def _aggregate(self, x: Tensor, prepared: Prepared, column: Tensor | None = None) -> Tensor:
        """S x W + b; a sparse S gets no gradient."""
        if isinstance(prepared, Tensor):
            return prepared @ (x @ self.weight) + self.bias
        assert isinstance(prepared, Adjacency), "prepared by this layer"
        value = constant(prepared.gcn)
        if self.in_channels < self.out_channels:
            return torch.addmm(self.bias, spmm(prepared, value, x), self.weight)
        # A one-hot row times W is a row of W, to the bit.
        moved = x @ self.weight if column is None else self.weight.index_select(0, column)
        return spmm(prepared, value, moved).add_(self.bias)

    @classmethod
    def run_stack(cls, layers: Sequence[EncoderLayer], level: Level) -> Tensor:
        """All layers, each with ReLU; over clusters of different numbers as one compiled step."""
        stack = cast("Sequence[GCNLayer]", layers)
        x, rows, column = level.x, level.mask, level.one_hot_index
        prepared = stack[0].prepare(level)
        if rows is not None and isinstance(prepared, Tensor) and use_compiled("cluster gcn", x):
            parameters = [value for layer in stack for value in (layer.weight, layer.bias)]
            return _RowsGCN.apply(x, prepared, rows, *parameters)  # type: ignore[no-any-return]
        for layer in stack:
            x, column = layer._aggregate(x, prepared, column).relu_(), None
        return level.keep(x)


class _RowsGCN(torch.autograd.Function):
    """ReLU(S x W + b), layer by layer, of the real rows; zeros in the others.

    Its arguments are x, S, the rows that are nodes, and W₁, b₁, W₂, b₂, …, in float32 on a CPU.
    """

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, matrix: Tensor, rows: ClusterMask, *parameters: Tensor
    ) -> Tensor:
        matrix, flat = matrix.contiguous(), rows.compact(x)
        where = matrix.numpy(), rows.index.numpy(), rows.segments.ptr.numpy()
        # `matrix` too, so that one changed in place afterwards is noticed.
        saved, ctx.layers = [matrix], []
        for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
            moved = flat @ weight
            out = torch.empty_like(moved)
            made, reached = out.numpy(), moved.numpy()
            rows_forward(*where, reached, bias.numpy(), made)
            ctx.layers.append((made, reached))
            saved += [flat, weight]
            flat = out
        ctx.save_for_backward(*saved)
        ctx.where, ctx.rows = where, rows
        return rows.expand(flat)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("GCN")
        matrix, *saved = ctx.saved_tensors
        dmatrix = torch.zeros_like(matrix)
        added = dmatrix.numpy()
        grads: list[Tensor] = []
        grad = ctx.rows.compact(grad)
        layers = zip(saved[::2], saved[1::2], ctx.layers, strict=True)
        for x, weight, (made, moved) in reversed(list(layers)):
            back, dbias = torch.empty_like(grad), grad.new_empty(grad.shape[1])
            rows_backward(grad.numpy(), made, *ctx.where, moved, added, back.numpy(), dbias.numpy())
            grads += [dbias, x.t() @ back]
            grad = back @ weight.t()
        return ctx.rows.expand(grad), dmatrix, None, *reversed(grads)


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
