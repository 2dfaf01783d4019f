"""What an edge says of both its ends and its features, summed without a row per edge.

Features of edges come as a table of the distinct ones and the row of each edge, so a linear map of
them is one of the table. What is left for every edge, a sum and a ReLU, is computed again in the
backward pass: nothing as large as edges times channels is kept.
"""

from functools import cached_property
from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.edge_features import EdgeFeatures
from graphpool.nn.ops.products import (
    BagSum,
    check_rows,
    refuse_second_order,
    slot_sum,
    take_col,
    take_row,
)
from graphpool.nn.ops.switch import compiled, enabled, use_compiled
from graphpool.typing import Float

Array = Any
# Up to so many kinds, a product with all of them takes less time on a GPU than to sort.
_FEW_KINDS = 64


def relu_messages(
    x: Float[Tensor, "nodes channels"], adjacency: Adjacency, edges: EdgeFeatures
) -> Float[Tensor, "nodes channels"]:
    """Σ_j A_ij ReLU(x_j + e_ij) over the edges of row i; slots of kind -1 are none."""
    table, kind = _checked(x, adjacency, edges)
    if use_compiled("messages", x):
        return _ReluMessages.apply(x, table, adjacency.weight, adjacency, kind)  # type: ignore[no-any-return]
    if enabled("messages") and x.is_cuda:
        rows = EdgeRows.of(adjacency, edges)
        return _ReluRows.apply(x, table, adjacency.weight, rows)  # type: ignore[no-any-return]
    inner = take_col(x, adjacency) + edges.rows()
    return slot_sum(inner.relu() * _weight(adjacency, kind), adjacency)


def pair_logits(
    source: Float[Tensor, "nodes heads channels"],
    target: Float[Tensor, "nodes heads channels"],
    vector: Float[Tensor, "heads channels"],
    adjacency: Adjacency,
    edges: EdgeFeatures,
    slope: float,
) -> Float[Tensor, "slots heads"]:
    """vector · LeakyReLU(source_j + target_i + e_ij) of every slot (i, j), head by head.

    `edges` have the channels of all heads side by side; e_ij of a slot of kind -1 is 0.
    """
    table, kind = _checked(source.flatten(1), adjacency, edges)
    check_rows(target, adjacency.num_nodes)
    if use_compiled("messages", source):
        given = source, target, vector, table.view(-1, *vector.shape)
        return _PairLogits.apply(*given, adjacency, kind, slope)  # type: ignore[no-any-return]
    heads = source.shape[1:]
    inner = take_col(source.flatten(1), adjacency) + take_row(target.flatten(1), adjacency)
    inner = nn.functional.leaky_relu(inner + edges.rows(), slope)
    return (inner.view(-1, *heads) * vector).sum(-1)


def _checked(x: Tensor, adjacency: Adjacency, edges: EdgeFeatures) -> tuple[Tensor, Tensor]:
    """Table and kinds; refuse what compiled loops, which don't look, would read beyond."""
    check_rows(x, adjacency.num_nodes)
    edges.check(adjacency.col.shape[0], x.device)
    if edges.channels != x.shape[1]:
        raise InputError(f"edges have {edges.channels} channels, nodes {x.shape[1]}")
    return edges.table, edges.kind


def _weight(adjacency: Adjacency, kind: Tensor) -> Tensor:
    return adjacency.weight.masked_fill(kind < 0, 0.0).unsqueeze(-1)


