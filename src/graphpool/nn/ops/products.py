"""The products that everything ragged is made of; nothing here pads or loops over graphs.

Three operations, closed under differentiation, so that each one's gradient is again one of them:

- `spmm`: a sparse matrix times node features, `A x`;
- `segment_mm`: `aᵀ b` within each graph, from nodes to graphs;
- `row_mm`: each node's row times its graph's matrix, from graphs to nodes.

All of them are one weighted bag sum: on a CPU `torch.embedding_bag`, whose kernels are vectorised
and 2.5 times faster than the CSR product of torch on our graphs; on a GPU the CSR product.
A dense batch `[graphs, nodes, channels]` has no segments (`None`) and uses `torch.matmul`.
"""

import warnings
from collections.abc import Callable
from functools import cache
from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.ops import products_plain
from graphpool.nn.ops.compiled import compilable, slot_products
from graphpool.nn.ops.switch import enabled
from graphpool.typing import Float, Int


def bag_sum(
    table: Float[Tensor, "rows channels"],
    index: Int[Tensor, " entries"],
    offsets: Int[Tensor, " bounds"],
    weight: Float[Tensor, " entries"] | None = None,
) -> Float[Tensor, "bounds-1 channels"]:
    """Sum of `weight[e] · table[index[e]]` over the entries of each bag; no gradient."""
    # Detached: with gradients in sight embedding_bag would also prepare its own backward pass.
    table = table.detach().contiguous()
    if table.is_cuda:
        if weight is None:  # a GPU's embedding_bag walks a long bag in one thread block
            weight = table.new_ones(index.shape[0])
        shape = (offsets.shape[0] - 1, table.shape[0])
        return _csr(offsets, index, weight, shape) @ table
    return torch.embedding_bag(table, index, offsets, False, 0, False, weight, True)[0]


@cache
def _hear_warnings() -> None:
    """Make a first sparse matrix, for torch warns once that they are young and go unchecked."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = torch.zeros(2, dtype=torch.long)
        torch.sparse_csr_tensor(start, start[:0], torch.zeros(0), size=(1, 1))


def _csr(offsets: Tensor, index: Tensor, weight: Tensor, shape: tuple[int, int]) -> Tensor:
    _hear_warnings()
    return torch.sparse_csr_tensor(offsets, index, weight, size=shape, check_invariants=False)


def _is_symmetric(adjacency: Adjacency, value: Tensor) -> bool:
    """Whether A with these entries is its own transpose: true of a graph's own values only."""
    own = value is adjacency.weight or value is adjacency.__dict__.get("gcn")
    return own and adjacency.symmetric


def _spmm(x: Tensor, value: Tensor, adjacency: Adjacency, flip: bool) -> Tensor:
    if flip and not _is_symmetric(adjacency, value):
        back = adjacency.reverse
        return bag_sum(x, adjacency.row[back], adjacency.reverse_ptr, value[back])
    return bag_sum(x, adjacency.col, adjacency.row_ptr, value)


def _segment_mm(a: Tensor, b: Tensor, segments: Segments) -> Tensor:
    width = a.shape[1]
    index, offsets = segments.columns(width)
    out = bag_sum(b, index, offsets, a.t().reshape(-1))
    return out.view(width, segments.num_graphs, b.shape[1]).transpose(0, 1)


def _row_mm(a: Tensor, y: Tensor, segments: Segments) -> Tensor:
    index, offsets = segments.rows(y.shape[1])
    return bag_sum(y.reshape(-1, y.shape[2]), index, offsets, a.reshape(-1))


def _segment_sum(x: Tensor, segments: Segments) -> Tensor:
    return bag_sum(x, segments.nodes, segments.ptr)


def _spread(y: Tensor, segments: Segments) -> Tensor:
    return y.index_select(0, segments.batch)


