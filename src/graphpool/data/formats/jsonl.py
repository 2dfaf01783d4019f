"""Read and write JSON lines: one object per line is one graph.

    {"id": "a", "node_labels": ["C", "N"], "edges": [[0, 1, "double"]], "y": "toxic"}

| key | meaning |
|---|---|
| `id` | name of the graph; its position if absent |
| `nodes` | number of nodes; not needed beside `node_labels` or `node_attributes` |
| `node_labels` | one word or whole number per node |
| `node_attributes` | one list of numbers per node |
| `edges` | `[source, target]` or `[source, target, label]`, nodes counted from 0; none if absent |
| `edge_labels`, `edge_attributes`, `edge_weights` | one item per edge, in the order of `edges` |
| `directed` | false by default: each edge then also leads back |
| `graph_attributes` | a list of numbers |
| `y` | the class, a word or a whole number; or what is to be predicted as a number, or a list |
| `targets` | numbers to predict by their names, `{"logp": -0.77, "mass": null}`; null is unknown |
| `columns` | an object of words, such as `{"split": "train"}` |

A key that one graph has must be there for all of them; `id`, `nodes`, `edges` and `directed` may
be there for some, and so may `columns`. An unknown key is an error, and so is a repeated one.
"""

import codecs
import itertools
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.data.bad_rows import BadRows
from graphpool.data.formats.base import check_sizes, first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.formats.chunked_set import CHUNK, ChunkedSet
from graphpool.data.formats.jsonl_row import KEYS as KEYS
from graphpool.data.formats.jsonl_row import Row, parse_row
from graphpool.data.formats.jsonl_together import Together
from graphpool.data.formats.node_link import is_node_link, node_link_set
from graphpool.data.formats.spool import Spool
from graphpool.data.paths import stem
from graphpool.data.read_options import ReadOptions
from graphpool.data.seen_ids import SeenIds
from graphpool.data.targets import TargetLayout
from graphpool.documents import read_json_lines
from graphpool.errors import DataError
from graphpool.graphs.columns import join_columns
from graphpool.graphs.edge_order import dropped_notes
from graphpool.graphs.graphset import GraphSet, Name

