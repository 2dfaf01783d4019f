"""Which class does a graph belong to: cross entropy, accuracy, confusion matrix."""

import math
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from graphpool.errors import DataError
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.base import (
    Criterion,
    Step,
    Traced,
    batches,
    device_of,
    evaluating,
    trace,
)

Diagnose = Callable[[Any], Mapping[str, float]]


class ClassificationTask:
    """Learn and judge graph classes.

    Args:
        num_classes: how many classes the model tells apart.
        diagnose: called with each batch's trace while evaluating; its numbers (means over the
            batch's graphs, NaN where there are none to measure) are averaged over all graphs and
            stand beside the metrics.
    """

    selection = (Criterion("accuracy", higher=True), Criterion("loss", higher=False))

    def __init__(self, num_classes: int, diagnose: Diagnose | None = None) -> None:
        self.num_classes = num_classes
        self.diagnose = diagnose

    def check(self, graphs: GraphSet) -> None:
        """Every graph needs a class that the model knows."""
        if graphs.y is None:
            raise DataError(f"{graphs.name} has no classes; a classifier can't learn from it")
        if len(graphs) == 0:
            raise DataError(f"{graphs.name} has no graphs; give it at least one")
        strange = (graphs.y < 0) | (graphs.y >= self.num_classes)
        if strange.any():
            position = int(strange.nonzero()[0])
            raise DataError(
                f"{graphs.name}, graph {graphs.ids[position]}: class {int(graphs.y[position])} is "
                f"not one of the model's {self.num_classes} (0 to {self.num_classes - 1})"
            )

    def step(self, model: nn.Module, batch: GraphBatch) -> Step:
        """Mean cross entropy plus auxiliary losses, and the number of right answers."""
        traced, y = trace(model, batch), classes_of(batch)
        loss = _add_auxiliary(functional.cross_entropy(traced.logits, y), traced)
        return Step(loss, (traced.logits.detach().argmax(dim=1) == y).sum())

    def losses(self, model: nn.Module, batch: GraphBatch) -> Tensor:
        """`[B]`, cross entropy of each graph; auxiliary losses are added to each."""
        return self._losses(trace(model, batch), batch)

    def loss(self, model: nn.Module, batch: GraphBatch) -> Tensor:
        """Mean cross entropy plus auxiliary losses."""
        return self.losses(model, batch).mean()

    def _losses(self, traced: Traced, batch: GraphBatch) -> Tensor:
        each = functional.cross_entropy(traced.logits, classes_of(batch), reduction="none")
        return _add_auxiliary(each, traced)

    def evaluate(self, model: nn.Module, graphs: GraphSet, batch_size: int) -> dict[str, float]:
        """Loss, accuracy, balanced accuracy and the diagnostics, over all graphs."""
        self.check(graphs)
        graphs = graphs.to(device_of(model))
        losses, predicted, actual = [], [], []
        health: defaultdict[str, float] = defaultdict(float)
        measured: defaultdict[str, int] = defaultdict(int)
        with evaluating(model):
            for batch in batches(graphs, batch_size):
                traced = trace(model, batch)
                losses.append(self._losses(traced, batch))
                predicted.append(traced.logits.argmax(dim=1))
                actual.append(classes_of(batch))
                if self.diagnose is not None:
                    for name, value in self.diagnose(traced).items():
                        if not math.isnan(value):  # else no graph of the batch could be measured
                            health[name] += value * batch.num_graphs
                            measured[name] += batch.num_graphs
        matrix = confusion_matrix(torch.cat(predicted), torch.cat(actual), self.num_classes)
        return {
            "loss": float(torch.cat(losses).double().mean()),
            "accuracy": accuracy(matrix),
            "balanced_accuracy": balanced_accuracy(matrix),
            **{name: total / measured[name] for name, total in health.items()},
        }


def predict_logits(model: nn.Module, graphs: GraphSet, batch_size: int) -> Tensor:
    """`[graphs, classes]` on the CPU, in the order of the graphs."""
    graphs = graphs.to(device_of(model))
    with evaluating(model):
        parts = [trace(model, batch).logits for batch in batches(graphs, batch_size)]
    if not parts:
        raise DataError(f"{graphs.name} has no graphs to predict")
    return torch.cat(parts).cpu()


def confusion_matrix(predicted: Tensor, actual: Tensor, num_classes: int) -> Tensor:
    """`[classes, classes]` counts: row is the actual class, column the predicted one."""
    cell = actual * num_classes + predicted
    return torch.bincount(cell, minlength=num_classes**2).view(num_classes, num_classes)


def accuracy(matrix: Tensor) -> float:
    """Share of right answers in a confusion matrix."""
    return int(matrix.diagonal().sum()) / int(matrix.sum())


def balanced_accuracy(matrix: Tensor) -> float:
    """Mean over the classes that occur of the share of their graphs answered rightly."""
    actual = matrix.sum(dim=1)
    occurs = actual > 0
    return float((matrix.diagonal()[occurs].double() / actual[occurs]).mean())


def classes_of(batch: GraphBatch) -> Tensor:
    """The batch's classes, which must be there."""
    if batch.y is None:
        raise DataError("these graphs have no classes to compare with")
    return batch.y


def _add_auxiliary(loss: Tensor, traced: Traced) -> Tensor:
    for value in traced.losses.values():
        loss = loss + value
    return loss
