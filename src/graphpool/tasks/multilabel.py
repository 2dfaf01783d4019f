"""Multi-label classification: predict several labels of 0 and 1 about a graph, some unknown.

The loss is binary cross entropy over the known labels. A label that is unknown (NaN) counts neither
in the loss nor in a metric.
"""

import copy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from graphpool.config import ModelConfig, RunConfig
from graphpool.config.class_weight import read_class_weight
from graphpool.errors import DataError, check_known
from graphpool.evaluation.format import Lines
from graphpool.evaluation.multilabel import (
    LABEL_METRICS,
    THRESHOLD,
    label_metrics,
    multilabel_metrics,
)
from graphpool.evaluation.prediction import Stopwatch
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
from graphpool.tasks.graph_task import Diagnose, SplitData, normalised, predict_logits
from graphpool.tasks.pages.labels import label_page, result_lines, score_lines
from graphpool.tasks.target_task import TargetTask
from graphpool.tasks.targets import targets_of
from graphpool.training.loop import EVALUATION_BATCH

BASELINES = {
    "prevalence": Baseline("rule", "always the share of ones among the training graphs"),
}


class MultiLabelTask(TargetTask):
    """Learn labels of graphs, each of them 0 or 1.

    Args:
        names: of the labels.
        prevalence: share of ones among the known values of each label, over the training graphs;
            0 where none is known.
        class_weight: of `TrainConfig`.
        node_label_names: of the training set.
    """

    name = "multilabel"
    question = "which labels does a graph have?"
    kind = "multi-label graph classifier"
    answer = "label"
    columns = LABEL_METRICS
    main = "roc_auc"
    main_title = "ROC-AUC"

    def __init__(
        self,
        names: Sequence[str],
        prevalence: Sequence[float],
        diagnose: Diagnose | None = None,
        *,
        class_weight: str = "",
        node_label_names: Sequence[Name] = (),
    ) -> None:
        super().__init__(names, diagnose, node_label_names=node_label_names)
        self.prevalence = list(map(float, prevalence))
        if len(self.names) != len(self.prevalence):
            raise ValueError("labels need a name and a prevalence each")
        self.class_weight = class_weight
        self._weight: Tensor | None = _value_weights(self.names, self.prevalence, class_weight)

    # ------------------------------------------------------------------ learning

    def check(self, graphs: GraphSet) -> None:
        """Raise a `DataError` unless every graph has a known label, and all are 0 or 1."""
        super().check(graphs)
        _check_labels(graphs)

    def target_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return the cross entropy of each label times the weight of its value, `[B, labels]`."""
        loss = functional.binary_cross_entropy_with_logits(outputs, target, reduction="none")
        if self._weight is None:
            return loss
        # Kept there: each copy to a device waits for it.
        self._weight = self._weight.to(device=loss.device, dtype=loss.dtype)
        zero, one = self._weight
        return loss * torch.where(target > 0, one, zero)

    def target_counts(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return whether each label is predicted right, `[B, labels]`."""
        return ((outputs > 0) == (target > 0)).to(outputs.dtype)

    def metrics(self, outputs: Tensor, graphs: GraphSet) -> dict[str, float]:
        """Return the metrics of `LABEL_METRICS`."""
        return multilabel_metrics(outputs.double().sigmoid(), targets_of(graphs).cpu())

    def _weighted(self, graphs: GraphSet) -> GraphSet:
        """Weigh each graph by how many of its labels are known, so that each known one counts."""
        known = (~targets_of(graphs).isnan()).sum(1).cpu().double()
        own = graphs.graph_weight
        return normalised(graphs, known if own is None else known * own.cpu().double())

    # ------------------------------------------------------------------ settings and network

    @classmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return the prevalence of each label."""
        return BASELINES

    def build(
        self, settings: ModelConfig, channels: int, mean_nodes: float, edge_channels: int = 0
    ) -> nn.Module:
        """Build the network, with one output per label."""
        return build_model(settings, channels, len(self.names), mean_nodes, edge_channels)

    def configured(self, config: RunConfig) -> "MultiLabelTask":
        """Return the task with the class weights of the settings."""
        changed = copy.copy(self)
        changed.class_weight = config.train.class_weight
        changed._weight = _value_weights(self.names, self.prevalence, changed.class_weight)
        return changed

    def header(self, config: RunConfig) -> Document:
        """Return names and prevalence of the labels."""
        return {
            "task": self.name,
            "targets": list(self.names),
            "prevalence": self.prevalence,
            "node_label_names": list(self.node_label_names),
            **({"class_weight": self.class_weight} if self.class_weight else {}),
        }

    @classmethod
    def from_header(cls, about: Document) -> "MultiLabelTask":
        """Rebuild the task with its labels."""
        return cls(
            about["targets"],
            about["prevalence"],
            level_health,
            class_weight=about.get("class_weight", ""),
            node_label_names=about["node_label_names"],
        )

    # ------------------------------------------------------------------ examples

    @classmethod
    def open_set(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set whose graphs have labels of 0 and 1."""
        return _check_labels(super().open_set(data, root))

    @classmethod
    def open_training(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set to learn from: enough graphs for ten parts, with some label of both kinds."""
        graphs = super().open_training(data, root)
        target = targets_of(graphs)
        if not bool(((target == 0).any(0) & (target == 1).any(0)).any()):
            raise DataError(
                f"{graphs.name}: every label is the same for all graphs; a classifier needs one "
                "that is 0 for some of them and 1 for others"
            )
        return graphs

    @classmethod
    def of(cls, examples: GraphSet, **options: Any) -> "MultiLabelTask":
        """Return the task with the labels of these graphs."""
        target = targets_of(_check_labels(examples)).cpu().double()
        return cls(
            examples.target_names,
            target.nanmean(0).nan_to_num().tolist(),
            options.pop("diagnose", level_health),
            node_label_names=examples.node_label_names,
            **options,
        )

    @classmethod
    def of_data(cls, data: TaskData) -> "MultiLabelTask":
        """Return the task that the training graphs pose; `figures` measures the levels."""
        return cls.of(data.train, diagnose=None)

    # ------------------------------------------------------------------ results

    def probabilities(self, model: TaskModel, examples: GraphSet) -> Array:
        """Return the probability that each label is 1, `[graphs, labels]`."""
        logits = predict_logits(model.network, model.prepare(examples), EVALUATION_BATCH)
        return np.asarray(logits.double().sigmoid().numpy())

    def predict(self, model: TaskModel, examples: GraphSet) -> Array:
        """Return the labels, `[graphs, labels]` of 0 and 1: those with a probability above 0.5."""
        return (self.probabilities(model, examples) > THRESHOLD).astype(np.int64)

    def prediction_rows(self, model: TaskModel, graphs: GraphSet) -> list[Document]:
        """Return id and the probability of each label."""
        return [
            {
                "id": identity,
                "probabilities": {
                    name: float(share) for name, share in zip(self.names, row, strict=True)
                },
            }
            for identity, row in zip(graphs.ids, self.probabilities(model, graphs), strict=True)
        ]

    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return metrics of all labels and of each beside the prevalence; health of the levels."""
        assert isinstance(data, SplitData)
        test = self.aligned(data.test)
        actual = targets_of(test).cpu()
        each = label_metrics(torch.from_numpy(self.probabilities(model, test)), actual)
        each |= {"known": (~actual.isnan()).sum(0), "ones": (actual == 1).sum(0)}
        return {
            **self.test_facts(model, data, self.score(model, test)),
            "labels": self.each(each),
            **self.beside(test),
        }

    def beside(self, graphs: GraphSet) -> Document:
        """Return metrics of the prevalence in the training graphs."""
        actual = targets_of(self.aligned(graphs)).cpu()
        return {"prevalence": self._prevalence_metrics(actual)}

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Return metrics of the prevalence in the training graphs."""
        test, valid = (
            self._prevalence_metrics(targets_of(part).cpu()) for part in (data.test, data.valid)
        )
        return Figures({"test": test}, valid)

    def _prevalence_metrics(self, actual: Tensor) -> dict[str, float]:
        shares = torch.tensor(self.prevalence, dtype=torch.float64).expand(actual.shape)
        return multilabel_metrics(shares, actual)

    def warnings(
        self, model: TaskModel, examples: GraphSet, metrics: Mapping[str, float]
    ) -> list[str]:
        """Warn if all graphs get the same probabilities."""
        if metrics["roc_auc"] != 0.5 or len(examples) < 2:
            return []
        if (np.ptp(self.probabilities(model, examples), axis=0) > 1e-9).any():
            return []
        return ["the model predicts the same for every graph: it has learned nothing"]

    def result_lines(self, document: Document) -> Lines:
        """Describe the metrics beside those of the prevalence, then the labels and the levels."""
        return result_lines(document)

    def score_lines(self, document: Document) -> Lines:
        """Describe the metrics on a set, and on the part that the model has not seen."""
        return score_lines(document)

    def report(
        self, model: TaskModel, data: TaskData, document: Document, history: History = ()
    ) -> Report:
        """Collect metrics, a table and curves of every label, calibration and one hierarchy."""
        assert isinstance(data, SplitData)
        test = self.aligned(data.test)
        shares = self.probabilities(model, test)
        return label_page(model, self.names, data.graphs, test, shares, document, history)


def _value_weights(
    names: Sequence[str], prevalence: Sequence[float], class_weight: str
) -> Tensor | None:
    """Weights of the zeros and of the ones of each label, `[2, labels]`; None if all are 1.

    `balanced` lets the zeros and the ones of a label count the same, in all as much as without
    weights. `NAME=WEIGHT` is the weight of the ones of that label.
    """
    given = read_class_weight(class_weight)
    ones = torch.tensor(prevalence, dtype=torch.float64)
    weight = torch.ones(2, len(names), dtype=torch.float64)
    if given is None:
        mixed = (ones > 0) & (ones < 1)
        return torch.where(mixed, 0.5 / torch.stack([1 - ones, ones]), weight)
    for name, value in given.items():
        check_known("label in train.class_weight", name, names)
        weight[1, list(names).index(name)] = value
    return weight if given else None


def _check_labels(graphs: GraphSet) -> GraphSet:
    """Return the graphs; an error names the first label that is neither 0, 1 nor unknown."""
    target = targets_of(graphs)
    strange = ~(target.isnan() | (target == 0) | (target == 1))
    if bool(strange.any()):
        row, column = strange.nonzero()[0].tolist()
        raise DataError(
            f"{graphs.name}, graph {graphs.ids[row]}: {graphs.target_names[column]} is "
            f"{float(target[row, column]):g}; labels are 0, 1 or unknown, and numbers on a scale "
            "are for GraphRegressor, and --task regression"
        )
    return graphs