NAME = "jsonl"
VERSION = 3
OPTIONS = frozenset({"skip_bad"})
_MOST_SIZE = 1 << 20  # of a chunk that has fewer than `CHUNK` graphs, see `Row.size`


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file, packed by gzip or not, begins like lines of JSON objects.

    An object over several lines is of the format `json`.
    """
    begin = first_bytes(path, 1 << 12, unpack=True).removeprefix(codecs.BOM_UTF8).lstrip()
    line, newline, rest = begin.partition(b"\n")
    whole = not newline or line.rstrip().endswith(b"}") or rest.lstrip().startswith(b"{")
    return begin.startswith(b"{") and whole


def read(path: str | Path, name: str | None = None, options: ReadOptions | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    return whole(collect(path, name, options))


def collect(
    path: str | Path,
    name: str | None = None,
    options: ReadOptions | None = None,
    spool: Spool | None = None,
) -> ChunkedSet | GraphSet:
    """Read the graphs of a file chunk by chunk into a spool, by default one in memory."""
    path, bad = Path(path), options.bad if options else BadRows()
    objects = read_json_lines(path, damaged=partial(bad.add_error, path) if bad.skip else None)
    return collect_objects(path, objects, name, "give one JSON object per line", bad, spool)


def whole(graphs: ChunkedSet | GraphSet) -> GraphSet:
    """Return a set that may have been read in chunks."""
    return graphs if isinstance(graphs, GraphSet) else graphs.build()


def collect_objects(
    path: Path,
    objects: Iterable[tuple[int | None, Any]],
    name: str | None,
    hint: str,
    bad: BadRows | None = None,
    spool: Spool | None = None,
) -> ChunkedSet | GraphSet:
    """Make a set of JSON objects, one for each graph, and the line of each.

    Args:
        hint: what to do if there are none.
        bad: what becomes of lines that can't be read.
        spool: where chunks are kept; those of networkx make a whole set.
    """
    bad = bad or BadRows()
    given = iter(objects)
    first = next(given, None)
    if first is None:
        raise DataError.at(path, "the file is empty", hint=hint)
    given = itertools.chain([first], given)
    if is_node_link(first[1]):
        return node_link_set(path, given, name or stem(path), bad)
    graphs = ChunkedSet(path, name or stem(path), spool)
    lines = _Lines(graphs, bad)
    for number, value in given:
        lines.read(number, value)
    if not lines.good:
        raise bad.nothing_left(path, hint)
    lines.finish()
    return graphs


class _Lines:
    """Reads graphs line by line, and checks that they fit together."""

    def __init__(self, graphs: ChunkedSet, bad: BadRows) -> None:
        self.graphs, self.path, self.bad = graphs, graphs.path, bad
        self.good = self.nodes = self.edges = self.described = 0
        self.loops = self.repeated = 0
        self._rows: list[Row] = []
        self._size = 0
        self._seen = SeenIds(graphs.spool.database)
        self._together = Together()

    def read(self, number: int | None, value: Any) -> None:
        """Check a line, and keep its graph."""
        try:
            row = self._row(number, value)
        except DataError as error:
            self.bad.add_error(self.path, number, error, json.dumps(value, ensure_ascii=False))
            return
        self._together.check(row)
        self._rows.append(row)
        self.good = self.bad.good = self.good + 1
        edges = row.edges.shape[1]
        self.nodes, self.edges = self.nodes + row.nodes, self.edges + edges
        self.described += row.nodes if row.parts.keys() & {"node_labels", "node_attributes"} else 0
        # Nodes with labels or attributes take room in the file; only the others are declared.
        few = self.nodes - self.described <= 2 * self.edges
        check_sizes(self.path, graphs=self.good, nodes=self.nodes, edges=self.edges, described=few)
        self._size += row.size
        if len(self._rows) == CHUNK or self._size > _MOST_SIZE:
            self._flush()

    def _row(self, number: int | None, value: Any) -> Row:
        if not isinstance(value, dict):
            hint = 'write {"nodes": 3, "edges": []}'
            raise DataError.at(self.path, "not a JSON object", line=number, hint=hint)
        row = parse_row(self.path, number, self.good + len(self.bad.rows), value)
        line = self._seen.add(row.id, number)
        if line is not None:
            other = f"line {line}" if line else "another graph"
            raise row.wrong(f"{other} has the same id", "give every graph its own id")
        return row

    def _flush(self) -> None:
        """Make a chunk of the graphs so far."""
        rows, self._rows, self._size = self._rows, [], 0
        edges = torch.from_numpy(np.concatenate([row.edges for row in rows], axis=1))
        weight = _numbers(rows, "edge_weights")
        graphs = GraphSet.build(
            self.graphs.name,
            torch.tensor([row.nodes for row in rows]),
            torch.tensor([row.edges.shape[1] for row in rows]),
            edges,
            ids=[row.id for row in rows],
            edge_weight=weight,
            edge_label=self._labels(rows, "edge_labels", "edge_label"),
            edge_attr=_numbers(rows, "edge_attributes"),
            node_label=self._labels(rows, "node_labels", "node_label"),
            node_attr=_numbers(rows, "node_attributes"),
            graph_attr=_numbers(rows, "graph_attributes"),
            columns=join_columns((row.columns, 1) for row in rows),
        )
        empty = 0 if weight is None else int(((edges[0] == edges[1]) & (weight == 0)).sum())
        self.loops += empty
        self.repeated += edges.shape[1] - empty - graphs.num_edges
        answers = {"y": [row.y for row in rows], "targets": [row.targets for row in rows]}
        self.graphs.add(graphs, lines=[row.line for row in rows], **answers)

    def _labels(self, rows: list[Row], key: str, field: str) -> Tensor | None:
        names = itertools.chain.from_iterable(row.parts.get(key, ()) for row in rows)
        codes = self.graphs.codes(field, names)
        return codes if len(codes) else None

    def finish(self) -> None:
        """Make the last chunk, and read the answers of all graphs."""
        if self._rows:
            self._flush()
        dropped = dropped_notes(self.loops, self.repeated)
        total = self.good + len(self.bad.rows)
        self.graphs.notes = (*self.bad.notes(total), *dropped)
        self._read_answers()

    def _read_answers(self) -> None:
        """Read what is to be predicted, now that it is known to be classes or numbers."""
        graphs, together = self.graphs, self._together
        key, classes = together.target_key(), together.has_classes()
        if key is not None:
            layout = TargetLayout.of(graphs.all_values(key), partial(self._wrong, 0), key)
            graphs.target_names = layout.names
        for chunk in range(graphs.num_chunks) if classes or key else ():
            values = {}
            if key is not None:
                wrong = partial(self._wrong, chunk)
                values["target"] = layout.table(graphs.values(chunk, key), wrong, key)
            if classes:
                values["y"] = graphs.codes("y", map(_class, graphs.values(chunk, "y")))
            graphs.put_values(chunk, **values)

    def _wrong(self, chunk: int, at: int, problem: str, hint: str) -> DataError:
        """Return the error about a graph of a chunk."""
        line, identity = self.graphs.values(chunk, "lines")[at], self.graphs.ids(chunk)[at]
        return Row(self.path, line, identity).wrong(problem, hint)


def _class(value: Name | float) -> Name:
    return int(value) if isinstance(value, float) else value


def _numbers(rows: list[Row], key: str) -> Tensor | None:
    tables = [row.parts[key] for row in rows if len(row.parts.get(key, ()))]
    return torch.from_numpy(np.concatenate(tables)) if tables else None
