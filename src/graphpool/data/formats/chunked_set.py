"""A set that is read chunk by chunk, and then made whole: in memory, or in a file.

Readers of line formats add small sets. Codes of labels and classes count names as they appear and
are changed at the end, when all names are known; so are values that can't be told before.
"""

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import torch
from torch import Tensor

from graphpool.data.formats.base import check_name_lengths
from graphpool.data.formats.spool import Spool
from graphpool.data.read_options import ReadOptions
from graphpool.errors import DataError
from graphpool.graphs.checks import CODED, UNITS, check_finite, trusted
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.segments import pointer
from graphpool.graphs.vocabulary import coded

CHUNK = 1000
"""Graphs of a chunk."""

Layout = dict[str, tuple[torch.dtype, tuple[int, ...]]]
"""Type and shape of each tensor."""

Write = Callable[[str, int, Tensor], None]
"""Takes the name of a tensor, the position of its next rows (`edge_index`: columns), and those."""

_GRAPHS, _VALUES, _IDS, _COLUMN = "graphs", "values", "ids", "column "
_MOST_NODES = 2**31 - 1  # nodes are numbered in 32 bits


class ChunkedSet:
    """Graphs of a file in chunks, all of them in a spool.

    Attributes:
        names: of `node_label`, `edge_label` and `y`, with their codes, as they appeared.
        columns: names of the text columns.
        ids_column: the column that ids are taken from; none by default.
    """

    def __init__(self, path: Path, name: str, spool: Spool | None = None) -> None:
        self.path, self.name = path, name
        self.spool = spool or Spool()
        self.names: dict[str, dict[Name, int]] = {key: {} for key in CODED}
        self.columns: dict[str, None] = {}
        self.ids_column: str | None = None
        self.target_names: tuple[str, ...] = ()
        self.notes: tuple[str, ...] = ()
        self.num_nodes = self.num_edges = 0
        self._graphs = array("q")  # of each chunk
        self._left_out: dict[int, list[int]] = {}
        self._kinds: Layout = {}  # without the number of rows

    def __len__(self) -> int:
        return sum(self._graphs)

    @property
    def num_chunks(self) -> int:
        """Number of chunks so far."""
        return len(self._graphs)

    @property
    def classes(self) -> tuple[Name, ...]:
        """Names of the classes, in the order of their final codes."""
        return coded(list(self.names["y"]))[1]

    def codes(self, key: str, names: Iterable[Name]) -> Tensor:
        """Return the codes of names by their first appearance, `[names]`."""
        known = self.names[key]
        return torch.tensor([known.setdefault(name, len(known)) for name in names]).long()

    def add(self, graphs: GraphSet, **lists: Sequence[Any]) -> None:
        """Add graphs, whose label codes are those of `codes`.

        Args:
            lists: whatever else is to be known of each graph, see `values`.
        """
        check_finite(graphs)
        chunk = self.num_chunks
        tensors = {"node_counts": graphs.node_counts, "edge_counts": graphs.edge_counts,
                   "edge_index": graphs.edge_index}  # fmt: skip
        for key in UNITS:
            if (value := getattr(graphs, key)) is not None:
                tensors[key] = value
                self._kinds.setdefault(key, (value.dtype, tuple(value.shape[1:])))
        small = {key: narrow(value).contiguous() for key, value in tensors.items()}
        self.spool.put_tensors(chunk, _GRAPHS, small)
        self.columns |= dict.fromkeys(graphs.columns)
        texts = {_COLUMN + name: values for name, values in graphs.columns.items()}
        for stream, values in {_IDS: graphs.ids, **texts, **lists}.items():
            self.spool.put_list(chunk, stream, values)
        self._graphs.append(len(graphs))
        self.num_nodes += graphs.num_nodes
        self.num_edges += graphs.num_edges
        if self.num_nodes > _MOST_NODES:
            problem = f"{self.num_nodes:,} nodes; a set has up to {_MOST_NODES:,}"
            raise DataError.at(self.path, problem, hint="divide the file")

    def put_values(self, chunk: int, **values: Tensor) -> None:
        """Add fields with a row for each graph of a chunk, such as `y`; codes are as in `add`."""
        for key, value in values.items():
            self._kinds[key] = value.dtype, tuple(value.shape[1:])
        self.spool.put_tensors(chunk, _VALUES, values)

    def clear_values(self) -> None:
        """Forget what `put_values` was given and the classes; all of it is to be given again."""
        self.names["y"].clear()
        for key in ("y", "target"):
            self._kinds.pop(key, None)

    def leave_out(self, chunk: int, positions: Iterable[int]) -> None:
        """Remove graphs of a chunk, by their positions among those that it still has."""
        kept = self._kept(chunk)
        left_out = [kept[position] for position in positions]
        counts = self.spool.get_tensors(chunk, _GRAPHS)
        self._graphs[chunk] -= len(left_out)
        self.num_nodes -= int(counts["node_counts"].long()[left_out].sum())
        self.num_edges -= int(counts["edge_counts"].long()[left_out].sum())
        self._left_out.setdefault(chunk, []).extend(left_out)

    def _kept(self, chunk: int) -> list[int]:
        """Return the positions of the graphs of a chunk that were not left out."""
        left_out = set(self._left_out.get(chunk, ()))
        count = self._graphs[chunk] + len(left_out)
        return [position for position in range(count) if position not in left_out]

    def values(self, chunk: int, stream: str) -> list[Any]:
        """Return a list that was added with the graphs of a chunk."""
        values = self.spool.get_list(chunk, stream)
        if not values or chunk not in self._left_out:
            return values
        return [values[at] for at in self._kept(chunk)]

    def all_values(self, stream: str) -> Iterator[Any]:
        """Yield the values of a list of all chunks."""
        for chunk in range(self.num_chunks):
            yield from self.values(chunk, stream)

    def ids(self, chunk: int) -> list[str]:
        """Return the ids of a chunk."""
        named = self.ids_column is not None
        stream = f"{_COLUMN}{self.ids_column}" if named else _IDS
        return check_name_lengths(self.path, self.values(chunk, stream))

    def column(self, name: str, chunk: int) -> list[str]:
        """Return the texts of a column in a chunk; empty ones where it has none."""
        return self.values(chunk, _COLUMN + name) or [""] * self._graphs[chunk]

    # ------------------------------------------------------------------ the whole set

    def label_names(self) -> dict[str, tuple[Name, ...]]:
        """Return the names of labels and classes, by the fields of a `GraphSet`."""
        names = {CODED[key]: coded(list(names))[1] for key, names in self.names.items()}
        for known in names.values():
            check_name_lengths(self.path, known)
        return names

    def layout(self) -> Layout:
        """Return type and shape of each tensor of the whole set."""
        units = {"graphs": len(self), "nodes": self.num_nodes, "edges": self.num_edges}
        whole: Layout = {
            "node_ptr": (torch.int64, (len(self) + 1,)),
            "edge_ptr": (torch.int64, (len(self) + 1,)),
            "edge_index": (torch.int32, (2, self.num_edges)),
        }
        return whole | {
            key: (dtype, (units[UNITS[key]], *width)) for key, (dtype, width) in self._kinds.items()
        }

    def fill(self, write: Write) -> None:
        """Write all tensors of the whole set, and let go of each chunk when it is done."""
        tables = {key: torch.from_numpy(coded(list(names))[0]) for key, names in self.names.items()}
        at = {"graphs": 0, "nodes": 0, "edges": 0}
        for key in ("node_ptr", "edge_ptr"):
            write(key, 0, torch.zeros(1, dtype=torch.int64))
        for chunk in range(self.num_chunks):
            graphs = self._chunk(chunk)
            write("node_ptr", at["graphs"] + 1, graphs.node_ptr[1:] + at["nodes"])
            write("edge_ptr", at["graphs"] + 1, graphs.edge_ptr[1:] + at["edges"])
            write("edge_index", at["edges"], graphs.edge_index.int())
            for key, (dtype, _) in self._kinds.items():
                value = getattr(graphs, key)
                if value is not None:
                    value = tables[key][value.long()] if key in CODED else value
                    write(key, at[UNITS[key]], value.to(dtype))
            at["graphs"] += len(graphs)
            at["nodes"] += graphs.num_nodes
            at["edges"] += graphs.num_edges
            self.spool.forget(chunk)

    def _chunk(self, chunk: int) -> GraphSet:
        """Return the tensors of a chunk, without graphs that were left out."""
        tensors = self.spool.get_tensors(chunk, _GRAPHS)
        counts = (tensors.pop(key).long() for key in ("node_counts", "edge_counts"))
        pointers = dict(zip(("node_ptr", "edge_ptr"), map(pointer, counts), strict=True))
        graphs = self._trusted(("",) * (len(pointers["node_ptr"]) - 1), **pointers, **tensors)
        graphs = graphs[self._kept(chunk)] if chunk in self._left_out else graphs
        graphs.__dict__.update(self.spool.get_tensors(chunk, _VALUES))
        return graphs

    def build(self) -> GraphSet:
        """Make the whole set in memory."""
        chunks = range(self.num_chunks)
        ids = tuple(each for chunk in chunks for each in self.ids(chunk))
        columns = {
            name: tuple(each for chunk in chunks for each in self.column(name, chunk))
            for name in self.columns
        }
        tensors = {
            key: torch.empty(shape, dtype=dtype) for key, (dtype, shape) in self.layout().items()
        }

        def write(key: str, start: int, rows: Tensor) -> None:
            axis = int(key == "edge_index")
            tensors[key].narrow(axis, start, rows.shape[axis]).copy_(rows)

        self.fill(write)
        about = {"columns": columns, "target_names": self.target_names, "notes": self.notes}
        return self._trusted(ids, **self.label_names(), **about, **tensors)

    def _trusted(self, ids: tuple[str, ...], **values: Any) -> GraphSet:
        """Make a set; its graphs were checked when they were added, a chunk at a time."""
        names: dict[str, Any] = {"name": self.name, "ids": ids, "x_from": "", "columns": {}}
        fields_ = dict.fromkeys((item.name for item in fields(GraphSet)), ())
        return trusted(GraphSet, **(fields_ | dict.fromkeys(UNITS) | names | values))


@runtime_checkable
class LineFormat(Protocol):
    """A format whose graphs are read line by line, in addition to `Format`."""

    def collect(
        self, path: Path, name: str | None, options: ReadOptions, spool: Spool
    ) -> ChunkedSet | GraphSet:
        """Read the set chunk by chunk; a whole one if the file can't be read so."""


def narrow(values: Tensor) -> Tensor:
    """Return whole numbers in the fewest bytes that hold them, other tensors as they are."""
    if values.is_floating_point() or values.element_size() == 1 or not values.numel():
        return values
    least, most = (int(end) for end in torch.aminmax(values))
    kinds = (torch.uint8, torch.int16, torch.int32)
    for kind in kinds:
        if torch.iinfo(kind).min <= least and most <= torch.iinfo(kind).max:
            return values.to(kind)
    return values
