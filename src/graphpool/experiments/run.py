"""One unit of work: learn from the training graphs, choose on the validation graphs, test once."""

import hashlib
import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import torch
from torch import nn

from graphpool.config import ModelConfig, RunConfig
from graphpool.data.splits import Split
from graphpool.evaluation.baselines.kernel import majority, wl_svm
from graphpool.evaluation.prediction import Answer, Stopwatch
from graphpool.experiments.machine import provenance
from graphpool.experiments.methods import model_of, settings_of
from graphpool.experiments.unit import Unit, UnitResult, finite
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.classification import (
    ClassificationTask,
    accuracy,
    balanced_accuracy,
    confusion_matrix,
    predict_logits,
)
from graphpool.training.environment import thread_count
from graphpool.training.health_warnings import health_warnings
from graphpool.training.loop import EVALUATION_BATCH, fit
from graphpool.training.seeding import seed_everything
from graphpool.training.select_place_rule import VALIDATION, place_rules, select_place_rule


def run_unit(graphs: GraphSet, unit: Unit, config: RunConfig) -> UnitResult:
    """Run one unit.

    It uses one thread unless `config.train.threads` says otherwise, so that units side by side
    don't take each other's cores and come out the same as one after the other.

    Args:
        graphs: the whole set; its `x` is not used, features are fitted on the training graphs.
        config: settings; the unit says which method and which seed.
    """
    assert graphs.y is not None
    watch, classes = Stopwatch(), graphs.y.cpu().numpy()
    with thread_count(config.train.threads or 1), collected("graphpool.features") as notes:
        if unit.method == "majority":
            with watch.part("train"):
                answer = majority(classes, unit.split)
        elif unit.method == "wl":
            answer = wl_svm(graphs, classes, unit.split, watch)
        else:
            answer = trained(graphs, unit, config, watch)
    return _result(unit, config, answer, graphs, watch, notes)


def unit_seed(base: int, seed: int, fold: int) -> int:
    """The seed of one unit's first weights and order of graphs, the same for every method."""
    digest = hashlib.sha256(f"unit/{base}/{seed}/{fold}".encode()).digest()
    return int.from_bytes(digest[:4], "little")


def trained(graphs: GraphSet, unit: Unit, config: RunConfig, watch: Stopwatch) -> Answer:
    """Train a network; the test graphs are looked at when it is finished."""
    settings = model_of(unit.method, config.model)
    with watch.part("features"):
        # Found for the whole set, once for all units: its parts then have them.
        for rule in place_rules(settings):
            graphs.places(rule)
        train, valid, test = features(graphs, unit.split, config.features)
    assert train.x is not None
    channels, outputs = train.x.shape[1], _outputs(graphs)
    nodes = float(train.node_counts.float().mean())
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
    return Answer(
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
    unit: Unit,
    config: RunConfig,
    answer: Answer,
    graphs: GraphSet,
    watch: Stopwatch,
    notes: list[str],
) -> UnitResult:
    assert graphs.y is not None
    predicted = torch.from_numpy(np.asarray(answer.predicted, dtype=np.int64))
    actual = graphs.y.cpu().long()[list(unit.split.test)]
    matrix = confusion_matrix(predicted, actual, _outputs(graphs))
    return UnitResult(
        key=unit.key,
        method=unit.method,
        seed=unit.seed,
        fold=unit.fold,
        accuracy=accuracy(matrix),
        balanced_accuracy=balanced_accuracy(matrix),
        valid_accuracy=answer.valid_accuracy,
        best_epoch=answer.best_epoch,
        epochs=answer.epochs,
        parameters=answer.parameters,
        train_graphs=len(unit.split.train),
        valid_graphs=len(unit.split.valid),
        test_graphs=len(unit.split.test),
        seconds={name: round(value, 4) for name, value in watch.seconds.items()},
        health=finite(answer.health),
        warnings=list(answer.warnings),
        notes=notes,
        chosen=answer.chosen,
        settings=settings_of(unit.method, config),
        versions=provenance(),
        predicted=predicted.tolist(),
    )
