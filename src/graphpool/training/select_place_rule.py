"""The number of places chosen on validation graphs: a few short trainings, and the best decides.

`model.cluster_count = "validation"` asks for it. Every candidate is trained for a part of the
epochs on the same graphs from the same seed; the real training then begins anew with the settings
that won.
"""

import json
import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from graphpool.config import ModelConfig, TrainConfig, from_dict, to_dict
from graphpool.data.source import data_digest
from graphpool.errors import CheckpointError, ConfigError
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.zoo.build import chooses_places, place_rule
from graphpool.tasks.base import Task, is_better
from graphpool.training.checkpoint import BEST, LAST
from graphpool.training.loop import fit
from graphpool.training.run_identity import check_same_run
from graphpool.training.seeding import seed_everything

logger = logging.getLogger(__name__)

VALIDATION = "validation"
RESOLUTIONS = (0.75, 1.5, 3.0, 6.0)
LEAST_EPOCHS, PART = 5, 5
# In the folder of a run: what was chosen, and the pilots as long as they are under way.
CHOICE, PILOTS = "places.json", "pilots"


@dataclass(frozen=True)
class Pilot:
    """A short training with one way of finding places.

    Attributes:
        count, resolution: `cluster_count` and `resolution` of `graphpool.config.ModelConfig`.
        places: how many a training graph has, on average.
        epoch: the best one.
        metrics: on the validation graphs, at that epoch.
    """

    count: str
    resolution: float
    places: float
    epoch: int
    metrics: dict[str, float]


@dataclass(frozen=True)
class PlaceChoice:
    """What the validation graphs chose, and what they chose it from.

    Attributes:
        count, resolution: of the pilot that won.
        epochs: for which each pilot was trained.
        pilots: in the order in which they were tried; the earlier of two equals wins.
    """

    count: str
    resolution: float
    epochs: int
    pilots: tuple[Pilot, ...]

    def __str__(self) -> str:
        return describe(self.count, self.resolution)

    def applied(self, config: ModelConfig) -> ModelConfig:
        """The settings with what was chosen."""
        chosen = {"cluster_count": self.count, "resolution": self.resolution}
        return from_dict(ModelConfig, {**to_dict(config), **chosen}, "model")


def describe(count: str, resolution: float) -> str:
    """In words; an eigengap says the number by itself."""
    return count if count == "eigengap" else f"{count} at resolution {resolution:g}"


def candidates(config: ModelConfig) -> tuple[ModelConfig, ...]:
    """Modularity from coarse to fine, and the eigengap."""
    fineness = tuple(replace(config, cluster_count="modularity", resolution=r) for r in RESOLUTIONS)
    return (*fineness, replace(config, cluster_count="eigengap"))


def place_rules(config: ModelConfig) -> tuple[PlaceRule, ...]:
    """Every rule by which training with these settings looks for places."""
    tried = candidates(config) if config.cluster_count == VALIDATION else (config,)
    return tuple(rule for each in tried if (rule := place_rule(each)))


def pilot_epochs(epochs: int) -> int:
    """How long a pilot is trained before a training of so many epochs."""
    return max(LEAST_EPOCHS, epochs // PART)


def check_choice(config: ModelConfig) -> None:
    """Refuse `cluster_count = "validation"` where no number of places is left to choose."""
    if config.cluster_count != VALIDATION:
        return
    about = "model.cluster_count 'validation' chooses how many places a graph has"
    for key in ("clusters", "ratio"):
        if value := getattr(config, key):
            raise ConfigError(f"{about}, and model.{key} = {value} sets it; leave out one of them")
    for key, value, knows in (
        ("pooler", config.pooler, chooses_places(config.pooler)),
        ("assignment", config.assignment, config.assignment not in ("content", "static")),
    ):
        if not knows:
            raise ConfigError(
                f"{about}, and the {key} {value!r} does not use places; leave "
                "model.cluster_count out, or use the "
                "pooler hap with the assignment places"
            )


def choose_places(
    config: ModelConfig,
    settings: TrainConfig,
    task: Task,
    train: GraphSet,
    valid: GraphSet | None,
    build: Callable[[ModelConfig], nn.Module],
    *,
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = False,
) -> PlaceChoice:
    """Train a pilot for each candidate; the task's own selection on `valid` decides.

    Args:
        config: with `cluster_count = "validation"`.
        settings: of the real training.
        train, valid: with features.
        build: makes the model that a config describes.
        folder: of the real training; keeps the choice, and pilots until it is made.
        resume: take the choice that the folder holds, or go on with its pilots.
        progress: show a bar for every pilot if stderr is a terminal.
    """
    check_choice(config)
    if valid is None:
        raise ConfigError(
            "model.cluster_count 'validation' needs validation graphs; give some, or find the "
            "number of places by 'modularity' or 'eigengap'"
        )
    header: dict[str, Any] = {}
    if folder is not None:
        header = _header(config, settings, train, valid)
        if resume and (folder / CHOICE).exists():
            return _read(folder / CHOICE, header)
        if not resume:
            # Nothing of an earlier run may be mistaken for this one while the pilots train.
            for name in (CHOICE, LAST, BEST):
                (folder / name).unlink(missing_ok=True)
            shutil.rmtree(folder / PILOTS, ignore_errors=True)
    short = replace(settings, epochs=pilot_epochs(settings.epochs), tensorboard=False)

    def tried(number: int, candidate: ModelConfig) -> Pilot:
        # Found before the graphs go to another device: their copies there then have them.
        places = [part.places(rule) for part in (train, valid) for rule in place_rules(candidate)]
        seed_everything(settings.seed)
        found = fit(
            build(candidate), task, train, valid, short,
            folder=None if folder is None else folder / PILOTS / str(number),
            resume=resume, progress=progress,
        )  # fmt: skip
        return Pilot(
            count=candidate.cluster_count,
            resolution=candidate.resolution,
            places=float(places[0].counts.double().mean()),
            epoch=found.best_epoch,
            metrics={name: found.best_metrics[name] for name, _ in task.selection},
        )

    pilots = [tried(number, candidate) for number, candidate in enumerate(candidates(config))]
    best = pilots[0]
    for pilot in pilots[1:]:
        if is_better(task.selection, pilot.metrics, best.metrics):
            best = pilot
    choice = PlaceChoice(best.count, best.resolution, short.epochs, tuple(pilots))
    logger.info("places chosen on validation graphs: %s", choice)
    if folder is not None:
        write_json(folder / CHOICE, {**header, "choice": to_dict(choice)})
        shutil.rmtree(folder / PILOTS, ignore_errors=True)
    return choice


def choice_from(values: dict[str, Any]) -> PlaceChoice:
    """What `to_dict` made of a choice, made into it again."""
    pilots = tuple(Pilot(**pilot) for pilot in values["pilots"])
    return PlaceChoice(**{**values, "pilots": pilots})


def _header(
    config: ModelConfig, settings: TrainConfig, train: GraphSet, valid: GraphSet
) -> dict[str, Any]:
    """What tells this run from another, as checkpoints say it."""
    return {
        "config": to_dict(settings),
        "data": {"train": data_digest(train), "valid": data_digest(valid)},
        "extra": {"model": to_dict(config)},
    }


def _read(path: Path, header: dict[str, Any]) -> PlaceChoice:
    """The choice that a run has made, if it is this very run."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        choice = choice_from(stored["choice"])
    except (OSError, ValueError, KeyError, TypeError, ConfigError) as error:
        raise CheckpointError(f"{path}: damaged ({error}); start anew in another folder") from None
    check_same_run(path, stored, header)
    return choice
