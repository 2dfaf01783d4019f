"""Read a set from flat arrays in one `.npz` file.

| array | shape | holds |
|---|---|---|
| `node_ptr`, `edge_ptr` | graphs + 1 | where each graph's nodes and edges begin |
| `edges`, or `edge_u` and `edge_v` | edges, 2 | nodes from 0 within the graph, each edge once |
| `ids` | graphs | names of the graphs; their positions if absent |
| `node_label`, `label_names` | nodes; labels | codes, and what they mean |
| `edge_valence` | edges | labels of edges |
| `graph_label` | graphs | the class |
| `loop_nodes` | any | self-loops that the file leaves out |

Edges are undirected. `graphpool.data.pairs.distances` reads `ged`, `ged_full` and `n_train`.
"""

import io
import math
import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.formats.base import check_sizes
from graphpool.data.formats.base import identify as identify
from graphpool.data.formats.zips import DAMAGE, list_zip, open_files
from graphpool.errors import DataError, plural, was
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import coded

NAME = "npz"
VERSION = 1
SUFFIX = ".npz"
NEXT_STEP = "fetch the file again, or write it again with numpy.savez"

_GRAPHS = (
    "node_ptr", "edge_ptr", "edges", "edge_u", "edge_v", "ids", "node_label", "label_names",
    "edge_valence", "graph_label", "loop_nodes",
)  # fmt: skip
_ELSEWHERE = ("ged", "ged_full", "n_train")

REFUSED = (*DAMAGE, ValueError, SyntaxError, tokenize.TokenError, MemoryError, TypeError, KeyError)
"""Errors that a damaged array can cause."""

Array = NDArray[Any]


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file holds graphs, and not only distances or anything else."""
    return path.is_file() and is_readable(path) and array_names(path) >= {"node_ptr", "edge_ptr"}


def is_readable(path: Path) -> bool:
    """Whether a file is a zip, as every `.npz` file is."""
    try:
        list_zip(path)
    except DataError:
        return False
    return True


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path = Path(path)
    arrays = read_arrays(path, _GRAPHS)
    node_counts = _counts(path, arrays, "node_ptr")
    edge_counts = _counts(path, arrays, "edge_ptr")
    graphs, nodes, edges = len(node_counts), int(node_counts.sum()), int(edge_counts.sum())
    check_sizes(path, graphs=graphs, nodes=nodes, edges=edges, described="node_label" in arrays)
    check_shape(path, "edge_ptr", arrays["edge_ptr"], (graphs + 1,))
    ids = read_ids(path, arrays["ids"], graphs) if "ids" in arrays else None
    node_label, node_names = _labels(path, arrays, "node_label", nodes, "label_names")
    edge_label, edge_names = _labels(path, arrays, "edge_valence", edges)
    y, classes = _labels(path, arrays, "graph_label", graphs)
    ends = torch.from_numpy(_edges(path, arrays, edges))
    unread = sorted(array_names(path) - {*_GRAPHS, *_ELSEWHERE})
    notes = [f"array {key!r} was not read" for key in unread]
    if loops := arrays.get("loop_nodes", np.empty(0)).size:
        notes.append(f"{plural(loops, 'self-loop')} {was(loops)} left out")
    try:
        return GraphSet.build(
            name or path.stem,
            torch.from_numpy(node_counts),
            torch.from_numpy(edge_counts),
            ends,
            ids=ids,
            undirected=True,
            edge_label=edge_label,
            node_label=node_label,
            y=y,
            classes=classes,
            node_label_names=node_names,
            edge_label_names=edge_names,
            notes=notes,
        )
    except DataError as error:
        raise DataError.at(path, str(error), hint=NEXT_STEP) from None


def _counts(path: Path, arrays: dict[str, Array], key: str) -> NDArray[np.int64]:
    """Return the number of nodes or edges of each graph, `[graphs]`."""
    if key not in arrays:
        raise DataError.at(
            path,
            f"holds no graphs: there is no array {key!r} in it",
            hint="docs/formats.md says which arrays are needed",
        )
    check_whole(path, key, arrays[key], (None,))
    pointer = arrays[key].astype(np.int64)
    counts: NDArray[np.int64] = pointer[1:] - pointer[:-1]
    if not len(counts) or pointer[0] != 0 or (counts < 0).any():
        raise wrong(path, key, "must begin with 0 and never fall, one number more than graphs")
    return counts


def _edges(path: Path, arrays: dict[str, Array], edges: int) -> NDArray[np.int64]:
    """Both ends of each edge, `[2, edges]`."""
    if "edges" in arrays:
        check_whole(path, "edges", arrays["edges"], (edges, 2))
        return np.ascontiguousarray(arrays["edges"].T, dtype=np.int64)
    for key in ("edge_u", "edge_v"):
        if key not in arrays:
            raise DataError.at(
                path, "holds neither 'edges' nor 'edge_u' and 'edge_v'", hint=NEXT_STEP
            )
        check_whole(path, key, arrays[key], (edges,))
    return np.stack([arrays["edge_u"], arrays["edge_v"]]).astype(np.int64)


def _labels(
    path: Path, arrays: dict[str, Array], key: str, count: int, names_key: str = ""
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Codes, `[count]`, and the names that occur, ascending; numbers name themselves."""
    if key not in arrays:
        return None, ()
    check_whole(path, key, arrays[key], (count,))
    used, codes = np.unique(arrays[key], return_inverse=True)
    values: list[Name] = used.tolist()
    if names_key in arrays:
        given = arrays[names_key]
        if given.ndim != 1 or given.dtype.kind not in "iuU":
            raise wrong(path, names_key, "must be a list of words or whole numbers")
        outside = used[(used < 0) | (used >= len(given))]
        if len(outside):
            raise wrong(path, key, f"code {outside[0]} has no name among {len(given)}")
        values = given[used].tolist()
    order, names = coded(values)
    return torch.from_numpy(order[codes.reshape(-1)]), names


