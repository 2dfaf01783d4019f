"""GCN layer (Kipf & Welling 2017), equation GCN of the paper."""

import math
from typing import Any

import torch
from torch import Tensor, nn

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.normalise import normalise
from graphpool.nn.products import spmm


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
        function = _RaggedGCN if isinstance(prepared, Adjacency) else _DenseGCN
        return function.apply(x, self.weight, self.bias, prepared, activate)  # type: ignore[no-any-return]


class _RaggedGCN(torch.autograd.Function):
    """S x W + b with a sparse S, and ReLU if asked, as one step of the backward pass."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, adjacency: Adjacency, activate: bool
    ) -> Tensor:
        ctx.adjacency, ctx.narrow_first = adjacency, weight.shape[0] < weight.shape[1]
        if ctx.narrow_first:
            x = spmm(adjacency, adjacency.gcn, x)
            out = torch.addmm(bias, x, weight)
        else:
            out = spmm(adjacency, adjacency.gcn, x @ weight).add_(bias)
        return _finish(ctx, out, activate, x, weight)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, *out = ctx.saved_tensors
        grad = _through_relu(grad, out)
        adjacency, dx = ctx.adjacency, None
        dbias = grad.sum(0)
        if not ctx.narrow_first:
            grad = spmm(adjacency, adjacency.gcn, grad, transpose=True)
        dweight = x.t() @ grad
        if ctx.needs_input_grad[0]:
            dx = grad @ weight.t()
            if ctx.narrow_first:
                dx = spmm(adjacency, adjacency.gcn, dx, transpose=True)
        return dx, dweight, dbias, None, None


class _DenseGCN(torch.autograd.Function):
    """S x W + b with a dense S per graph, and ReLU if asked, as one step."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, weight: Tensor, bias: Tensor, matrix: Tensor, activate: bool
    ) -> Tensor:
        moved = x @ weight
        out = torch.bmm(matrix, moved).add_(bias)
        return _finish(ctx, out, activate, x, weight, matrix, moved)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, weight, matrix, moved, *out = ctx.saved_tensors
        grad = _through_relu(grad, out)
        back = torch.bmm(matrix.mT, grad)
        flat = back.flatten(0, 1)
        dx = (flat @ weight.t()).view_as(x)
        dweight = x.reshape(-1, x.shape[-1]).t() @ flat
        dmatrix = torch.bmm(grad, moved.mT) if ctx.needs_input_grad[3] else None
        return dx, dweight, grad.sum((0, 1)), dmatrix, None


def _finish(ctx: Any, out: Tensor, activate: bool, *saved: Tensor) -> Tensor:
    if activate:
        out = out.relu_()
        saved = (*saved, out)
    ctx.save_for_backward(*saved)
    return out


def _through_relu(grad: Tensor, out: list[Tensor]) -> Tensor:
    """The gradient before ReLU; `out` holds its result if there was one."""
    return torch.ops.aten.threshold_backward(grad, out[0], 0) if out else grad
