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
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError

from graphpool.config import ModelConfig, RunConfig, TrainConfig, from_dict
from graphpool.data.source import Source, set_digest
from graphpool.data.splits import stratified_folds
from graphpool.errors import ConfigError, DataError
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
_COMPARING = ("distance", "score")
_MODEL = tuple(item.name for item in dataclasses.fields(ModelConfig) if item.name not in _COMPARING)
_TRAIN = tuple(
    item.name
    for item in dataclasses.fields(TrainConfig)
    if item.name not in ("checkpoint_seconds", "tensorboard")
)


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


class GraphClassifier(Fitted[TrainedModel], ClassifierMixin, BaseEstimator):
    """Hierarchical adaptive pooling, or any other pooler, as a classifier of graphs.

    Without `y` the classes are those of `GraphSet.y`, and `predict` answers in its codes
    (`class_names_` says what they mean); with `y` they are whatever `y` holds. The same graphs,
    settings and seed give the same model to the bit on a CPU.

    How many clusters a graph gets: by default as many as it has places, which differs from graph
    to graph; `count` and `resolution` say how they are found, and `most` how many there can be.
    `count="validation"` tries several ways and keeps what the held-out graphs like best
    (`model_.choice` says what was tried). `clusters=(8, 1)` gives the number of each level instead,
    and `ratio=0.25` that share of the nodes.

    Args:
        pooler, encoder, hidden_channels, layers, heads, clusters, ratio, dropout, norm, jump,
            readout, assignment, relaxation, connect, count, resolution, most, profile, cut,
            balance, orthogonality: of `graphpool.config.ModelConfig`.
        features: node features, fitted on the training graphs; see `graphpool list`.
        epochs, batch_size, learning_rate, weight_decay, schedule, plateau_epochs,
            plateau_factor, patience, clip, seed, device, threads: of
            `graphpool.config.TrainConfig`.
        validation: share of the graphs given to `fit` that choose the epoch, and what
            `count="validation"` leaves open, and are not learnt from; 0 learns from all of them
            and keeps the last epoch.
        progress: show a bar if stderr is a terminal.

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

    def __init__(
        self,
        pooler: str = ModelConfig.pooler,
        *,
        encoder: str = ModelConfig.encoder,
        hidden_channels: int = ModelConfig.hidden_channels,
        layers: int = ModelConfig.layers,
        heads: int = ModelConfig.heads,
        clusters: Sequence[int] = ModelConfig.clusters,
        ratio: float = ModelConfig.ratio,
        dropout: float = ModelConfig.dropout,
        norm: str = ModelConfig.norm,
        jump: bool = ModelConfig.jump,
        readout: Sequence[str] = ModelConfig.readout,
        assignment: str = ModelConfig.assignment,
        relaxation: str = ModelConfig.relaxation,
        connect: str = ModelConfig.connect,
        count: str = ModelConfig.count,
        resolution: float = ModelConfig.resolution,
        most: int = ModelConfig.most,
        profile: bool = ModelConfig.profile,
        cut: float = ModelConfig.cut,
        balance: float = ModelConfig.balance,
        orthogonality: float = ModelConfig.orthogonality,
        features: str = RunConfig.features,
        epochs: int = TrainConfig.epochs,
        batch_size: int = TrainConfig.batch_size,
        learning_rate: float = TrainConfig.learning_rate,
        weight_decay: float = TrainConfig.weight_decay,
        schedule: str = TrainConfig.schedule,
        plateau_epochs: int = TrainConfig.plateau_epochs,
        plateau_factor: float = TrainConfig.plateau_factor,
        patience: int = TrainConfig.patience,
        clip: float = TrainConfig.clip,
        seed: int = TrainConfig.seed,
        device: str = TrainConfig.device,
        threads: int = TrainConfig.threads,
        validation: float = 0.1,
        progress: bool = False,
    ) -> None:
        self.pooler = pooler
        self.encoder = encoder
        self.hidden_channels = hidden_channels
        self.layers = layers
        self.heads = heads
        self.clusters = clusters
        self.ratio = ratio
        self.dropout = dropout
        self.norm = norm
        self.jump = jump
        self.readout = readout
        self.assignment = assignment
        self.relaxation = relaxation
        self.connect = connect
        self.count = count
        self.resolution = resolution
        self.most = most
        self.profile = profile
        self.cut = cut
        self.balance = balance
        self.orthogonality = orthogonality
        self.features = features
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.schedule = schedule
        self.plateau_epochs = plateau_epochs
        self.plateau_factor = plateau_factor
        self.patience = patience
        self.clip = clip
        self.seed = seed
        self.device = device
        self.threads = threads
        self.validation = validation
        self.progress = progress

    def fit(self, graphs: Graphs, y: Any = None) -> "GraphClassifier":
        """Train on `graphs`; `y` is one label per graph, by default that of the set."""
        graphs = packed(graphs)
        config = self._config(graphs.name)
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
        model_settings, train_settings = model.config.model, model.config.train
        made = cls(
            **{name: getattr(model_settings, name) for name in _MODEL},
            **{name: getattr(train_settings, name) for name in _TRAIN if name != "device"},
            features=model.config.features,
            device=device,
        )
        made.model_, made.result_ = model, None
        return made._speak(model)

    # ------------------------------------------------------------------ inside

    def _speak(self, model: TrainedModel) -> "GraphClassifier":
        names = np.asarray(model.classes)
        self.classes_ = names if model.labels == "names" else np.arange(len(names))
        self.class_names_ = model.classes
        return self

    def _config(self, data: str) -> RunConfig:
        """The settings, checked as those of a file are."""
        values = {name: getattr(self, name) for name in _MODEL}
        # A list of counts, or a NumPy number out of a parameter search, is as good.
        model = from_dict(ModelConfig, plain(values), "GraphClassifier")
        values = {name: getattr(self, name) for name in _TRAIN}
        train = from_dict(TrainConfig, plain(values), "GraphClassifier")
        return RunConfig(data=data, features=self.features, model=model, train=train)

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


def plain(values: dict[str, Any]) -> dict[str, Any]:
    """Settings without NumPy's numbers, which searches over parameters hand over."""
    return {
        name: value.item() if isinstance(value, np.generic) else value
        for name, value in values.items()
    }


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
