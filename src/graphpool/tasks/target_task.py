"""What tasks over `GraphSet.target` share: numbers to predict, or labels of 0 and 1.

A value that is unknown (NaN) counts neither in the loss nor in a metric.
"""

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import torch
from torch import Tensor

from graphpool.config import TrainConfig, to_dict
from graphpool.errors import DataError
from graphpool.evaluation.format import plural
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.tasks.base import Document, TaskModel
from graphpool.tasks.graph_task import Diagnose, GraphTask, SplitData, normalised
from graphpool.tasks.place_text import place_counts
from graphpool.tasks.targets import align_targets, known_rows, open_targets, targets_of
from graphpool.training.health_warnings import health_warnings
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import TraceOutputs


class TargetTask(GraphTask):
    """A question about single graphs whose answer is one value or several.

    A subclass has the loss of each value (`target_losses`) and the metric that is counted
    (`target_counts`).

    Attributes:
        answer: what one value is called.
        names: of the values.
        node_label_names: of the training set.
    """

    answer: ClassVar[str]

    def __init__(
        self,
        names: Sequence[str],
        diagnose: Diagnose | None = None,
        *,
        node_label_names: Sequence[Name] = (),
    ) -> None:
        self.names = tuple(names)
        if not self.names:
            raise ValueError(f"a {self.kind} needs at least one {self.answer}")
        self.diagnose = diagnose
        self.node_label_names = tuple(node_label_names)

    # ------------------------------------------------------------------ of a subclass

    @abstractmethod
    def target_losses(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return the loss of each value, `[B, targets]`; values that are unknown are 0."""

    @abstractmethod
    def target_counts(self, outputs: Tensor, target: Tensor) -> Tensor:
        """Return the metric `counted` of each value, `[B, targets]`, likewise."""

    # ------------------------------------------------------------------ learning

    def check(self, graphs: GraphSet) -> None:
        """Raise a `DataError` unless every graph has a known value, as many as the model has."""
        if graphs.target is None:
            raise DataError(
                f"{graphs.name} has no {self.answer}s; a {self.kind} can't learn from it"
            )
        if len(graphs) == 0:
            raise DataError(f"{graphs.name} has no graphs; give it at least one")
        if graphs.target.shape[1] != len(self.names):
            raise DataError(
                f"{graphs.name} has {plural(graphs.target.shape[1], self.answer)}; the model has "
                f"{len(self.names)}"
            )
        if not bool((known := known_rows(graphs)).all()):
            position = int((~known).nonzero()[0])
            raise DataError(
                f"{graphs.name}, graph {graphs.ids[position]}: no {self.answer} is known; leave it "
                "out"
            )

    def graph_losses(self, traced: TraceOutputs, batch: GraphBatch) -> Tensor:
        """`[B]`, mean loss over the known values of each graph; auxiliary losses are added."""
        target, known = _filled(batch)
        loss = _known_mean(self.target_losses(traced.logits, target), known)
        if batch.graph_weight is not None:
            loss = loss * batch.graph_weight
        for value in traced.losses.values():
            loss = loss + value
        return loss

    def counts(self, outputs: Tensor, batch: GraphBatch) -> Tensor:
        """Return the sum over the graphs of the mean of the metric over their known values."""
        target, known = _filled(batch)
        return _known_mean(self.target_counts(outputs, target), known).sum()

    # ------------------------------------------------------------------ examples

    @classmethod
    def open_set(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set whose graphs have values to predict."""
        return open_targets(data, root)

    @classmethod
    def answers_text(cls, graphs: GraphSet) -> str:
        """`1 target (y)`."""
        names = ", ".join(graphs.target_names[:5]) + (", …" if len(graphs.target_names) > 5 else "")
        return f"{plural(len(graphs.target_names), cls.answer)} ({names})"

    def weighted(
        self, train: GraphSet, valid: GraphSet | None, settings: TrainConfig
    ) -> tuple[GraphSet, GraphSet | None]:
        """Return the graphs with the weight of each, divided by their mean."""
        return self._weighted(train), None if valid is None else self._weighted(valid)

    def _weighted(self, graphs: GraphSet) -> GraphSet:
        own = graphs.graph_weight
        return graphs if own is None else normalised(graphs, own.cpu().double())

    # ------------------------------------------------------------------ results

    def aligned(self, graphs: GraphSet) -> GraphSet:
        """Return the graphs with known values, in the order of `names`."""
        graphs = align_targets(graphs, self.names)
        return graphs[known_rows(graphs)]

    def score(self, model: TaskModel, examples: GraphSet) -> dict[str, float]:
        """Return loss, metrics and health of the levels, on graphs with values."""
        aligned = model.prepare(self.aligned(examples))
        return self.evaluate(model.network, aligned, EVALUATION_BATCH)

    def test_facts(self, model: TaskModel, data: SplitData, metrics: dict[str, float]) -> Document:
        """Return the parts of a result that all tasks over values have.

        Args:
            metrics: of `score` on the test graphs.
        """
        return {
            "data": data.graphs.name,
            "graphs": data.sizes,
            "test": {name: value for name, value in metrics.items() if "/" not in name},
            "health": {name: value for name, value in metrics.items() if "/" in name},
            "places": place_counts(model.features.with_places(data.graphs), model.config.model),
            "choice": None if model.choice is None else to_dict(model.choice),
            "warnings": [
                *self.warnings(model, self.aligned(data.test), metrics),
                *health_warnings(metrics),
            ],
        }

    def each(self, values: dict[str, Tensor]) -> dict[str, dict[str, float]]:
        """Return metrics by the name of the value; they are given as `[targets]` each."""
        return {
            name: {metric: float(found[column]) for metric, found in values.items()}
            for column, name in enumerate(self.names)
        }


def _filled(batch: GraphBatch) -> tuple[Tensor, Tensor]:
    """The values with 0 where they are unknown, and which are known."""
    target = targets_of(batch)
    known = ~target.isnan()
    return torch.where(known, target, 0.0), known


def _known_mean(values: Tensor, known: Tensor) -> Tensor:
    """The mean over the known values of each graph, `[B]`."""
    return torch.where(known, values, 0.0).sum(1) / known.sum(1).clamp(min=1)