def array_names(path: Path) -> frozenset[str]:
    """Return the names of the arrays of a file, without reading them."""
    return frozenset(file.removesuffix(".npy") for file in list_zip(path) if file.endswith(".npy"))


def read_arrays(path: Path, wanted: Iterable[str]) -> dict[str, Array]:
    """Read those of the `wanted` arrays that the file holds."""
    present = array_names(path)
    arrays = {}
    with open_files(path) as open_file:
        for name in [name for name in wanted if name in present]:
            try:
                with open_file(f"{name}.npy") as stream:
                    arrays[name] = _parse_array(stream.read())
            except REFUSED as error:
                raise wrong(path, name, f"can't be read: {error}") from None
    return arrays


def _parse_array(data: bytes) -> Array:
    """Parse an array, whose header must declare the bytes that follow it, no more and no less."""
    start = io.BytesIO(data)
    version = np.lib.format.read_magic(start)
    read_header = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if read_header is None:
        raise ValueError(f"version {version} of the format is not known")
    shape, fortran, dtype = read_header(start)
    if dtype.hasobject:
        raise ValueError("it holds Python objects")
    needed = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or needed != len(data) - start.tell():
        raise ValueError(
            f"its header declares {needed:,} bytes, and {len(data) - start.tell():,} are there"
        )
    flat = np.frombuffer(data, dtype, offset=start.tell()) if needed else np.zeros(0, dtype)
    return np.array(flat.reshape(shape, order="F" if fortran else "C"))


def wrong(path: Path, name: str, problem: str, hint: str = NEXT_STEP) -> DataError:
    """Return the error to raise about one array."""
    return DataError.at(path, f"array {name!r}: {problem}", hint=hint)


def check_shape(path: Path, name: str, array: Array, shape: tuple[int | None, ...]) -> None:
    """Refuse an array of another shape; None means any length."""
    fits = len(shape) == array.ndim and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        wanted_shape = ", ".join("any" if length is None else str(length) for length in shape)
        found = ", ".join(map(str, array.shape))
        raise wrong(path, name, f"has the shape [{found}] where [{wanted_shape}] is needed")


def check_whole(path: Path, name: str, array: Array, shape: tuple[int | None, ...]) -> None:
    """Refuse anything but whole numbers of this shape."""
    if array.dtype.kind not in "iu":
        raise wrong(path, name, f"holds {array.dtype}, not whole numbers")
    check_shape(path, name, array, shape)


def read_ids(path: Path, array: NDArray[Any], graphs: int | None = None) -> tuple[str, ...]:
    """Return the names of the graphs, whole numbers or words, each once."""
    check_shape(path, "ids", array, (graphs,))
    if array.dtype.kind not in "iuU":
        raise wrong(path, "ids", f"holds {array.dtype}, neither whole numbers nor words")
    ids = tuple(map(str, array.tolist()))
    if len(set(ids)) < len(ids):
        twice = next(name for at, name in enumerate(ids) if name in ids[:at])
        raise wrong(path, "ids", f"graph {twice} appears twice", "give every graph its own id")
    return ids
