"""Classification: predict the class of a graph, by cross entropy."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.config import ModelConfig, RunConfig, TrainConfig, to_dict
from graphpool.errors import DataError
from graphpool.evaluation.format import Lines, plural
from graphpool.evaluation.metrics import CLASS_METRICS, class_metrics
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.statistics import wilson
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.zoo.build import build_model
from graphpool.report.data import Report
from graphpool.tasks.base import (
    Array,
    Baseline,
    Document,
    Figures,
    History,
    TaskData,
    TaskModel,
)
from graphpool.tasks.classes import (
    BASELINES,
    align_classes,
    baseline_figures,
    check_codes,
    class_array,
    class_loss,
    classes_of,
    majority_share,
    open_classes,
    same_answer,
    split_majority_share,
    weighted,
)
from graphpool.tasks.graph_task import Diagnose, GraphTask, SplitData, predict_logits
from graphpool.tasks.pages.classes import class_page, result_lines, score_lines
from graphpool.tasks.place_text import place_counts
from graphpool.training.health_warnings import health_warnings
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import TraceOutputs


class ClassificationTask(GraphTask):
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

    def mean_loss(self, traced: TraceOutputs, batch: GraphBatch) -> Tensor:
        """Mean cross entropy plus auxiliary losses."""
        return class_loss(traced, batch, "mean")

    def graph_losses(self, traced: TraceOutputs, batch: GraphBatch) -> Tensor:
        """`[B]`, cross entropy of each graph; auxiliary losses are added to each."""
        return class_loss(traced, batch, "none")

    def counts(self, outputs: Tensor, batch: GraphBatch) -> Tensor:
        """Return the number of correct predictions."""
        return (outputs.argmax(dim=1) == classes_of(batch)).sum()

    def metrics(self, outputs: Tensor, graphs: GraphSet) -> dict[str, float]:
        """Return the metrics of `CLASS_METRICS`."""
        return class_metrics(outputs.double().softmax(dim=1), classes_of(graphs).cpu())

    # ------------------------------------------------------------------ settings and network

    @classmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return the kernel and the majority class."""
        return BASELINES

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
    def open_set(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set whose graphs have classes."""
        return open_classes(data, root)

    @classmethod
    def open_training(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set to learn from: enough graphs for ten parts, of more than one class."""
        graphs = super().open_training(data, root)
        if len(torch.unique(classes_of(graphs))) == 1:
            raise DataError(
                f"all graphs of {graphs.name} are of one class; a classifier needs at least two"
            )
        return graphs

    @classmethod
    def answers_text(cls, graphs: GraphSet) -> str:
        """`2 classes`."""
        return plural(len(graphs.classes), "class", "classes")

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
        assert isinstance(data, SplitData)
        return cls.of(data.graphs, diagnose=None)

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
        assert isinstance(data, SplitData)
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
            "places": place_counts(model.features.with_places(data.graphs), model.config.model),
            "choice": None if model.choice is None else to_dict(model.choice),
            "warnings": [*self.warnings(model, test, metrics), *health_warnings(metrics)],
        }

    def beside(self, graphs: GraphSet) -> Document:
        """Return the share of the most frequent class."""
        return {"majority": majority_share(graphs)}

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Return accuracies of the kernel, or of the majority class."""
        assert isinstance(data, SplitData)
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
        assert isinstance(data, SplitData)
        test = align_classes(data.test, self.classes)
        shares = self.probabilities(model, test)
        return class_page(model, self.classes, data.graphs, test, shares, document, history)
