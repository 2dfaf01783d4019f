"""`GraphComparer`: a distance between graphs, learned from known ones, in scikit-learn style."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.config import ModelConfig, RunConfig
from graphpool.data.pairs.distances import DistanceRows, Distances
from graphpool.data.pairs.sampling import draw_triplets
from graphpool.data.splits import query_splits
from graphpool.data.true_distances import (
    LARGEST,
    LEAST_GRAPHS,
    TrueDistances,
    computed_distances,
)
from graphpool.errors import ConfigError, DataError, GraphpoolError, InputError, plural
from graphpool.estimators.base import GraphEstimator, Graphs, packed
from graphpool.estimators.values import as_array
from graphpool.evaluation.ranking import triplet_accuracy
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet
from graphpool.models.run import training_graphs
from graphpool.nn.zoo.pairs import BY_NODES
from graphpool.tasks.similarity import SimilarityData

Array = NDArray[Any]


class GraphComparer(GraphEstimator, task="similarity", arguments={"triplets": "compare.examples"}):
    """Learns how far apart graphs are, from graphs whose distances are known.

    It is trained on triplets: which of two graphs is nearer to a third, and by how much. Then it
    predicts the distance of any two graphs in a small part of the time that a search takes. The
    same graphs, distances, settings and seed give the same model to the bit on a CPU.

    Args:
        <arguments>

    Attributes:
        graphs_: those it was trained on, where `kneighbors` looks. They are saved with the model;
            those of a run of `graphpool train` are opened again from the set by its name.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    _loads = ("similarity", "matching")

    def fit(self, graphs: Graphs, y: Any = None) -> "GraphComparer":
        """Train on graphs and the distances between all of them.

        Args:
            y: distances, `[graphs, graphs]`, NaN where none is known, or the `Distances` of a set,
                which cross-validation needs; by default exact edit distances, which are worked
                out for graphs of at most 20 nodes.
        """
        graphs = packed(graphs, classes=False)
        if len(graphs) < LEAST_GRAPHS:
            raise DataError(
                f"{graphs.name} has {plural(len(graphs), 'graph')}; give at least {LEAST_GRAPHS}"
            )
        config = self._run_config(graphs.name)
        matrix = self._matrix(graphs, y)
        train, valid = self._parts(len(graphs))
        wanted, seed = config.compare, config.train.seed
        learned = draw_triplets(graphs, matrix, train, train, wanted.examples, seed, "training")
        held = None
        if len(valid):
            held = draw_triplets(graphs, matrix, valid, train, wanted.valid, seed, "validation")
        self._fit(graphs, learned, held, config)
        return self._take(replace(self.model_, graphs=graphs))

    @property
    def graphs_(self) -> GraphSet:
        """Graphs it was trained on."""
        try:
            return training_graphs(self._model)
        except GraphpoolError as error:
            raise DataError(f"the training graphs can't be opened ({error}); give among=") from None

    def distances(self, graphs: Graphs, others: Graphs | None = None) -> Array:
        """Return distances, `[graphs, others]`; by default among the graphs themselves."""
        left = packed(graphs, classes=False)
        if others is None:
            here = np.arange(len(left))
            return self._model.distances(left, here, here)
        return self._model.between(left, packed(others, classes=False))

    def kneighbors(
        self, graphs: Graphs, n_neighbors: int = 10, among: Graphs | None = None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return distances and positions of the nearest graphs, `[graphs, n_neighbors]` each.

        The nearest come first, and both are in the order of scikit-learn's `kneighbors`.

        Args:
            n_neighbors: how many.
            among: where to look; by default among the graphs it was trained on.
        """
        return self._model.kneighbors(
            packed(graphs, classes=False), self._where(among), n_neighbors
        )

    def score(self, graphs: Graphs, y: Any = None, among: Graphs | None = None) -> float:
        """Return the share of all triplets with a known order that it puts in that order.

        Args:
            y: the true distances, `[graphs, among]`, NaN where one is not to count, such as that of
                a graph and itself; or as in `fit`.
            among: as in `kneighbors`.
        """
        queries, others = packed(graphs, classes=False), self._where(among)
        return triplet_accuracy(self.distances(queries, others), self._true(queries, others, y))

    def report(
        self, path: str | Path, graphs: Graphs, y: Any = None, among: Graphs | None = None
    ) -> Path:
        """Write an HTML page about the model and how these test graphs rank others.

        Args:
            graphs: which the model has not seen.
            y, among: as in `score`.
        """
        model, queries, others = self._model, packed(graphs, classes=False), self._where(among)
        matrix = np.full((len(queries) + len(others),) * 2, np.nan)
        matrix[: len(queries), len(queries) :] = self._true(queries, others, y)
        data = SimilarityData(
            None,
            graphs=concatenate([queries, others], queries.name),
            distances=TrueDistances(matrix, "given"),
            queries=np.arange(len(queries)),
            candidates=np.arange(len(queries), len(matrix)),
        )
        return model.report(path, data)

    # ------------------------------------------------------------------ inside

    def _where(self, among: Graphs | None) -> GraphSet:
        """Return the graphs to look among."""
        return self.graphs_ if among is None else packed(among, classes=False)

    def _run_config(self, data: str) -> RunConfig:
        config = super()._run_config(data)
        model = config.model
        if model.distance != ModelConfig.distance and model.pooler not in BY_NODES:
            raise ConfigError(
                f"distance {model.distance!r} is for {', '.join(BY_NODES)}, which compare "
                f"nodes; {model.pooler} has its own: leave it out"
            )
        return config

    def _parts(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Graphs to learn from, and graphs that ask the questions of validation."""
        if not (share := self._validation_share()):
            return np.arange(count), np.arange(0)
        asking = min(count - 1, max(1, round(share * count)))
        cut = query_splits(count, self.seed, (count - asking, asking, 0))
        return np.array(cut.train, dtype=np.int64), np.array(cut.valid, dtype=np.int64)

    def _matrix(self, graphs: GraphSet, distances: Any) -> NDArray[np.float64]:
        if distances is None:
            return self._exact(graphs)
        if isinstance(distances, DistanceRows):
            distances = distances.distances
        if isinstance(distances, Distances):
            return distances.of(graphs).values
        return _checked(distances, (len(graphs), len(graphs)))

    def _true(self, queries: GraphSet, others: GraphSet, distances: Any) -> NDArray[np.float64]:
        """Return `[queries, others]` true distances."""
        if distances is None:
            both = concatenate([queries, others], queries.name)
            rows, columns = np.arange(len(queries)), np.arange(len(queries), len(both))
            pairs = np.stack(np.meshgrid(rows, columns, indexing="ij"), axis=-1).reshape(-1, 2)
            return self._exact(both, pairs)[np.ix_(rows, columns)]
        if isinstance(distances, DistanceRows):
            distances = distances.distances
        if isinstance(distances, Distances):
            return distances.between(queries, others)
        return _checked(distances, (len(queries), len(others)))

    def _exact(
        self, graphs: GraphSet, pairs: NDArray[np.int64] | None = None
    ) -> NDArray[np.float64]:
        """Return exact edit distances, between all graphs by default."""
        largest = int(graphs.node_counts.max())
        if largest > LARGEST:
            raise DataError(
                f"{graphs.name} has a graph of {largest} nodes, too many for exact edit "
                f"distances between all graphs (at most {LARGEST}); give distances, such as "
                'those of graphpool.ged.matrix(graphs, method="beam80")'
            )
        return computed_distances(graphs, progress=self.progress, pairs=pairs).values


def _checked(distances: Any, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return a matrix of distances of this shape."""
    matrix = as_array("the matrix of distances", distances, np.float64)
    if matrix.shape != shape:
        raise InputError(
            f"distances have shape {matrix.shape} for {shape[0]} graphs and {shape[1]} to compare "
            "them with; give a row and a column for each. In a cross-validation give "
            "graphpool.data.Distances(name, graphs.ids, matrix), which knows its graphs"
        )
    if (matrix < 0).any():
        row, column = np.argwhere(matrix < 0)[0]
        raise InputError(
            f"the distance of graphs {row} and {column} is {matrix[row, column]:g}; distances "
            "are not below 0: give NaN where none is known"
        )
    return matrix
