"""The unit of work: one method on one set of examples, from one seed, on one split."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from graphpool.config import RunConfig, to_dict
from graphpool.experiments.examples import Data
from graphpool.experiments.methods import check_known, cost_of, model_of
from graphpool.features.pipeline import resolved_spec
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.zoo.build import edges_unused
from graphpool.tasks import find_task

# Settings of the training that change where or how it is done, and not what comes out.
INDIFFERENT = ("threads", "checkpoint_seconds", "tensorboard", "device", "replay")


@dataclass(frozen=True)
class Unit:
    """One method on one set of examples.

    Args:
        data: the examples.
        method: its name in results; of a baseline also which one it is.
        config: settings of a network, whose `model.pooler` is the method; None for a baseline.
        seed: of the examples and of the training.
        fold: which of the seed's splits, counted from 0.
        tries: settings of the network among which the validation examples choose, those of
            `config` first; empty if there is no search.
    """

    data: Data
    method: str
    config: RunConfig | None
    seed: int
    fold: int = 0
    tries: tuple[RunConfig, ...] = ()

    def __post_init__(self) -> None:
        if self.config is None:
            check_known(self.method, find_task(self.task).baselines(), "no rule")

    @property
    def task(self) -> Any:
        """Name of the task."""
        return self.data.task

    @property
    def kind(self) -> str:
        """`network`, or the kind of a baseline."""
        if self.config is not None:
            return "network"
        return find_task(self.task).baselines()[self.method].kind

    @property
    def rules(self) -> tuple[PlaceRule, ...]:
        """The rules used to find places."""
        if self.config is None:
            return ()
        models = [config.model for config in self.tries or (self.config,)]
        task = find_task(self.task)
        rules = (task.place_rules(model_of(model.pooler, model)) for model in models)
        return tuple(dict.fromkeys(rule for each in rules for rule in each))

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that can change the result, all of them, as plain values."""
        return _settings(self.task, self.method, self.config, self.data.folded, self.tries)

    @property
    def features(self) -> str:
        """The features with what `auto` means for the set; empty where that is not known."""
        if self.config is None or not self.data.auto:
            return ""
        edges = not edges_unused(self.config.model)
        return resolved_spec(self.config.features, self.data.auto, edges)

    @cached_property
    def key(self) -> str:
        """Hash of everything that decides the result, but for the set's content, code, machine."""
        return unit_key(self.task, self.data.facts, self.settings, self.seed, self.fold)

    @property
    def cost(self) -> int:
        """Units with a higher one take longer and are begun first."""
        if self.config is None:
            return 0
        tries = max(1, len(self.tries))
        return cost_of(self.config.model.pooler) * self.config.model.num_layers * tries

    def __str__(self) -> str:
        fold = f", fold {self.fold}" if self.data.folded else ""
        return f"{self.data.name}, {self.method}, seed {self.seed}{fold}"


@lru_cache(maxsize=1024)
def _settings(
    task: str,
    method: str,
    config: RunConfig | None,
    folded: bool,
    tries: tuple[RunConfig, ...],
) -> dict[str, Any]:
    """Settings of a method; many units share them, so they must not be changed."""
    if config is None:
        return {"rule": method, **find_task(task).baselines()[method].settings}
    values = to_dict(config)
    # Without folds a unit trains from its own seed.
    dropped = INDIFFERENT if folded else (*INDIFFERENT, "seed")
    train = {key: value for key, value in values["train"].items() if key not in dropped}
    settings = {"features": config.features, "model": values["model"], "train": train}
    if tries:
        settings["search"] = [changed_settings(config, each) for each in tries]
    return settings


def changed_settings(plain: RunConfig, other: RunConfig) -> dict[str, Any]:
    """Return the settings in which a try differs, such as `model.dropout`, as plain values."""
    before, after = to_dict(plain), to_dict(other)
    return {
        f"{section}.{key}": value
        for section in ("model", "train")
        for key, value in after[section].items()
        if value != before[section][key]
    }


def unit_key(
    task: str, facts: dict[str, Any], settings: dict[str, Any], seed: int, fold: int
) -> str:
    """Hash of what decides the result of a unit."""
    text = json.dumps([task, facts, settings, seed, fold], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
