"""`DistanceMatrix`: the distances of all pairs of a collection, in memory and in one file."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
from numpy.typing import DTypeLike, NDArray

from graphpool.errors import DataError, plural
from graphpool.ged.array_file import read_arrays, write_arrays
from graphpool.ged.methods.registry import METHODS
from graphpool.limits import current_limits
from graphpool.shapes import fit

Array = NDArray[Any]
_KIND = "distance matrix"
_ARRAYS = ("classes", "first", "second", "lower", "upper")


class _Counts(TypedDict):
    graphs: int
    classes: int
    pairs: int
    solved: int
    proved: int


class _Header(TypedDict):
    """The keys that are used; a file may have more."""

    ids: list[str]
    method: str
    costs: dict[str, Any]
    content: str
    scale: int
    symmetric: bool
    counts: _Counts
    seconds: float


@dataclass(frozen=True, eq=False)
class DistanceMatrix:
    """Edit distances between graphs; `np.asarray` converts them to `[graphs, graphs]`.

    Isomorphic graphs have the same distances to all others, so bounds are stored by class of
    graphs; `values`, `lower`, `upper` and `optimal` expand them.

    Args:
        ids: one name per graph.
        classes: `[graphs]`, class of each graph; graphs of one class have distance 0.
        pairs: `[pairs, 2]`, classes whose distance was computed.
        bounds: `[pairs, 2]`, lower and upper bound as integers (see `scale`); -1 stands for no
            upper bound.
        header: method, costs, limits, hash of the graphs, counts, seconds, version.
    """

    ids: tuple[str, ...]
    classes: Array
    pairs: Array
    bounds: Array
    header: Mapping[str, Any]

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        counts = self.header["counts"]
        return (
            f"DistanceMatrix(graphs={len(self)}, method={self.header['method']!r}, "
            f"pairs={counts['pairs']}, proved={counts['proved']})"
        )

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        if copy is False and dtype not in (None, self.values.dtype):
            raise ValueError("another dtype needs a copy")
        return self.values.astype(dtype or self.values.dtype, copy=bool(copy))

    @property
    def scale(self) -> int:
        """The integer that stands for a distance of 1."""
        return int(self.header["scale"])

    @cached_property
    def values(self) -> NDArray[np.float64]:
        """The answers of the method, `[graphs, graphs]`, nan where unknown."""
        lower = METHODS[self.header["method"]].answer == "lower"
        return self._expand(0 if lower else 1, unknown=np.nan)

    @cached_property
    def lower(self) -> NDArray[np.float64]:
        """Lower bounds, `[graphs, graphs]`, 0 where unknown."""
        return self._expand(0, unknown=0.0)

    @cached_property
    def upper(self) -> NDArray[np.float64]:
        """Upper bounds, `[graphs, graphs]`, infinite where unknown."""
        return self._expand(1, unknown=np.inf)

    @property
    def optimal(self) -> NDArray[np.bool_]:
        """Whether the distance is proved, `[graphs, graphs]`."""
        return np.asarray(self.lower == self.upper)

    def _expand(self, column: int, unknown: float) -> NDArray[np.float64]:
        size = int(self.classes.max(initial=-1)) + 1
        entries = max(size, len(self)) ** 2
        current_limits().check(
            "distances",
            "unpacked_bytes",
            8 * entries,
            f"bytes of a matrix of {plural(len(self), 'graph')}",
        )
        values = np.full((size, size), unknown)
        np.fill_diagonal(values, 0.0)
        bound = self.bounds[:, column] / self.scale
        bound[self.bounds[:, column] < 0] = np.inf
        first, second = self.pairs.T
        values[first, second] = bound
        if self.header["symmetric"]:
            values[second, first] = bound
        if size == len(self):
            return values  # classes are numbered in order of appearance
        return np.asarray(values[self.classes[:, None], self.classes])

    def save(self, path: str | Path) -> None:
        """Write everything to one file, atomically; `open_matrix` reads it."""
        columns = (self.classes, *self.pairs.T, *self.bounds.T)
        arrays = dict(zip(_ARRAYS, map(_small, columns), strict=True))
        write_arrays(path, _KIND, {**self.header, "ids": list(self.ids)}, arrays)


def open_matrix(path: str | Path) -> DistanceMatrix:
    """Read a matrix written by `DistanceMatrix.save` or `matrix(..., out=path)`."""
    header, arrays = read_arrays(path, _KIND)
    known = {key: value for key, value in header.items() if key in _Header.__annotations__}
    fit(_Header, known, f"{path}: header", DataError)
    if arrays.keys() != {*_ARRAYS} or not _fit_together(header, arrays):
        raise DataError.at(path, "its arrays don't fit together", hint="create it again")
    ids = tuple(header.pop("ids"))
    del header["format"]
    classes, *columns = (arrays[key].astype(np.int64) for key in _ARRAYS)
    pairs, bounds = np.stack(columns[:2], axis=1), np.stack(columns[2:], axis=1)
    return DistanceMatrix(ids, classes, pairs, bounds, header)


def _fit_together(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bool:
    """Whether lengths agree and every number refers to an existing class."""
    classes, *columns = (arrays[key] for key in _ARRAYS)
    if not all(array.dtype.kind in "iu" and array.ndim == 1 for array in arrays.values()):
        return False
    classes, *columns = (array.astype(np.int64) for array in (classes, *columns))
    top = int(classes.max(initial=-1))
    return (
        header["method"] in METHODS
        and header["scale"] > 0
        and top < len(header["ids"])
        and classes.shape == (len(header["ids"]),)
        and len({column.shape for column in columns}) == 1
        and columns[0].ndim == 1
        and int(classes.min(initial=0)) >= 0
        and all(int(c.min(initial=0)) >= 0 and int(c.max(initial=-1)) <= top for c in columns[:2])
    )


def _small(values: Array) -> Array:
    """Convert integers to the smallest type that holds them."""
    low, high = int(values.min(initial=0)), int(values.max(initial=0))
    for kind in (np.int8, np.int16, np.int32):
        limits = np.iinfo(kind)
        if limits.min <= low and high <= limits.max:
            return values.astype(kind)
    return values.astype(np.int64)
