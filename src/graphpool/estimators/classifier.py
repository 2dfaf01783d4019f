"""`GraphClassifier`: the library in scikit-learn style, over the same training code."""

import dataclasses
import logging
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError

from graphpool.data.source import Source, set_digest
from graphpool.data.splits import stratified_folds
from graphpool.errors import ConfigError, DataError
from graphpool.estimators.arguments import ConfigEstimator
from graphpool.features.registry import AUTO
from graphpool.graphs.graphset import Graph, GraphSet
from graphpool.models.classifier import (
    TrainedModel,
    align_classes,
    load_model,
    save_model,
    train_model,
)
from graphpool.nn.coarsen.outputs import Level
from graphpool.training.loop import FitResult

logger = logging.getLogger(__name__)

Array = NDArray[Any]
Model = TypeVar("Model")
Graphs = GraphSet | Sequence[Graph]


class Fitted(Generic[Model]):
    """What has a `model_` once it is fitted or loaded."""

    model_: Model

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_")

    @property
    def _model(self) -> Model:
        if not hasattr(self, "model_"):
            name = type(self).__name__
            raise NotFittedError(f"this {name} is not fitted yet; call fit(graphs) first")
        return self.model_


class GraphClassifier(
    Fitted[TrainedModel], ClassifierMixin, ConfigEstimator, task="classification"
):
    """Hierarchical adaptive pooling, or any other pooler, as a classifier of graphs.

    Without `y` the classes are those of `GraphSet.y`, and `predict` answers in its codes
    (`class_names_` says what they mean); with `y` they are whatever `y` holds. The same graphs,
    settings and seed give the same model to the bit on a CPU.

    How many clusters a graph gets: by default as many as it has places, which differs from graph
    to graph; `cluster_count` and `resolution` control how they are found, and `max_clusters` is the
    largest number of them. `cluster_count="validation"` tries several ways and keeps the one with
    the best result on the held-out graphs (`model_.choice` lists what was tried). `clusters=(8, 1)`
    gives the number of each level instead, and `ratio=0.25` that share of the nodes.

    Args:
        <arguments>

    Attributes:
        classes_: `[classes]`, the answers of `predict`.
        class_names_: what each of them is called in the training set.
        result_: history, best epoch and warnings; None for a model that was loaded.
        model_: the `TrainedModel`, with its network and its features.
    """

    classes_: Array
    class_names_: tuple[Any, ...]
    result_: FitResult | None
    model_: TrainedModel

    def fit(self, graphs: Graphs, y: Any = None) -> "GraphClassifier":
        """Train on `graphs`; `y` is one label per graph, by default that of the set."""
        graphs = packed(graphs)
        config = self._run_config(graphs.name)
        # `graphs.y` itself says no more than no y at all, and the set knows its names.
        own = y is None or y is graphs.y
        classes: tuple[Any, ...] = ()
        source = Source(set_digest(graphs))
        if not own:
            graphs, classes = _labelled(graphs, y)
        if self.features == AUTO:
            _tell_unused(graphs)
        train, valid = self._parts(graphs)
        self.model_, self.result_ = train_model(
            train,
            valid,
            config,
            classes=classes,
            labels="codes" if own else "names",
            source=source,
            progress=self.progress,
        )
        return self._speak(self.model_)

    def predict(self, graphs: Graphs) -> Array:
        """The most probable class of each graph, `[graphs]`."""
        most = self.predict_proba(graphs).argmax(axis=1)
        return np.asarray(self.classes_[most])

    def predict_proba(self, graphs: Graphs) -> Array:
        """Probability of each class in `classes_`, `[graphs, classes]`."""
        return self._model.probabilities(packed(graphs))

    def transform(self, graphs: Graphs) -> Array:
        """Graph vectors, `[graphs, channels]`."""
        return self._model.embed(packed(graphs))

    def score(self, graphs: Graphs, y: Any = None, sample_weight: Any = None) -> float:
        """Accuracy; without `y`, against the classes of the set, matched by name."""
        model, graphs = self._model, packed(graphs)
        if y is None:
            if graphs.y is None:
                raise DataError(f"{graphs.name} has no classes to compare with; give y")
            y = self.classes_[align_classes(graphs, model.classes).y.cpu().numpy()]  # type: ignore[union-attr]
        right = self.predict(graphs) == _labels(y, graphs)
        return float(np.average(right, weights=sample_weight))

    def levels(self, graphs: Graphs) -> tuple[Level, ...]:
        """Features, adjacency and assignment (or kept nodes) of every level, as one batch."""
        return self._model.levels(packed(graphs))

    def save(self, path: str | Path) -> Path:
        """Write the fitted model as one file, which `load` and `graphpool predict` read."""
        return save_model(self._model, path)

    @classmethod
    def load(cls, path: str | Path, device: str = "cpu") -> "GraphClassifier":
        """Read a model that was saved, or the best one of a run folder of `graphpool train`."""
        model = load_model(path, device)
        made = cls._with_config(model.config, device)
        made.model_, made.result_ = model, None
        return made._speak(model)

    # ------------------------------------------------------------------ inside

    def _speak(self, model: TrainedModel) -> "GraphClassifier":
        names = np.asarray(model.classes)
        self.classes_ = names if model.labels == "names" else np.arange(len(names))
        self.class_names_ = model.classes
        return self

    def _parts(self, graphs: GraphSet) -> tuple[GraphSet, GraphSet | None]:
        """Graphs to learn from, and a stratified part that chooses the epoch."""
        if not 0 <= self.validation < 1:
            raise ConfigError(f"validation is {self.validation}; it must lie in [0, 1)")
        if not self.validation:
            return graphs, None
        if graphs.y is None:
            raise DataError(f"{graphs.name} has no classes; give y")
        if len(graphs) < 2:
            raise DataError(f"{graphs.name}: 1 graph is too few to hold one out; set validation=0")
        share = Fraction(self.validation).limit_denominator(20)
        folds = share.denominator
        if folds == 1:  # nearer to none or all of the graphs than any twentieth
            folds = math.ceil(1 / min(self.validation, 1 - self.validation))
        folds = min(len(graphs), folds)
        parts = stratified_folds(graphs.y.cpu(), folds, self.seed)
        wanted = min(folds - 1, max(1, round(self.validation * folds)))
        # Graphs are dealt out class by class, so parts far from each other are mixed best.
        chosen = {number * folds // wanted for number in range(wanted)}
        valid = np.zeros(len(graphs), dtype=np.bool_)
        valid[np.concatenate([parts[number] for number in chosen])] = True
        return graphs[np.flatnonzero(~valid)], graphs[np.flatnonzero(valid)]


def packed(graphs: Graphs) -> GraphSet:
    """A set as it is; graphs of one set, as scikit-learn's splitters hand them over, packed."""
    if isinstance(graphs, GraphSet):
        return graphs
    if not (isinstance(graphs, Sequence) and graphs and isinstance(graphs[0], Graph)):
        raise DataError(
            f"graphs must be a GraphSet, not {type(graphs).__name__}; "
            "graphpool.read, from_networkx and from_pyg make one"
        )
    first = graphs[0]
    names = ("classes", "node_label_names", "edge_label_names")
    vocabulary = {name: getattr(first, name) for name in names}
    if any(getattr(graph, name) != vocabulary[name] for graph in graphs for name in names):
        raise DataError("a list of graphs must come from one set; concatenate the sets instead")

    def joined(name: str) -> Any:
        parts = [getattr(graph, name) for graph in graphs]
        return None if parts[0] is None else torch.cat(parts)

    rows = [graph.graph_attr for graph in graphs if graph.graph_attr is not None]
    known = [graph.y for graph in graphs if graph.y is not None]
    return GraphSet.build(
        "graphs",
        torch.tensor([graph.num_nodes for graph in graphs]),
        torch.tensor([graph.edge_index.shape[1] for graph in graphs]),
        torch.cat([graph.edge_index for graph in graphs], dim=1),
        ids=[graph.id for graph in graphs],
        graph_attr=torch.stack(rows) if rows else None,
        y=torch.tensor(known) if known else None,
        **{
            name: joined(name)
            for name in ("edge_weight", "edge_label", "edge_attr", "node_label", "node_attr", "x")
        },
        **vocabulary,
    )


def _labels(y: Any, graphs: GraphSet) -> Array:
    """One label per graph as an array."""
    values = np.asarray(y.cpu() if isinstance(y, torch.Tensor) else y)
    if values.shape != (len(graphs),):
        raise DataError(f"y has shape {values.shape} for {len(graphs)} graphs; give one each")
    return values


def _labelled(graphs: GraphSet, y: Any) -> tuple[GraphSet, tuple[Any, ...]]:
    """The graphs with the codes of `y`, and what they mean."""
    try:
        classes, codes = np.unique(_labels(y, graphs), return_inverse=True)
    except TypeError:
        raise DataError("y mixes words and numbers; give labels of one kind") from None
    if classes.dtype.kind not in "biufUO" or not all(
        isinstance(name, (bool, int, float, str)) for name in classes.tolist()
    ):
        raise DataError(f"y holds {classes.dtype}; give words or numbers")
    coded = dataclasses.replace(graphs, y=torch.from_numpy(codes).to(graphs.device), classes=())
    return coded, tuple(classes.tolist())


def _tell_unused(graphs: GraphSet) -> None:
    """Features of the user's own are not dropped without a word."""
    x = graphs.x
    if x is not None and not bool(((x == 0) | (x == 1)).all() and (x.sum(1) <= 1).all()):
        logger.warning(
            "%s: features='auto' makes node features of its own and does not use the x that the "
            "graphs have; say features='given' to use it",
            graphs.name,
        )
