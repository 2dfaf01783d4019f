"""Select the rule for the number of places on validation graphs by short pilot trainings.

`model.cluster_count = "validation"` turns it on. Every candidate is trained for a part of the
epochs on the same graphs from the same seed; the real training then starts with the settings of
the best one.
"""

import logging
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from graphpool.config import ModelConfig, TrainConfig, from_dict, to_dict
from graphpool.documents import read_json
from graphpool.errors import CheckpointError, ConfigError
from graphpool.files import write_json, writing
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo.build import chooses_places, place_rule
from graphpool.training.checkpoint import BEST, LAST
from graphpool.training.loop import fit
from graphpool.training.objective import Objective, is_better, selection
from graphpool.training.run_identity import RunHeader, check_same_run, run_header

logger = logging.getLogger(__name__)

VALIDATION = "validation"
RESOLUTIONS = (0.75, 1.5, 3.0, 6.0)
LEAST_EPOCHS, PART = 5, 5
# In the folder of a run: the choice, and the pilots until it is made.
CHOICE, PILOTS = "places.json", "pilots"


@dataclass(frozen=True)
class Pilot:
    """A short training with one rule for finding places.

    Attributes:
        count, resolution: `cluster_count` and `resolution` of `graphpool.config.ModelConfig`.
        places: mean number of places of a training graph.
        epoch: the best epoch.
        metrics: on the validation graphs at that epoch; None where a number is undefined.
    """

    count: str
    resolution: float
    places: float
    epoch: int
    metrics: dict[str, Any]


@dataclass(frozen=True)
class PlaceChoice:
    """The rule selected on the validation graphs, with all pilots.

    Attributes:
        count, resolution: those of the best pilot.
        epochs: number of epochs of each pilot.
        pilots: all pilots in order; the first of equally good ones is selected.
    """

    count: str
    resolution: float
    epochs: int
    pilots: tuple[Pilot, ...]

    def __str__(self) -> str:
        return describe(self.count, self.resolution)

    def applied(self, config: ModelConfig) -> ModelConfig:
        """Return the settings with the selected rule."""
        chosen = {"cluster_count": self.count, "resolution": self.resolution}
        return from_dict(ModelConfig, {**to_dict(config), **chosen}, "model")


def describe(count: str, resolution: float) -> str:
    """Describe a rule; the eigengap has no resolution."""
    return count if count == "eigengap" else f"{count} at resolution {resolution:g}"


def candidates(config: ModelConfig) -> tuple[ModelConfig, ...]:
    """Return the candidates: modularity from coarse to fine, and the eigengap."""
    modularity = tuple(
        replace(config, cluster_count="modularity", resolution=r) for r in RESOLUTIONS
    )
    return (*modularity, replace(config, cluster_count="eigengap"))


def place_rules(config: ModelConfig) -> tuple[PlaceRule, ...]:
    """Return every rule that training with these settings uses to find places.

    Parts that recur have none before they are learned.
    """
    if config.units == "recurring" and not config.parts:
        return ()
    configs = candidates(config) if config.cluster_count == VALIDATION else (config,)
    return tuple(rule for each in configs if (rule := place_rule(each)))


def pilot_epochs(epochs: int) -> int:
    """Return the number of epochs of a pilot for a training of `epochs` epochs."""
    return max(LEAST_EPOCHS, epochs // PART)


def check_choice(config: ModelConfig) -> None:
    """Refuse `cluster_count = "validation"` if there is no number of places to select."""
    if config.cluster_count != VALIDATION:
        return
    about = "model.cluster_count 'validation' selects the number of places"
    for key in ("clusters", "ratio"):
        if value := getattr(config, key):
            raise ConfigError(f"{about}, but model.{key} = {value} sets it; leave out one of them")
    for key, value, has_places in (
        ("pooler", config.pooler, chooses_places(config.pooler)),
        ("assignment", config.assignment, config.assignment not in ("content", "static")),
    ):
        if not has_places:
            raise ConfigError(
                f"{about}, but the {key} {value!r} does not use places; remove "
                "model.cluster_count, or use the pooler hap with the assignment places"
            )


def select_place_rule(
    config: ModelConfig,
    settings: TrainConfig,
    task: Objective,
    train: GraphSet,
    valid: GraphSet | None,
    build: Callable[[ModelConfig], nn.Module],
    *,
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = False,
) -> PlaceChoice:
    """Train a pilot for each candidate, and select the best on `valid` by the metrics of the task.

    Args:
        config: settings of the model, with `cluster_count = "validation"`.
        settings: settings of the real training.
        train, valid: graphs with features.
        build: makes the model of a config.
        folder: folder of the real training, for the choice and, until it is made, the pilots.
        resume: read the choice from the folder, or resume its pilots.
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
        header = run_header(settings, train, valid, {"model": to_dict(config)})
        if resume and (folder / CHOICE).exists():
            return _read(folder / CHOICE, header)
        if not resume:
            # Remove the files of an earlier run before the pilots train.
            with writing(folder):
                for name in (CHOICE, LAST, BEST):
                    (folder / name).unlink(missing_ok=True)
            shutil.rmtree(folder / PILOTS, ignore_errors=True)
    criteria = selection(settings.scoring)
    short = replace(settings, epochs=pilot_epochs(settings.epochs), tensorboard=False)

    def train_pilot(number: int, candidate: ModelConfig) -> Pilot:
        # Found before the graphs are copied to another device, so that the copies have them.
        places = [part.places(rule) for part in (train, valid) for rule in place_rules(candidate)]
        with seeded_weights(settings.seed):
            model = build(candidate)
        result = fit(
            model, task, train, valid, short,
            folder=None if folder is None else folder / PILOTS / str(number),
            resume=resume, progress=progress,
        )  # fmt: skip
        return Pilot(
            count=candidate.cluster_count,
            resolution=candidate.resolution,
            places=float(places[0].counts.double().mean()),
            epoch=result.best_epoch,
            metrics={name: result.best_metrics[name] for name, _ in criteria},
        )

    pilots = [train_pilot(number, candidate) for number, candidate in enumerate(candidates(config))]
    best = pilots[0]
    for pilot in pilots[1:]:
        if is_better(criteria, pilot.metrics, best.metrics):
            best = pilot
    choice = PlaceChoice(best.count, best.resolution, short.epochs, tuple(pilots))
    logger.info("rule for places selected on validation graphs: %s", choice)
    if folder is not None:
        write_json(folder / CHOICE, {**header, "choice": to_dict(choice)})
        shutil.rmtree(folder / PILOTS, ignore_errors=True)
    return choice


class _ChoiceFile(RunHeader):
    choice: PlaceChoice


def choice_from(values: dict[str, Any]) -> PlaceChoice:
    """Make a choice from the values of `to_dict`."""
    return from_dict(PlaceChoice, values, "choice")


def _read(path: Path, header: dict[str, Any]) -> PlaceChoice:
    """Read the choice of a run, and check that it is this run."""
    hint = "start a new run in another folder"
    stored = read_json(path, _ChoiceFile, error=CheckpointError, hint=hint)
    check_same_run(path, stored, header)
    choice: PlaceChoice = stored["choice"]
    return choice
