"""`Segments`: where the nodes of each graph begin in a flat tensor, and index arrays."""

from functools import cached_property

import torch
from torch import Tensor

from graphpool.errors import DataError, InputError
from graphpool.graphs.checks import INTEGERS, check_pointer, check_tensor


def pointer(counts: Tensor) -> Tensor:
    """Return 0 followed by the running sum, `[len + 1]`."""
    pointers = torch.zeros(counts.shape[0] + 1, dtype=torch.long, device=counts.device)
    torch.cumsum(counts, 0, out=pointers[1:])
    return pointers


class Segments:
    """Consecutive runs of rows, one per graph.

    Args:
        ptr: `[graphs + 1]`, where each run begins; every run has at least one row.
        batch: `[nodes]`, the run of each row; computed from `ptr` if absent.
    """

    def __init__(self, ptr: Tensor, batch: Tensor | None = None) -> None:
        check_pointer("ptr", ptr, None)
        self._take(ptr, batch)
        if batch is not None:
            check_tensor("batch", batch, INTEGERS, (int(ptr[-1]),), ptr.device)
            if not torch.equal(batch, Segments.trusted(ptr).batch):
                raise InputError("batch and ptr don't say the same; leave batch out")

    @classmethod
    def trusted(cls, ptr: Tensor, batch: Tensor | None = None) -> "Segments":
        """Make segments of tensors that are known to be right, without checks."""
        made = cls.__new__(cls)
        made._take(ptr, batch)
        return made

    def _take(self, ptr: Tensor, batch: Tensor | None) -> None:
        self.ptr = ptr
        self._batch = batch
        self._columns: dict[int, tuple[Tensor, Tensor]] = {}
        self._rows: dict[int, tuple[Tensor, Tensor]] = {}

    @classmethod
    def from_batch(cls, batch: Tensor, num_graphs: int | None = None) -> "Segments":
        """Make segments of PyG's `batch` vector, which must be sorted and contain every graph."""
        check_tensor("batch", batch, INTEGERS, (None,))
        step = batch.diff(prepend=batch.new_full((1,), -1))
        if bool(((step < 0) | (step > 1)).any()):
            raise DataError(
                "batch must number the graphs 0, 1, 2, … with the nodes of each in a row; "
                "sort the nodes by graph and leave out graphs without nodes"
            )
        if num_graphs is None:
            num_graphs = int(batch.max()) + 1 if batch.numel() else 0
        return cls.trusted(pointer(torch.bincount(batch, minlength=num_graphs)), batch)

    @classmethod
    def equal(cls, graphs: int, nodes: int, device: torch.device | None = None) -> "Segments":
        """Make runs of equal length, as of a flattened dense batch."""
        return cls.trusted(torch.arange(0, graphs * nodes + 1, nodes, device=device))

    @classmethod
    def from_counts(cls, counts: Tensor) -> "Segments":
        """Make runs of these lengths."""
        return cls.trusted(pointer(counts))

    @property
    def num_graphs(self) -> int:
        """Number of runs."""
        return self.ptr.shape[0] - 1

    @cached_property
    def batch(self) -> Tensor:
        """The graph of each node, `[nodes]`."""
        if self._batch is not None:
            return self._batch
        graphs = torch.arange(self.num_graphs, device=self.ptr.device)
        return torch.repeat_interleave(graphs, self.ptr.diff())

    @cached_property
    def nodes(self) -> Tensor:
        """0, 1, 2, … for all nodes, `[nodes]`."""
        return torch.arange(self.batch.shape[0], device=self.ptr.device)

    @cached_property
    def counts(self) -> Tensor:
        """Nodes of each graph as floats, `[graphs, 1]`."""
        return self.ptr.diff().to(torch.get_default_dtype()).unsqueeze(-1)

    def columns(self, width: int) -> tuple[Tensor, Tensor]:
        """CSR of the `[width · graphs, nodes]` matrix whose row (j, b) holds the nodes of b."""
        if width not in self._columns:
            total = self.batch.shape[0]
            shift = torch.arange(width, device=self.ptr.device).unsqueeze(-1) * total
            offsets = torch.cat([(shift + self.ptr[:-1]).flatten(), self.ptr[-1:] * width])
            self._columns[width] = self.nodes.repeat(width), offsets
        return self._columns[width]

    def rows(self, width: int) -> tuple[Tensor, Tensor]:
        """CSR of the `[nodes, graphs · width]` matrix whose row i holds the block of i's graph."""
        if width not in self._rows:
            lanes = torch.arange(width, device=self.ptr.device)
            index = (self.batch.unsqueeze(-1) * width + lanes).flatten()
            last = self.batch.shape[0] + 1
            self._rows[width] = index, torch.arange(last, device=self.ptr.device) * width
        return self._rows[width]


class Groups(Segments):
    """Groups of rows that need not lie side by side, such as the nodes of each place.

    `nodes` lists the rows group by group, and `batch` has the group of each row, in any order;
    sums over groups and rows of groups are computed as those of segments.
    """

    @classmethod
    def of(cls, group: Tensor, count: int) -> "Groups":
        """Make groups of the group of each row, `[rows]`, each of which has at least one row."""
        order = torch.argsort(group, stable=True)
        bounds = torch.arange(count + 1, device=group.device)
        made = cls.trusted(torch.searchsorted(group.index_select(0, order), bounds), group)
        assert isinstance(made, Groups)
        made.__dict__["nodes"] = order
        return made
