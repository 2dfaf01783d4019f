"""One unit of classification: learn from training graphs, choose on validation graphs, test."""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import nn

from graphpool.config import ModelConfig, RunConfig
from graphpool.data.splits import Split
from graphpool.evaluation.baselines.kernel import majority, wl_svm
from graphpool.evaluation.metrics import accuracy, balanced_accuracy, confusion_matrix
from graphpool.evaluation.prediction import Stopwatch, UnitPrediction
from graphpool.evaluation.protocols import split_digest
from graphpool.experiments.example_files import Graphs
from graphpool.experiments.methods import model_of
from graphpool.experiments.unit import Unit
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.classification import ClassificationTask, predict_logits
from graphpool.training.environment import thread_count
from graphpool.training.health_warnings import health_warnings
from graphpool.training.loop import EVALUATION_BATCH, fit
from graphpool.training.seeding import seed_everything
from graphpool.training.select_place_rule import VALIDATION, place_rules, select_place_rule


def run_classification(unit: Unit, examples: Graphs) -> dict[str, Any]:
    """Run one unit and return the fields of its record.

    The `x` of the graphs is not used; features are fitted on the training graphs.
    """
    split = examples.split(unit.seed, unit.fold)
    prediction, watch, notes = predict_split(examples.graphs, unit, split)
    return _result(prediction, split, examples.graphs, watch, notes)


def predict_split(
    graphs: GraphSet, unit: Unit, split: Split
) -> tuple[UnitPrediction, Stopwatch, list[str]]:
    """Predictions for the test graphs of a split, times, and what was odd about its features."""
    assert graphs.y is not None
    watch, classes = Stopwatch(), graphs.y.cpu().numpy()
    threads = 1 if unit.config is None else unit.config.train.threads or 1
    with thread_count(threads), collected("graphpool.features") as notes:
        if unit.config is not None:
            answer = trained(graphs, unit, unit.config, split, watch)
        elif unit.method == "majority":
            with watch.part("train"):
                answer = majority(classes, split)
        else:
            answer = wl_svm(graphs, classes, split, watch)
    return answer, watch, notes


def unit_seed(base: int, seed: int, fold: int) -> int:
    """The seed of one unit's first weights and order of graphs, the same for every method."""
    digest = hashlib.sha256(f"unit/{base}/{seed}/{fold}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def trained(
    graphs: GraphSet, unit: Unit, config: RunConfig, split: Split, watch: Stopwatch
) -> UnitPrediction:
    """Train a network; the test graphs are looked at when it is finished."""
    settings = model_of(config.model.pooler, config.model)
    with watch.part("features"):
        # Found for the whole set, once for all units: its parts then have them.
        for rule in place_rules(settings):
            graphs.places(rule)
        train, valid, test = features(graphs, split, config.features)
    assert train.x is not None
    channels, outputs = train.x.shape[1], _outputs(graphs)
    nodes = float(train.node_counts.double().mean())
    seed = unit_seed(config.train.seed, unit.seed, unit.fold)
    training = replace(config.train, seed=seed, threads=config.train.threads or 1)
    chosen: dict[str, int | float | str] = {}

    def build(settings: ModelConfig) -> nn.Module:
        return build_model(settings, channels, outputs, nodes)

    if settings.cluster_count == VALIDATION:
        with watch.part("choose"):
            task = ClassificationTask(outputs)
            choice = select_place_rule(settings, training, task, train, valid, build)
            settings = choice.applied(settings)
            chosen = {"count": choice.count, "resolution": choice.resolution}
    with watch.part("build"):
        seed_everything(seed)
        model = build(settings)
    with watch.part("train"):
        found = fit(model, ClassificationTask(outputs), train, valid, training, progress=False)
    with watch.part("test"):
        size = max(config.train.batch_size, EVALUATION_BATCH)
        predicted = predict_logits(model, test, size).argmax(dim=1)
        metrics = ClassificationTask(outputs, level_health).evaluate(model, test, size)
    health = {name: value for name, value in metrics.items() if "/" in name}
    return UnitPrediction(
        predicted=predicted.numpy(),
        valid_accuracy=found.best_metrics["accuracy"],
        best_epoch=found.best_epoch,
        epochs=len(found.history),
        parameters=sum(weight.numel() for weight in model.parameters()),
        health=health,
        warnings=tuple(health_warnings(health)),
        chosen=chosen,
    )


def features(graphs: GraphSet, split: Split, spec: str) -> tuple[GraphSet, GraphSet, GraphSet]:
    """Training, validation and test graphs with features fitted on the training graphs."""
    train, valid, test = (graphs[list(part)] for part in (split.train, split.valid, split.test))
    pipeline = FeaturePipeline(spec).fit(train)
    return pipeline.transform(train), pipeline.transform(valid), pipeline.transform(test)


@contextmanager
def collected(name: str) -> Iterator[list[str]]:
    """Warnings of the logger `name`, as a list and not on the screen.

    That a rare label is missing from some training part is to be expected of many splits.
    """
    notes: list[str] = []
    logger, handler = logging.getLogger(name), logging.Handler(logging.WARNING)
    handler.emit = lambda record: notes.append(record.getMessage())  # type: ignore[method-assign]
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield notes
    finally:
        logger.removeHandler(handler)
        logger.propagate = before


def _outputs(graphs: GraphSet) -> int:
    assert graphs.y is not None
    return max(len(graphs.classes), int(graphs.y.max()) + 1)


def _result(
    answer: UnitPrediction, split: Split, graphs: GraphSet, watch: Stopwatch, notes: list[str]
) -> dict[str, Any]:
    assert graphs.y is not None
    predicted = torch.from_numpy(np.asarray(answer.predicted, dtype=np.int64))
    actual = graphs.y.cpu().long()[list(split.test)]
    matrix = confusion_matrix(predicted, actual, _outputs(graphs))
    parts = {"train": split.train, "valid": split.valid, "test": split.test}
    return {
        "metrics": {
            "test": {"accuracy": accuracy(matrix), "balanced_accuracy": balanced_accuracy(matrix)}
        },
        "valid": {"accuracy": answer.valid_accuracy},
        "best_epoch": answer.best_epoch,
        "epochs": answer.epochs,
        "parameters": answer.parameters,
        "split": split_digest(split)[:16],
        "sizes": {name: len(part) for name, part in parts.items()},
        "seconds": {name: round(value, 4) for name, value in watch.seconds.items()},
        "health": answer.health,
        "warnings": list(answer.warnings),
        "notes": notes,
        "chosen": answer.chosen,
    }