class _ReluMessages(torch.autograd.Function):
    """`relu_messages` of x, table and weight for float32 on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, table: Tensor, weight: Tensor, adjacency: Adjacency, kind: Tensor
    ) -> Tensor:
        x, table, weight = x.contiguous(), table.contiguous(), weight.contiguous()
        ctx.save_for_backward(x, table, weight)
        ctx.adjacency, ctx.kind = adjacency, kind
        out = torch.zeros_like(x)
        given = tuple(value.numpy() for value in (x, table, weight))
        where = adjacency.row_ptr.numpy(), adjacency.col.numpy(), kind.numpy()
        relu_forward(*given, *where, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("messages of edges")
        x, table, weight = ctx.saved_tensors
        adjacency, kind = ctx.adjacency, ctx.kind
        weighs = ctx.needs_input_grad[2]
        dx, dtable = torch.zeros_like(x), torch.zeros_like(table)
        dweight = torch.zeros_like(weight) if weighs else weight.new_zeros(0)
        given = tuple(value.numpy() for value in (x, table, weight))
        where = adjacency.row_ptr.numpy(), adjacency.col.numpy(), kind.numpy()
        made = dx.numpy(), dtable.numpy(), dweight.numpy()
        relu_backward(grad.contiguous().numpy(), *given, *where, *made)
        return dx, dtable, dweight if weighs else None, None, None


class EdgeRows:
    """The edges of a batch for layers on a GPU, which have a row for each slot for a while.

    What depends on the edges alone is worked out once for all layers and both directions: there
    the number of operations costs the time, not their size.

    Args:
        adjacency: its weights count, and no gradient of them is taken here.
        kind: of `EdgeFeatures`.
        kinds: how many there are.
    """

    def __init__(self, adjacency: Adjacency, kind: Tensor, kinds: int) -> None:
        self.adjacency, self.kind, self.kinds = adjacency, kind, kinds

    @classmethod
    def of(cls, adjacency: Adjacency, edges: EdgeFeatures) -> "EdgeRows":
        """Those of a batch, as an earlier layer made them."""
        known: EdgeRows | None = edges.memo.get("rows")
        if known is None or known.adjacency is not adjacency:
            known = edges.memo["rows"] = cls(adjacency, edges.kind, edges.table.shape[0])
        return known

    @cached_property
    def weight(self) -> Tensor:
        """`[slots]`, 0 where there is no edge."""
        return self.adjacency.weight.detach().masked_fill(self.kind < 0, 0.0)

    @cached_property
    def row(self) -> Tensor:
        """The row of the table of each slot; any one where the weight is 0."""
        return self.kind.clamp(min=0)

    @cached_property
    def into_nodes(self) -> BagSum:
        """Weighted sums over the slots of each node's row."""
        return BagSum(self.adjacency.slots, self.adjacency.row_ptr, self.weight)

    @cached_property
    def into_sources(self) -> BagSum:
        """Weighted sums over the slots of each node's column."""
        index = self.adjacency.reverse
        return BagSum(index, self.adjacency.reverse_ptr, self.weight.index_select(0, index))

    @cached_property
    def _members(self) -> Tensor:
        """`[kinds, slots]`, the weight of each slot in the row of its kind."""
        kinds = torch.arange(self.kinds, device=self.kind.device).unsqueeze(-1)
        return (self.kind == kinds) * self.weight

    @cached_property
    def _into_kinds(self) -> BagSum:
        order = torch.argsort(self.kind, stable=True)
        # The first bag is that of slots without features: a CSR pointer must begin with 0. Not by
        # bincount, which asks the device for the largest kind.
        bounds = torch.arange(-1, self.kinds + 1, device=self.kind.device)
        offsets = torch.searchsorted(self.kind.index_select(0, order), bounds)
        return BagSum(order, offsets, self.weight.index_select(0, order))

    def by_kind(self, values: Tensor) -> Tensor:
        """Weighted sums over the slots of each kind, always in one order."""
        if self.kinds <= _FEW_KINDS:
            return self._members @ values
        return self._into_kinds(values)[1:]

    def inner(self, x: Tensor, table: Tensor) -> Tensor:
        """x_j + e_ij of every slot (i, j)."""
        return x.index_select(0, self.adjacency.col).add_(table.index_select(0, self.row))


class _ReluRows(torch.autograd.Function):
    """`relu_messages` of x, table and weight on a GPU."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, table: Tensor, weight: Tensor, rows: EdgeRows) -> Tensor:
        ctx.save_for_backward(x, table)
        ctx.rows = rows
        return rows.into_nodes(rows.inner(x, table).relu_())

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("messages of edges")
        x, table = ctx.saved_tensors
        return *relu_rows_backward(grad, x, table, ctx.rows, ctx.needs_input_grad[2]), None


def relu_rows_backward(
    grad: Tensor, x: Tensor, table: Tensor, rows: EdgeRows, weighs: bool
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Gradients of `relu_messages` for x, table and, if `weighs`, the weights of edges."""
    inner = rows.inner(x, table)
    reach = grad.index_select(0, rows.adjacency.row)
    dweight = None
    if weighs:
        dweight = (inner.relu() * reach).sum(-1).masked_fill(rows.kind < 0, 0.0)
    reach = torch.ops.aten.threshold_backward(reach, inner, 0)
    return rows.into_sources(reach), rows.by_kind(reach), dweight


@compiled
@no_type_check
def relu_forward(
    x: Array, table: Array, weight: Array, row_ptr: Array, col: Array, kind: Array, out: Array
) -> None:
    """Add the messages of every edge to its row."""
    channels, zero = x.shape[1], np.float32(0.0)
    for i in range(row_ptr.shape[0] - 1):
        made = out[i]
        for s in range(row_ptr[i], row_ptr[i + 1]):
            if kind[s] < 0:
                continue
            w, h, t = weight[s], x[col[s]], table[kind[s]]
            for c in range(channels):
                v = h[c] + t[c]
                # Not max(v, 0), which would let NaN pass for 0.
                made[c] += w * (zero if v < zero else v)