def _call(
    function: Any, kernel: Callable[..., Tensor], plain: Callable[..., Tensor], *arguments: Any
) -> Tensor:
    """Run a product; without its bookkeeping where no gradient is needed.

    That is so for the input features, and inside another function's forward and, unless it is to
    be differentiated again, backward pass.
    """
    if not enabled("products"):
        return plain(*arguments)
    if torch.is_grad_enabled() and any(
        isinstance(value, Tensor) and value.requires_grad for value in arguments
    ):
        return function.apply(*arguments)  # type: ignore[no-any-return]
    return kernel(*arguments)


def constant(value: Tensor) -> Tensor:
    """`value` without its gradient; itself if it has none, so that it is recognised."""
    return value.detach() if value.requires_grad else value


def refuse_second_order(name: str) -> None:
    """Say so, in a backward pass written by hand, when it is itself to be differentiated."""
    if torch.is_grad_enabled():
        raise RuntimeError(f"{name} can't be differentiated twice")


def _slot_products(left: Tensor, right: Tensor, adjacency: Adjacency) -> Tensor:
    """⟨left_i, right_j⟩ for every slot (i, j), `[slots]`; compiled, no row is gathered for it."""
    if not compilable(left):
        return (left[adjacency.row] * right[adjacency.col]).sum(-1)
    out = left.new_empty(adjacency.col.shape[0], 1)
    slot_products(
        left.contiguous().unsqueeze(1).numpy(), right.contiguous().unsqueeze(1).numpy(),
        adjacency.row.numpy(), adjacency.col.numpy(), out.numpy(),
    )  # fmt: skip
    return out.squeeze(-1)


class _Spmm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, value: Tensor, adjacency: Adjacency, flip: bool) -> Tensor:
        ctx.save_for_backward(x, value)
        ctx.adjacency, ctx.flip = adjacency, flip
        return _spmm(x, value, adjacency, flip)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        x, value = ctx.saved_tensors
        adjacency, flip = ctx.adjacency, ctx.flip
        dx = dvalue = None
        if ctx.needs_input_grad[0]:
            dx = spmm(adjacency, value, grad, not flip)
        if ctx.needs_input_grad[1]:
            left, right = (x, grad) if flip else (grad, x)
            dvalue = _slot_products(left, right, adjacency)
        return dx, dvalue, None, None


class _SegmentMM(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, b: Tensor, segments: Segments) -> Tensor:
        ctx.save_for_backward(a, b)
        ctx.segments = segments
        return _segment_mm(a, b, segments)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        a, b = ctx.saved_tensors
        da = row_mm(b, grad.mT, ctx.segments) if ctx.needs_input_grad[0] else None
        db = row_mm(a, grad, ctx.segments) if ctx.needs_input_grad[1] else None
        return da, db, None


class _RowMM(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, a: Tensor, y: Tensor, segments: Segments) -> Tensor:
        ctx.save_for_backward(a, y)
        ctx.segments = segments
        return _row_mm(a, y, segments)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        a, y = ctx.saved_tensors
        da = row_mm(grad, y.mT, ctx.segments) if ctx.needs_input_grad[0] else None
        dy = segment_mm(a, grad, ctx.segments) if ctx.needs_input_grad[1] else None
        return da, dy, None


class _SegmentSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, segments: Segments) -> Tensor:
        ctx.segments = segments
        return _segment_sum(x, segments)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return spread(grad, ctx.segments), None


class _Spread(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, segments: Segments) -> Tensor:
        ctx.segments = segments
        return _spread(y, segments)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return segment_sum(grad, ctx.segments), None


def spmm(
    adjacency: Adjacency,
    value: Float[Tensor, " slots"],
    x: Float[Tensor, "nodes channels"],
    transpose: bool = False,
) -> Float[Tensor, "nodes channels"]:
    """`A x`, or `Aᵀ x`, with the entries `value` in the slots of `adjacency`."""
    return _call(_Spmm, _spmm, products_plain.spmm, x, value, adjacency, transpose)


