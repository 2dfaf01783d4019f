"""Ragged rows in flat tensors: gathers, and the CSR matrix of a whole `GraphSet`."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.graphs.adjacency import gcn_values, is_symmetric, lay_slots
from graphpool.graphs.segments import pointer

if TYPE_CHECKING:
    from graphpool.graphs.graphset import GraphSet

Array = NDArray[np.int64]


def gather(ptr: Tensor, index: Tensor) -> tuple[Tensor, Tensor]:
    """Return the positions of all items of the chosen segments, and their pointers."""
    start = ptr[index]
    new = pointer(ptr[index + 1] - start)
    total = int(new[-1])
    shift = torch.repeat_interleave(start - new[:-1], new.diff(), output_size=total)
    return torch.arange(total, device=ptr.device) + shift, new


def repeat(values: Array, counts: Array, device: torch.device) -> Tensor:
    """Repeat each value as often as its count, on `device`."""
    if device.type == "cpu":
        return torch.from_numpy(np.repeat(values, counts))
    # Only the short form is copied, and the known total saves a synchronisation.
    short = torch.from_numpy(np.stack([values, counts])).to(device)
    return torch.repeat_interleave(short[0], short[1], output_size=int(counts.sum()))


def take(values: Tensor | None, positions: Tensor) -> Tensor | None:
    """Return the rows at these positions of a field that may be absent."""
    return None if values is None else values.index_select(0, positions)


@dataclass(frozen=True, eq=False)
class SetCSR:
    """The adjacency of every graph of a set in CSR order, with diagonal slots and local columns."""

    table: Array  # [4, graphs]: first node and slot, number of nodes and slots
    count: Tensor  # [nodes], slots in each node's row
    col: Tensor  # [slots] int32
    weight: Tensor  # [slots]
    gcn: Tensor  # [slots]
    symmetric: bool

    @classmethod
    def of(cls, graphs: "GraphSet") -> "SetCSR":
        """Build the slots of all graphs at once."""
        weight = graphs.edge_weight
        if weight is None:
            weight = torch.ones(graphs.num_edges, device=graphs.device)
        source, target = graphs.flat_edges
        row_ptr, row, col, weight = lay_slots(source, target, weight, graphs.num_nodes)
        gcn, symmetric = gcn_values(row, col, weight, row_ptr), is_symmetric(row, col, weight)
        ptr = torch.stack([graphs.node_ptr, row_ptr[graphs.node_ptr]])
        first = torch.repeat_interleave(ptr[0, :-1], ptr[1].diff(), output_size=col.shape[0])
        return cls(
            table=torch.cat([ptr[:, :-1], ptr.diff(dim=1)]).cpu().numpy(),
            count=row_ptr.diff(),
            col=col.sub_(first).int(),
            weight=weight,
            gcn=gcn,
            symmetric=symmetric,
        )

    def choose(self, index: Array) -> tuple[Tensor, Tensor, Array, Array]:
        """Return the positions in the set of the nodes and slots of the chosen graphs.

        Numbers per graph are computed with numpy, which takes a fraction of torch's time for so
        few and needs no answer from the device; numbers per node and slot are made on the device.

        Returns nodes, slots, how many of each a graph has (`[2, chosen]`), and the node pointers.
        """
        chosen = self.table.take(index, axis=1)
        start, count = chosen[:2], chosen[2:]
        ptr = np.zeros((2, len(index) + 1), dtype=np.int64)
        np.cumsum(count, axis=1, out=ptr[:, 1:])
        shift, device = start - ptr[:, :-1], self.col.device
        node = repeat(shift[0], count[0], device)
        slot = repeat(shift[1], count[1], device)
        node += torch.arange(node.shape[0], device=device)
        slot += torch.arange(slot.shape[0], device=device)
        return node, slot, count, ptr[0]


def one_hot_index(x: Tensor) -> Tensor | None:
    """The column of each row's 1, `[rows]`, if all rows are one-hot."""
    if not x.numel():
        return None
    single = (x.count_nonzero(1) == 1) & (x.amax(1) == 1)
    return x.argmax(1) if bool(single.all()) else None
