"""Read adjacency matrices of NumPy: a `.npy` file, or a `.npz` file of several.

A `.npy` file holds one graph, `[nodes, nodes]`, or several, `[graphs, nodes, nodes]`. A `.npz` file
holds one graph in each array `adj_ID`, or one or several in the array `adj`; an array `y` holds the
class of each graph, or numbers to predict, in the order of the ids. Entries mean what they mean in
`from_numpy`.
"""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from graphpool.data.formats.base import first_bytes, natural
from graphpool.data.formats.base import identify as identify
from graphpool.data.formats.npz import (
    NEXT_STEP,
    REFUSED,
    array_names,
    is_readable,
    read_arrays,
    wrong,
)
from graphpool.data.interop.numpy import from_numpy
from graphpool.data.paths import stem
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet

NAME = "adjacency"
VERSION = 1

_MAGIC = b"\x93NUMPY"
_ARRAY = re.compile(r"adj(?:_(?P<id>.+))?")


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file is an array of NumPy, or a `.npz` file with arrays `adj` or `adj_ID`."""
    if first_bytes(path, len(_MAGIC)) == _MAGIC:
        return True
    return path.is_file() and is_readable(path) and bool(_graph_arrays(path))


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs of a file; the set is called `name`, by default like the file."""
    path = Path(path)
    name = name or stem(path)
    try:
        if first_bytes(path, len(_MAGIC)) == _MAGIC:
            return from_numpy(_open(path), name=name)
        return _read_several(path, name)
    except DataError as error:
        message = str(error)
        if str(path) in message:
            raise
        raise DataError.at(path, message) from None


def _open(path: Path) -> Any:
    """Open an array without reading it; its declared size is compared with that of the file."""
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (*REFUSED, OverflowError) as error:
        hint = "write it again with numpy.save"
        if "object" in str(error).lower():
            hint = (
                "nothing is unpickled; write graph6 strings, such as those of BREC, as a .g6 file"
            )
        raise DataError.at(path, f"not a whole array of numbers: {error}", hint=hint) from None


def _read_several(path: Path, name: str) -> GraphSet:
    found = _graph_arrays(path)
    arrays = read_arrays(path, [*found, "y"])
    y = arrays.get("y")
    if y is not None and (y.ndim not in (1, 2) or y.dtype.kind not in "biufU"):
        raise wrong(path, "y", "must be a list of words or numbers, one per graph", NEXT_STEP)
    if y is not None and not y.size:  # a shape of a billion rows without columns takes no bytes
        raise wrong(path, "y", "is empty", "leave it out, or give each graph a value")
    classes = None if y is None else y.tolist()
    unread = sorted(array_names(path) - {*found, "y"})
    if found == ["adj"]:
        graphs = from_numpy(arrays["adj"], classes, name=name)
    else:
        if "adj" in found:
            raise wrong(path, "adj", "there are others, called adj_ID", "keep one of these forms")
        ids = [key.removeprefix("adj_") for key in found]
        graphs = from_numpy([arrays[key] for key in found], classes, ids=ids, name=name)
    return replace(
        graphs, notes=(*graphs.notes, *(f"array {key!r} was not read" for key in unread))
    )


def _graph_arrays(path: Path) -> list[str]:
    """Return the names of arrays of graphs; numbers in them ascend as numbers."""
    found = [match for key in array_names(path) if (match := _ARRAY.fullmatch(key))]
    return [match[0] for match in sorted(found, key=lambda match: natural(match["id"] or ""))]