@compiled
@no_type_check
def relu_backward(
    grad: Array, x: Array, table: Array, weight: Array, row_ptr: Array, col: Array, kind: Array,
    dx: Array, dtable: Array, dweight: Array,
) -> None:  # fmt: skip
    """Add the gradients of `relu_forward` to the outputs; an empty `dweight` is left out."""
    channels, zero, weighs = x.shape[1], np.float32(0.0), dweight.shape[0] > 0
    for i in range(row_ptr.shape[0] - 1):
        g = grad[i]
        for s in range(row_ptr[i], row_ptr[i + 1]):
            k = kind[s]
            if k < 0:
                continue
            w, h, t, dh, dt = weight[s], x[col[s]], table[k], dx[col[s]], dtable[k]
            for c in range(channels):
                d = zero if h[c] + t[c] <= zero else w * g[c]
                dh[c] += d
                dt[c] += d
            if weighs:
                total = zero
                for c in range(channels):
                    v = h[c] + t[c]
                    total += g[c] * (zero if v < zero else v)
                dweight[s] = total


class _PairLogits(torch.autograd.Function):
    """`pair_logits` for float32 on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, source: Tensor, target: Tensor, vector: Tensor, table: Tensor,
        adjacency: Adjacency, kind: Tensor, slope: float,
    ) -> Tensor:  # fmt: skip
        given = tuple(value.contiguous() for value in (source, target, vector, table))
        ctx.save_for_backward(*given)
        where = adjacency.row_ptr.numpy(), adjacency.col.numpy(), kind.numpy(), np.float32(slope)
        ctx.where = where
        out = source.new_empty(kind.shape[0], source.shape[1])
        logits_forward(*(value.numpy() for value in given), *where, out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("attention to edges")
        saved = ctx.saved_tensors
        made = tuple(torch.zeros_like(value) for value in saved)
        logits_backward(
            grad.contiguous().numpy(), *(value.numpy() for value in saved), *ctx.where,
            *(value.numpy() for value in made),
        )  # fmt: skip
        return *made, None, None, None


@compiled
@no_type_check
def logits_forward(
    source: Array, target: Array, vector: Array, table: Array, row_ptr: Array, col: Array,
    kind: Array, slope: float, out: Array,
) -> None:  # fmt: skip
    """Write the logit of every slot and head."""
    heads, channels, zero = source.shape[1], source.shape[2], np.float32(0.0)
    none = np.zeros((heads, channels), source.dtype)
    for i in range(row_ptr.shape[0] - 1):
        for s in range(row_ptr[i], row_ptr[i + 1]):
            edge = none if kind[s] < 0 else table[kind[s]]
            for head in range(heads):
                one, other, e, a = source[col[s], head], target[i, head], edge[head], vector[head]
                total = zero
                for c in range(channels):
                    v = one[c] + other[c] + e[c]
                    total += a[c] * (slope * v if v < zero else v)
                out[s, head] = total


@compiled
@no_type_check
def logits_backward(
    grad: Array, source: Array, target: Array, vector: Array, table: Array, row_ptr: Array,
    col: Array, kind: Array, slope: float, dsource: Array, dtarget: Array, dvector: Array,
    dtable: Array,
) -> None:  # fmt: skip
    """Add the gradients of `logits_forward` to the outputs."""
    heads, channels, zero = source.shape[1], source.shape[2], np.float32(0.0)
    none, lost = np.zeros((heads, channels), source.dtype), np.zeros((heads, channels), grad.dtype)
    for i in range(row_ptr.shape[0] - 1):
        for s in range(row_ptr[i], row_ptr[i + 1]):
            edge = none if kind[s] < 0 else table[kind[s]]
            dedge = lost if kind[s] < 0 else dtable[kind[s]]
            for head in range(heads):
                one, other, e, a = source[col[s], head], target[i, head], edge[head], vector[head]
                done, dother = dsource[col[s], head], dtarget[i, head]
                de, da = dedge[head], dvector[head]
                g = grad[s, head]
                for c in range(channels):
                    v = one[c] + other[c] + e[c]
                    da[c] += g * (slope * v if v < zero else v)
                    # The slope of LeakyReLU at 0 is that below it, as torch has it.
                    d = g * a[c] if v > zero else slope * g * a[c]
                    done[c] += d
                    dother[c] += d
                    de[c] += d
