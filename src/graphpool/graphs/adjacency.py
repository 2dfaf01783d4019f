"""The adjacency of a whole batch of graphs as one sparse matrix in CSR order.

Every row has a slot for its diagonal entry, first in the row, whether the graph has that
self-loop or not. One structure then serves every layer: plain sums read `weight` (zero where no
loop exists), GCN reads `gcn` (the loop of A + I included), attention reads all slots.
"""

from dataclasses import dataclass, field
from functools import cached_property

import torch
from torch import Tensor

from graphpool.errors import DataError, InputError, check_whole
from graphpool.graphs.checks import (
    FLOATS,
    INTEGERS,
    check_pointer,
    check_range,
    check_tensor,
    trusted,
)
from graphpool.graphs.segments import pointer


@dataclass(frozen=True, eq=False)
class Adjacency:
    """Sparse matrix A of shape [nodes, nodes]; A[i, j] is the weight of the edge from j to i.

    Args:
        row_ptr: `[nodes + 1]`, where each row's slots begin.
        col: `[slots]`, column of each slot; the first slot of a row is its diagonal.
        weight: `[slots]`, edge weights; 0 in a diagonal slot without a self-loop.
        symmetric: whether A equals its transpose, weights included.
        known_gcn: `[slots]`, the symmetrically normalised A + I, if already known.
    """

    row_ptr: Tensor
    col: Tensor
    weight: Tensor
    symmetric: bool
    known_gcn: Tensor | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.symmetric, bool):
            raise InputError(f"symmetric is {type(self.symmetric).__name__}; give True or False")
        check_tensor("col", self.col, INTEGERS, (None,))
        check_pointer("row_ptr", self.row_ptr, self.col.shape[0], least=1)
        check_range("col", self.col, 0, self.num_nodes - 1)
        device = self.col.device
        for name, value in (("weight", self.weight), ("known_gcn", self.known_gcn)):
            if value is not None or name == "weight":
                check_tensor(name, value, FLOATS, self.col.shape, device)
        types = {self.weight.dtype} if self.known_gcn is None else {
            self.weight.dtype, self.known_gcn.dtype
        }  # fmt: skip
        if self.col.dtype is not torch.int64 or len(types) > 1:
            raise InputError("col must be int64, and known_gcn of the type of weight")
        if self.row_ptr.device != device or not bool(
            (self.col[self.row_ptr[:-1]] == torch.arange(self.num_nodes, device=device)).all()
        ):
            raise InputError(
                "the first slot of each row must be its diagonal; Adjacency.from_edge_index makes "
                "an adjacency of any edges"
            )
        if self.symmetric and not is_symmetric(self.row, self.col, self.weight):
            object.__setattr__(self, "symmetric", False)

    @classmethod
    def from_edge_index(
        cls, edge_index: Tensor, num_nodes: int, edge_weight: Tensor | None = None
    ) -> "Adjacency":
        """Sort `edge_index` (`[2, edges]`, source then target, PyG's convention) into CSR order.

        Repeated edges stay repeated: their weights add up in every product. Self-loops live in
        the diagonal slot of their row, where the weights of repeated ones are summed.
        """
        check_tensor("edge_index", edge_index, INTEGERS, (2, None))
        check_whole("num_nodes", num_nodes, 0, 10**8)
        source, target = edge_index.long()
        if source.shape[0] and not 0 <= int(edge_index.min()) <= int(edge_index.max()) < num_nodes:
            raise DataError(
                f"edge_index names nodes {int(edge_index.min())} … {int(edge_index.max())} of "
                f"{num_nodes}; number them from 0 to {num_nodes - 1}"
            )
        if edge_weight is None:
            edge_weight = torch.ones(source.shape[0], device=source.device)
        check_tensor("edge_weight", edge_weight, FLOATS, source.shape, source.device)
        order = torch.argsort(target * num_nodes + source, stable=True)
        row_ptr, row, col, weight = lay_slots(
            source[order], target[order], edge_weight[order], num_nodes
        )
        symmetric = is_symmetric(row, col, weight)
        return trusted(cls, row_ptr=row_ptr, col=col, weight=weight, symmetric=symmetric)

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
    def slots(self) -> Tensor:
        """0, 1, 2, … for all slots, `[slots]`."""
        return torch.arange(self.col.shape[0], device=self.col.device)

    @cached_property
    def diagonal(self) -> Tensor:
        """True in the diagonal slot of each row, `[slots]`."""
        mask = torch.zeros(self.col.shape[0], dtype=torch.bool, device=self.col.device)
        mask[self.row_ptr[:-1]] = True
        return mask

    @cached_property
    def present(self) -> Tensor:
        """True where the slot is an edge, `[slots]`; a self-loop of weight 0 is no edge."""
        return ~self.diagonal | (self.weight != 0)

    @cached_property
    def reverse(self) -> Tensor:
        """Permutation that lists the slots of A in the CSR order of its transpose, `[slots]`."""
        return torch.argsort(self.col, stable=True)

    @cached_property
    def reverse_ptr(self) -> Tensor:
        """Row pointers of the transpose, `[nodes + 1]`."""
        if self.symmetric:
            return self.row_ptr
        return pointer(torch.bincount(self.col, minlength=self.num_nodes))

    @cached_property
    def gcn(self) -> Tensor:
        """Values of D̃^-½ (A + I) D̃^-½ with D̃ the row sums of A + I, `[slots]`."""
        if self.known_gcn is not None:
            return self.known_gcn
        return gcn_values(self.row, self.col, self.weight, self.row_ptr)

    def to(self, device: torch.device | str) -> "Adjacency":
        """Copy to a device."""
        return trusted(
            Adjacency,
            row_ptr=self.row_ptr.to(device),
            col=self.col.to(device),
            weight=self.weight.to(device),
            symmetric=self.symmetric,
            known_gcn=self.gcn.to(device),
        )

    def dense(self) -> Tensor:
        """The full matrix, `[nodes, nodes]`: for small graphs and tests."""
        full = self.weight.new_zeros(self.num_nodes, self.num_nodes)
        return full.index_put_((self.row, self.col), self.weight, accumulate=True)


