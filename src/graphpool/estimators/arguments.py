"""Arguments of the estimators, made from the settings of `graphpool.config`.

Every setting that the task of an estimator uses is an argument of its `__init__`, with the default
that the task has for it, and is explained in its docstring. scikit-learn finds the arguments
through the signature, as it does those of its own estimators.
"""

import inspect
import re
import textwrap
from collections.abc import Mapping
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from graphpool.config import (
    RENAMED,
    CompareConfig,
    ModelConfig,
    RunConfig,
    Setting,
    Task,
    TrainConfig,
    defaults_for,
    from_dict,
    settings_in,
    to_dict,
)
from graphpool.errors import ConfigError, nearest

E = TypeVar("E", bound="ConfigEstimator")
_SECTIONS = ("model", "", "train")
# What the docstring of an estimator holds where the explanations of the arguments belong.
_MARK = re.compile(r"^( *)<arguments>$", re.MULTILINE)
_OWN: dict[str, tuple[type[Any], Any, str]] = {
    "validation": (
        float,
        0.1,
        "Share of the graphs given to `fit` that choose the epoch and are not learned from; 0 "
        "learns from all of them and keeps the last epoch.",
    ),
    "progress": (bool, False, "Show a bar if stderr is a terminal."),
}


class ConfigEstimator(BaseEstimator):
    """Base of estimators whose arguments are settings.

    A subclass names its task, and arguments that stand for a setting under another name:
    `class GraphComparer(..., task="similarity", arguments={"triplets": "compare.examples"})`.
    """

    features: str
    seed: int
    validation: float
    progress: bool

    _task: ClassVar[Task]
    # Setting of each argument that is one.
    _settings: ClassVar[Mapping[str, Setting]] = {}

    def __init__(self, pooler: str = ModelConfig.pooler, **arguments: Any) -> None:
        """Store the arguments; `fit` checks them."""
        raise TypeError("ConfigEstimator is a base class; use one of its subclasses")

    def __init_subclass__(
        cls, task: Task | None = None, arguments: Mapping[str, str] | None = None, **others: Any
    ) -> None:
        super().__init_subclass__(**others)
        if task is None:
            return
        cls._task = task
        cls._settings = _settings_of(task, arguments or {})
        signature = _signature(task, cls._settings)

        def init(self: ConfigEstimator, *values: Any, **named: Any) -> None:
            _check_names(cls.__name__, named, signature)
            bound = signature.bind(self, *values, **named)
            bound.apply_defaults()
            for name, value in list(bound.arguments.items())[1:]:
                setattr(self, name, value)

        init.__signature__ = signature  # type: ignore[attr-defined]
        init.__name__, init.__qualname__ = "__init__", f"{cls.__qualname__}.__init__"
        init.__doc__ = ConfigEstimator.__init__.__doc__
        cls.__init__ = init  # type: ignore[method-assign]
        if cls.__doc__:
            cls.__doc__ = _MARK.sub(
                lambda mark: _explained(cls._settings, mark[1]), cls.__doc__, count=1
            )

    def set_params(self: E, **params: Any) -> E:
        """Set arguments, as scikit-learn does; an old name is an error that names the new one."""
        for name in params:
            _refuse_old(type(self).__name__, name)
        super().set_params(**params)
        return self

    def _run_config(self, data: str) -> RunConfig:
        """Return the settings, checked as those of a file are."""
        values = to_dict(defaults_for(self._task))
        for name, item in self._settings.items():
            section = values[item.section] if item.section else values
            section[item.name] = _plain(getattr(self, name))
        where = type(self).__name__
        return RunConfig(
            task=self._task,
            data=data,
            features=values["features"],
            model=from_dict(ModelConfig, values["model"], where),
            train=from_dict(TrainConfig, values["train"], where),
            compare=from_dict(CompareConfig, values["compare"], where),
        )

    @classmethod
    def _with_config(cls: type[E], config: RunConfig, device: str) -> E:
        """Make an estimator with the settings of a trained model, on another device."""
        values = {name: _value(config, item) for name, item in cls._settings.items()}
        return cls(**{**values, "device": device})


def _settings_of(task: Task, aliases: Mapping[str, str]) -> dict[str, Setting]:
    """Return the settings that the task uses, by argument, in the order of the signature."""
    known = settings_in(RunConfig)
    found = {
        item.name: item
        for section in _SECTIONS
        for item in known
        if item.section == section
        and item.estimator
        and item.used_by(task)
        and item.key not in ("task", "data")
    }
    by_key = {item.key: item for item in known}
    return {**found, **{name: by_key[key] for name, key in aliases.items()}}


def _signature(task: Task, settings: Mapping[str, Setting]) -> inspect.Signature:
    config = defaults_for(task)
    kinds = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter("self", kinds[0])]
    for name, item in settings.items():
        kind = kinds[0] if name == "pooler" else kinds[1]
        default = _value(config, item)
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=item.type))
    for name, (hint, default, _) in _OWN.items():
        parameters.append(inspect.Parameter(name, kinds[1], default=default, annotation=hint))
    return inspect.Signature(parameters)


def _value(config: RunConfig, item: Setting) -> Any:
    return getattr(getattr(config, item.section) if item.section else config, item.name)


def _explained(settings: Mapping[str, Setting], indent: str) -> str:
    """Return the lines of a docstring that explain the arguments."""
    texts = {name: item.sentence for name, item in settings.items()}
    texts |= {name: text for name, (_, _, text) in _OWN.items()}
    return "\n".join(
        textwrap.fill(
            f"{name}: {text}", 100, initial_indent=indent, subsequent_indent=f"{indent}    ",
            break_on_hyphens=False,
        )
        for name, text in texts.items()
    )  # fmt: skip


def _check_names(estimator: str, named: Mapping[str, Any], signature: inspect.Signature) -> None:
    known = [name for name in signature.parameters if name != "self"]
    for name in named:
        if name not in known:
            _refuse_old(estimator, name)
            raise TypeError(f"{estimator} has no argument {name!r}; {nearest(name, known)}")


def _refuse_old(estimator: str, name: str) -> None:
    for names in RENAMED.values():
        if name in names:
            raise ConfigError(f"{estimator}: {name} is now {names[name]}")


def _plain(value: Any) -> Any:
    """Return a NumPy number, which searches over parameters hand over, as one of Python."""
    return value.item() if isinstance(value, np.generic) else value
