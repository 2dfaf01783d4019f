"""Base of pairs and triplets: tuples of graphs of one set, each with a number to learn."""

from dataclasses import fields, replace
from functools import cached_property
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import DataError, check_type, plural
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import NUMBERS, check_tensor
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.selection import Selection, positions

Batch = TypeVar("Batch", bound="TupleBatch")
Tuples = TypeVar("Tuples", bound="GraphTuples")


class TupleBatch:
    """Several tuples, with each graph that occurs in them once; a dataclass of tensors."""

    members: ClassVar[tuple[str, ...]]
    graphs: GraphBatch
    index: Tensor

    @property
    def num_examples(self) -> int:
        """Number of tuples."""
        return self.index.shape[0]

    def examples_of(self, flags: Tensor) -> Tensor:
        """Return which tuples contain a flagged graph, bool `[tuples]`.

        Args:
            flags: bool `[graphs]`, for the graphs of this batch.
        """
        return torch.stack([flags[getattr(self, key)] for key in self.members]).any(0)

    def to(self: Batch, device: torch.device | str) -> Batch:
        """Copy to a device."""
        parts = {item.name: getattr(self, item.name).to(device) for item in fields(cast(Any, self))}
        return cast(Batch, replace(cast(Any, self), **parts))


class GraphTuples:
    """Tuples over the graphs of a set; each graph is stored once however often it occurs.

    A frozen dataclass of `graphs`, one int64 column of positions for each of `members`, and the
    float32 column `target`; `noun` is what one tuple is called, and `id_form` makes its name.
    """

    noun: ClassVar[str]
    members: ClassVar[tuple[str, ...]]
    target: ClassVar[str]
    id_form: ClassVar[str]
    graphs: GraphSet

    def __post_init__(self) -> None:
        check_type("graphs", self.graphs, GraphSet, "a GraphSet")
        where, first = f"{self.noun}s of {self.name}", self.members[0]
        for key in (*self.members, self.target):
            check_tensor(f"{where}: {key}", getattr(self, key), NUMBERS, (None,))
        for key in (*self.members, self.target):
            values, wanted = getattr(self, key), getattr(self, first)
            if values.ndim != 1 or values.shape != wanted.shape:
                raise DataError(
                    f"{where}: {key} has the shape {list(values.shape)} and {first} "
                    f"{list(wanted.shape)}; give one number per {self.noun}"
                )
        for key in self.members:
            values = getattr(self, key)
            if values.dtype != torch.int64:
                raise DataError(f"{where}: {key} holds {values.dtype}; give int64 positions")
            outside = (values < 0) | (values >= len(self.graphs))
            if bool(outside.any()):
                at = int(outside.nonzero()[0])
                raise DataError(
                    f"{where}: {key} of {self.noun} {at} is graph {int(values[at])}; "
                    f"graphs are 0 to {len(self.graphs) - 1}"
                )
        if (kind := getattr(self, self.target).dtype) != torch.float32:
            raise DataError(f"{where}: {self.target} holds {kind}; give float32")

    def __len__(self) -> int:
        return len(getattr(self, self.members[0]))

    def __getitem__(self: Tuples, index: Selection) -> Tuples:
        """The chosen tuples, as in `select`; with this and `shape` scikit-learn can cut them."""
        return self.select(index)

    @property
    def shape(self) -> tuple[int]:
        """Number of tuples."""
        return (len(self),)

    def __repr__(self) -> str:
        counts = f"{self.noun}s={len(self)}, graphs={len(self.graphs)}"
        return f"{type(self).__name__}({self.name!r}, {counts})"

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """One name per tuple: those of its graphs, such as `7 & 12` or `7: 12 & 3`."""
        names = ([self.graphs.ids[at] for at in row] for row in self._rows.tolist())
        return tuple(self.id_form.format(*each) for each in zip(*names, strict=True))

    @property
    def name(self) -> str:
        """That of the graphs."""
        return self.graphs.name

    @property
    def num_nodes(self) -> int:
        """Nodes of all graphs together, each graph once."""
        return self.graphs.num_nodes

    @property
    def num_edges(self) -> int:
        """Directed edges of all graphs together, each graph once."""
        return self.graphs.num_edges

    @property
    def device(self) -> torch.device:
        """Where the tensors lie."""
        return self.graphs.device

    def select(self: Tuples, index: Selection) -> Tuples:
        """Return the chosen tuples, in the chosen order, over the same graphs."""
        chosen = torch.from_numpy(positions(index, len(self), self.noun))
        return self._with({key: value[chosen.to(value.device)] for key, value in self._columns()})

    def with_graphs(self: Tuples, graphs: GraphSet) -> Tuples:
        """Return the same tuples over another version of the graphs, such as with features."""
        if len(graphs) != len(self.graphs):
            raise DataError(
                f"{self.noun}s of {self.name} are over {plural(len(self.graphs), 'graph')}, and "
                f"{graphs.name} has {len(graphs)}; give the same graphs in the same order"
            )
        return self._with({"graphs": graphs})

    def to(self: Tuples, device: torch.device | str) -> Tuples:
        """Copy to a device, if the set is elsewhere; batches are then made there."""
        parts = {key: value.to(device) for key, value in self._columns()}
        return self._with({"graphs": self.graphs.to(device), **parts})

    def gather(self, index: Selection | None = None) -> dict[str, Any]:
        """Return the fields of a batch of the chosen tuples (all by default), each graph once.

        Graphs come in ascending order of their positions; members are positions among them.
        """
        chosen = positions(slice(None) if index is None else index, len(self), self.noun)
        rows = self._rows[:, chosen]
        # Marks on the graphs that occur need no sort, however many tuples there are.
        occurs = np.zeros(len(self.graphs), dtype=bool)
        occurs[rows] = True
        position = torch.from_numpy((occurs.cumsum() - 1)[rows]).to(self.device)
        where = torch.from_numpy(chosen).to(self.device)
        return {
            "graphs": self.graphs.batch(np.flatnonzero(occurs)),
            **dict(zip(self.members, position, strict=True)),
            self.target: getattr(self, self.target).index_select(0, where),
            "index": where,
        }

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        """All members, `[members, tuples]`, on the host, where graphs are chosen."""
        return torch.stack([getattr(self, key) for key in self.members]).cpu().numpy()

    def _columns(self) -> list[tuple[str, Tensor]]:
        return [(key, getattr(self, key)) for key in (*self.members, self.target)]

    def _with(self: Tuples, changes: dict[str, Any]) -> Tuples:
        return cast(Tuples, replace(cast(Any, self), **changes))
