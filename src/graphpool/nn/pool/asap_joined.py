"""The coarse graph of ASAP: Sᵀ Â S of the kept clusters, sparse, without its diagonal."""

from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.ops.products import refuse_second_order
from graphpool.nn.ops.spgemm import Sparse, sparse_product
from graphpool.nn.ops.spgemm_compiled import lay_slots, mean_backward, mean_forward, rows_of
from graphpool.nn.ops.switch import enabled
from graphpool.typing import Float, Int


def joined(
    adjacency: Adjacency,
    weight: Float[Tensor, " slots"],
    share: Float[Tensor, " slots"],
    index: Int[Tensor, " kept"],
) -> Adjacency:
    """Sᵀ Â S over the kept clusters; of a symmetric Â symmetric to the last bit.

    Args:
        adjacency: whose slots these are.
        weight: Â.
        share: α; row i has the members of the cluster around i.
        index: the kept clusters, in ascending order.
    """
    nodes = adjacency.num_nodes
    sizes = adjacency.row_ptr.diff()[index]
    ptr = torch.cat([sizes.new_zeros(1), sizes.cumsum(0)])
    slots = _slots(adjacency, index, int(ptr[-1]))
    members = Sparse(ptr, adjacency.col[slots], share[slots], nodes)
    whole = Sparse(adjacency.row_ptr, adjacency.col, weight, nodes)
    made = sparse_product(members, sparse_product(whole, members.transposed()))
    lay = laid if made.value.is_cpu and enabled("asap") else laid_by_sorting
    return lay(made, adjacency.symmetric)


def _slots(adjacency: Adjacency, index: Tensor, count: int) -> Tensor:
    """The slots of the kept rows."""
    if index.is_cpu and enabled("asap"):
        slots = torch.empty(count, dtype=torch.long)
        rows_of(adjacency.row_ptr.numpy(), index.numpy(), slots.numpy())
        return slots
    kept = index.new_zeros(adjacency.num_nodes, dtype=torch.bool)
    kept[index] = True
    return kept[adjacency.row].nonzero().squeeze(-1)


def laid(made: Sparse, symmetric: bool) -> Adjacency:
    """A product as an adjacency, in linear time."""
    arrays = lay_slots(made.ptr.numpy(), made.col.numpy(), symmetric)
    row_ptr, col, own, mirror = (torch.from_numpy(array) for array in arrays)
    return Adjacency(row_ptr, col, _Mean.apply(made.value, own, mirror), symmetric)


class _Mean(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, value: Tensor, own: Tensor, mirror: Tensor) -> Tensor:
        ctx.save_for_backward(own, mirror)
        ctx.entries = value.shape[0]
        out = value.new_empty(own.shape[0])
        mean_forward(value.numpy(), own.numpy(), mirror.numpy(), out.numpy())
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("ASAP")
        own, mirror = ctx.saved_tensors
        dvalue = grad.new_zeros(ctx.entries)
        mean_backward(grad.contiguous().numpy(), own.numpy(), mirror.numpy(), dvalue.numpy())
        return dvalue, None, None


def laid_by_sorting(made: Sparse, symmetric: bool) -> Adjacency:
    """The same by tensor operations."""
    row, col, value, kept = made.row, made.col, made.value, made.width
    if symmetric:
        # So is the result, but for rounding: entry by entry the mean with its mirror image.
        order, mirrored = (row * kept + col).argsort(), (col * kept + row).argsort()
        row, col, value = row[order], col[order], (value[order] + value[mirrored]) / 2
    edges = (row != col).nonzero().squeeze(-1)
    return Adjacency.from_edge_index(torch.stack([col[edges], row[edges]]), kept, value[edges])
