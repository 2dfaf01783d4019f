"""True distances between all graphs of a set: published, of a file, or computed exactly."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from graphpool.data import load as datasets
from graphpool.data.catalogue import is_path
from graphpool.data.formats.npz import SUFFIX as NPZ
from graphpool.data.pairs.distances import Distances, read_distances
from graphpool.data.splits import Split, divide
from graphpool.errors import DataError, plural
from graphpool.ged.matrix_file import open_matrix
from graphpool.graphs.graphset import GraphSet

LEAST_GRAPHS = 10
# Nodes; beyond it exact edit distances of all pairs can take days.
LARGEST = 20
PUBLISHED, COMPUTED = "published", "computed"
_MATRIX = ".ged"


@dataclass(frozen=True, eq=False)
class TrueDistances:
    """Distances between all graphs of a set.

    Args:
        values: `[graphs, graphs]`, NaN where none is known.
        origin: `published`, `computed`, or the file.
    """

    values: NDArray[np.float64]
    origin: str

    @property
    def digest(self) -> str:
        """SHA-256 of the numbers."""
        return hashlib.sha256(np.ascontiguousarray(self.values).data).hexdigest()


def open_similar(data: str, root: Path | None = None) -> GraphSet:
    """Open a set, and check that it has enough graphs to train, to choose the epoch and to test."""
    graphs = datasets.find(data, root, features=None)
    if len(graphs) < LEAST_GRAPHS:
        raise DataError(
            f"{graphs.name} has {plural(len(graphs), 'graph')}; give at least {LEAST_GRAPHS}"
        )
    return graphs


def known_distances(
    graphs: GraphSet, data: str, given: str = "", root: Path | None = None
) -> TrueDistances | None:
    """Return the distances of a file or the published ones; None if they have to be computed.

    Graphs that are too large for that are refused.

    Args:
        data: name, file or folder of the set.
        given: a file of `graphpool ged matrix`, or a `.npz` like the published ones.
    """
    found = _read(Path(given)) if given else _published(data, root)
    if found is not None:
        matched = found.of(graphs)
        whole = matched if matched.full is None else matched.complete()
        return TrueDistances(whole.values, given or PUBLISHED)
    largest = int(graphs.node_counts.max())
    if largest > LARGEST:
        at = graphs.ids[int(graphs.node_counts.argmax())]
        raise DataError(
            f"{graphs.name} has no published distances, and its graph {at} has {largest} nodes: "
            f"too many for exact edit distances between all graphs (at most {LARGEST}); give "
            f"distances with --distances FILE, made by: graphpool ged matrix {data} --method beam80"
        )
    return None


def computed_distances(
    graphs: GraphSet,
    out: Path | None = None,
    progress: bool = True,
    pairs: NDArray[np.int64] | None = None,
) -> TrueDistances:
    """Exact edit distances between all graphs, with a bar if stderr is a terminal.

    They count labels of nodes and not those of edges, like the published ones: no network reads
    labels of edges.

    Args:
        out: file that keeps them, finished or not, so that a second call can go on.
        pairs: `[pairs, 2]`, positions of graphs whose distances are wanted; by default all.
    """
    from graphpool.ged.matrix import matrix

    found = matrix(graphs, edge_labels=False, out=out, progress=progress, pairs=pairs)
    return TrueDistances(found.values, COMPUTED)


def split_graphs(
    graphs: GraphSet, data: str, kind: str, seed: int, root: Path | None = None
) -> Split:
    """Return which graphs train, validate and test.

    Args:
        kind: `published`, `graphs` or `classes`, see `graphpool.config.CompareConfig`.
    """
    given = datasets.published_split(_named(data), root) if kind == "published" else None
    return divide(graphs, kind, seed, given)


def has_split(data: str, root: Path | None = None) -> bool:
    """Whether the set has a published split."""
    try:
        datasets.published_split(_named(data), root)
    except DataError:
        return False
    return True


def _named(data: str) -> str | Path:
    return Path(data) if is_path(data) else data


def _published(data: str, root: Path | None) -> Distances | None:
    try:
        return datasets.distances(_named(data), root)
    except DataError:
        return None


def _read(path: Path) -> Distances:
    if path.suffix == NPZ:
        return read_distances(path)
    if path.suffix == _MATRIX:
        found = open_matrix(path)
        return Distances(path.stem, found.ids, found.values)
    raise DataError.at(
        path,
        "no file of distances",
        hint=f"give a {_MATRIX} file of graphpool ged matrix, or a {NPZ} with ids and ged",
    )
