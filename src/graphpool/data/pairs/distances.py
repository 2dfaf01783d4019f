"""`Distances`: known edit distances between the graphs of a set, and its published split."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.data.formats import npz
from graphpool.errors import DataError, plural
from graphpool.graphs.selection import positions

_NOT_PUBLISHED = -1


@dataclass(frozen=True, eq=False)
class Distances:
    """Distances between graphs, published with a set or computed.

    Row i is graph i of the set that has these `ids`; `of` reorders them for any selection of its
    graphs.

    Args:
        name: of the set.
        ids: names of the graphs.
        values: `[graphs, graphs]`, NaN where no distance is known.
        full: the same matrix without gaps, where there is one that agrees with `values`.
        is_test: `[graphs]`, True for graphs of the published test set; None without a split.
    """

    name: str
    ids: tuple[str, ...]
    values: NDArray[np.float64]
    full: NDArray[np.float64] | None = None
    is_test: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        graphs = len(self.ids)
        for key, matrix in {"values": self.values, "full": self.full}.items():
            if matrix is not None and matrix.shape != (graphs, graphs):
                raise DataError(
                    f"{self.name}: {key} has the shape {list(matrix.shape)} for "
                    f"{plural(graphs, 'graph')}; "
                    "give one row and one column per graph"
                )
        if self.is_test is not None and self.is_test.shape != (graphs,):
            raise DataError(f"{self.name}: is_test must have one value for each of {graphs} graphs")

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        known = int(self.known.sum())
        return f"Distances({self.name!r}, graphs={len(self)}, known={known} of {len(self) ** 2})"

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which of `values` are known, `[graphs, graphs]`."""
        return ~np.isnan(self.values)

    @property
    def train(self) -> NDArray[np.int64]:
        """Positions of the graphs of the published training set."""
        return np.flatnonzero(~self._split())

    @property
    def test(self) -> NDArray[np.int64]:
        """Positions of the graphs of the published test set."""
        return np.flatnonzero(self._split())

    def _split(self) -> NDArray[np.bool_]:
        if self.is_test is None:
            raise DataError(
                f"{self.name} has no published split; make one with graphpool.data.splits"
            )
        return self.is_test

    def complete(self) -> "Distances":
        """Return the same without gaps: `full` replaces `values`."""
        if self.known.all():
            return self
        if self.full is None:
            raise DataError(
                f"{self.name}: {int((~self.known).sum())} distances are not known; compute them "
                f"with graphpool ged matrix {self.name}"
            )
        return replace(self, values=self.full)

    def select(self, index: Sequence[int] | NDArray[Any]) -> "Distances":
        """Return the distances between the chosen graphs, in the chosen order."""
        chosen = np.asarray(index)
        chosen = np.flatnonzero(chosen) if chosen.dtype == np.bool_ else chosen.astype(np.int64)
        square = np.ix_(chosen, chosen)
        return Distances(
            name=self.name,
            ids=tuple(self.ids[at] for at in chosen.tolist()),
            values=self.values[square],
            full=None if self.full is None else self.full[square],
            is_test=None if self.is_test is None else self.is_test[chosen],
        )

    def of(self, graphs: Any) -> "Distances":
        """Return the distances between the graphs of a `GraphSet`, matched by ids, in its order."""
        if tuple(graphs.ids) == self.ids:
            return self
        return self.select(self._positions(graphs))

    def between(self, graphs: Any, others: Any) -> NDArray[np.float64]:
        """Return the distances from the graphs of one set to those of another, matched by ids."""
        return self.values[np.ix_(self._positions(graphs), self._positions(others))]

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self), len(self)

    def __getitem__(self, index: Any) -> "DistanceRows":
        """The chosen rows, as scikit-learn cuts them; which graphs are in columns is not lost."""
        return DistanceRows(self, positions(index, len(self), "graph"))

    def _positions(self, graphs: Any) -> list[int]:
        position = {name: at for at, name in enumerate(self.ids)}
        if len(position) < len(self.ids):
            raise DataError(f"{self.name}: some graphs have the same id; give each its own")
        missing = next((name for name in graphs.ids if name not in position), None)
        if missing is not None:
            raise DataError(
                f"no distances of graph {missing} of {graphs.name} are known; those of "
                f"{self.name} have other graphs"
            )
        return [position[name] for name in graphs.ids]


@dataclass(frozen=True, eq=False)
class DistanceRows:
    """Distances from some graphs of a set to all of it: `y` in the folds of a cross-validation.

    Args:
        distances: between all graphs of the set.
        rows: positions of these graphs.
    """

    distances: Distances
    rows: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.distances)

    def __getitem__(self, index: Any) -> "DistanceRows":
        return DistanceRows(self.distances, self.rows[positions(index, len(self), "graph")])


def read_distances(path: str | Path, name: str | None = None) -> Distances:
    """Read the distances in the `.npz` file of a set, by default called like the file.

    The arrays are `ids`, `ged` (-1 = not published), and, where they exist, `ged_full` (no gaps)
    and `n_train` (training graphs come first).
    """
    path = Path(path)
    name = name or path.stem
    arrays = npz.read_arrays(path, ("ids", "ged", "ged_full"))
    values = arrays.get("ged", arrays.get("ged_full"))
    if values is None or "ids" not in arrays:
        missing = "'ids'" if values is not None else "'ged'"
        raise DataError.at(
            path,
            f"holds no edit distances: there is no array {missing} in it",
            hint=f"compute them with graphpool ged matrix {name}",
        )
    ids = npz.read_ids(path, arrays["ids"])
    full = arrays.get("ged_full")
    return Distances(
        name,
        ids,
        _matrix(path, "ged" if "ged" in arrays else "ged_full", values, ids),
        None if full is None else _matrix(path, "ged_full", full, ids),
        read_test(path),
    )


def _matrix(path: Path, key: str, values: NDArray[Any], ids: Sequence[str]) -> NDArray[np.float64]:
    """Return the numbers of a file, with NaN for what is not published."""
    npz.check_shape(path, key, values, (len(ids), len(ids)))
    if values.dtype.kind not in "iuf":
        raise npz.wrong(path, key, f"holds {values.dtype}, not numbers")
    made = values.astype(np.float64)
    made[(made == _NOT_PUBLISHED) | np.isinf(made)] = np.nan
    if (made < 0).any():
        row, column = (int(axis[0]) for axis in np.nonzero(made < 0))
        raise npz.wrong(
            path, key, f"graphs {ids[row]} and {ids[column]} are {made[row, column]:g} apart",
            "a distance is 0 or more, and -1 where it is not known",
        )  # fmt: skip
    return made


def read_test(path: Path) -> NDArray[np.bool_] | None:
    """Whether each graph of a `.npz` file is a test graph, `[graphs]`; None without a split."""
    arrays = npz.read_arrays(path, ("ids", "n_train"))
    if len(arrays) < 2:
        return None
    graphs, count = len(npz.read_ids(path, arrays["ids"])), arrays["n_train"]
    npz.check_whole(path, "n_train", count, ())
    if not 0 <= int(count) <= graphs:
        raise npz.wrong(path, "n_train", f"{int(count)} of {graphs} graphs can't train")
    return np.arange(graphs) >= int(count)
