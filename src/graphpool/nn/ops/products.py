"""The products that everything ragged is made of; nothing here pads or loops over graphs.

Three operations, closed under differentiation, so that each one's gradient is again one of them:

- `spmm`: a sparse matrix times node features, `A x`;
- `segment_mm`: `aᵀ b` within each graph, from nodes to graphs;
- `row_mm`: each node's row times its graph's matrix, from graphs to nodes.

All of them are one weighted bag sum: on a CPU `torch.embedding_bag`, whose kernels are vectorised
and 2.5 times faster than the CSR product of torch on our graphs; on a GPU the CSR product.
A dense batch `[graphs, nodes, channels]` has no segments (`None`) and uses `torch.matmul`.

With the group "products" switched off they are plain tensor operations, which take a row of memory
for every edge, and `segment_mm` and `row_mm` a matrix for every node.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.switch import compiled, enabled
from graphpool.typing import Float, Int

Array = Any


@dataclass(frozen=True, eq=False)
class BagSum:
    """Sums of `weight[e] · table[index[e]]` over the entries of bags, of one table after another.

    There is no gradient. On a GPU the matrix of the sums is made once.

    Args:
        index: `[entries]`, the row of each entry.
        offsets: `[bags + 1]`, where the entries of each bag begin.
        weight: `[entries]`; None: 1 for each.
    """

    index: Tensor
    offsets: Tensor
    weight: Tensor | None = None

    def __call__(self, table: Tensor) -> Tensor:
        """The sum of each bag, `[bags, channels]`."""
        # Detached: with gradients in sight embedding_bag would also prepare its own backward pass.
        table = table.detach().contiguous()
        if table.is_cuda:  # a GPU's embedding_bag walks a long bag in one thread block
            return self._matrix(table) @ table
        return torch.embedding_bag(
            table, self.index, self.offsets, False, 0, False, self.weight, True
        )[0]

    def _matrix(self, table: Tensor) -> Tensor:
        known: Tensor | None = self.__dict__.get("matrix")
        if known is None or known.shape[1] != table.shape[0] or known.dtype != table.dtype:
            weight = self.weight
            if weight is None:
                weight = table.new_ones(self.index.shape[0])
            shape = (self.offsets.shape[0] - 1, table.shape[0])
            known = self.__dict__["matrix"] = _csr(self.offsets, self.index, weight, shape)
        return known


def bag_sum(
    table: Float[Tensor, "rows channels"],
    index: Int[Tensor, " entries"],
    offsets: Int[Tensor, " bounds"],
    weight: Float[Tensor, " entries"] | None = None,
) -> Float[Tensor, "bounds-1 channels"]:
    """Sum of `weight[e] · table[index[e]]` over the entries of each bag; no gradient."""
    return BagSum(index, offsets, weight)(table)


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


def _own(adjacency: Adjacency, value: Tensor) -> str:
    """Which of its own values these entries of an adjacency are, by name; empty if none."""
    own = {"weight": adjacency.weight, "gcn": adjacency.__dict__.get("gcn")}
    return next((name for name, values in own.items() if value is values), "")


def _shared(holder: Any, name: str, make: Callable[[], BagSum]) -> BagSum:
    """Sums over the edges of a batch, or over its graphs, made once for all layers."""
    known: dict[str, BagSum] = holder.__dict__.setdefault("bag_sums", {})
    if name not in known:
        known[name] = make()
    return known[name]


@dataclass(frozen=True)
class _Product:
    """A product in its forms.

    Args:
        kernel: the fast one, without a gradient.
        plain: tensor operations, which autograd differentiates.
        gradients: those of the first arguments, tensors, as products again. They take the
            gradient of the result and the arguments; of a product of one tensor, which is linear,
            only the arguments after it.
    """

    kernel: Callable[..., Tensor]
    plain: Callable[..., Tensor]
    gradients: tuple[Callable[..., Tensor], ...]

    def __call__(self, *arguments: Any) -> Tensor:
        """Run the product; without bookkeeping where no gradient is needed.

        That is so for the input features, and inside another function's forward and, unless it is
        to be differentiated again, backward pass.
        """
        if not enabled("products"):
            return self.plain(*arguments)
        if torch.is_grad_enabled() and any(
            isinstance(value, Tensor) and value.requires_grad for value in arguments
        ):
            return _Differentiable.apply(self, *arguments)  # type: ignore[no-any-return]
        return self.kernel(*arguments)


class _Differentiable(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, product: _Product, *arguments: Any) -> Tensor:
        tensors = len(product.gradients)
        if tensors > 1:
            ctx.save_for_backward(*arguments[:tensors])
        ctx.product, ctx.others = product, arguments[tensors:]
        return product.kernel(*arguments)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        gradients = ctx.product.gradients
        arguments = *ctx.saved_tensors, *ctx.others
        needed = ctx.needs_input_grad[1 : 1 + len(gradients)]
        found = (
            gradient(grad, *arguments) if wanted else None
            for gradient, wanted in zip(gradients, needed, strict=True)
        )
        return None, *found, *(None for _ in ctx.others)


def constant(value: Tensor) -> Tensor:
    """`value` without its gradient; itself if it has none, so that it is recognised."""
    return value.detach() if value.requires_grad else value


def refuse_second_order(name: str) -> None:
    """Say so, in a backward pass written by hand, when it is itself to be differentiated."""
    if torch.is_grad_enabled():
        raise RuntimeError(f"{name} can't be differentiated twice")


def _spmm(x: Tensor, value: Tensor, adjacency: Adjacency, flip: bool) -> Tensor:
    own = _own(adjacency, value)
    flip = flip and not (own and adjacency.symmetric)

    def make() -> BagSum:
        if not flip:
            return BagSum(adjacency.col, adjacency.row_ptr, value)
        back = adjacency.reverse
        return BagSum(adjacency.row[back], adjacency.reverse_ptr, value[back])

    return (_shared(adjacency, f"{own} {flip}", make) if own else make())(x)


def _plain_spmm(x: Tensor, value: Tensor, adjacency: Adjacency, flip: bool) -> Tensor:
    row, col = (adjacency.col, adjacency.row) if flip else (adjacency.row, adjacency.col)
    return _add_up(x[col] * value.unsqueeze(-1), row, adjacency.num_nodes)


def _value_gradient(
    grad: Tensor, x: Tensor, value: Tensor, adjacency: Adjacency, flip: bool
) -> Tensor:
    """⟨grad_i, x_j⟩ for every slot (i, j), `[slots]`; compiled, no row is gathered for it."""
    left, right = (x, grad) if flip else (grad, x)
    # Gradients are on in a backward pass that is itself to be differentiated.
    if left.dtype is not torch.float32 or not left.is_cpu or torch.is_grad_enabled():
        return (left[adjacency.row] * right[adjacency.col]).sum(-1)
    out = left.new_empty(adjacency.col.shape[0])
    _slot_products(
        left.contiguous().numpy(), right.contiguous().numpy(),
        adjacency.row.numpy(), adjacency.col.numpy(), out.numpy(),
    )  # fmt: skip
    return out


@compiled
@no_type_check
def _slot_products(left: Array, right: Array, row: Array, col: Array, out: Array) -> None:
    """Inner products of `left[row]` and `right[col]`, slot by slot."""
    for slot in range(row.shape[0]):
        one, other = left[row[slot]], right[col[slot]]
        total = np.float32(0.0)
        for c in range(left.shape[1]):
            total += one[c] * other[c]
        out[slot] = total


_SPMM = _Product(
    _spmm,
    _plain_spmm,
    (
        lambda grad, x, value, adjacency, flip: spmm(adjacency, value, grad, not flip),
        _value_gradient,
    ),
)


def spmm(
    adjacency: Adjacency,
    value: Float[Tensor, " slots"],
    x: Float[Tensor, "nodes channels"],
    transpose: bool = False,
) -> Float[Tensor, "nodes channels"]:
    """`A x`, or `Aᵀ x`, with the entries `value` in the slots of `adjacency`."""
    check_rows(x, adjacency.num_nodes)
    check_rows(value, adjacency.col.shape[0])
    return _SPMM(x, value, adjacency, transpose)


def _segment_mm(a: Tensor, b: Tensor, segments: Segments) -> Tensor:
    width = a.shape[1]
    index, offsets = segments.columns(width)
    out = bag_sum(b, index, offsets, a.t().reshape(-1))
    return out.view(width, segments.num_graphs, b.shape[1]).transpose(0, 1)


_SEGMENT_MM = _Product(
    _segment_mm,
    lambda a, b, segments: _add_by_graph(a.unsqueeze(-1) * b.unsqueeze(-2), segments),
    (
        lambda grad, a, b, segments: row_mm(b, grad.mT, segments),
        lambda grad, a, b, segments: row_mm(a, grad, segments),
    ),
)


def segment_mm(a: Tensor, b: Tensor, segments: Segments | None) -> Tensor:
    """`aᵀ b` within each graph: `[nodes, p]`, `[nodes, q]` to `[graphs, p, q]`."""
    if segments is None:
        return a.mT @ b
    check_rows(a, segments.batch.shape[0])
    check_rows(b, segments.batch.shape[0])
    return _SEGMENT_MM(a, b, segments)


def _row_mm(a: Tensor, y: Tensor, segments: Segments) -> Tensor:
    index, offsets = segments.rows(y.shape[1])
    return bag_sum(y.reshape(-1, y.shape[2]), index, offsets, a.reshape(-1))


_ROW_MM = _Product(
    _row_mm,
    lambda a, y, segments: (a.unsqueeze(-2) @ y[segments.batch]).squeeze(-2),
    (
        lambda grad, a, y, segments: row_mm(grad, y.mT, segments),
        lambda grad, a, y, segments: segment_mm(a, grad, segments),
    ),
)


def row_mm(a: Tensor, y: Tensor, segments: Segments | None) -> Tensor:
    """Each node's row times its graph's matrix: `[nodes, p]`, `[graphs, p, q]` to `[nodes, q]`."""
    if segments is None:
        return a @ y
    check_rows(a, segments.batch.shape[0])
    check_rows(y, segments.num_graphs)
    if a.shape[1] != y.shape[1]:
        raise InputError(f"rows of {a.shape[1]} numbers for matrices {tuple(y.shape[1:])}")
    return _ROW_MM(a, y, segments)


def segment_sum(x: Tensor, segments: Segments | None) -> Tensor:
    """Sum over the nodes of each graph, `[graphs, channels]`."""
    if segments is None:
        return x.sum(-2)
    check_rows(x, segments.batch.shape[0])
    return _SEGMENT_SUM(x, segments)


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
    check_rows(x, segments.batch.shape[0])
    where = segments.batch.unsqueeze(-1).expand_as(x)
    empty = x.new_zeros(segments.num_graphs, x.shape[1])
    return empty.scatter_reduce(0, where, x, "amax", include_self=False)


def spread(y: Tensor, segments: Segments | None) -> Tensor:
    """Give every node its graph's row: `[graphs, channels]` to `[nodes, channels]`.

    In a dense batch `[graphs, 1, channels]`, which broadcasts over the nodes.
    """
    if segments is None:
        return y.unsqueeze(-2)
    check_rows(y, segments.num_graphs)
    return _SPREAD(y, segments)


def check_rows(values: Tensor, rows: int) -> None:
    """Refuse another number of rows than the kernels, which don't look, will read."""
    if not isinstance(values, Tensor) or not values.ndim or values.shape[0] != rows:
        found = f"a tensor of shape {tuple(values.shape)}" if isinstance(values, Tensor) else "none"
        raise InputError(f"{found} where a tensor of {rows} rows is needed")


