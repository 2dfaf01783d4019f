"""Read graphs in the TU Dortmund text format, from a folder or a zip.

A set NAME is `NAME_A.txt` (one edge a line, `source, target`, nodes numbered from 1 through the
whole set), `NAME_graph_indicator.txt` (the graph of each node) and, where they exist, labels and
attributes of graphs, nodes and edges, one line each.

Label files with several columns (Cuneiform) become one label per distinct row, named like
"2,0", so that every node has one label and nothing is lost.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.formats.number_csv import read_table
from graphpool.data.formats.tu_files import TUFiles
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import target_names

NAME = "tu"
VERSION = 3
MOST_LISTED = 10

Array = NDArray[Any]


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a folder or zip holds at least the edges and the graph of each node."""
    try:
        return TUFiles.find(path, name).files.keys() >= {"A", "graph_indicator"}
    except DataError:
        return False


def identify(path: Path, name: str | None = None) -> tuple[str, str]:
    """Return the name of the set and the SHA-256 of its files."""
    files = TUFiles.find(path, name)
    return files.name, files.digest()


def read(path: str | Path, name: str | None = None, *, self_loops: bool = False) -> GraphSet:
    """Read a set of TU files.

    Classes are the graph labels in ascending order, whatever integers they are. An edge that
    is listed twice is kept once; self-loops are left out, as the field does, unless
    `self_loops` is set. `notes` of the result say how many edges were dropped, and name files
    that begin like the set but are no part of it. Graphs without nodes are left out; the others
    keep their position in the files as their id. Graph attributes are targets if there are no
    graph labels.

    Args:
        path: a folder or a zip.
        name: which set, where there are several.
    """
    files = TUFiles.find(path, name)
    # Graphs without nodes appear in no line here, only in lines of other files.
    number = _node_graphs(files)
    begins = np.diff(number, prepend=-1) > 0
    present, graph = number[begins], np.cumsum(begins) - 1
    nodes, graphs = len(graph), len(present)
    node_counts = np.bincount(graph, minlength=graphs)
    start = np.cumsum(node_counts) - node_counts
    notes = files.notes()

    declared = _declared(files, int(present[-1]) + 1)
    if declared > graphs:
        notes.append(_empty_note(present, declared))
    y, classes = _labels(files, "graph_labels", declared, notes, present)
    node_label, node_names = _labels(files, "node_labels", nodes, notes)
    pairs = _edges(files, graph)
    edge_label, edge_names = _labels(files, "edge_labels", len(pairs), notes)
    edge_attr = _attributes(files, "edge_attributes", len(pairs))

    kept: Array | slice = slice(None)
    loops = pairs[:, 0] == pairs[:, 1]
    if not self_loops and loops.any():
        notes.append(f"{int(loops.sum())} self-loops were left out")
        kept = np.flatnonzero(~loops)
    owner = graph[pairs[kept, 0]]
    if (owner[1:] < owner[:-1]).any():
        order = np.argsort(owner, kind="stable")
        owner = owner[order]
        kept = order if isinstance(kept, slice) else kept[order]
    local = (pairs[kept] - start[owner][:, None]).T
    edge_counts = np.bincount(owner, minlength=graphs)
    del pairs, owner, loops, graph, number, begins  # free memory for the sort that follows

    numbers = _attributes(files, "graph_attributes", declared, present)
    # Numbers of graphs that have no classes are what is to be predicted.
    alone = numbers is not None and y is None
    built = GraphSet.build(
        files.name,
        torch.from_numpy(node_counts),
        torch.from_numpy(edge_counts),
        torch.from_numpy(np.ascontiguousarray(local)),
        ids=[str(number) for number in present.tolist()],
        edge_label=None if edge_label is None else edge_label[kept],
        edge_attr=None if edge_attr is None else edge_attr[kept],
        node_label=node_label,
        node_attr=_attributes(files, "node_attributes", nodes),
        graph_attr=None if alone else numbers,
        target=numbers if alone else None,
        target_names=target_names(numbers.shape[1]) if alone and numbers is not None else (),
        y=y,
        classes=classes,
        node_label_names=node_names,
        edge_label_names=edge_names,
    )
    return replace(built, notes=(*notes, *built.notes))


def _node_graphs(files: TUFiles) -> Array:
    """Read the graph of each node, `[nodes]`, from 0; nodes of a graph must be consecutive."""
    graph = _table(files, "graph_indicator", np.int64, columns=1)[:, 0]
    before = np.concatenate([[0], graph[:-1]])
    wrong = (graph < 1) | (graph < before)
    if not wrong.any():
        return graph - 1
    line = int(wrong.argmax()) + 1
    number, last = graph[line - 1], before[line - 1]
    if number < 1:
        problem = f"node {line} has no graph: {number} is not the number of one"
        hint = "graphs are numbered from 1"
    else:
        problem = f"node {line} belongs to graph {number}, the node before it to graph {last}"
        hint = "sort the nodes by graph"
    raise DataError.at(files.where("graph_indicator"), problem, line=line, hint=hint)


