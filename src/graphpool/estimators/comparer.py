"""`GraphComparer`: a distance between graphs, learned from known ones, in scikit-learn style."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.config import ModelConfig, RunConfig
from graphpool.data.pairs.distances import Distances
from graphpool.data.pairs.sampling import draw_triplets
from graphpool.data.source import Source, set_digest
from graphpool.data.splits import query_splits
from graphpool.errors import ConfigError, DataError
from graphpool.estimators.arguments import ConfigEstimator
from graphpool.estimators.classifier import Fitted, Graphs, packed
from graphpool.evaluation.ranking import triplet_accuracy
from graphpool.graphs.graphset import GraphSet
from graphpool.models.comparer import Comparer, train_comparer
from graphpool.models.comparer_file import load_comparer, save_comparer
from graphpool.nn.zoo.pairs import BY_NODES
from graphpool.tasks.similarity_data import LARGEST, LEAST_GRAPHS, computed_distances
from graphpool.training.loop import FitResult

Array = NDArray[Any]


class GraphComparer(
    Fitted[Comparer],
    ConfigEstimator,
    task="similarity",
    arguments={"triplets": "compare.examples"},
):
    """Learns how far apart graphs are, from graphs whose distances are known.

    It is trained on triplets: which of two graphs is nearer to a third, and by how much. Then it
    says the distance of any two graphs in a small part of the time that a search takes. The same
    graphs, distances, settings and seed give the same answers to the bit on a CPU.

    Args:
        <arguments>

    Attributes:
        model_: the `Comparer`, with its network and its features.
        graphs_: those it was trained on, where `nearest` looks; None for a model that was loaded.
        result_: history, best epoch and warnings; None for a model that was loaded.
    """

    model_: Comparer
    graphs_: GraphSet | None
    result_: FitResult | None

    def fit(self, graphs: Graphs, distances: Any = None) -> "GraphComparer":
        """Train on graphs and the distances between all of them.

        Args:
            distances: `[graphs, graphs]`, NaN where none is known, or the `Distances` of a set;
                by default exact edit distances, which are worked out for graphs of at most 20
                nodes.
        """
        graphs = packed(graphs)
        if len(graphs) < LEAST_GRAPHS:
            raise DataError(f"{graphs.name} has {len(graphs)} graphs; give at least {LEAST_GRAPHS}")
        config = self._run_config(graphs.name)
        matrix = self._matrix(graphs, distances)
        train, valid = self._parts(len(graphs))
        wanted, seed = config.compare, config.train.seed
        learnt = draw_triplets(graphs, matrix, train, train, wanted.examples, seed, "training")
        held = (
            draw_triplets(graphs, matrix, valid, train, wanted.valid, seed, "validation")
            if len(valid)
            else None
        )
        self.model_, self.result_ = train_comparer(
            learnt, held, config, source=Source(set_digest(graphs)), progress=self.progress
        )
        self.graphs_ = graphs
        return self

    def distances(self, graphs: Graphs, others: Graphs | None = None) -> Array:
        """How far every graph is from every other, `[graphs, others]`; by default from its own."""
        left = packed(graphs)
        if others is None:
            here = np.arange(len(left))
            return self._model.distances(left, here, here)
        return self._model.between(left, packed(others))

    def nearest(
        self, graphs: Graphs, k: int = 10, among: Graphs | None = None
    ) -> tuple[NDArray[np.int64], Array]:
        """Positions of the k nearest graphs, nearest first, and how far they are: `[graphs, k]`.

        Args:
            among: where to look; by default among the graphs it was trained on.
        """
        found = self.distances(graphs, self._where(among))
        if not 0 < k <= found.shape[1]:
            raise ConfigError(f"k is {k}; there are {found.shape[1]} graphs to choose from")
        order = np.argsort(found, axis=1, kind="stable")[:, :k]
        return order, np.take_along_axis(found, order, axis=1)

    def score(self, graphs: Graphs, distances: Any, among: Graphs | None = None) -> float:
        """Of all triplets whose order is known, the share that it has in that order.

        Args:
            distances: `[graphs, among]`, the true ones; NaN where one is not to count, such as
                that of a graph and itself.
            among: as in `nearest`.
        """
        said = self.distances(graphs, self._where(among))
        return triplet_accuracy(said, np.asarray(distances, dtype=np.float64))

    def save(self, path: str | Path) -> Path:
        """Write the fitted network as one file, which `load` and `graphpool match` read."""
        return save_comparer(self._model, path)

    @classmethod
    def load(cls, path: str | Path, device: str = "cpu") -> "GraphComparer":
        """Read a comparer that was saved, or the best one of a run of `graphpool train`."""
        model = load_comparer(path, device)
        made = cls._with_config(model.config, device)
        made.model_, made.result_, made.graphs_ = model, None, None
        return made

    # ------------------------------------------------------------------ inside

    def _where(self, among: Graphs | None) -> Graphs:
        """The graphs to look among."""
        if among is not None:
            return among
        known = self.graphs_ if self._model is not None else None
        if known is None:
            raise DataError("a comparer that was loaded has no graphs; say among which to look")
        return known

    def _run_config(self, data: str) -> RunConfig:
        config = super()._run_config(data)
        model = config.model
        if model.distance != ModelConfig.distance and model.pooler not in BY_NODES:
            raise ConfigError(
                f"distance {model.distance!r} is for {' and '.join(BY_NODES)}, which compare "
                f"nodes; {model.pooler} has its own: leave it out"
            )
        return config

    def _parts(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Graphs to learn from, and graphs that ask the questions of validation."""
        if not 0 <= self.validation < 1:
            raise ConfigError(f"validation is {self.validation}; it must lie in [0, 1)")
        if not self.validation:
            return np.arange(count), np.arange(0)
        asking = min(count - 1, max(1, round(self.validation * count)))
        cut = query_splits(count, self.seed, (count - asking, asking, 0))
        return np.array(cut.train, dtype=np.int64), np.array(cut.valid, dtype=np.int64)

    def _matrix(self, graphs: GraphSet, distances: Any) -> NDArray[np.float64]:
        if distances is None:
            largest = int(graphs.node_counts.max())
            if largest > LARGEST:
                raise DataError(
                    f"{graphs.name} has a graph of {largest} nodes, too many for exact edit "
                    f"distances between all graphs (at most {LARGEST}); give distances, such as "
                    'those of graphpool.ged.matrix(graphs, method="beam80")'
                )
            return computed_distances(graphs, progress=self.progress).values
        if isinstance(distances, Distances):
            return distances.of(graphs).values
        matrix = np.asarray(distances, dtype=np.float64)
        if matrix.shape != (len(graphs), len(graphs)):
            raise DataError(
                f"distances have shape {matrix.shape} for {len(graphs)} graphs; give a row and a "
                "column for each"
            )
        if (matrix < 0).any():
            row, column = np.argwhere(matrix < 0)[0]
            raise DataError(
                f"the distance of graphs {row} and {column} is {matrix[row, column]:g}; distances "
                "are not below 0: give NaN where none is known"
            )
        return matrix
