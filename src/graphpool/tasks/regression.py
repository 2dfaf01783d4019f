"""Regression: predict one number or several about a graph, and intervals that hold them.

Inside, targets are standardised by the mean and the spread of the training graphs. A target that is
unknown (NaN) counts neither in the loss nor in a metric.
"""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.errors import DataError
from graphpool.evaluation.format import Lines
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.regression import (
    NUMBER_METRICS,
    coverage,
    number_metrics,
    target_metrics,
)
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
from graphpool.tasks.graph_task import Diagnose, SplitData, predict_logits
from graphpool.tasks.number_output import NumberOutput
from graphpool.tasks.pages.targets import number_page, result_lines, score_lines
from graphpool.tasks.target_task import TargetTask
from graphpool.tasks.targets import (
    BASELINES,
    align_targets,
    baseline_figures,
    targets_of,
)
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import device_of


class RegressionTask(TargetTask):
    """Learn numbers about graphs.

    Args:
        names: of the targets.
        mean, spread: of each target over the training graphs.
        loss, interval: of `TrainConfig`.
        stretch: of the intervals, see `NumberOutput`.
        node_label_names: of the training set.
    """

    name = "regression"
    question = "which number does a graph have?"
    kind = "graph regressor"
    answer = "target"
    columns = NUMBER_METRICS
    main = "mae"
    main_title = "error"
    counted = "mae"

    def __init__(
        self,
        names: Sequence[str],
        mean: Sequence[float],
        spread: Sequence[float],
        diagnose: Diagnose | None = None,
        *,
        loss: str = TrainConfig.loss,
        interval: str = TrainConfig.interval,
        stretch: Sequence[float] = (),
        node_label_names: Sequence[Name] = (),
    ) -> None:
        super().__init__(names, diagnose, node_label_names=node_label_names)
        self.output = NumberOutput(
            tuple(map(float, mean)),
            tuple(map(float, spread)),
            loss,
            interval,
            tuple(map(float, stretch)),
        )
        if not len(self.names) == len(self.mean) == len(self.spread):
            raise ValueError("targets need a name, a mean and a spread each")

    @property
    def mean(self) -> tuple[float, ...]:
        """Mean of each target over the training graphs."""
        return self.output.mean

    @property
    def spread(self) -> tuple[float, ...]:
        """Standard deviation of each target over the training graphs."""
        return self.output.spread

    # ------------------------------------------------------------------ learning

    def target_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return the loss of each target in units of its spread, `[B, targets]`."""
        return self.output.losses(outputs, target)

    def target_counts(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return absolute errors in units of the targets, `[B, targets]`."""
        return self.output.errors(outputs, target)

    def metrics(self, outputs: Tensor, graphs: GraphSet) -> dict[str, float]:
        """Return the metrics of `NUMBER_METRICS`, and how many values intervals hold."""
        actual = targets_of(graphs).cpu().double()
        value, lower, upper = self.output.values(outputs)
        found = number_metrics(value, actual)
        if lower is not None and upper is not None:
            found["coverage"] = float(coverage(lower, upper, actual).nanmean())
            found["width"] = float((upper - lower).mean())
        return found

    # ------------------------------------------------------------------ settings and network

    @classmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return the kernel and the mean."""
        return BASELINES

    def build(
        self, settings: ModelConfig, channels: int, mean_nodes: float, edge_channels: int = 0
    ) -> nn.Module:
        """Build the network, with one to three outputs per target."""
        return build_model(settings, channels, self.output.width, mean_nodes, edge_channels)

    def configured(self, config: RunConfig) -> "RegressionTask":
        """Return the task with the loss and the interval of the settings."""
        changed = copy.copy(self)
        asked = config.train
        changed.output = replace(self.output, loss=asked.loss, interval=asked.interval)
        return changed

    def calibrated(self, network: nn.Module, valid: GraphSet) -> "RegressionTask":
        """Return the task with intervals that hold 90 % of the values of the validation graphs."""
        if self.output.interval == "none":
            return self
        outputs = predict_logits(network, valid.to(device_of(network)), EVALUATION_BATCH)
        changed = copy.copy(self)
        changed.output = self.output.calibrated(outputs, targets_of(valid).cpu().double())
        return changed

    def header(self, config: RunConfig) -> Document:
        """Return names and scale of the targets, and the calibration of their intervals."""
        return {
            "task": self.name,
            "targets": list(self.names),
            "mean": list(self.mean),
            "spread": list(self.spread),
            "loss": self.output.loss,
            "interval": self.output.interval,
            **({"stretch": list(self.output.stretch)} if self.output.stretch else {}),
            "node_label_names": list(self.node_label_names),
        }

    @classmethod
    def from_header(cls, about: Document) -> "RegressionTask":
        """Rebuild the task with its targets."""
        return cls(
            about["targets"],
            about["mean"],
            about["spread"],
            level_health,
            loss=about["loss"],
            interval=about["interval"],
            stretch=about.get("stretch", ()),
            node_label_names=about["node_label_names"],
        )

    # ------------------------------------------------------------------ examples

    @classmethod
    def open_training(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set to learn from: enough graphs for ten parts, with different numbers."""
        graphs = super().open_training(data, root)
        target = targets_of(graphs)
        for column, name in enumerate(graphs.target_names):
            known = target[:, column][~target[:, column].isnan()]
            if not len(known) or bool((known == known[0]).all()):
                raise DataError(
                    f"{graphs.name}: the target {name!r} is the same, or unknown, for all graphs; "
                    "leave it out"
                )
        return graphs

    @classmethod
    def of(cls, examples: GraphSet, **options: Any) -> "RegressionTask":
        """Return the task with the targets of these graphs, and their mean and spread."""
        target = targets_of(examples).cpu().double().numpy()
        if len(target) == 0:
            raise DataError(f"{examples.name} has no graphs; give it at least one")
        known = ~np.isnan(target)
        count = np.maximum(known.sum(axis=0), 1)
        mean = np.where(known, target, 0.0).sum(axis=0) / count
        spread = np.sqrt((np.where(known, target - mean, 0.0) ** 2).sum(axis=0) / count)
        # Of numbers that are all the same, rounding alone may leave a spread.
        flat = spread <= 1e-12 * np.maximum(np.abs(mean), 1e-300)
        return cls(
            examples.target_names,
            mean.tolist(),
            np.where(flat, 1.0, spread).tolist(),
            options.pop("diagnose", level_health),
            node_label_names=examples.node_label_names,
            **options,
        )

    @classmethod
    def of_data(cls, data: TaskData) -> "RegressionTask":
        """Return the task that the training graphs pose; `figures` measures the levels."""
        return cls.of(data.train, diagnose=None)

    # ------------------------------------------------------------------ results

    def intervals(
        self, model: TaskModel, examples: GraphSet
    ) -> tuple[Array, Array | None, Array | None]:
        """Return values and the ends of their intervals, `[graphs, targets]` each."""
        outputs = predict_logits(model.network, model.prepare(examples), EVALUATION_BATCH)
        value, lower, upper = self.output.values(outputs)
        ends = (None if end is None else np.asarray(end.numpy()) for end in (lower, upper))
        return np.asarray(value.numpy()), *ends  # type: ignore[return-value]

    def probabilities(self, model: TaskModel, examples: GraphSet) -> Array:
        """Refuse: numbers have none."""
        raise DataError("a regressor predicts numbers, which have no probabilities; use predict")

    def predict(self, model: TaskModel, examples: GraphSet) -> Array:
        """Return the predicted numbers, `[graphs, targets]`; `[graphs]` if there is one target."""
        values = self.intervals(model, examples)[0]
        return values[:, 0] if len(self.names) == 1 else values

    def prediction_rows(self, model: TaskModel, graphs: GraphSet) -> list[Document]:
        """Return id, the number for each target, and its interval."""
        value, lower, upper = self.intervals(model, graphs)
        rows: list[Document] = []
        for at, identity in enumerate(graphs.ids):
            row: Document = {"id": identity}
            for column, name in enumerate(self.names):
                row[name] = float(value[at, column])
                if lower is not None and upper is not None:
                    row[f"{name} lower"] = float(lower[at, column])
                    row[f"{name} upper"] = float(upper[at, column])
            rows.append(row)
        return rows

    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return errors beside those of the training mean, and health of the levels."""
        assert isinstance(data, SplitData)
        test = self.aligned(data.test)
        predicted, lower, upper = map(_tensor, self.intervals(model, test))
        actual = targets_of(test).cpu()
        each: dict[str, Tensor] = target_metrics(_there(predicted), actual)
        if lower is not None and upper is not None:
            each["coverage"] = coverage(lower, upper, actual)
        return {
            **self.test_facts(model, data, self.score(model, test)),
            "targets": self.each(each),
            "mean": number_metrics(torch.tensor(self.mean).expand_as(actual), actual),
            **({} if lower is None else {"as_learned": self._as_learned(model, test)}),
        }

    def _as_learned(self, model: TaskModel, test: GraphSet) -> float | None:
        """Share of values inside intervals before validation graphs corrected them, if they did."""
        if not self.output.stretch:
            return None
        plain = copy.copy(self)
        plain.output = replace(self.output, stretch=())
        _, lower, upper = map(_tensor, plain.intervals(model, test))
        return float(coverage(_there(lower), _there(upper), targets_of(test).cpu()).nanmean())

    def beside(self, graphs: GraphSet) -> Document:
        """Return errors of the mean of the training graphs."""
        actual = targets_of(align_targets(graphs, self.names)).cpu()
        return {"mean": number_metrics(torch.tensor(self.mean).expand_as(actual), actual)}

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Return errors of the kernel, or of the mean."""
        assert isinstance(data, SplitData)
        return baseline_figures(name, data, watch)

    def warnings(
        self, model: TaskModel, examples: GraphSet, metrics: Mapping[str, float]
    ) -> list[str]:
        """Warn if all graphs get the same number."""
        if metrics["spearman"] != 0 or len(examples) < 2:
            return []
        values = self.intervals(model, examples)[0]
        if (np.ptp(values, axis=0) > 1e-6 * np.array(self.spread)).any():
            return []
        return ["the model predicts the same number for every graph: it has learned nothing"]

    def result_lines(self, document: Document) -> Lines:
        """Describe the errors beside those of the mean, then the levels."""
        return result_lines(document)

    def score_lines(self, document: Document) -> Lines:
        """Describe the errors on a set, and on the part that the model has not seen."""
        return score_lines(document)

    def report(
        self, model: TaskModel, data: TaskData, document: Document, history: History = ()
    ) -> Report:
        """Collect errors, predicted against true numbers, residuals, curves and one hierarchy."""
        assert isinstance(data, SplitData)
        test = self.aligned(data.test)
        values = self.intervals(model, test)
        return number_page(model, self.names, data.graphs, test, values, document, history)


def _tensor(values: Array | None) -> Tensor | None:
    return None if values is None else torch.from_numpy(values)


def _there(values: Tensor | None) -> Tensor:
    assert values is not None
    return values
