"""A trained model of any task: trained, used, scored, saved, loaded, and described on a page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from torch import nn

from graphpool.config import RunConfig, resolve, to_dict
from graphpool.data.molecules.published import published_metric
from graphpool.data.source import Source, read_source, source_values
from graphpool.errors import CheckpointError, ConfigError, TrainingWarning, check_whole, warn
from graphpool.evaluation.prediction import Stopwatch
from graphpool.features.labels import Labels
from graphpool.features.pipeline import FeaturePipeline, has_edge_features
from graphpool.files import check_free
from graphpool.graphs.graphset import GraphSet
from graphpool.models import file as model_file
from graphpool.models.build import build_network
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo.build import edges_unused, uses_places
from graphpool.report.page import write
from graphpool.shapes import fit as fit_shape
from graphpool.tasks import TASKS, Task, TaskData, find_task
from graphpool.tasks.pairwise import PairComparison, compare_two, pair_distances, set_distances
from graphpool.training.checkpoint import load_model_weights, versions, write_checkpoint
from graphpool.training.device import find_device
from graphpool.training.loop import EVALUATION_BATCH, FitResult, fit
from graphpool.training.objective import device_of, evaluate_batches, evaluating
from graphpool.training.select_place_rule import (
    VALIDATION,
    PlaceChoice,
    choice_from,
    select_place_rule,
    selects,
)

Array = NDArray[Any]
Positions = NDArray[np.int64]
_OTHER = {"graphs": "pairs of graphs, not single ones", "pairs": "single graphs, not pairs of them"}


@dataclass(frozen=True, eq=False)
class TrainedModel:
    """A trained network with what it needs to read graphs and to name its predictions.

    Examples are what the task learns from: a `GraphSet` with classes for classification, a
    `PairSet` for matching, a `TripletSet` for similarity.

    Args:
        network: in eval mode.
        config: settings; those that were left open, such as `model.encoder = "auto"` and
            `model.cluster_count = "validation"`, as they were resolved.
        features: fitted on the training graphs.
        task: with what it knows of the training examples, such as the names of classes.
        mean_nodes: mean number of nodes of a training graph.
        best: the selected epoch and its validation metrics.
        versions: of the software that trained it.
        source: where the training graphs come from, if that is known.
        choice: how the number of places was chosen, if validation graphs chose it.
        result: history of the training; None for a model that was loaded.
        graphs: graphs that a file of the model holds, too: those that a comparer looks among.
    """

    network: nn.Module
    config: RunConfig
    features: FeaturePipeline
    task: Any
    mean_nodes: float = 0.0
    best: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)
    source: Source | None = None
    choice: PlaceChoice | None = None
    result: FitResult | None = None
    graphs: GraphSet | None = None

    # ------------------------------------------------------------------ training

    @classmethod
    def fit(
        cls,
        train: Any,
        valid: Any,
        config: RunConfig,
        *,
        task: Task | None = None,
        source: Source | None = None,
        folder: Path | None = None,
        resume: bool = False,
        progress: bool = False,
        watch: Stopwatch | None = None,
    ) -> "TrainedModel":
        """Fit features on the training graphs, build the network and train it.

        Settings that are left open are resolved for the training graphs first.
        `model.cluster_count = "validation"` and `model.units = "validation"` first choose the
        places on validation graphs.

        The same examples and settings give the same model to the bit on a CPU, in any thread and
        beside any other fit. Random numbers come from generators of this call; the global ones of
        Python, NumPy and torch are neither used nor changed.

        Args:
            train: examples to learn from.
            valid: examples that choose the epoch; None keeps the last one.
            config: settings; `config.task` names the task.
            task: by default the task that the training examples pose.
            source: where the graphs come from.
            folder, resume, progress: of `graphpool.training.loop.fit`.
            watch: counts the seconds of the parts `features`, `choose`, `build` and `train`.
        """
        watch = Stopwatch() if watch is None else watch
        task = find_task(config.task).of(train) if task is None else task
        task = task.configured(config)
        with watch.part("features"):
            used = task.used(train)
            metric, count = published_metric(used.notes), task.single_graphs(used)
            config = resolve(config, has_edge_features(used), metric, count)
            asked = config.model.units in ("recurring", VALIDATION)
            recurring = asked and uses_places(config.model.pooler)
            features = FeaturePipeline(config.features, edges_unused(config.model), recurring)
            features.fit(used)
            if features.parts is not None:
                used = features.with_places(used)
                config = replace(config, model=replace(config.model, parts=features.parts.digest))
            learned = task.map_graphs(features.transform, train)
            held = None if valid is None else task.map_graphs(features.transform, valid)
            learned, held = task.weighted(learned, held, config.train)
        mean_nodes = float(used.node_counts.double().mean())
        build = partial(build_network, task, features=features, mean_nodes=mean_nodes, graphs=used)
        choice = None
        if selects(config.model):
            with watch.part("choose"):
                choice = select_place_rule(
                    config.model, config.train, task, learned, held, build,
                    folder=folder, resume=resume, progress=progress,
                )  # fmt: skip
            config = replace(config, model=choice.applied(config.model))
            if not config.model.parts:
                features.parts = None
        with watch.part("build"), seeded_weights(config.train.seed):
            network = build(config.model)
        model = cls(network, config, features, task, mean_nodes, source=source, choice=choice)
        with watch.part("train"):
            result = fit(
                network, task, learned, held, config.train,
                folder=folder, resume=resume, progress=progress, extra=model.header(),
            )  # fmt: skip
        task = task if held is None else task.calibrated(network, held)
        best = {"epoch": result.best_epoch, "metrics": result.best_metrics}
        model = replace(model, best=best, task=task)
        if folder is not None:
            model_file.update_header(folder, model.header())
        more = task.warnings(model, train if valid is None else valid, result.best_metrics)
        for warning in more:
            warn(warning, TrainingWarning)
        return replace(model, result=replace(result, warnings=(*more, *result.warnings)))

    # ------------------------------------------------------------------ any task

    def prepare(self, graphs: GraphSet) -> GraphSet:
        """Return the graphs with the network's features, on its device."""
        return self.features.transform(graphs).to(device_of(self.network))

    def check_labels(self, graphs: GraphSet) -> None:
        """Refuse graphs none of whose labels, of nodes or of edges, the features know."""
        for feature in self.features.features or ():
            if isinstance(feature, Labels):
                feature.check_known(graphs)

    def unknown_labels(self, graphs: GraphSet) -> int:
        """Return the number of nodes whose label the features don't know."""
        unknown = 0
        for feature in self.features.of("node"):
            if isinstance(feature, Labels):
                feature.transform(graphs)
                unknown += feature.unknown
        return unknown

    def predict(self, examples: Any) -> Array:
        """Return the prediction for each example.

        That is the name of a class (classification), whether a pair matches (matching), or by how
        much farther the first graph of a triplet is than the second (similarity). Graphs none of
        whose node labels the model knows are refused, here and wherever it answers.
        """
        self.check_labels(self.task.used(examples))
        return np.asarray(self.task.predict(self, examples))

    def probabilities(self, examples: Any) -> Array:
        """Return probabilities: `[graphs, classes]`, or `[pairs]` of a match."""
        self.check_labels(self.task.used(examples))
        return np.asarray(self.task.probabilities(self, examples))

    def score(self, examples: Any) -> dict[str, float]:
        """Return the task's metrics on examples with targets."""
        metrics: dict[str, float] = self.task.score(self, examples)
        return metrics

    def test(self, data: TaskData) -> dict[str, Any]:
        """Return the result on test examples beside baselines, and how the model was trained.

        It is what `graphpool train` writes as `result.json`.
        """
        return {**self.task.test(self, data), "features": self.features.about(), **self._training()}

    def test_set(
        self, data: str, root: Path | None = None, files: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the result on a whole set, by its name or path, as `evaluate --model` does.

        Args:
            root: folder of data files.
            files: of pairs (matching) or distances (similarity), by the name of the setting.
        """
        files = {name: path for name, path in (files or {}).items() if path}
        for name in files:
            if name not in self.task.files:
                raise ConfigError(f"a model for {self.task.name} takes no --{name}; leave it out")
        document: dict[str, Any] = self.task.test_set(self, data, root, files)
        return {**document, "features": self.features.about()}

    def report(
        self,
        path: str | Path,
        data: TaskData,
        document: dict[str, Any] | None = None,
        history: Sequence[Mapping[str, Any]] | None = None,
    ) -> Path:
        """Write an HTML page about the model and its test examples.

        Args:
            data: test examples, such as those that `graphpool.tasks.TASKS[name].open` returns.
            document: the result of `test`, if it is known already.
            history: rows of the training's epochs; by default those of `result`.
        """
        if history is None:
            history = () if self.result is None else self.result.history
        document = self.test(data) if document is None else document
        return write(self.task.report(self, data, document, history), path)

    # ------------------------------------------------------------------ single graphs

    def prediction_rows(self, graphs: GraphSet) -> list[dict[str, Any]]:
        """Return a row for each graph, as `graphpool predict` prints them: id and prediction.

        The row of a molecule also has its SMILES.
        """
        self._asked_about("graphs")
        self.check_labels(graphs)
        rows: list[dict[str, Any]] = self.task.prediction_rows(self, graphs)
        if (smiles := graphs.columns.get("smiles")) is None:
            return rows
        return [
            {"id": row["id"], "smiles": text, **row} for text, row in zip(smiles, rows, strict=True)
        ]

    def embed(self, graphs: GraphSet) -> Array:
        """Return graph vectors, `[graphs, channels]`."""
        self._asked_about("graphs")
        self.check_labels(graphs)
        network: Any = self.network
        vectors = evaluate_batches(
            network, self.prepare(graphs), EVALUATION_BATCH, network.embed, "graphs to embed"
        )
        return np.asarray(vectors.numpy())

    def levels(self, graphs: GraphSet) -> tuple[PoolOutput, ...]:
        """Return every level of all graphs, as one batch; none for a network without levels."""
        self._asked_about("graphs")
        network: Any = self.network
        with evaluating(self.network):
            levels: tuple[PoolOutput, ...] = network.levels(self.prepare(graphs).batch())
        return levels

    # ------------------------------------------------------------------ two graphs

    def compare(self, one: GraphSet, other: GraphSet) -> PairComparison:
        """Compare two graphs, each a set of its own; which comes first makes no difference."""
        self._asked_about("pairs")
        return compare_two(self, one, other)

    def distances(
        self, graphs: GraphSet, queries: Positions, candidates: Positions
    ) -> NDArray[np.float64]:
        """Return `[queries, candidates]` distances between graphs of one set."""
        self._asked_about("pairs")
        self.check_labels(graphs)
        return pair_distances(self, graphs, queries, candidates)

    def between(self, graphs: GraphSet, others: GraphSet) -> NDArray[np.float64]:
        """Return `[graphs, others]` distances between the graphs of two sets."""
        self._asked_about("pairs")
        for side in (graphs, others):
            self.check_labels(side)
        return set_distances(self, graphs, others)

    def kneighbors(
        self, graphs: GraphSet, others: GraphSet, k: int = 10
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return distances and positions of the k nearest of `others`, `[graphs, k]` each."""
        distances = self.between(graphs, others)
        check_whole("k", k, 1, len(others))
        order = np.argsort(distances, axis=1, kind="stable")[:, :k]
        return np.take_along_axis(distances, order, axis=1), order

    # ------------------------------------------------------------------ files

    def header(self) -> dict[str, Any]:
        """Return what a file says of the model beside weights and training settings, as JSON."""
        return {
            "kind": self.task.kind,
            "data": self.config.data,
            "model": to_dict(self.config.model),
            "features": self.features.state(),
            "mean_nodes": self.mean_nodes,
            **self.task.header(self.config),
            **source_values(self.source),
            **({} if self.choice is None else {"choice": to_dict(self.choice)}),
        }

    def save(self, path: str | Path, overwrite: bool = False) -> Path:
        """Write the model as one file, atomically; replace another only if `overwrite` says so."""
        path = check_free(path, overwrite, "overwrite=True")
        weights = {f"weights/{name}": value for name, value in self.network.state_dict().items()}
        weights |= model_file.pack_graphs(self.graphs)
        header = {
            "versions": self.versions,
            "config": to_dict(self.config.train),
            "extra": self.header(),
            "best": self.best,
        }
        write_checkpoint(path, weights, header)
        return path

    @classmethod
    def load(
        cls,
        path: str | Path,
        device: str = "cpu",
        *,
        tasks: Sequence[str] | None = None,
        takes: str | None = None,
    ) -> "TrainedModel":
        """Read a model file, or the best model of a run folder.

        Args:
            tasks: refuse models of other tasks.
            takes: refuse models that are not asked about single `graphs`, or about `pairs`.
        """
        if takes is not None:
            tasks = [name for name, task in TASKS.items() if task.takes == takes]
        checkpoint, about = model_file.open_model(path, tasks)
        with model_file.reading(checkpoint):
            kind = model_file.task_of(about)
            config = model_file.read_config(kind, checkpoint)
            task = kind.from_header(about)
            features = model_file.read_features(config.model, about)
            mean_nodes = fit_shape(float, about["mean_nodes"], "mean_nodes", CheckpointError)
            build = partial(build_network, task, config.model, features, mean_nodes)
            with seeded_weights(0):  # any weights will do
                with model_file.bounded_build(checkpoint, len(config.model.clusters)):
                    build()
                network = build()
            model = cls(
                network=network.eval(),
                config=config,
                features=features,
                task=task,
                mean_nodes=mean_nodes,
                best=checkpoint.header.get("best", {}),
                versions=checkpoint.header["versions"],
                source=read_source(about),
                choice=choice_from(about["choice"]) if "choice" in about else None,
                graphs=model_file.unpack_graphs(checkpoint),
            )
        load_model_weights(network, checkpoint)
        network.to(find_device(device))
        return model

    # ------------------------------------------------------------------ inside

    def _training(self) -> dict[str, Any]:
        """Selected epoch, duration of the training, settings and versions."""
        result = self.result
        if result is None:
            trained = {"valid": self.best.get("metrics", {}), "best_epoch": self.best.get("epoch")}
        else:
            trained = {
                "valid": result.best_metrics,
                "best_epoch": result.best_epoch,
                "epochs": len(result.history),
                "stopped": result.stopped,
                "seconds": sum(row["seconds"] for row in result.history),
            }
        return {**trained, "config": to_dict(self.config), "versions": self.versions}

    def _asked_about(self, what: str) -> None:
        if self.task.takes != what:
            raise ConfigError(f"this is a {self.task.kind}, which is asked about {_OTHER[what]}")
