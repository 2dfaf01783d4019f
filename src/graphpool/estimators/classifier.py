"""`GraphClassifier`: classes of graphs, in scikit-learn style."""

import dataclasses
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import column_or_1d

from graphpool.data.splits import strata_of
from graphpool.errors import DataError, InputError, brief, plural, warn
from graphpool.estimators.base import GraphEstimator, Graphs, log_probabilities, packed
from graphpool.estimators.parts import held_out_part, validation_parts, weighted_graphs
from graphpool.estimators.values import as_array, as_weights
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.tasks.classes import (
    align_classes,
    check_targets,
    class_array,
)
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.graph_task import SplitData

Array = NDArray[Any]


class GraphClassifier(
    ClassNamePrefixFeaturesOutMixin,
    ClassifierMixin,
    TransformerMixin,
    GraphEstimator,
    task="classification",
):
    """Hierarchical adaptive pooling, or any other pooler, as a classifier of graphs.

    `predict` returns what `y` holds, in its type; without `y` the classes of the set by name, such
    as -1 and 1, or "safe" and "toxic" (`GraphSet.class_labels` holds those of its graphs). The same
    graphs, settings and seed give the same model to the bit on a CPU.

    How many clusters a graph gets: by default as many as it has places, which differs from graph
    to graph; `cluster_count` and `resolution` control how they are found, and `max_clusters` is the
    largest number of them. `cluster_count="validation"` tries several ways and keeps the one with
    the best result on the held-out graphs (`model_.choice` lists what was tried). `clusters=(8, 1)`
    gives the number of each level instead, and `ratio=0.25` that share of the nodes.

    Args:
        <arguments>

    Attributes:
        classes_: `[classes]`, the values that `predict` returns.
        class_names_: name of each of them in the training set.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    classes_: Array
    class_names_: tuple[Any, ...]

    def fit(
        self,
        graphs: Graphs,
        y: Any = None,
        sample_weight: Any = None,
        *,
        validation_data: Any = None,
    ) -> "GraphClassifier":
        """Train on graphs with classes.

        Args:
            graphs: to learn from.
            y: one label per graph, by default those of the set.
            sample_weight: one number per graph, how much it counts in the loss; a graph of weight 0
                is left out. It is multiplied by the weight of the graph's class.
            validation_data: graphs that choose the epoch, as a set with classes, `(graphs, y)` or
                `(graphs, y, sample_weight)`; by default the share `validation` of `graphs`.
        """
        graphs = packed(graphs, classes=y is None)
        config = self._run_config(graphs.name)
        # `graphs.y` are codes; the set knows their names.
        own = y is None or y is graphs.y
        coded, classes, dtype = (graphs, (), "") if own else _labelled(graphs, y)
        coded, codes = weighted_graphs(coded, sample_weight), own and y is not None
        task = ClassificationTask.of(coded, classes=classes, class_dtype=dtype, codes=codes)
        if validation_data is None:
            train, valid = self._parts(coded)
        else:
            train, valid = coded, _validation_set(validation_data, task)
        return self._fit(graphs, train, valid, config, task=task)

    def fit_transform(self, graphs: Graphs, y: Any = None, **fit_params: Any) -> Array:
        """Train on `graphs`, as `fit` does, and return their vectors, `[graphs, channels]`."""
        # Neither `transform` is to be wrapped twice by `set_output`.
        return self.fit(graphs, y, **fit_params)._model.embed(packed(graphs, classes=False))

    def predict(self, graphs: Graphs) -> Array:
        """Return the most probable class of each graph, `[graphs]`."""
        best = self.predict_proba(graphs).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, graphs: Graphs) -> Array:
        """Return the probability of each class in `classes_`, `[graphs, classes]`."""
        return self._model.probabilities(packed(graphs, classes=False))

    def predict_log_proba(self, graphs: Graphs) -> Array:
        """Return the logarithm of `predict_proba`, `[graphs, classes]`."""
        return log_probabilities(self.predict_proba(graphs))

    def transform(self, graphs: Graphs) -> Array:
        """Return graph vectors, `[graphs, channels]`."""
        return self._model.embed(packed(graphs, classes=False))

    def score(self, graphs: Graphs, y: Any = None, sample_weight: Any = None) -> float:
        """Return the accuracy; without `y`, against the classes of the set, matched by name.

        `model_.score(graphs)` has all metrics: ROC-AUC, average precision, MCC and others.
        """
        model, graphs = self._model, packed(graphs, classes=y is None)
        if y is None or y is graphs.y:
            if graphs.y is None:
                raise DataError(f"{graphs.name} has no classes to compare with; give y")
            aligned = align_classes(graphs, model.task.classes)
            assert aligned.y is not None
            y = self.classes_[aligned.y.cpu().numpy()]
        actual = _labels(y, graphs)
        _warn_unknown(actual, self.classes_)
        correct = self.predict(graphs) == actual
        weight = None if sample_weight is None else as_weights(sample_weight, len(graphs), "graph")
        return float(np.average(correct, weights=weight))

    def levels(self, graphs: Graphs) -> tuple[PoolOutput, ...]:
        """Return every level of all graphs as one batch: features, adjacency, assignment."""
        graphs = packed(graphs, classes=False)
        self._model.check_labels(graphs)
        return self._model.levels(graphs)

    def report(self, path: str | Path, graphs: Graphs, y: Any = None) -> Path:
        """Write an HTML page about the model and these test graphs.

        Args:
            graphs: which the model has not seen.
            y: their labels, as in `fit`; by default those of the set.
        """
        model, graphs = self._model, packed(graphs, classes=y is None)
        if y is not None and y is not graphs.y:
            graphs = _coded(graphs, y, self.classes_)
        elif graphs.y is None:
            raise DataError(f"{graphs.name} has no classes to compare with; give y")
        return model.report(path, SplitData(graphs, graphs=graphs))

    # ------------------------------------------------------------------ inside

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False  # a set has classes
        tags.transformer_tags.preserves_dtype = []  # graphs have none
        return tags

    @property
    def _n_features_out(self) -> int:
        network: Any = self._model.network
        return int(network.embedding_channels)

    def _take(self, model: TrainedModel) -> "GraphClassifier":
        self.classes_ = _answers(model.task)
        self.class_names_ = model.task.classes
        return super()._take(model)

    def _parts(self, graphs: GraphSet) -> tuple[GraphSet, GraphSet | None]:
        """Graphs to learn from, and a stratified part that chooses the epoch."""
        if not self._validation_share():
            return graphs, None
        if graphs.y is None:
            raise DataError(f"{graphs.name} has no classes; give y")
        valid = held_out_part(graphs.name, strata_of(graphs), self.validation, self.seed)
        return graphs[np.flatnonzero(~valid)], graphs[np.flatnonzero(valid)]


def _labels(y: Any, graphs: GraphSet) -> Array:
    """One label per graph as an array."""
    values = as_array("y", y)
    if values.shape == (len(graphs), 1):
        values = column_or_1d(values, warn=True)
    if values.shape != (len(graphs),):
        raise InputError(
            f"y has shape {values.shape} for {plural(len(graphs), 'graph')}; give one each"
        )
    check_targets(values)
    return values


def _answers(task: ClassificationTask) -> Array:
    """What `predict` returns for each class, `[classes]`."""
    if task.codes:
        return np.arange(len(task.classes))
    return class_array(task.classes, task.class_dtype)


def _validation_set(given: Any, task: ClassificationTask) -> GraphSet:
    """Graphs of the user's own that choose the epoch, with the codes of the training classes."""
    graphs, y, weight = validation_parts(given, "classes")
    if y is None or y is graphs.y:
        if graphs.y is None:
            raise DataError("the graphs of validation_data have no classes; give (graphs, y)")
        coded = align_classes(graphs, task.classes)
    else:
        coded = _coded(graphs, y, _answers(task))
    return weighted_graphs(coded, weight)


