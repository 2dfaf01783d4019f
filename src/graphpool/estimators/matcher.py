"""`GraphMatcher`: whether two graphs match, learned from pairs, in scikit-learn style."""

from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.splits import split_pairs
from graphpool.errors import DataError
from graphpool.estimators.base import GraphEstimator, Graphs, packed
from graphpool.models.model import TrainedModel
from graphpool.tasks.base import TaskData

Array = NDArray[Any]


class GraphMatcher(
    ClassifierMixin,
    GraphEstimator,
    task="matching",
    arguments={"score_function": "model.score"},
):
    """Learns whether two graphs match, from pairs whose answers are known.

    Pairs are given as a `PairSet`, or as graphs and an array of positions: row `(i, j)` is the pair
    of graphs `i` and `j`. Which of them comes first makes no difference. The same pairs, settings
    and seed give the same model to the bit on a CPU.

    Args:
        <arguments>

    Attributes:
        classes_: `[0, 1]`: no match, match.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    classes_: NDArray[np.int64]

    def fit(self, graphs: PairSet | Graphs, pairs: Any = None, y: Any = None) -> "GraphMatcher":
        """Train on pairs.

        Pairs that choose the epoch have no graph in common with those that train.

        Args:
            graphs: a `PairSet`, or the graphs that `pairs` are of.
            pairs: `[pairs, 2]`, positions of graphs.
            y: `[pairs]`, 1 for a match and 0 for none.
        """
        if not isinstance(graphs, PairSet) and y is None:
            raise DataError("give y, 1 for each pair that matches and 0 for the others")
        examples = _pairs(graphs, pairs, y)
        config = self._run_config(examples.name)
        train, valid = self._parts(examples)
        return self._fit(examples.graphs, train, valid, config)

    def predict(self, graphs: PairSet | Graphs, pairs: Any = None) -> NDArray[np.int64]:
        """Return 1 for each pair that matches and 0 for the others, `[pairs]`."""
        return self._model.predict(_pairs(graphs, pairs)).astype(np.int64)

    def predict_proba(self, graphs: PairSet | Graphs, pairs: Any = None) -> Array:
        """Return the probability of no match and of a match, `[pairs, 2]`."""
        match = self._model.probabilities(_pairs(graphs, pairs))
        return np.stack([1 - match, match], axis=1)

    def score(
        self, graphs: PairSet | Graphs, pairs: Any = None, y: Any = None, sample_weight: Any = None
    ) -> float:
        """Return the accuracy on pairs whose answers are known."""
        examples = _pairs(graphs, pairs, y)
        correct = self.predict(examples) == (examples.y.cpu().numpy() > 0.5)
        return float(np.average(correct, weights=sample_weight))

    def report(
        self, path: str | Path, graphs: PairSet | Graphs, pairs: Any = None, y: Any = None
    ) -> Path:
        """Write an HTML page about the model and these test pairs, given as in `fit`."""
        return self._model.report(path, TaskData(_pairs(graphs, pairs, y)))

    # ------------------------------------------------------------------ inside

    def _take(self, model: TrainedModel) -> "GraphMatcher":
        self.classes_ = np.array([0, 1])
        return super()._take(model)

    def _parts(self, pairs: PairSet) -> tuple[PairSet, PairSet | None]:
        """Pairs to learn from, and pairs of other graphs that choose the epoch."""
        if not (share := self._validation_share()):
            return pairs, None
        valid = min(999, max(1, round(1000 * share)))
        split = split_pairs(pairs, self.seed, (1000 - valid, valid, 0)).split
        return pairs.select(np.array(split.train)), pairs.select(np.array(split.valid))


def _pairs(graphs: PairSet | Graphs, pairs: Any = None, y: Any = None) -> PairSet:
    """Return pairs that are given in either form; without `y` all targets are 0."""
    if isinstance(graphs, PairSet):
        if pairs is not None or y is not None:
            raise DataError("a PairSet holds its pairs and answers; leave out pairs and y")
        return graphs
    graphs = packed(graphs, classes=False)
    if pairs is None:
        raise DataError("give pairs, an array of positions [pairs, 2], or a PairSet")
    columns = np.asarray(pairs)
    if columns.ndim != 2 or columns.shape[1] != 2 or columns.dtype.kind not in "iu":
        raise DataError(
            f"pairs have shape {columns.shape} of {columns.dtype}; give [pairs, 2] positions of "
            "graphs"
        )
    answers = np.zeros(len(columns)) if y is None else np.asarray(y)
    if answers.shape != (len(columns),):
        raise DataError(f"y has shape {answers.shape} for {len(columns)} pairs; give one each")
    left, right = (torch.from_numpy(column.astype(np.int64)) for column in columns.T)
    return PairSet(graphs, left, right, torch.from_numpy(answers.astype(np.float32)))