def _add_up(values: Tensor, index: Tensor, count: int) -> Tensor:
    return values.new_zeros(count, *values.shape[1:]).index_add(0, index, values)


def _add_by_graph(values: Tensor, segments: Segments) -> Tensor:
    return _add_up(values, segments.batch, segments.num_graphs)


def _segment_sum(x: Tensor, segments: Segments) -> Tensor:
    return _shared(segments, "sum", lambda: BagSum(segments.nodes, segments.ptr))(x)


_SEGMENT_SUM = _Product(_segment_sum, _add_by_graph, (spread,))
_SPREAD = _Product(
    lambda y, segments: y.index_select(0, segments.batch),
    lambda y, segments: y[segments.batch],
    (segment_sum,),
)


def take_col(x: Tensor, adjacency: Adjacency) -> Tensor:
    """The row of `x` of each slot's column (the edge's source), `[slots, channels]`."""
    return _TAKE_SLOTS(x, adjacency, True)


def take_row(x: Tensor, adjacency: Adjacency) -> Tensor:
    """The row of `x` of each slot's row (the edge's target), `[slots, channels]`."""
    return _TAKE_SLOTS(x, adjacency, False)


def slot_sum(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Sum over the slots of each row, `[slots, channels]` to `[nodes, channels]`."""
    check_rows(x, adjacency.col.shape[0])
    return _SLOT_SUM(x, adjacency, False)


def _slots(adjacency: Adjacency, column: bool) -> Tensor:
    """The column or row of each slot."""
    return adjacency.col if column else adjacency.row


def _slot_sum(x: Tensor, adjacency: Adjacency, column: bool) -> Tensor:
    if column:
        return bag_sum(x, adjacency.reverse, adjacency.reverse_ptr)
    return bag_sum(x, adjacency.slots, adjacency.row_ptr)


_TAKE_SLOTS = _Product(
    lambda x, adjacency, column: x.index_select(0, _slots(adjacency, column)),
    lambda x, adjacency, column: x[_slots(adjacency, column)],
    (lambda grad, adjacency, column: _SLOT_SUM(grad, adjacency, column),),
)
_SLOT_SUM: _Product = _Product(
    _slot_sum,
    lambda x, adjacency, column: _add_up(x, _slots(adjacency, column), adjacency.num_nodes),
    (_TAKE_SLOTS,),
)


def slot_max(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Maximum over the slots of each row; no gradient."""
    return torch.embedding_bag(
        x.contiguous(), adjacency.slots, adjacency.row_ptr, False, 2, False, None, True
    )[0]
