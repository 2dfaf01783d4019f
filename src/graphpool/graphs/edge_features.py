"""`EdgeFeatures`: the features of edges as distinct rows, and the row of each edge.

Molecules have 5 to 50 distinct bonds, so what a layer computes from the features of an edge alone
is computed once a bond and not once an edge.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.checks import FLOATS, INTEGERS, check_range, check_tensor, trusted

if TYPE_CHECKING:
    from graphpool.graphs.adjacency import Adjacency
    from graphpool.graphs.graphset import GraphSet


@dataclass(frozen=True, eq=False)
class EdgeFeatures:
    """Features of the edges in the slots of an `Adjacency`.

    Args:
        table: `[kinds, channels]`, rows of features.
        kind: `[slots]`, the row of each slot; -1 in a diagonal slot that is no edge.
    """

    table: Tensor
    kind: Tensor

    def __post_init__(self) -> None:
        check_tensor("table", self.table, FLOATS, (None, None))
        check_tensor("kind", self.kind, INTEGERS, (None,), self.table.device)
        check_range("kind", self.kind, -1, self.table.shape[0] - 1)
        object.__setattr__(self, "kind", self.kind.long())

    @classmethod
    def of_slots(cls, table: Tensor, kind: Tensor, present: Tensor) -> "EdgeFeatures":
        """Features of edges, `kind` `[edges]`, in the order of the slots that are `present`."""
        slots = kind.new_full(present.shape, -1)
        slots[present] = kind
        return trusted(cls, table=table, kind=slots)

    @classmethod
    def of_edges(
        cls, edge_attr: Tensor, adjacency: "Adjacency", edge_index: Tensor | None = None
    ) -> "EdgeFeatures":
        """A row an edge: `edge_attr` `[edges, channels]` in the order of `edge_index`.

        Without `edge_index` in the order of the slots that are edges. Of several self-loops at a
        node, whose weights are added, the features of the first count.
        """
        present = adjacency.present
        if edge_index is None:
            edges = torch.arange(edge_attr.shape[0], device=edge_attr.device)
            return cls.of_slots(edge_attr, edges, present)
        source, target = edge_index.long()
        order = torch.argsort(target * adjacency.num_nodes + source, stable=True)
        loop = (source == target)[order]
        kind = order.new_full(present.shape, -1)
        plain, loops = order[~loop], order[loop].flip(0)
        before = torch.arange(1, plain.shape[0] + 1, device=plain.device)
        kind[before + target[plain]] = plain
        first = adjacency.row_ptr[target[loops]]
        kind.scatter_reduce_(0, first, loops, "amin", include_self=False)
        return trusted(cls, table=edge_attr, kind=kind.masked_fill(~present, -1))

    @cached_property
    def memo(self) -> dict[str, Any]:
        """What layers worked out from the kinds alone; that of `with_table` is the same."""
        return {}

    @property
    def channels(self) -> int:
        """Number of features of an edge."""
        return self.table.shape[1]

    def rows(self) -> Tensor:
        """The features of every slot, `[slots, channels]`; zeros where no edge is."""
        # -1 takes the last row.
        padded = torch.cat([self.table, self.table.new_zeros(1, self.channels)])
        return padded.index_select(0, self.kind.remainder(padded.shape[0]))

    def select(self, slots: Tensor) -> "EdgeFeatures":
        """The features of some slots, of the same kinds."""
        kind = self.kind.index_select(0, slots)
        return trusted(EdgeFeatures, table=self.table, kind=kind)

    def take(self, slots: Tensor) -> "EdgeFeatures":
        """The features of some slots; with more kinds than slots, a row for each of the latter."""
        chosen = self.select(slots)
        if self.table.shape[0] <= slots.shape[0]:
            return chosen
        present = chosen.kind >= 0
        table = self.table.index_select(0, chosen.kind[present])
        edges = torch.arange(table.shape[0], device=table.device)
        return EdgeFeatures.of_slots(table, edges, present)

    def with_table(self, table: Tensor) -> "EdgeFeatures":
        """Other features, kind by kind."""
        check_tensor("table", table, FLOATS, (self.table.shape[0], None), self.table.device)
        return trusted(EdgeFeatures, table=table, kind=self.kind, memo=self.memo)

    def to(self, device: torch.device | str) -> "EdgeFeatures":
        """Copy to a device."""
        return trusted(EdgeFeatures, table=self.table.to(device), kind=self.kind.to(device))

    def check(self, slots: int, device: torch.device) -> None:
        """Refuse features of another adjacency, or on another device."""
        if self.kind.shape[0] != slots or self.kind.device != device:
            raise InputError(
                f"features of {self.kind.shape[0]} slots on {self.kind.device} for an adjacency "
                f"of {slots} on {device}"
            )


def distinct_rows(values: Tensor) -> tuple[Tensor, Tensor]:
    """Return the distinct rows, and the number of each row's, `[rows]`, by sorting hashes."""
    values = values.contiguous() + 0.0  # -0.0 is 0.0
    bits = values.view({2: torch.int16, 4: torch.int32, 8: torch.int64}[values.element_size()])
    code = torch.zeros(values.shape[0], dtype=torch.long, device=values.device)
    for column in bits.unbind(1):
        code = (code ^ column.long()) * 0x2545F4914F6CDD1D
        code = code ^ (code >> 29)
    distinct, kind = torch.unique(code, return_inverse=True)
    rows = torch.arange(values.shape[0], device=values.device)
    first = rows.new_zeros(distinct.shape[0]).scatter_(0, kind, rows)
    table = values.index_select(0, first)
    if not torch.equal(table.index_select(0, kind), values):  # two rows of one hash
        table, kind = torch.unique(values, dim=0, return_inverse=True)
    return table, kind


def edge_kinds(graphs: "GraphSet", edge_x: Tensor) -> EdgeFeatures:
    """Return the distinct rows of `edge_x`, and which of them each slot of the set's CSR has."""
    # Edges come in the order of slots; a diagonal slot is one if its node has a self-loop.
    source, target = graphs.flat_edges
    count = graphs.degree + 1
    diagonal = count.cumsum(0) - count
    present = torch.ones(int(count.sum()), dtype=torch.bool, device=graphs.device)
    present[diagonal] = False
    present[diagonal[target[source == target]]] = True
    return EdgeFeatures.of_slots(*distinct_rows(edge_x), present)
