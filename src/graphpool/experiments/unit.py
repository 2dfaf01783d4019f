"""The unit of work: one method on one set of examples, from one seed, on one split."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Literal

from graphpool.config import RunConfig
from graphpool.data.synthetic.matching.rules import RULES as MATCHING_RULES
from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.baselines.distances import RULES as RANKING_RULES
from graphpool.experiments.examples import Data, GraphData, PairData
from graphpool.experiments.methods import BASELINES, EVALUATED, model_of, settings_of
from graphpool.ged.methods.registry import METHODS as EDIT_METHODS
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.zoo.pairs import pair_place_rule
from graphpool.training.select_place_rule import place_rules

# Settings that say where a result is worked out; records name that beside it.
_WHERE = ("device",)


@dataclass(frozen=True)
class Unit:
    """One method on one set of examples.

    Args:
        data: the examples.
        method: what it is called in results; of rules and edit distances also which one it is.
        config: settings of a network, whose `model.pooler` is the method; None for what is not
            trained.
        seed: of the examples and of the training.
        fold: which of the seed's splits, counted from 0.
    """

    data: Data
    method: str
    config: RunConfig | None
    seed: int
    fold: int = 0

    def __post_init__(self) -> None:
        if self.config is None and self.method not in rules_of(self.task):
            known = rules_of(self.task)
            raise ConfigError(f"no rule {self.method!r}; {nearest(self.method, known)}")

    @property
    def task(self) -> Literal["classification", "matching", "similarity"]:
        """What is asked."""
        if isinstance(self.data, GraphData):
            return "classification"
        return "matching" if isinstance(self.data, PairData) else "similarity"

    @property
    def kind(self) -> str:
        """`network`, `kernel`, `rule`, or `edit distance`."""
        if self.config is not None:
            return "network"
        if self.task == "classification":
            return EVALUATED[self.method].family
        named_rule = self.task == "matching" or self.method in RANKING_RULES
        return "rule" if named_rule else "edit distance"

    @property
    def rules(self) -> tuple[PlaceRule, ...]:
        """The rules used to find places."""
        if self.config is None:
            return ()
        if self.task == "classification":
            return tuple(place_rules(model_of(self.config.model.pooler, self.config.model)))
        rule = pair_place_rule(self.config.model)
        return () if rule is None else (rule,)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that can change the result, all of them, as plain values."""
        return _settings(self.task, self.method, self.config)

    @cached_property
    def key(self) -> str:
        """Hash of everything that decides the result, but for the set's content, code, machine."""
        return unit_key(self.task, self.data.facts, self.settings, self.seed, self.fold)

    @property
    def cost(self) -> int:
        """Units with a higher one take longer and are begun first."""
        if self.config is None:
            return 0
        pooler = self.config.model.pooler
        weight = EVALUATED[pooler].cost if pooler in EVALUATED else 5
        return weight * self.config.model.num_layers

    def __str__(self) -> str:
        fold = f", fold {self.fold}" if self.task == "classification" else ""
        return f"{self.data.name}, {self.method}, seed {self.seed}{fold}"


@lru_cache(maxsize=1024)
def _settings(task: str, method: str, config: RunConfig | None) -> dict[str, Any]:
    """Settings of a method; many units share them, so they must not be changed."""
    if config is None:
        own = settings_of(method, RunConfig()) if task == "classification" else {}
        return {"rule": method, **own}
    values = settings_of(config.model.pooler, config)
    dropped = _WHERE if task == "classification" else (*_WHERE, "seed")
    train = {key: value for key, value in values["train"].items() if key not in dropped}
    return {**values, "train": train}


def rules_of(task: str) -> tuple[str, ...]:
    """Methods of a task that are not trained: rules, a kernel, approximate edit distances."""
    if task == "classification":
        return tuple(BASELINES)
    if task == "matching":
        return tuple(MATCHING_RULES)
    return (*EDIT_METHODS, *RANKING_RULES)


def unit_key(
    task: str, facts: dict[str, Any], settings: dict[str, Any], seed: int, fold: int
) -> str:
    """Hash of what decides the result of a unit."""
    text = json.dumps([task, facts, settings, seed, fold], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
