"""Run one unit, of any task: fit a model or a baseline on its examples, and test it once."""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from graphpool.config import RunConfig
from graphpool.errors import FeatureWarning, TrainingWarning, collect_warnings
from graphpool.evaluation.prediction import Stopwatch
from graphpool.experiments.example_files import Graphs, Opened
from graphpool.experiments.examples import GraphData
from graphpool.experiments.machine import machine, provenance
from graphpool.experiments.methods import model_of
from graphpool.experiments.records import Record
from graphpool.experiments.unit import Unit, changed_settings
from graphpool.files import strict_json
from graphpool.models.model import TrainedModel
from graphpool.nn.zoo.build import edges_unused
from graphpool.tasks import Task, TaskData, find_task
from graphpool.training.environment import thread_count
from graphpool.training.health_warnings import health_warnings
from graphpool.training.objective import is_better, selection


def run_unit(unit: Unit, opened: Opened, folder: Path | None = None) -> Record:
    """Train on the unit's training examples, choose on its validation examples, test once.

    It uses one thread unless `train.threads` says otherwise, so that units side by side don't
    take each other's cores and come out the same as one after the other.

    Args:
        folder: for checkpoints of the training, which goes on from the last one in it. It is
            removed when the unit is finished.
    """
    watch, config = Stopwatch(), unit.config
    with (
        thread_count(1 if config is None else config.train.threads or 1),
        # Many splits have a rare label that is missing from their training part.
        collect_warnings(FeatureWarning) as notes,
        collect_warnings(TrainingWarning),  # the record has them
    ):
        data: TaskData = (
            opened
            if not isinstance(opened, Graphs)
            else opened.examples(unit.seed, unit.fold, unit.rules)
        )
        task = find_task(unit.task).of_data(data)
        if config is None:
            figures = task.baseline_figures(unit.method, data, watch)
            found: dict[str, Any] = {"valid": figures.valid, "chosen": figures.chosen}
        else:
            if unit.tries:
                model, tried = fit_tries(unit, task, data, watch, folder)
            else:
                model, tried = fit_unit(unit, config, task, data, watch, folder), None
            with watch.part("test"):
                figures = model.task.figures(model, data)  # as configured and calibrated
            found = trained_fields(model)
            if tried is not None:
                found["chosen"] |= tried.chosen
                found["tries"] = tried.metrics
            more = (*figures.warnings, *health_warnings(figures.health))
            found["warnings"] = list(dict.fromkeys((*found["warnings"], *more)))
    found |= {"metrics": figures.metrics, "health": figures.health, "notes": notes, **data.facts}
    found["seconds"] = {name: round(value, 4) for name, value in watch.seconds.items()}
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)
    return replace(empty_record(unit), **strict_json(found))


def fit_unit(
    unit: Unit,
    config: RunConfig,
    task: Task,
    data: TaskData,
    watch: Stopwatch,
    folder: Path | None = None,
) -> TrainedModel:
    """Train the network of a unit with the unit's own seed."""
    seed = unit.seed
    if isinstance(unit.data, GraphData):
        seed = unit.data.training_seed(config.train.seed, unit.seed, unit.fold)
    # Examples that are drawn come with features of nodes, except for codes of labels.
    given = not unit.data.folded and data.train.graphs.x_from and edges_unused(config.model)
    config = replace(
        config,
        task=unit.task,
        features="given" if given else config.features,
        model=model_of(config.model.pooler, config.model),
        train=replace(config.train, seed=seed, threads=config.train.threads or 1),
    )
    model = TrainedModel.fit(
        data.train,
        data.valid,
        config,
        task=task,
        watch=watch,
        folder=folder,
        resume=folder is not None,
    )
    if folder is not None and model.result is not None:  # epochs before a stop count, too
        watch.seconds["train"] = sum(row["seconds"] for row in model.result.history)
    return model


@dataclass(frozen=True)
class Tries:
    """The tries of a search.

    Attributes:
        chosen: number of the chosen `try`, and the settings in which it differs from the first.
        metrics: of each try, on the validation examples.
    """

    chosen: dict[str, int | float | str]
    metrics: list[dict[str, float]]


def fit_tries(
    unit: Unit, task: Task, data: TaskData, watch: Stopwatch, folder: Path | None = None
) -> tuple[TrainedModel, Tries]:
    """Train every try of a unit; the best one on the validation examples is kept.

    They are compared as epochs are: by `train.scoring`, then by the loss; of equal tries the first
    is chosen. Only the training and validation examples are looked at.
    """
    best: tuple[int, TrainedModel, dict[str, float]] | None = None
    metrics = []
    for number, config in enumerate(unit.tries):
        own = Stopwatch()
        each = None if folder is None else folder / f"try-{number}"
        model = fit_unit(unit, config, task, data, own, each)
        for name, value in own.seconds.items():
            watch.seconds[name] = watch.seconds.get(name, 0.0) + value
        criteria = selection(model.config.train.scoring)
        assert model.result is not None
        valid = model.result.best_metrics
        metrics.append({name: round(valid[name], 6) for name, _ in criteria})
        if best is None or is_better(criteria, valid, best[2]):
            best = number, model, valid
    assert best is not None, "a search has tries"
    changes = changed_settings(unit.tries[0], unit.tries[best[0]])
    chosen = {"try": best[0], **{key: _short(value) for key, value in changes.items()}}
    return best[1], Tries(chosen, metrics)


def _short(value: Any) -> int | float | str:
    """A value of a setting as a record holds it: `8,1` for a list."""
    if isinstance(value, list):
        return ",".join(map(str, value))
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)


def trained_fields(model: TrainedModel) -> dict[str, Any]:
    """Return what a record says of a training."""
    result, choice = model.result, model.choice
    assert result is not None
    chosen: dict[str, Any] = {}
    if choice:
        chosen = {"count": choice.count, "resolution": choice.resolution}
        if choice.units:
            chosen["units"] = choice.units
    return {
        "valid": result.best_metrics,
        "best_epoch": result.best_epoch,
        "epochs": len(result.history),
        "parameters": sum(weight.numel() for weight in model.network.parameters()),
        "chosen": chosen,
        "warnings": list(result.warnings),
    }


def empty_record(unit: Unit, error: str = "") -> Record:
    """Return a record of the unit with what is known before it runs, or why it failed."""
    device = "cpu" if unit.config is None else unit.config.train.device
    return Record(
        task=unit.task,
        data=unit.data.name,
        method=unit.method,
        kind=unit.kind,
        seed=unit.seed,
        fold=unit.fold,
        facts=unit.data.facts,
        settings=unit.settings,
        digest=unit.data.digest,
        features=unit.features,
        error=error,
        machine=machine(device),
        versions=provenance(),
    )
