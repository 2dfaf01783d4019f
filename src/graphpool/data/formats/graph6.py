"""Read graph6 and sparse6: one undirected graph in each line, without labels.

    >>graph6<<DQc
    :DaG_

A line is the number of nodes and then bits, six in a byte from 63 to 126. In graph6 the bits are
the upper triangle of the adjacency matrix, column by column; in sparse6, whose lines begin with a
colon, they are pairs of one bit and one node that lead from edge to edge. The headers `>>graph6<<`
and `>>sparse6<<` may be left out.
"""

import re
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.data.formats.base import check_sizes, first_bytes
from graphpool.data.formats.base import identify as identify
from graphpool.data.paths import stem
from graphpool.documents import read_lines
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import current_limits

NAME = "graph6"
VERSION = 1

_HEADER = re.compile(r">>(?:graph|sparse)6<<")
_OTHER = {"&": "digraph6", ";": "incremental sparse6"}
_FIRST, _LAST = 63, 126
_HINT = "write it again, such as with networkx.to_graph6_bytes"
_MOST_NODES = 2**31 - 1  # ids of nodes are stored in 32 bits

Edges = NDArray[np.int64]


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file is called `.g6` or `.s6`, or begins with a header.

    Lines of graph6 without a header may look like any other text.
    """
    if Path(path.name.removesuffix(".gz")).suffix in (".g6", ".s6"):
        return path.is_file()
    begin = first_bytes(path, 16, unpack=True).decode("latin-1")
    return _HEADER.match(begin) is not None


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path, limits = Path(path), current_limits()
    counts: list[int] = []
    edges: list[NDArray[np.int32]] = []
    nodes = joined = bare = 0
    for number, line in read_lines(path):
        text = _HEADER.sub("", line.strip(), count=1) if line.startswith(">") else line.strip()
        if not text:  # a header on a line of its own
            continue
        try:
            count, pairs = _parse(text)
        except ValueError as error:
            raise DataError.at(path, str(error), line=number, hint=_HINT) from None
        counts.append(count)
        edges.append(pairs.astype(np.int32))
        nodes, joined = nodes + count, joined + pairs.shape[1]
        check_sizes(path, graphs=len(counts), nodes=nodes, edges=joined, described=True)
        if text.startswith(":"):  # which declares nodes that take no room in the file
            bare += max(0, count - 2 * pairs.shape[1])
            limits.check(path, "bare_nodes", bare, "nodes without an edge", line=number)
    if not counts:
        raise DataError.at(path, "no graphs", hint="give one graph in each line")
    return GraphSet.build(
        name or stem(path),
        torch.tensor(counts),
        torch.tensor([pairs.shape[1] for pairs in edges]),
        torch.from_numpy(np.concatenate(edges, axis=1)),
        undirected=True,
    )


def _parse(text: str) -> tuple[int, Edges]:
    """Return the number of nodes and the edges, `[2, edges]`; `ValueError` says what is wrong."""
    if text[0] in _OTHER:
        raise ValueError(f"{_OTHER[text[0]]} is not read, only graph6 and sparse6")
    sparse = text.startswith(":")
    values = np.frombuffer(text.removeprefix(":").encode(), dtype=np.uint8)
    wrong = (values < _FIRST) | (values > _LAST)
    if wrong.any():
        raise ValueError(f"a byte {values[wrong][0]}; those of graph6 lie between 63 and 126")
    values = values - _FIRST
    count, data = _node_count(values)
    if count < 1:
        raise ValueError("a graph needs at least one node")
    if count > _MOST_NODES:
        raise ValueError(f"{count} nodes are too many; {_MOST_NODES} are allowed")
    return count, _sparse_edges(count, data) if sparse else _dense_edges(count, data)


def _node_count(values: NDArray[np.uint8]) -> tuple[int, NDArray[np.uint8]]:
    """Return the number of nodes, which takes 1, 4 or 8 bytes, and what follows it."""
    long = _LAST - _FIRST
    begin = 0 if values[:1].tolist() != [long] else 1 if values[1:2].tolist() != [long] else 2
    size = (1, 3, 6)[begin]
    digits = values[begin : begin + size].tolist()
    if len(digits) < size:
        raise ValueError("the line ends within the number of nodes")
    count = sum(digit << 6 * (size - 1 - at) for at, digit in enumerate(digits))
    return count, values[begin + size :]


def _bits(values: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return np.unpackbits(values[:, None], axis=1)[:, 2:].reshape(-1)


def _dense_edges(count: int, values: NDArray[np.uint8]) -> Edges:
    most = count * (count - 1) // 2
    if len(values) != (most + 5) // 6:
        raise ValueError(
            f"{len(values)} bytes of edges; {count} nodes take {(most + 5) // 6} in graph6"
        )
    at = np.flatnonzero(_bits(values)[:most])
    # Column j begins after the j (j - 1) / 2 entries of those before it.
    begins = np.arange(count, dtype=np.int64) * np.arange(-1, count - 1) // 2
    column = np.searchsorted(begins[1:], at, side="right")
    return np.stack([at - begins[column], column])


def _sparse_edges(count: int, values: NDArray[np.uint8]) -> Edges:
    """Follow the pairs (b, x): v grows by b; then x becomes v if it is larger, else {x, v} joins.

    Either way v is the larger of v + b and x afterwards, so that v minus the sum of all b so far
    is a running maximum.
    """
    width = max(1, (count - 1).bit_length())
    bits = _bits(values)
    pairs = bits[: len(bits) // (width + 1) * (width + 1)].reshape(-1, width + 1)
    up = pairs[:, 0].astype(np.int64).cumsum()
    x = np.zeros(len(pairs), dtype=np.int64)
    for column in pairs.T[1:]:
        x = 2 * x + column
    highest = np.maximum.accumulate(np.concatenate([[0], x - up]))
    v = up + highest[:-1]
    # What is past the last node fills the last byte.
    whole = np.logical_and.accumulate((x < count) & (v < count))
    joins = whole & (x <= v)
    return np.stack([x[joins], v[joins]])
