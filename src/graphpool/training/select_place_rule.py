"""Select the rule for finding places on validation graphs by short pilot trainings.

`model.cluster_count = "validation"` selects the number of places, `model.units = "validation"` what
they are: rings, parts that recur, communities, the whole graph or none at all. Every candidate is
trained for a part of the epochs on the same graphs from the same seed; the real training then
starts with the settings of the best one.
"""

import logging
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

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
# Candidates for `model.units`, and what they are called; the last two are for hap alone.
UNITS = {
    "auto": "rings and modularity",
    "none": "modularity",
    "recurring": "parts that recur",
    "graph": "the whole graph",
    "nodes": "no places",
}
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
        units: `units` of `ModelConfig`, where they are selected; else empty.
    """

    count: str
    resolution: float
    places: float
    epoch: int
    metrics: dict[str, Any]
    units: str = ""


@dataclass(frozen=True)
class PlaceChoice:
    """The rule selected on the validation graphs, with all pilots.

    Attributes:
        count, resolution, units: those of the best pilot.
        epochs: number of epochs of each pilot.
        pilots: all pilots in order; the first of equally good ones is selected.
    """

    count: str
    resolution: float
    epochs: int
    pilots: tuple[Pilot, ...]
    units: str = ""

    def __str__(self) -> str:
        return describe(self.count, self.resolution, self.units)

    def applied(self, config: ModelConfig) -> ModelConfig:
        """Return the settings with the selected rule."""
        chosen: dict[str, Any] = {"cluster_count": self.count, "resolution": self.resolution}
        if self.units:
            chosen = {"units": self.units, "parts": _parts(config, self.units)}
        return from_dict(ModelConfig, {**to_dict(config), **chosen}, "model")


def describe(count: str, resolution: float, units: str = "") -> str:
    """Describe a rule by its units, where these were selected; the eigengap has no resolution."""
    if units:
        return UNITS.get(units, units)
    return count if count == "eigengap" else f"{count} at resolution {resolution:g}"


def selects(config: ModelConfig) -> bool:
    """Return whether validation graphs select the rule."""
    return VALIDATION in (config.cluster_count, config.units)


def candidates(config: ModelConfig) -> Sequence[ModelConfig]:
    """Return the candidates: all units, or modularity from coarse to fine and the eigengap."""
    if config.units == VALIDATION:
        known = UNITS if config.pooler == "hap" else ("auto", "none", "recurring")
        return tuple(
            from_dict(
                ModelConfig,
                {**to_dict(config), "units": units, "parts": _parts(config, units)},
                "model",
            )
            for units in known
            if units != "recurring" or config.parts
        )
    modularity = tuple(
        replace(config, cluster_count="modularity", resolution=r) for r in RESOLUTIONS
    )
    return (*modularity, replace(config, cluster_count="eigengap"))


def _parts(config: ModelConfig, units: str) -> str:
    return config.parts if units == "recurring" else ""


def place_rules(config: ModelConfig) -> tuple[PlaceRule, ...]:
    """Return every rule that training with these settings uses to find places.

    Parts that recur have none before they are learned.
    """
    if config.units == "recurring" and not config.parts:
        return ()
    configs = candidates(config) if selects(config) else (config,)
    return tuple(rule for each in configs if (rule := place_rule(each)))


def pilot_epochs(epochs: int) -> int:
    """Return the number of epochs of a pilot for a training of `epochs` epochs."""
    return max(LEAST_EPOCHS, epochs // PART)


def check_choice(config: ModelConfig) -> None:
    """Refuse to select a rule for places if there is none to select."""
    if not selects(config):
        return
    setting = "units" if config.units == VALIDATION else "cluster_count"
    about = f"model.{setting} 'validation' selects the places"
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
                f"model.{setting}, or use the pooler hap"
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
        config: settings of the model, with `cluster_count` or `units` open.
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
            "places are selected on validation graphs, and there are none; give some, or leave "
            "model.cluster_count and model.units at their defaults"
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
        rules = place_rules(candidate)
        # Found before the graphs are copied to another device, so that the copies have them.
        places = [part.places(rule) for part in (train, valid) for rule in rules]
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
            places=float(places[0].counts.double().mean()) if places else 0.0,
            epoch=result.best_epoch,
            metrics={name: result.best_metrics[name] for name, _ in criteria},
            units=candidate.units if config.units == VALIDATION else "",
        )

    tried = candidates(config)
    if config.units == VALIDATION:
        tried = _distinct(tried, train)
    pilots = [train_pilot(number, candidate) for number, candidate in enumerate(tried)]
    best = pilots[0]
    for pilot in pilots[1:]:
        if is_better(criteria, pilot.metrics, best.metrics):
            best = pilot
    choice = PlaceChoice(best.count, best.resolution, short.epochs, tuple(pilots), best.units)
    logger.info("rule for places selected on validation graphs: %s", choice)
    if folder is not None:
        write_json(folder / CHOICE, {**header, "choice": to_dict(choice)})
        shutil.rmtree(folder / PILOTS, ignore_errors=True)
    return choice


def _distinct(configs: Sequence[ModelConfig], graphs: GraphSet) -> Sequence[ModelConfig]:
    """Leave out candidates that give these graphs the same places as an earlier one."""
    kept: list[ModelConfig] = []
    known: list[Tensor] = []
    for config in configs:
        found = [graphs.places(rule).cluster for rule in place_rules(config)]
        if not any(torch.equal(cluster, other) for cluster in found for other in known):
            known += found
            kept.append(config)
    return kept


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
