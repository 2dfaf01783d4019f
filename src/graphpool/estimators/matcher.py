"""`GraphMatcher`: whether two graphs match, learned from pairs, in scikit-learn style."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin

from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.splits import split_pairs
from graphpool.errors import DataError, InputError, plural
from graphpool.estimators.base import GraphEstimator, Graphs, log_probabilities, packed
from graphpool.estimators.values import as_array, as_weights
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

    Pairs are given as a `PairSet`, which scikit-learn can cut as it cuts an array, or as graphs and
    an array of positions: row `(i, j)` is the pair of graphs `i` and `j`. Which of them comes first
    makes no difference. The same pairs, settings and seed give the same model to the bit on a CPU.

    Args:
        <arguments>

    Attributes:
        classes_: `[0, 1]`: no match, match.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    classes_: NDArray[np.int64]

    def fit(self, graphs: PairSet | Graphs, y: Any = None, pairs: Any = None) -> "GraphMatcher":
        """Train on pairs.

        Pairs that choose the epoch have no graph in common with those that train.

        Args:
            graphs: a `PairSet`, or the graphs that `pairs` are of.
            y: `[pairs]`, 1 for a match and 0 for none; by default that of the `PairSet`.
            pairs: `[pairs, 2]`, positions of graphs. They may come before `y`, too.
        """
        y, pairs = _in_order(y, pairs)
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

    def predict_log_proba(self, graphs: PairSet | Graphs, pairs: Any = None) -> Array:
        """Return the logarithm of `predict_proba`, `[pairs, 2]`."""
        return log_probabilities(self.predict_proba(graphs, pairs))

    def score(
        self, graphs: PairSet | Graphs, y: Any = None, pairs: Any = None, sample_weight: Any = None
    ) -> float:
        """Return the accuracy on pairs whose answers are known, given as in `fit`."""
        y, pairs = _in_order(y, pairs)
        examples = _pairs(graphs, pairs, y)
        correct = self.predict(examples) == (examples.y.cpu().numpy() > 0.5)
        weight = None if sample_weight is None else as_weights(sample_weight, len(correct), "pair")
        return float(np.average(correct, weights=weight))

    def report(
        self, path: str | Path, graphs: PairSet | Graphs, y: Any = None, pairs: Any = None
    ) -> Path:
        """Write an HTML page about the model and these test pairs, given as in `fit`."""
        y, pairs = _in_order(y, pairs)
        return self._model.report(path, TaskData(_pairs(graphs, pairs, y)))

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False  # a `PairSet` has answers
        tags.classifier_tags.multi_class = False
        return tags

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
        if pairs is not None:
            raise DataError("a PairSet holds its pairs; leave out pairs")
        return graphs if y is None else replace(graphs, y=_answers(y, len(graphs)))
    graphs = packed(graphs, classes=False)
    if pairs is None:
        raise DataError("give pairs, an array of positions [pairs, 2], or a PairSet")
    columns = as_array("pairs", pairs)
    if columns.ndim != 2 or columns.shape[1] != 2 or columns.dtype.kind not in "iu":
        raise DataError(
            f"pairs have shape {columns.shape} of {columns.dtype}; give [pairs, 2] positions of "
            "graphs"
        )
    left, right = (torch.from_numpy(column.astype(np.int64)) for column in columns.T)
    answers = torch.zeros(len(columns)) if y is None else _answers(y, len(columns))
    return PairSet(graphs, left, right, answers)


def _answers(y: Any, pairs: int) -> torch.Tensor:
    """Return one number per pair."""
    answers = as_array("y", y)
    if answers.shape != (pairs,):
        raise InputError(
            f"y has shape {answers.shape} for {plural(pairs, 'pair')}; give one number each"
        )
    if answers.dtype.kind not in "biuf":
        raise InputError(f"y holds {answers.dtype}; give 1 for a match and 0 for none")
    return torch.from_numpy(answers.astype(np.float32))


def _in_order(y: Any, pairs: Any) -> tuple[Any, Any]:
    """Return answers and pairs, which may be given in either order: pairs have two columns."""
    return (pairs, y) if y is not None and as_array("y", y).ndim == 2 else (y, pairs)
