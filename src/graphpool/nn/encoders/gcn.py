"""GCN layer (Kipf & Welling 2017), equation GCN of the paper."""

import math
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.encoders.gcn_rows import rows_gcn
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.products import constant, refuse_second_order, spmm
from graphpool.nn.ops.switch import enabled, use_compiled

_relu_backward = torch.ops.aten.threshold_backward.default


class GCNLayer(EncoderLayer[Adjacency | Tensor]):
    """`D̃^-½ (A + I) D̃^-½ H W + b`, with D̃ the row sums of A + I.

    Deviation from the paper: it takes D̃ from A by a slip of the pen; D̃ belongs to Ã = A + I.
    The nonlinearity is the encoder's.
    """

    def __init__(self, in_channels: int, out_channels: int) -> None:
        super().__init__()
        self.in_channels, self.out_channels = in_channels, out_channels
        self.weight = nn.Parameter(torch.empty(in_channels, out_channels))
        self.bias = nn.Parameter(torch.zeros(out_channels))
        limit = math.sqrt(6 / (in_channels + out_channels))
        nn.init.uniform_(self.weight, -limit, limit)

    def prepare(self, adjacency: Adjacency | Tensor) -> Adjacency | Tensor:
        """Normalise a dense adjacency; a sparse one carries its normalised values."""
        if isinstance(adjacency, Adjacency):
            return adjacency
        return normalise(adjacency, loop=1.0)

    def propagate(self, x: Tensor, prepared: Adjacency | Tensor, activate: bool = False) -> Tensor:
        """Aggregate on the narrower side of the weight matrix."""
        return _run(x, prepared, activate, self.weight, self.bias)

    @classmethod
    def run_stack(
        cls,
        layers: Sequence[nn.Module],
        x: Tensor,
        prepared: Adjacency | Tensor,
        column: Tensor | None = None,
        rows: Rows | None = None,
    ) -> Tensor:
        """All layers, each with ReLU, as one step of the backward pass."""
        parameters = [value for layer in layers for value in (layer.weight, layer.bias)]
        if rows is None:
            return _run(x, prepared, True, *parameters, column=column)
        if isinstance(prepared, Tensor) and use_compiled("cluster gcn", x):
            return rows_gcn(x, prepared, rows, *parameters)
        return rows.keep(_run(x, prepared, True, *parameters))


def _run(
    x: Tensor,
    prepared: Adjacency | Tensor,
    activate: bool,
    *parameters: Any,
    column: Tensor | None = None,
) -> Tensor:
    if isinstance(prepared, Adjacency) and enabled("gcn"):
        return _RaggedGCN.apply(x, column, prepared, activate, *parameters)  # type: ignore[no-any-return]
    if not isinstance(prepared, Adjacency) and enabled("dense gcn"):
        return _DenseGCN.apply(x, prepared, activate, *parameters)  # type: ignore[no-any-return]
    for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
        x = _layer(x, prepared, weight, bias, column)
        x, column = x.relu() if activate else x, None
    return x


def _layer(
    x: Tensor, prepared: Adjacency | Tensor, weight: Tensor, bias: Tensor, column: Tensor | None
) -> Tensor:
    """S x W + b; the gradient of a sparse S is left out."""
    if isinstance(prepared, Tensor):
        return prepared @ (x @ weight) + bias
    value = constant(prepared.gcn)
    if weight.shape[0] < weight.shape[1]:
        return torch.addmm(bias, spmm(prepared, value, x), weight)
    # A one-hot row times W is a row of W, to the bit.
    moved = x @ weight if column is None else weight.index_select(0, column)
    return spmm(prepared, value, moved) + bias


class _RaggedGCN(torch.autograd.Function):
    """S x W + b layer by layer with a sparse S, each with ReLU if asked.

    The parameters come as W₁, b₁, W₂, b₂, …
    """

    @staticmethod
    def forward(
        ctx: Any,
        x: Tensor,
        column: Tensor | None,
        adjacency: Adjacency,
        activate: bool,
        *parameters: Tensor,
    ) -> Tensor:
        ctx.adjacency, ctx.activate = adjacency, activate
        saved = []
        for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
            if weight.shape[0] < weight.shape[1]:
                x = spmm(adjacency, adjacency.gcn, x)
                out = torch.addmm(bias, x, weight)
            else:
                # A one-hot row times W is a row of W, to the bit.
                moved = x @ weight if column is None else weight.index_select(0, column)
                out = spmm(adjacency, adjacency.gcn, moved).add_(bias)
            column = None
            if activate:
                out.relu_()
            saved += [x, weight, out]
            x = out
        ctx.save_for_backward(*saved)
        return x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("GCN")
        saved, adjacency = ctx.saved_tensors, ctx.adjacency
        grads: list[Tensor] = []
        for position in range(len(saved) - 3, -1, -3):
            x, weight, out = saved[position : position + 3]
            if ctx.activate:
                grad = _relu_backward(grad, out, 0)
            narrow_first = weight.shape[0] < weight.shape[1]
            dbias = grad.sum(0)
            if not narrow_first:
                grad = spmm(adjacency, adjacency.gcn, grad, transpose=True)
            grads += [dbias, x.t() @ grad]
            if position == 0 and not ctx.needs_input_grad[0]:
                return None, None, None, None, *reversed(grads)
            grad = grad @ weight.t()
            if narrow_first:
                grad = spmm(adjacency, adjacency.gcn, grad, transpose=True)
        return grad, None, None, None, *reversed(grads)


class _DenseGCN(torch.autograd.Function):
    """The same with a dense S per graph."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, matrix: Tensor, activate: bool, *parameters: Tensor) -> Tensor:
        ctx.activate = activate
        saved = [matrix]
        for weight, bias in zip(parameters[::2], parameters[1::2], strict=True):
            x = x.contiguous()
            moved = x @ weight
            out = torch.bmm(matrix, moved).add_(bias)
            if activate:
                out.relu_()
            saved += [x, weight, moved, out]
            x = out
        ctx.save_for_backward(*saved)
        return x

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("GCN")
        matrix, *saved = ctx.saved_tensors
        grads: list[Tensor] = []
        dmatrix = None
        for position in range(len(saved) - 4, -1, -4):
            x, weight, moved, out = saved[position : position + 4]
            if ctx.activate:
                grad = _relu_backward(grad, out, 0)
            if ctx.needs_input_grad[1]:
                here = torch.bmm(grad, moved.mT)
                dmatrix = here if dmatrix is None else dmatrix.add_(here)
            back = torch.bmm(matrix.mT, grad).flatten(0, 1)
            grads += [grad.sum((0, 1)), x.flatten(0, 1).t() @ back]
            grad = (back @ weight.t()).view_as(x)
        return grad, dmatrix, None, *reversed(grads)
