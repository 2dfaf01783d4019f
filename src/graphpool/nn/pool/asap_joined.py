"""The coarse graph of ASAP: Sᵀ Â S of the kept clusters, sparse, without its diagonal."""

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.ops.spgemm import Sparse, sparse_product
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
    kept = index.new_zeros(nodes, dtype=torch.bool)
    kept[index] = True
    slots = kept[adjacency.row].nonzero().squeeze(-1)
    members = Sparse(ptr, adjacency.col[slots], share[slots], nodes)
    whole = Sparse(adjacency.row_ptr, adjacency.col, weight, nodes)
    made = sparse_product(members, sparse_product(whole, members.transposed()))
    return laid(made, adjacency.symmetric)


def laid(made: Sparse, symmetric: bool) -> Adjacency:
    """A product as an adjacency, without its diagonal."""
    row, col, value, kept = made.row, made.col, made.value, made.width
    if symmetric:
        # So is the result, but for rounding: entry by entry the mean with its mirror image.
        order, mirrored = (row * kept + col).argsort(), (col * kept + row).argsort()
        row, col, value = row[order], col[order], (value[order] + value[mirrored]) / 2
    edges = (row != col).nonzero().squeeze(-1)
    return Adjacency.from_edge_index(torch.stack([col[edges], row[edges]]), kept, value[edges])