def _declared(files: TUFiles, last: int) -> int:
    """Return the number of graphs, with those that have no nodes; `last` is the last that has."""
    for part, dtype in (("graph_labels", np.int64), ("graph_attributes", np.float32)):
        if part in files:
            return max(last, len(_table(files, part, dtype)))
    return last


def _empty_note(present: Array, declared: int) -> str:
    """Say how many graphs have no nodes, and which come first."""
    empty, following = declared - len(present), 0
    some: list[int] = []
    for number in [*present.tolist(), declared]:
        some += range(following, min(number, following + MOST_LISTED - len(some)))
        following = number + 1
        if len(some) >= MOST_LISTED:
            break
    listed = ", ".join(map(str, some)) + (", …" if empty > len(some) else "")
    were = "1 graph without nodes was" if empty == 1 else f"{empty} graphs without nodes were"
    return f"{were} left out; positions from 0: {listed}"


def _edges(files: TUFiles, graph: Array) -> Array:
    """Read source and target of each edge, `[edges, 2]`, nodes numbered from 0 through the set."""
    where = files.where("A")
    # 32 bits are enough for two billion nodes and halve the memory of the largest file.
    pairs = _table(files, "A", np.int32, columns=2)
    if (outside := (pairs < 1) | (pairs > len(graph))).any():
        row, column = (int(index[0]) for index in np.nonzero(outside))
        raise DataError.at(
            where,
            f"edge to node {pairs[row, column]}, which does not exist",
            line=row + 1,
            hint=f"{files.where('graph_indicator')} names the graphs of nodes 1 to {len(graph)}",
        )
    pairs -= 1
    source, target = graph[pairs[:, 0]], graph[pairs[:, 1]]
    if (apart := source != target).any():
        row = int(apart.argmax())
        raise DataError.at(
            where,
            f"edge from node {pairs[row, 0] + 1} of graph {source[row] + 1} to node "
            f"{pairs[row, 1] + 1} of graph {target[row] + 1}",
            line=row + 1,
            hint="both ends of an edge must belong to one graph",
        )
    return pairs


def _labels(
    files: TUFiles, part: str, count: int, notes: list[str], kept: Array | None = None
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Read labels: codes of the `kept` of `count` lines, and what the codes mean, ascending."""
    if part not in files:
        return None, ()
    table = _table(files, part, np.int64, lines=count)
    table = table if kept is None else table[kept]
    if table.shape[1] == 1:
        values, codes = np.unique(table[:, 0], return_inverse=True)
        names: list[Name] = values.tolist()
    else:
        rows, codes = np.unique(table, axis=0, return_inverse=True)
        names = [",".join(map(str, row)) for row in rows.tolist()]
        notes.append(
            f"{part} has {table.shape[1]} columns: each of the {len(names)} distinct rows is one "
            "label"
        )
    return torch.from_numpy(codes.reshape(-1).astype(np.int64)), tuple(names)


def _attributes(files: TUFiles, part: str, count: int, kept: Array | None = None) -> Tensor | None:
    """Read the numbers of each node, edge or graph, `[count, channels]` in single precision."""
    if part not in files:
        return None
    table = _table(files, part, np.float32, lines=count)
    return torch.from_numpy(table if kept is None else table[kept])


def _table(
    files: TUFiles,
    part: str,
    dtype: type[np.generic],
    columns: int | None = None,
    lines: int | None = None,
) -> Array:
    """Read the numbers of a part; `lines` is the number of things that it describes."""
    with files.open(part) as stream:
        table = read_table(stream, files.where(part), dtype, columns)
    if lines not in (None, len(table)):
        raise _miscounted(files, part, len(table), lines)
    return table


def _miscounted(files: TUFiles, part: str, lines: int, count: int) -> DataError:
    """Return the error about a file with more or fewer lines than there are things."""
    kind = part.split("_")[0]
    other = files.where("A" if kind == "edge" else "graph_indicator")
    first = min(lines, count) + 1
    if lines > count:
        missing = {"node": "has no graph", "graph": "has no nodes", "edge": "does not exist"}[kind]
        problem = f"{kind} {first} {missing}"
    else:
        problem = f"{kind} {first} has no line here"
    return DataError.at(
        files.where(part),
        f"{problem}: {lines} lines for {count} {kind}s",
        line=min(first, lines),
        hint=f"compare it with {other}",
    )