def segment_mm(a: Tensor, b: Tensor, segments: Segments | None) -> Tensor:
    """`aᵀ b` within each graph: `[nodes, p]`, `[nodes, q]` to `[graphs, p, q]`."""
    if segments is None:
        return a.mT @ b
    return _call(_SegmentMM, _segment_mm, products_plain.segment_mm, a, b, segments)


def row_mm(a: Tensor, y: Tensor, segments: Segments | None) -> Tensor:
    """Each node's row times its graph's matrix: `[nodes, p]`, `[graphs, p, q]` to `[nodes, q]`."""
    if segments is None:
        return a @ y
    return _call(_RowMM, _row_mm, products_plain.row_mm, a, y, segments)


def segment_sum(x: Tensor, segments: Segments | None) -> Tensor:
    """Sum over the nodes of each graph, `[graphs, channels]`."""
    if segments is None:
        return x.sum(-2)
    return _call(_SegmentSum, _segment_sum, products_plain.segment_sum, x, segments)


def segment_mean(x: Tensor, segments: Segments | None) -> Tensor:
    """Mean over the nodes of each graph, `[graphs, channels]`."""
    if segments is None:
        return x.mean(-2)
    return segment_sum(x, segments) / segments.counts.to(x.dtype)


def segment_max(x: Tensor, segments: Segments | None) -> Tensor:
    """Maximum over the nodes of each graph, `[graphs, channels]`; equal ones share its gradient.

    A graph without nodes has 0.
    """
    if segments is None:
        return x.amax(-2)
    where = segments.batch.unsqueeze(-1).expand_as(x)
    empty = x.new_zeros(segments.num_graphs, x.shape[1])
    return empty.scatter_reduce(0, where, x, "amax", include_self=False)


def spread(y: Tensor, segments: Segments | None) -> Tensor:
    """Give every node its graph's row: `[graphs, channels]` to `[nodes, channels]`.

    In a dense batch `[graphs, 1, channels]`, which broadcasts over the nodes.
    """
    if segments is None:
        return y.unsqueeze(-2)
    return _call(_Spread, _spread, products_plain.spread, y, segments)


class _TakeSlots(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, adjacency: Adjacency, column: bool) -> Tensor:
        ctx.adjacency, ctx.column = adjacency, column
        return x.index_select(0, adjacency.col if column else adjacency.row)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return _SlotSum.apply(grad, ctx.adjacency, ctx.column), None, None


class _SlotSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, adjacency: Adjacency, column: bool) -> Tensor:
        ctx.adjacency, ctx.column = adjacency, column
        if column:
            return bag_sum(x, adjacency.reverse, adjacency.reverse_ptr)
        return bag_sum(x, adjacency.slots, adjacency.row_ptr)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        return _TakeSlots.apply(grad, ctx.adjacency, ctx.column), None, None


def take_col(x: Tensor, adjacency: Adjacency) -> Tensor:
    """The row of `x` of each slot's column (the edge's source), `[slots, channels]`."""
    return _take(x, adjacency, True)


def take_row(x: Tensor, adjacency: Adjacency) -> Tensor:
    """The row of `x` of each slot's row (the edge's target), `[slots, channels]`."""
    return _take(x, adjacency, False)


def _take(x: Tensor, adjacency: Adjacency, column: bool) -> Tensor:
    if not enabled("products"):
        return products_plain.take_slots(x, adjacency, column)
    return _TakeSlots.apply(x, adjacency, column)  # type: ignore[no-any-return]


def slot_sum(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Sum over the slots of each row, `[slots, channels]` to `[nodes, channels]`."""
    if not enabled("products"):
        return products_plain.slot_sum(x, adjacency)
    return _SlotSum.apply(x, adjacency, False)  # type: ignore[no-any-return]


def slot_max(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Maximum over the slots of each row; no gradient."""
    return torch.embedding_bag(
        x.contiguous(), adjacency.slots, adjacency.row_ptr, False, 2, False, None, True
    )[0]
