"""Methods that can be evaluated, by task: the networks that it trains, and its baselines."""

from collections.abc import Iterable
from dataclasses import replace

from graphpool.config import ModelConfig
from graphpool.data.molecules.published import MOLECULES
from graphpool.errors import ConfigError, nearest
from graphpool.nn.zoo.build import METHODS, TWO_WAY, chooses_places
from graphpool.nn.zoo.networks import BUILT_IN
from graphpool.tasks import TASKS, find_task
from graphpool.training.select_place_rule import VALIDATION

# Units of methods with a higher one take longer and are begun first.
_COSTS = {"flat": 3, "rule": 2}
_COST, _PAIR_COST = 4, 5


def check_known(name: str, known: Iterable[str], problem: str) -> None:
    """Raise an error that names the nearest of the known names."""
    if name not in known:
        raise ConfigError(f"{problem} {name!r}; {nearest(name, known)}")


def methods_of(task: str) -> dict[str, str]:
    """Return name and summary of every method of a task, those that are registered included."""
    kind = find_task(task)
    baselines = {name: baseline.summary for name, baseline in kind.baselines().items()}
    return {**kind.methods(), **baselines}


def check_methods(names: Iterable[str], task: str = "classification") -> tuple[str, ...]:
    """Return the names, each once; an unknown one is an error."""
    distinct, known = tuple(dict.fromkeys(names)), methods_of(task)
    for name in distinct:
        others = [f"--task {each}" for each, kind in TASKS.items() if name in kind.methods()]
        if others and name not in known:
            raise ConfigError(
                f"{name} is a network for pairs of graphs; evaluate it with {' or '.join(others)}"
            )
        check_known(name, known, "unknown method")
    if not distinct:
        raise ConfigError(f"no method to evaluate; choose among {', '.join(known)}")
    return distinct


def family_of(method: str, task: str = "classification") -> str:
    """Return the family of a network, or the kind of a baseline."""
    baselines = find_task(task).baselines()
    return baselines[method].kind if method in baselines else METHODS[method].family


def main_metric(task: str, data: str = "") -> str:
    """Return the metric that is published with a set, or else the task's main one."""
    kind, entry = find_task(task), MOLECULES.get(data)
    return entry.metric if entry is not None and entry.metric in kind.columns else kind.main


def cost_of(pooler: str) -> int:
    """Return a number that is higher for methods that take longer."""
    return _COSTS.get(METHODS[pooler].family, _COST) if pooler in METHODS else _PAIR_COST


def registered_here(names: Iterable[str]) -> bool:
    """Return whether one of them was registered by the user; other processes don't know it."""
    known = {method.name for method in BUILT_IN}
    return any(name in METHODS and name not in known for name in names)


def model_of(method: str, config: ModelConfig) -> ModelConfig:
    """Return the settings of one of several methods that share them.

    A method that does not use places has none to choose: `cluster_count = "validation"` and
    `units = "validation"` are for the others. Settings that hap alone has are for hap.
    """
    config = replace(config, pooler=method)
    if method != "hap":
        other = [key for key, values in TWO_WAY.items() if getattr(config, key) not in values]
        config = replace(config, **{key: getattr(ModelConfig, key) for key in other})
    open_count = method in METHODS and chooses_places(method)
    if not open_count:
        if config.cluster_count == VALIDATION:
            config = replace(config, cluster_count=ModelConfig.cluster_count)
        if config.units == VALIDATION:
            config = replace(config, units=ModelConfig.units)
    return config