def _labelled(graphs: GraphSet, y: Any) -> tuple[GraphSet, tuple[Any, ...], str]:
    """The graphs with the codes of `y`, what they mean, and the type of `y` if it is unusual."""
    try:
        classes, codes = np.unique(_labels(y, graphs), return_inverse=True)
    except TypeError:
        raise DataError("y mixes words and numbers; give labels of one kind") from None
    if classes.dtype.kind not in "biufUO" or not all(
        isinstance(name, (bool, int, float, str)) for name in classes.tolist()
    ):
        raise DataError(f"y holds {classes.dtype}; give words or numbers")
    coded = dataclasses.replace(graphs, y=torch.from_numpy(codes).to(graphs.device), classes=())
    names = tuple(classes.tolist())
    usual = classes.dtype.kind == "U" or class_array(names).dtype == classes.dtype
    return coded, names, "" if usual else classes.dtype.str


def _warn_unknown(y: Array, classes: Array) -> None:
    """Warn of labels that the model can't predict, such as codes where it predicts names."""
    known = set(classes.tolist())
    if strange := [name for name in dict.fromkeys(y.tolist()) if name not in known]:
        shown = ", ".join(map(repr, classes[:5].tolist())) + (", …" if len(classes) > 5 else "")
        warn(
            f"y holds {brief(strange[0])}, and the model predicts {shown}: that counts as wrong; "
            "GraphSet.class_labels holds the classes of graphs as they are predicted"
        )


def _coded(graphs: GraphSet, y: Any, classes: Array) -> GraphSet:
    """Return the graphs with `y` counted in `classes`."""
    values = _labels(y, graphs)
    code_of = {name: code for code, name in enumerate(classes.tolist())}
    if strange := [name for name in values.tolist() if name not in code_of]:
        raise DataError(f"y holds {brief(strange[0])}, which is none of the classes of the model")
    codes = torch.tensor([code_of[name] for name in values.tolist()], device=graphs.device)
    return dataclasses.replace(graphs, y=codes, classes=())
