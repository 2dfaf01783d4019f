"""The adjacency of a whole batch of graphs as one sparse matrix in CSR order.

Every row holds a slot for its diagonal entry, first in the row, whether the graph has that
self-loop or not. One structure then serves every layer: plain sums read `weight` (zero where no
loop exists), GCN reads `gcn` (the loop of A + I included), attention reads all slots.
"""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Sparse matrix A of shape [nodes, nodes]; A[i, j] is the weight of the edge from j to i.

    Args:
        row_ptr: `[nodes + 1]`, where each row's slots begin.
        col: `[slots]`, column of each slot; the first slot of a row is its diagonal.
        weight: `[slots]`, edge weights; 0 in a diagonal slot without a self-loop.
        symmetric: whether A equals its transpose, weights included.
        gcn: `[slots]`, the symmetrically normalised A + I, if already known.
    """

    row_ptr: Tensor
    col: Tensor
    weight: Tensor
    symmetric: bool
    known_gcn: Tensor | None = field(default=None, repr=False)

    @classmethod
    def from_edge_index(
        cls, edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None
    ) -> "Adjacency":
        """Sort `edge_index` (`[2, edges]`, source then target, PyG's convention) into CSR order.

        Repeated edges stay repeated: their weights add up in every product.
        """
        source, target = edge_index
        if edge_weight is None:
            edge_weight = torch.ones(source.shape[0], device=source.device)
        nodes = torch.arange(num_nodes, device=source.device)
        # A real self-loop sorts right behind the empty diagonal slot of its row.
        rank = torch.cat([nodes * (num_nodes + 1), target * (num_nodes + 1) + 1 + source])
        order = torch.sort(rank, stable=True).indices
        row = torch.cat([nodes, target])[order]
        col = torch.cat([nodes, source])[order]
        weight = torch.cat([edge_weight.new_zeros(num_nodes), edge_weight])[order]
        row_ptr = torch.zeros(num_nodes + 1, dtype=torch.long, device=source.device)
        torch.cumsum(torch.bincount(row, minlength=num_nodes), 0, out=row_ptr[1:])
        return cls(row_ptr, col, weight, is_symmetric(row, col, weight, num_nodes))

    @property
    def num_nodes(self) -> int:
        """Number of rows."""
        return self.row_ptr.shape[0] - 1

    @cached_property
    def row(self) -> Tensor:
        """Row of each slot, `[slots]`."""
        nodes = torch.arange(self.num_nodes, device=self.col.device)
        return torch.repeat_interleave(nodes, self.row_ptr.diff(), output_size=self.col.shape[0])

    @cached_property
    def diagonal(self) -> Tensor:
        """True in the diagonal slot of each row, `[slots]`; a repeated self-loop is not in it."""
        mask = torch.zeros(self.col.shape[0], dtype=torch.bool, device=self.col.device)
        mask[self.row_ptr[:-1]] = True
        return mask

    @cached_property
    def present(self) -> Tensor:
        """True where the slot is an edge of the graph, `[slots]`."""
        return ~self.diagonal | (self.weight != 0)

    @cached_property
    def reverse(self) -> Tensor:
        """Permutation that lists the slots of A in the CSR order of its transpose, `[slots]`."""
        return torch.argsort(self.col, stable=True)

    @cached_property
    def reverse_ptr(self) -> Tensor:
        """Row pointers of the transpose, `[nodes + 1]`."""
        pointer = torch.zeros_like(self.row_ptr)
        torch.cumsum(torch.bincount(self.col, minlength=self.num_nodes), 0, out=pointer[1:])
        return pointer

    @cached_property
    def gcn(self) -> Tensor:
        """Values of D̃^-½ (A + I) D̃^-½ with D̃ the row sums of A + I, `[slots]`."""
        if self.known_gcn is not None:
            return self.known_gcn
        return gcn_values(self.row, self.col, self.weight, self.row_ptr)

    def to(self, device: torch.device | str) -> "Adjacency":
        """Copy to a device."""
        gcn = self.gcn.to(device)
        return Adjacency(
            self.row_ptr.to(device), self.col.to(device), self.weight.to(device),
            self.symmetric, gcn,
        )  # fmt: skip

    def dense(self) -> Tensor:
        """The full matrix, `[nodes, nodes]`: for small graphs and tests."""
        full = self.weight.new_zeros(self.num_nodes, self.num_nodes)
        return full.index_put_((self.row, self.col), self.weight, accumulate=True)


def is_symmetric(row: Tensor, col: Tensor, weight: Tensor, num_nodes: int) -> bool:
    """Whether the slots of A and of its transpose are the same, weights included."""
    forth, order = torch.sort(row * num_nodes + col, stable=True)
    back, other = torch.sort(col * num_nodes + row, stable=True)
    return torch.equal(forth, back) and torch.equal(weight[order], weight[other])


def gcn_values(row: Tensor, col: Tensor, weight: Tensor, row_ptr: Tensor) -> Tensor:
    """Normalise A + I symmetrically; `row`, `col` and `weight` are slots, diagonal first."""
    looped = weight.clone()
    looped[row_ptr[:-1]] += 1.0
    degree = torch.zeros(row_ptr.shape[0] - 1, dtype=weight.dtype, device=weight.device)
    degree.index_add_(0, row, looped)
    scale = degree.clamp(min=torch.finfo(weight.dtype).tiny).rsqrt()
    return scale[row] * looped * scale[col]
