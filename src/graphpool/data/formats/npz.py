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

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.data.formats import npz_arrays as npz
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.vocabulary import coded

VERSION = 1
"""Changes whenever the same file would give another `GraphSet`; caches depend on it."""

_GRAPHS = (
    "node_ptr", "edge_ptr", "edges", "edge_u", "edge_v", "ids", "node_label", "label_names",
    "edge_valence", "graph_label", "loop_nodes",
)  # fmt: skip
_ELSEWHERE = ("ged", "ged_full", "n_train")

Array = NDArray[Any]


def read_packed(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path = Path(path)
    arrays = npz.read_arrays(path, _GRAPHS)
    node_counts = _counts(path, arrays, "node_ptr")
    edge_counts = _counts(path, arrays, "edge_ptr")
    graphs, nodes, edges = len(node_counts), int(node_counts.sum()), int(edge_counts.sum())
    npz.check_shape(path, "edge_ptr", arrays["edge_ptr"], (graphs + 1,))
    ids = npz.read_ids(path, arrays["ids"], graphs) if "ids" in arrays else None
    node_label, node_names = _labels(path, arrays, "node_label", nodes, "label_names")
    edge_label, edge_names = _labels(path, arrays, "edge_valence", edges)
    y, classes = _labels(path, arrays, "graph_label", graphs)
    ends = torch.from_numpy(_edges(path, arrays, edges))
    unread = sorted(npz.array_names(path) - {*_GRAPHS, *_ELSEWHERE})
    notes = [f"array {key!r} was not read" for key in unread]
    if loops := arrays.get("loop_nodes", np.empty(0)).size:
        notes.append(f"{loops} self-loops were left out")
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
        raise DataError.at(path, str(error), hint=npz.NEXT_STEP) from None


def _counts(path: Path, arrays: dict[str, Array], key: str) -> NDArray[np.int64]:
    """How many nodes or edges each graph has, `[graphs]`."""
    if key not in arrays:
        raise DataError.at(
            path,
            f"holds no graphs: there is no array {key!r} in it",
            hint="docs/formats.md says which arrays are needed",
        )
    pointer = arrays[key]
    npz.check_whole(path, key, pointer)
    npz.check_shape(path, key, pointer, (None,))
    pointer = pointer.astype(np.int64)
    counts: NDArray[np.int64] = pointer[1:] - pointer[:-1]
    if not len(counts) or pointer[0] != 0 or (counts < 0).any():
        raise npz.wrong(path, key, "must begin with 0 and never fall, one number more than graphs")
    return counts


def _edges(path: Path, arrays: dict[str, Array], edges: int) -> NDArray[np.int64]:
    """Both ends of each edge, `[2, edges]`."""
    if "edges" in arrays:
        npz.check_whole(path, "edges", arrays["edges"])
        npz.check_shape(path, "edges", arrays["edges"], (edges, 2))
        return np.ascontiguousarray(arrays["edges"].T, dtype=np.int64)
    for key in ("edge_u", "edge_v"):
        if key not in arrays:
            raise DataError.at(
                path, "holds neither 'edges' nor 'edge_u' and 'edge_v'", hint=npz.NEXT_STEP
            )
        npz.check_whole(path, key, arrays[key])
        npz.check_shape(path, key, arrays[key], (edges,))
    return np.stack([arrays["edge_u"], arrays["edge_v"]]).astype(np.int64)


def _labels(
    path: Path, arrays: dict[str, Array], key: str, count: int, names_key: str = ""
) -> tuple[Tensor | None, tuple[Name, ...]]:
    """Codes, `[count]`, and the names that occur, ascending; numbers name themselves."""
    if key not in arrays:
        return None, ()
    npz.check_whole(path, key, arrays[key])
    npz.check_shape(path, key, arrays[key], (count,))
    used, codes = np.unique(arrays[key], return_inverse=True)
    values: list[Name] = used.tolist()
    if names_key in arrays:
        given = arrays[names_key]
        if given.ndim != 1 or given.dtype.kind not in "iuU":
            raise npz.wrong(path, names_key, "must be a list of words or whole numbers")
        outside = used[(used < 0) | (used >= len(given))]
        if len(outside):
            raise npz.wrong(path, key, f"code {outside[0]} has no name among {len(given)}")
        values = given[used].tolist()
    place, names = coded(values)
    return torch.from_numpy(place[codes.reshape(-1)]), names
