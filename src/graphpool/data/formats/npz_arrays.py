"""Arrays of a `.npz` file: plain numbers and words, never objects, so that no code is run."""

import tokenize
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.data.formats.tu_files import DAMAGE, zip_files
from graphpool.errors import DataError

SUFFIX = ".npz"
NEXT_STEP = "fetch the file again, or write it again with numpy.savez"
_REFUSED = (*DAMAGE, ValueError, SyntaxError, tokenize.TokenError, MemoryError, TypeError, KeyError)


def array_names(path: Path) -> frozenset[str]:
    """What the arrays of a file are called, without reading them."""
    return frozenset(file.removesuffix(".npy") for file in zip_files(path) if file.endswith(".npy"))


def holds_graphs(path: Path) -> bool:
    """Whether a file is one of graphs, and not of distances or anything else."""
    return array_names(path) >= {"node_ptr", "edge_ptr"}


def read_arrays(path: Path, wanted: Iterable[str]) -> dict[str, NDArray[Any]]:
    """Those of the `wanted` arrays that the file holds."""
    present = array_names(path)
    made = {}
    for name in wanted:
        if name not in present:
            continue
        try:
            with np.load(path, allow_pickle=False) as archive:
                made[name] = np.asarray(archive[name])
        except _REFUSED as error:
            raise wrong(path, name, f"can't be read: {error}") from None
    return made


def wrong(path: Path, name: str, problem: str, hint: str = NEXT_STEP) -> DataError:
    """The error to raise about one array."""
    return DataError.at(path, f"array {name!r}: {problem}", hint=hint)


def check_shape(path: Path, name: str, array: NDArray[Any], shape: tuple[int | None, ...]) -> None:
    """Refuse an array of another shape; None stands for any length."""
    fits = len(shape) == array.ndim and all(
        wanted in (None, found) for wanted, found in zip(shape, array.shape, strict=True)
    )
    if not fits:
        told = ", ".join("any" if length is None else str(length) for length in shape)
        found = ", ".join(map(str, array.shape))
        raise wrong(path, name, f"has the shape [{found}] where [{told}] is needed")


def check_whole(path: Path, name: str, array: NDArray[Any]) -> None:
    """Refuse anything but whole numbers."""
    if array.dtype.kind not in "iu":
        raise wrong(path, name, f"holds {array.dtype}, not whole numbers")


def read_ids(path: Path, array: NDArray[Any], graphs: int | None = None) -> tuple[str, ...]:
    """The names of the graphs, whole numbers or words, each once."""
    check_shape(path, "ids", array, (graphs,))
    if array.dtype.kind not in "iuU":
        raise wrong(path, "ids", f"holds {array.dtype}, neither whole numbers nor words")
    ids = tuple(map(str, array.tolist()))
    if len(set(ids)) < len(ids):
        twice = next(name for at, name in enumerate(ids) if name in ids[:at])
        raise wrong(path, "ids", f"graph {twice} stands twice", "give every graph its own id")
    return ids
