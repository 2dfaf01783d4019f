"""The methods that can be evaluated: every network of `graphpool.nn.zoo`, and two baselines."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from graphpool.config import ModelConfig, RunConfig, to_dict
from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.baselines.kernel import SVM_C, WL_ITERATIONS
from graphpool.nn.zoo.build import METHODS, chooses_places
from graphpool.nn.zoo.networks import BUILT_IN
from graphpool.training.select_place_rule import VALIDATION


@dataclass(frozen=True)
class Evaluated:
    """One method.

    Attributes:
        family: `group` (coarsens), `top-k` (keeps nodes), `flat`, `kernel` or `rule`.
        trained: whether the training loop is run.
        cost: methods with a higher one take longer and are begun first.
    """

    name: str
    family: str
    summary: str
    trained: bool
    cost: int


_COSTS = {"group": 4, "top-k": 4, "flat": 3, "rule": 2}

BASELINES: dict[str, Evaluated] = {
    "wl": Evaluated(
        name="wl",
        family="kernel",
        summary="Weisfeiler–Lehman subtree kernel and SVM, h and C chosen on validation graphs",
        trained=False,
        cost=1,
    ),
    "majority": Evaluated(
        name="majority",
        family="rule",
        summary="always the most frequent class of the training graphs",
        trained=False,
        cost=0,
    ),
}


class _Evaluated(Mapping[str, Evaluated]):
    """Everything that is registered at the time of asking, and the baselines."""

    def __getitem__(self, name: str) -> Evaluated:
        if name in BASELINES:
            return BASELINES[name]
        method = METHODS[name]
        return Evaluated(name, method.family, method.summary, True, _COSTS.get(method.family, 4))

    def __iter__(self) -> Iterator[str]:
        yield from METHODS
        yield from BASELINES

    def __len__(self) -> int:
        return len(METHODS) + len(BASELINES)


EVALUATED: Mapping[str, Evaluated] = _Evaluated()

# Settings of the training that change how it is done, and not what comes out.
_INDIFFERENT = ("threads", "checkpoint_seconds", "tensorboard")


def check_methods(names: Iterable[str]) -> tuple[str, ...]:
    """The names, each once; an unknown one is an error."""
    distinct = tuple(dict.fromkeys(names))
    for name in distinct:
        if name not in EVALUATED:
            raise ConfigError(f"unknown method {name!r}; {nearest(name, EVALUATED)}")
    if not distinct:
        raise ConfigError(f"no method to evaluate; choose among {', '.join(EVALUATED)}")
    return distinct


def registered_here(names: Iterable[str]) -> bool:
    """Whether one of them was registered by the user; other processes don't know it."""
    known = {method.name for method in BUILT_IN}
    return any(name in METHODS and name not in known for name in names)


def model_of(method: str, config: ModelConfig) -> ModelConfig:
    """The settings of one of several methods that share them.

    A method that does not use places has no number of them to choose:
    `cluster_count = "validation"` is for the others.
    """
    config = replace(config, pooler=method)
    open_count = method in METHODS and chooses_places(method)
    if config.cluster_count == VALIDATION and not open_count:
        return replace(config, cluster_count=ModelConfig.cluster_count)
    return config


def settings_of(method: str, config: RunConfig) -> dict[str, Any]:
    """Every setting that can change the method's result, as plain values."""
    if method == "majority":
        return {}
    if method == "wl":
        return {"iterations": list(WL_ITERATIONS), "C": list(SVM_C)}
    values = to_dict(config)
    train = {key: value for key, value in values["train"].items() if key not in _INDIFFERENT}
    return {
        "features": config.features,
        "model": {**values["model"], "pooler": method},
        "train": train,
    }
