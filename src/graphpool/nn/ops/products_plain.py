"""The products of `products` as plain tensor operations: gathered rows and sums by index.

They take a row of memory for every edge, and `segment_mm` and `row_mm` a matrix for every node.
"""

from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments


def spmm(x: Tensor, value: Tensor, adjacency: Adjacency, flip: bool) -> Tensor:
    """`A x`, or `Aᵀ x`."""
    row, col = (adjacency.col, adjacency.row) if flip else (adjacency.row, adjacency.col)
    return _add_up(x[col] * value.unsqueeze(-1), row, adjacency.num_nodes)


def segment_mm(a: Tensor, b: Tensor, segments: Segments) -> Tensor:
    """`aᵀ b` within each graph."""
    return _add_up(a.unsqueeze(-1) * b.unsqueeze(-2), segments.batch, segments.num_graphs)


def row_mm(a: Tensor, y: Tensor, segments: Segments) -> Tensor:
    """Each node's row times its graph's matrix."""
    return (a.unsqueeze(-2) @ y[segments.batch]).squeeze(-2)


def segment_sum(x: Tensor, segments: Segments) -> Tensor:
    """Sum over the nodes of each graph."""
    return _add_up(x, segments.batch, segments.num_graphs)


def spread(y: Tensor, segments: Segments) -> Tensor:
    """Give every node its graph's row."""
    return y[segments.batch]


def take_slots(x: Tensor, adjacency: Adjacency, column: bool) -> Tensor:
    """The row of `x` of each slot's column or row."""
    return x[adjacency.col if column else adjacency.row]


def slot_sum(x: Tensor, adjacency: Adjacency) -> Tensor:
    """Sum over the slots of each row."""
    return _add_up(x, adjacency.row, adjacency.num_nodes)


def _add_up(values: Tensor, index: Tensor, count: int) -> Tensor:
    return values.new_zeros(count, *values.shape[1:]).index_add(0, index, values)
