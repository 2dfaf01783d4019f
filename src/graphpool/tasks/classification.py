"""Classification: predict the class of a graph, by cross entropy."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.config import ModelConfig, RunConfig, TrainConfig, to_dict
from graphpool.data.catalogue import short_name
from graphpool.data.own_splits import OWN
from graphpool.data.source import Source, set_digest
from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.format import Lines, plural
from graphpool.evaluation.metrics import CLASS_METRICS, class_metrics
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.statistics import wilson
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.zoo.build import build_model
from graphpool.nn.zoo.pairs import PAIR_METHODS
from graphpool.report.data import Report
from graphpool.tasks.base import (
    Array,
    Baseline,
    Document,
    Figures,
    History,
    Store,
    Task,
    TaskData,
    TaskModel,
    held_out,
    parts_text,
)
from graphpool.tasks.classes import (
    BASELINES,
    ClassificationData,
    align_classes,
    baseline_figures,
    check_codes,
    class_array,
    class_loss,
    classes_of,
    majority_share,
    open_classes,
    open_training,
    predict_logits,
    run_split,
    same_answer,
    split_majority_share,
    weighted,
)
from graphpool.tasks.pages.classes import class_page, result_lines, score_lines
from graphpool.tasks.place_text import place_counts, plan_text
from graphpool.training.health_warnings import health_warnings
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import Step, batches, device_of, evaluating, trace
from graphpool.training.select_place_rule import check_choice, place_rules

Diagnose = Callable[[Any], Mapping[str, float]]
PROTOCOL = "holdout"


class ClassificationTask(Task):
    """Learn the classes of graphs.

    Args:
        num_classes: number of classes.
        diagnose: called with each batch's trace while evaluating; its numbers (means over the
            batch's graphs, NaN where there are none to measure) are averaged over all graphs and
            stand beside the metrics.
        classes: the name of each class; by default its code.
        class_dtype: type of the array of classes, such as `int8`; by default the natural one.
        codes: whether an estimator's `predict` returns codes, because `fit` was given those of
            the set, and not `classes`.
        node_label_names: of the training set.
    """

    name = "classification"
    question = "which class does a graph have?"
    kind = "graph classifier"
    takes = "graphs"
    use = "graphpool predict {path} FILE"
    noun = "graphs"
    columns = CLASS_METRICS

    def __init__(
        self,
        num_classes: int,
        diagnose: Diagnose | None = None,
        *,
        classes: Sequence[Any] = (),
        class_dtype: str = "",
        codes: bool = False,
        node_label_names: Sequence[Name] = (),
    ) -> None:
        self.num_classes = num_classes
        self.diagnose = diagnose
        self.classes = tuple(classes) or tuple(range(num_classes))
        self.class_dtype = class_dtype
        class_array(self.classes, class_dtype)  # a header may hold any type
        self.codes = codes
        self.node_label_names = tuple(node_label_names)

    # ------------------------------------------------------------------ learning

    def check(self, graphs: GraphSet) -> None:
        """Raise a `DataError` unless every graph has one of the classes."""
        codes = check_codes(graphs)
        if len(graphs) == 0:
            raise DataError(f"{graphs.name} has no graphs; give it at least one")
        strange = (codes < 0) | (codes >= self.num_classes)
        if strange.any():
            position = int(strange.nonzero()[0])
            raise DataError(
                f"{graphs.name}, graph {graphs.ids[position]}: class {int(codes[position])} is "
                f"not one of the model's {self.num_classes} (0 to {self.num_classes - 1})"
            )

    def step(self, model: nn.Module, batch: GraphBatch) -> Step:
        """Mean cross entropy plus auxiliary losses, and the number of correct predictions."""
        traced = trace(model, batch)
        predicted = traced.logits.detach().argmax(dim=1)
        return Step(class_loss(traced, batch, "mean"), (predicted == classes_of(batch)).sum())

    def losses(self, model: nn.Module, batch: GraphBatch) -> Tensor:
        """`[B]`, cross entropy of each graph; auxiliary losses are added to each."""
        return class_loss(trace(model, batch), batch, "none")

    def evaluate(self, model: nn.Module, graphs: GraphSet, batch_size: int) -> dict[str, float]:
        """Weighted loss, the metrics of `CLASS_METRICS` and the diagnostics, over all graphs."""
        self.check(graphs)
        graphs = graphs.to(device_of(model))
        losses, logits = [], []
        health: defaultdict[str, float] = defaultdict(float)
        measured: defaultdict[str, int] = defaultdict(int)
        with evaluating(model):
            for batch in batches(graphs, batch_size):
                traced = trace(model, batch)
                losses.append(class_loss(traced, batch, "none"))
                logits.append(traced.logits)
                if self.diagnose is not None:
                    for name, value in self.diagnose(traced).items():
                        if not math.isnan(value):  # else no graph of the batch could be measured
                            health[name] += value * batch.num_graphs
                            measured[name] += batch.num_graphs
        probability = torch.cat(logits).double().softmax(dim=1).cpu()
        return {
            "loss": float(torch.cat(losses).double().mean()),
            **class_metrics(probability, classes_of(graphs).cpu()),
            **{name: total / measured[name] for name, total in health.items()},
        }

    # ------------------------------------------------------------------ settings and network

    @classmethod
    def check_settings(cls, config: RunConfig) -> None:
        """Refuse unknown networks, those for pairs, and a choice of places that can't be made."""
        pooler = config.model.pooler
        if pooler in PAIR_METHODS:
            raise ConfigError(
                f"{pooler} is a network for pairs of graphs; train it with --task matching or "
                "--task similarity"
            )
        if pooler in BASELINES:
            raise ConfigError(
                f"{pooler} is a baseline of graphpool evaluate (--methods {pooler}) and can't be "
                "trained by itself; graphpool list names the poolers"
            )
        super().check_settings(config)
        check_choice(config.model)

    @classmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return the kernel and the majority class."""
        return BASELINES

    @classmethod
    def standard_baselines(cls) -> tuple[str, ...]:
        """Return all baselines, and the network that does not look at edges."""
        return ("structure-free", *BASELINES)

    @classmethod
    def place_rules(cls, settings: ModelConfig) -> tuple[PlaceRule, ...]:
        """Return every rule by which training with these settings finds places."""
        return place_rules(settings)

    def build(
        self, settings: ModelConfig, channels: int, mean_nodes: float, edge_channels: int = 0
    ) -> nn.Module:
        """Build the network, with one output per class."""
        return build_model(settings, channels, self.num_classes, mean_nodes, edge_channels)

    def header(self, config: RunConfig) -> Document:
        """Return the names of classes and node labels."""
        return {
            "classes": list(self.classes),
            "node_label_names": list(self.node_label_names),
            **({"class_dtype": self.class_dtype} if self.class_dtype else {}),
            **({"codes": True} if self.codes else {}),
        }

    @classmethod
    def from_header(cls, about: Document) -> "ClassificationTask":
        """Rebuild the task with its classes."""
        known = {key: about[key] for key in ("classes", "node_label_names")}
        options = {key: about[key] for key in ("class_dtype", "codes") if key in about}
        return cls(len(about["classes"]), level_health, **known, **options)

    # ------------------------------------------------------------------ examples

    @classmethod
    def open(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> ClassificationData:
        """Split a set: 80 % of the graphs train, 10 % choose the epoch, 10 % test.

        The parts have the same mix of classes: they are the first fold of ten-fold
        cross-validation with the run's seed. `config.split` names a file with another split.
        """
        graphs, seed = open_training(config.data, root), config.train.seed
        protocol = OWN if config.split else PROTOCOL
        split = (store or Store()).split(
            graphs, protocol, seed, lambda: run_split(graphs, seed, config.split)
        )
        counts = (
            f"{graphs.name}: {plural(len(graphs), 'graph')}, "
            f"{plural(len(graphs.classes), 'class', 'classes')}; "
            f"{parts_text(split.train, split.valid, split.test)}"
        )
        plan = plan_text(graphs, config)
        return ClassificationData(
            graphs[split.test],
            graphs[split.train],
            graphs[split.valid],
            Source(set_digest(graphs), split.test),
            notes=(counts, plan) if plan else (counts,),
            graphs=graphs,
            split=split,
        )

    @classmethod
    def of(cls, examples: GraphSet, **options: Any) -> "ClassificationTask":
        """Return the task with the classes of these graphs."""
        codes = check_codes(examples)
        classes = options.pop("classes", ()) or examples.classes
        classes = classes or tuple(range(int(codes.max()) + 1))
        return cls(
            len(classes),
            options.pop("diagnose", level_health),
            classes=classes,
            node_label_names=examples.node_label_names,
            **options,
        )

    @classmethod
    def of_data(cls, data: TaskData) -> "ClassificationTask":
        """Return the task with the classes of the whole set; `figures` measures the levels."""
        assert isinstance(data, ClassificationData)
        return cls.of(data.graphs, diagnose=None)

    def used(self, examples: GraphSet) -> GraphSet:
        """Return the examples, which are graphs."""
        return examples

    def map_graphs(self, change: Callable[[GraphSet], GraphSet], examples: GraphSet) -> GraphSet:
        """Return the changed examples, which are graphs."""
        return change(examples)

    def weighted(
        self, train: GraphSet, valid: GraphSet | None, settings: TrainConfig
    ) -> tuple[GraphSet, GraphSet | None]:
        """Return graphs with the weight of each: that of its class times its own."""
        return weighted(train, valid, self.classes, settings.class_weight)

    # ------------------------------------------------------------------ results

    def probabilities(self, model: TaskModel, examples: GraphSet) -> Array:
        """Return the probability of each class, `[graphs, classes]`; each row adds up to 1."""
        logits = predict_logits(model.network, model.prepare(examples), EVALUATION_BATCH)
        return np.asarray(torch.softmax(logits.double(), dim=1).numpy())

    def predict(self, model: TaskModel, examples: GraphSet) -> Array:
        """Return the name of the most probable class of each graph, `[graphs]`."""
        best = self.probabilities(model, examples).argmax(axis=1)
        return np.asarray(class_array(self.classes, self.class_dtype)[best])

    def prediction_rows(self, model: TaskModel, graphs: GraphSet) -> list[Document]:
        """Return id, class and probabilities of each graph."""
        return [
            {
                "id": name,
                "class": self.classes[row.argmax()],
                "probabilities": {
                    str(label): float(share) for label, share in zip(self.classes, row, strict=True)
                },
            }
            for name, row in zip(graphs.ids, self.probabilities(model, graphs), strict=True)
        ]

    def score(self, model: TaskModel, examples: GraphSet) -> dict[str, float]:
        """Return loss, accuracies and health of the levels, on graphs with classes."""
        aligned = align_classes(examples, self.classes)
        return self.evaluate(model.network, model.prepare(aligned), EVALUATION_BATCH)

    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return accuracies beside that of the majority class, and health of the levels."""
        assert isinstance(data, ClassificationData)
        test, count = data.test, len(data.test)
        metrics = self.score(model, test)
        correct = round(metrics["accuracy"] * count)
        return {
            "data": data.graphs.name,
            "graphs": data.sizes,
            "test": {
                **{name: metrics[name] for name in (*CLASS_METRICS, "loss")},
                "correct": correct,
                "interval": wilson(correct, count),
            },
            "majority": majority_share(test)
            if data.split is None
            else split_majority_share(data.graphs, data.split),
            "health": {name: value for name, value in metrics.items() if "/" in name},
            "places": place_counts(data.graphs, model.config.model),
            "choice": None if model.choice is None else to_dict(model.choice),
            "warnings": [*self.warnings(model, test, metrics), *health_warnings(metrics)],
        }

    def test_set(
        self, model: TaskModel, data: str, root: Path | None = None, files: Mapping[str, str] = {}
    ) -> Document:
        """Return figures of a set; for the model's own set also those of held-out graphs.

        `trained_on` counts the graphs that trained the model or chose its epoch. It is None,
        unknown, for any set but the very one the model was trained on.
        """
        graphs = open_classes(data, root)
        model.check_labels(graphs)
        metrics, unseen = self.score(model, graphs), held_out(model, graphs)
        document: Document = {
            "data": graphs.name,
            "graphs": len(graphs),
            **metrics,
            "majority": majority_share(graphs),
            "trained_on": None if unseen is None else len(graphs) - len(unseen),
            "warnings": self.warnings(model, graphs, metrics),
        }
        if unseen is None and graphs.name == short_name(model.config.data):
            document["warnings"].append(
                "the model was trained on a set of the same name; if these are graphs of it, this "
                "is no test accuracy"
            )
        if unseen:
            document["held_out"] = {"graphs": len(unseen), **self.score(model, graphs[unseen])}
        return document

    def figures(self, model: TaskModel, data: TaskData) -> Figures:
        """Return accuracies on the test graphs, and health of the levels."""
        whole = ClassificationTask(self.num_classes, level_health)
        size = max(model.config.train.batch_size, EVALUATION_BATCH)
        metrics = whole.evaluate(model.network, model.prepare(data.test), size)
        health = {name: value for name, value in metrics.items() if "/" in name}
        tested = {name: metrics[name] for name in CLASS_METRICS}
        warnings = self.warnings(model, data.test, metrics)
        return Figures({"test": tested}, health=health, warnings=warnings)

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Return accuracies of the kernel, or of the majority class."""
        assert isinstance(data, ClassificationData)
        return baseline_figures(name, data, self.num_classes, watch)

    def warnings(
        self, model: TaskModel, examples: GraphSet, metrics: Mapping[str, float]
    ) -> list[str]:
        """Warn if graphs of several classes all get the same one."""
        return same_answer(self.classes, examples, metrics, partial(self.probabilities, model))

    def result_lines(self, document: Document) -> Lines:
        """Describe accuracy beside the majority class, then the levels."""
        return result_lines(document)

    def score_lines(self, document: Document) -> Lines:
        """Describe the accuracy on a set, and on the part that the model has not seen."""
        return score_lines(document)

    def report(
        self, model: TaskModel, data: TaskData, document: Document, history: History = ()
    ) -> Report:
        """Collect accuracy, curves, a map of the test graphs, one hierarchy and its health."""
        assert isinstance(data, ClassificationData)
        test = align_classes(data.test, self.classes)
        shares = self.probabilities(model, test)
        return class_page(model, self.classes, data.graphs, test, shares, document, history)
