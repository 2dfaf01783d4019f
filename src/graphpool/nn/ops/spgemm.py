"""The product of two sparse matrices, with gradients that stay on the entries of the factors.

`torch.sparse.mm` has such a product too, but its gradient is the full product of the gradient and
the other factor before it is cut back to the entries: on a graph of 20,000 nodes nearly a matrix
of nodes by nodes.

The compiled loops are Gustavson's algorithm, one row of the result at a time; a workspace as wide
as the result holds one of its rows.
"""

from dataclasses import dataclass
from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor

from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.switch import compiled_strict, enabled

Array = Any


@compiled_strict
@no_type_check
def product_count(
    left_ptr: Array, left_col: Array, right_ptr: Array, right_col: Array, width: int
) -> int:
    """Entries of the product."""
    seen = np.full(width, -1, np.int64)
    found = 0
    for i in range(left_ptr.shape[0] - 1):
        for e in range(left_ptr[i], left_ptr[i + 1]):
            j = left_col[e]
            for f in range(right_ptr[j], right_ptr[j + 1]):
                if seen[right_col[f]] != i:
                    seen[right_col[f]] = i
                    found += 1
    return found


@compiled_strict
@no_type_check
def product_fill(
    left_ptr: Array, left_col: Array, left: Array, right_ptr: Array, right_col: Array,
    right: Array, width: int, ptr: Array, col: Array, out: Array,
) -> None:  # fmt: skip
    """Rows, columns and entries of the product, as many as there are."""
    place = np.full(width, -1, np.int64)
    top = 0
    for i in range(left_ptr.shape[0] - 1):
        begin = ptr[i] = top
        for e in range(left_ptr[i], left_ptr[i + 1]):
            j, factor = left_col[e], left[e]
            for f in range(right_ptr[j], right_ptr[j + 1]):
                c = right_col[f]
                # A place before this row's was left there by another row.
                if place[c] < begin:
                    place[c] = top
                    col[top] = c
                    out[top] = factor * right[f]
                    top += 1
                else:
                    out[place[c]] += factor * right[f]
    ptr[left_ptr.shape[0] - 1] = top


@compiled_strict
@no_type_check
def product_backward(
    left_ptr: Array, left_col: Array, left: Array, right_ptr: Array, right_col: Array,
    right: Array, width: int, ptr: Array, col: Array, grad: Array, dleft: Array, dright: Array,
) -> None:  # fmt: skip
    """Gradients at the entries of both factors; `dright` comes as zeros."""
    row = np.empty(width, grad.dtype)
    for i in range(left_ptr.shape[0] - 1):
        for s in range(ptr[i], ptr[i + 1]):
            row[col[s]] = grad[s]
        for e in range(left_ptr[i], left_ptr[i + 1]):
            j = left_col[e]
            total = grad.dtype.type(0)
            for f in range(right_ptr[j], right_ptr[j + 1]):
                pull = row[right_col[f]]
                total += pull * right[f]
                dright[f] += pull * left[e]
            dleft[e] = total


@dataclass(frozen=True, eq=False)
class Sparse:
    """A matrix in CSR form; the columns of a row come in any order.

    Args:
        ptr: `[rows + 1]`, where the entries of each row begin.
        col: `[entries]`.
        value: `[entries]`; those of one place add up.
        width: how many columns there are.
    """

    ptr: Tensor
    col: Tensor
    value: Tensor
    width: int

    @property
    def row(self) -> Tensor:
        """Row of each entry, `[entries]`."""
        rows = torch.arange(self.ptr.shape[0] - 1, device=self.col.device)
        return torch.repeat_interleave(rows, self.ptr.diff(), output_size=self.col.shape[0])

    def transposed(self) -> "Sparse":
        """The transpose."""
        rows = self.ptr.shape[0] - 1
        order = self.col.argsort(stable=True)
        ptr = _pointers(torch.bincount(self.col, minlength=self.width))
        return Sparse(ptr, self.row[order], self.value[order], rows)


def sparse_product(left: Sparse, right: Sparse) -> Sparse:
    """left · right with every entry once; memory is what the result and the factors take."""
    if not left.value.is_cpu or not enabled("spgemm"):
        return joined_product(left, right)
    factors = (
        left.ptr.numpy(), left.col.numpy(), left.value.detach().contiguous().numpy(),
        right.ptr.numpy(), right.col.numpy(), right.value.detach().contiguous().numpy(),
        right.width,
    )  # fmt: skip
    entries = product_count(*factors[:2], *factors[3:5], right.width)
    ptr, col = torch.empty_like(left.ptr), torch.empty(entries, dtype=torch.long)
    value = left.value.new_empty(entries)
    product_fill(*factors, ptr.numpy(), col.numpy(), value.numpy())
    value = _Product.apply(left.value, right.value, value, left, right, ptr, col)
    return Sparse(ptr, col, value, right.width)


def joined_product(left: Sparse, right: Sparse) -> Sparse:
    """The same by tensor operations: all pairs of entries that meet, sorted by where they go."""
    meet = right.ptr.diff()[left.col]
    first = torch.repeat_interleave(torch.arange(meet.shape[0], device=meet.device), meet)
    # The n-th partner of an entry is n places after the start of the row that it meets.
    number = torch.arange(first.shape[0], device=meet.device) - _pointers(meet)[first]
    second = right.ptr[left.col[first]] + number
    place, where = torch.unique(
        left.row[first] * right.width + right.col[second], return_inverse=True
    )
    value = left.value.new_zeros(place.shape[0]).index_add(
        0, where, left.value[first] * right.value[second]
    )
    rows = torch.bincount(place // right.width, minlength=left.ptr.shape[0] - 1)
    return Sparse(_pointers(rows), place % right.width, value, right.width)


def _pointers(counts: Tensor) -> Tensor:
    return torch.cat([counts.new_zeros(1), counts.cumsum(0)])


class _Product(torch.autograd.Function):
    """The entries of the product, which are known, with their gradient."""

    @staticmethod
    def forward(
        ctx: Any, a: Tensor, b: Tensor, out: Tensor, left: Sparse, right: Sparse, ptr: Tensor,
        col: Tensor,
    ) -> Tensor:  # fmt: skip
        ctx.save_for_backward(a, b, left.ptr, left.col, right.ptr, right.col, ptr, col)
        ctx.width = right.width
        return out.view_as(out)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the sparse product")
        a, b, left_ptr, left_col, right_ptr, right_col, ptr, col = ctx.saved_tensors
        da, db = torch.zeros_like(a), torch.zeros_like(b)
        product_backward(
            left_ptr.numpy(), left_col.numpy(), a.contiguous().numpy(),
            right_ptr.numpy(), right_col.numpy(), b.contiguous().numpy(),
            ctx.width, ptr.numpy(), col.numpy(), grad.contiguous().numpy(),
            da.numpy(), db.numpy(),
        )  # fmt: skip
        return da, db, None, None, None, None, None
