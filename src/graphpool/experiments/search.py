"""A small search for settings: the same number of tries for every network of an experiment.

    [search]
    tries = 6                                   # of each unit, the plain settings among them
    seed = 0                                    # of the draw, the same for every method
    model.hidden_channels = [32, 64]            # choices for a setting
    model.clusters = [[4, 1], [16, 1]]
    model.ratio = [0.25, 0.75]
    train.learning_rate = [0.001, 0.01]

Try 0 has the plain settings of the experiment. The others are drawn from all combinations, in one
order for all methods. A method leaves out choices of settings that it does not use, and tries that
would build the same network as an earlier one: of `clusters`, `ratio` and `resolution` it has the
one that sets how coarse its graphs are. Each unit trains all tries on its training examples, its
validation examples choose one, and that one alone is tested.
"""

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from graphpool.config import ModelConfig, RunConfig, TrainConfig, from_dict, settings_in
from graphpool.errors import ConfigError, nearest
from graphpool.experiments.unit import INDIFFERENT
from graphpool.nn.zoo.used_settings import explicit_model, unused_settings

_KINDS: dict[str, type[Any]] = {"model": ModelConfig, "train": TrainConfig}
# What decides features and examples, how tries are compared, or nothing at all.
_FIXED = ("pooler", "encoder", "parts", "scoring", "seed", *INDIFFERENT)
_MOST = 100_000


@dataclass(frozen=True)
class Search:
    """The search of an experiment; see the module for its table.

    Args:
        tries: settings that each unit tries.
        seed: of the draw.
        model, train: lists of values, by the name of the setting.
    """

    tries: int
    seed: int = 0
    model: dict = field(default_factory=dict, hash=False)  # type: ignore[type-arg]
    train: dict = field(default_factory=dict, hash=False)  # type: ignore[type-arg]

    def checked(self, where: str) -> "Search":
        """Return the search with values of the right types; what is wrong is an error."""
        if self.tries < 2:
            raise ConfigError(f"{where}.tries is {self.tries}; a search needs at least 2")
        model, train = (
            {key: _values(kind, key, each, f"{where}.{kind}") for key, each in choices.items()}
            for kind, choices in (("model", self.model), ("train", self.train))
        )
        count = math.prod(len(values) for values in (*model.values(), *train.values()))
        if count > _MOST:
            raise ConfigError(f"{where}: {count:,} combinations; give fewer than {_MOST:,}")
        return replace(self, model=model, train=train)

    def tries_of(self, config: RunConfig) -> tuple[RunConfig, ...]:
        """Return the settings that a network tries, its own first."""
        found = {_explicit(config): config}
        for model, train in self._drawn():
            changed = replace(
                config, model=_with_used(config.model, model), train=replace(config.train, **train)
            )
            found.setdefault(_explicit(changed), changed)
            if len(found) == self.tries:
                return tuple(found.values())
        raise ConfigError(
            f"tries is {self.tries}, but {config.model.pooler} has only {len(found)} different "
            "settings; give fewer tries or more choices"
        )

    def _drawn(self) -> list[tuple[dict[str, Any], dict[str, Any]]]:
        """All combinations of choices, in the order of the draw."""
        drawn = [(model, train) for model in _product(self.model) for train in _product(self.train)]
        random.Random(self.seed).shuffle(drawn)
        return drawn


def _values(kind: str, key: str, values: Any, where: str) -> tuple[Any, ...]:
    """The choices for one setting, each of its type and in its range."""
    known = [each.name for each in settings_in(_KINDS[kind]) if each.name not in _FIXED]
    if key not in known:
        raise ConfigError(f"{where}: {key!r} can't be searched; {nearest(key, known)}")
    if not isinstance(values, list) or not values:
        raise ConfigError(f"{where}.{key}: give a list of values to choose from")
    found = []
    for value in values:
        try:
            found.append(getattr(from_dict(_KINDS[kind], {key: value}, where), key))
        except ConfigError as error:
            text = str(error)
            raise ConfigError(text if text.startswith(where) else f"{where}: {text}") from None
        if found[-1] in found[:-1]:
            raise ConfigError(f"{where}.{key}: {value} stands there twice")
    return tuple(found)


def _product(choices: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    return [
        dict(zip(choices, values, strict=True)) for values in itertools.product(*choices.values())
    ]


def _with_used(plain: ModelConfig, choices: Mapping[str, Any]) -> ModelConfig:
    """The network with the choices that it uses.

    Whether it uses a readout depends on others: one that reads the last level alone has nothing to
    do where that is one cluster.
    """
    unused = {*unused_settings(plain)} - {"readout"}
    kept = {key: value for key, value in choices.items() if key not in unused}
    unused = {*unused_settings(replace(plain, **kept))}
    return replace(plain, **{key: value for key, value in kept.items() if key not in unused})


def _explicit(config: RunConfig) -> RunConfig:
    """Equal for settings that build the same network."""
    return replace(config, model=explicit_model(config.model))