def lay_slots(
    source: Tensor, target: Tensor, weight: Tensor, num_nodes: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Give every row its diagonal slot; the edges must come ordered by target.

    Returns `row_ptr` `[nodes + 1]` and row, column and weight of each slot.
    """
    device = source.device
    nodes = torch.arange(num_nodes, device=device)
    loop = (source == target).nonzero().flatten()
    looped, loop_weight = target[loop], weight[loop]
    if loop.shape[0]:
        plain = source != target
        source, target, weight = source[plain], target[plain], weight[plain]
    count = torch.bincount(target, minlength=num_nodes) + 1
    row_ptr, slots = pointer(count), num_nodes + source.shape[0]
    diagonal = row_ptr[:-1]
    row = torch.repeat_interleave(nodes, count, output_size=slots)
    # Before the k-th plain edge lie k others and the diagonal slots of its row and all above.
    position = torch.arange(1, source.shape[0] + 1, device=device).add_(target)
    col = torch.empty(slots, dtype=torch.long, device=device)
    col[diagonal] = nodes
    col[position] = source
    values = torch.zeros(slots, dtype=weight.dtype, device=device)
    values[position] = weight
    return row_ptr, row, col, values.index_add(0, diagonal[looped], loop_weight)


def is_symmetric(row: Tensor, col: Tensor, weight: Tensor) -> bool:
    """Whether A equals its transpose, weights included, for slots in CSR order.

    True is certain. Repeated edges with different weights may give False for a symmetric A,
    which costs time in the backward pass and nothing else.
    """
    plain = (row != col).nonzero().flatten()
    row, col, weight = (values.index_select(0, plain) for values in (row.int(), col.int(), weight))
    # Listed by column, the edges are those of the transpose, and in its CSR order.
    order = torch.argsort(col, stable=True)
    return (
        torch.equal(col.index_select(0, order), row)
        and torch.equal(row.index_select(0, order), col)
        and torch.equal(weight.index_select(0, order), weight)
    )


def gcn_values(row: Tensor, col: Tensor, weight: Tensor, row_ptr: Tensor) -> Tensor:
    """Normalise A + I symmetrically; `row`, `col` and `weight` are slots, diagonal first.

    A node whose row of A + I sums to zero or less (negative weights) gets zeros.
    """
    looped = weight.clone()
    looped[row_ptr[:-1]] += 1.0
    degree = torch.zeros(row_ptr.shape[0] - 1, dtype=weight.dtype, device=weight.device)
    degree.index_add_(0, row, looped)
    scale = torch.where(degree > 0, degree, torch.inf).rsqrt()
    return scale[row] * looped * scale[col]
