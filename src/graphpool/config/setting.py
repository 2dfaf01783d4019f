"""Declare a setting once: default, help, choices, range, command-line option, tasks.

A field of a config is declared with `setting(...)`. Range checks, command-line options, the tables
of `graphpool list` and the arguments of the estimators are made from these declarations.
"""

import dataclasses
import math
import typing
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, TypeVar

from graphpool.errors import ConfigError, brief

T = TypeVar("T")
Bound = int | float | None
_METADATA = "graphpool"
# Larger bounds are those of a number format, not of a sensible range.
_LARGE = 2**53


@dataclass(frozen=True)
class Range:
    """Bounds of a number: `low <= value` or `above < value`, `value <= high` or `value < below`."""

    low: Bound = None
    above: Bound = None
    high: Bound = None
    below: Bound = None

    def __str__(self) -> str:
        """An interval, such as `[0, 1)`."""
        left = f"({_number(self.above)}" if self.above is not None else f"[{_number(self.low)}"
        if self.high is not None:
            return f"{left}, {_number(self.high)}]"
        return f"{left}, {_number(math.inf if self.below is None else self.below)})"

    def __contains__(self, value: Any) -> bool:
        # Written so that NaN lies outside.
        return (
            (self.low is None or value >= self.low)
            and (self.above is None or value > self.above)
            and (self.high is None or value <= self.high)
            and (self.below is None or value < self.below)
        )

    def requirement(self, values: Iterable[Any]) -> str:
        """What an error says about values that are not all inside."""
        top = self.high if self.high is not None else self.below
        if top is not None and top <= _LARGE:
            return f"must lie in {self}"
        if top is not None and any(value >= top for value in values):
            return f"must be less than {_number(top)}" if math.isfinite(top) else "must be finite"
        if self.above == 0:
            return "must be positive"
        return "can't be negative" if self.low == 0 else f"must be at least {_number(self.low)}"


@dataclass(frozen=True)
class Setting:
    """One field of a config, with all that is known about it.

    Attributes:
        help: one sentence for `--help`, `graphpool list settings` and docstrings.
        choices: allowed names and their meaning, in the order of the field's `Literal`.
        range: of the value, or of each item of a tuple.
        option: command-line option, such as `--hidden`; None if only `--set` and files have it.
        panel: heading in `--help`; by default that of the section.
        tasks: the only tasks that use it; empty if all do.
        file: whether the value is the path of a file.
        estimator: whether estimators have it as an argument.
        key: dotted name, such as `model.hidden_channels`.
        type: type hint of the field.
        default: default value of the field.
    """

    help: str
    choices: Mapping[str, str] = field(default_factory=dict)
    range: Range | None = None
    option: str | None = None
    panel: str | None = None
    tasks: tuple[str, ...] = ()
    file: bool = False
    estimator: bool = True
    key: str = ""
    type: Any = None
    default: Any = None

    @property
    def section(self) -> str:
        """`model` of `model.hidden_channels`; empty for settings of the run itself."""
        return self.key.rpartition(".")[0]

    @property
    def name(self) -> str:
        """`hidden_channels` of `model.hidden_channels`."""
        return self.key.rpartition(".")[2]

    @property
    def sentence(self) -> str:
        """The help, with the names of the choices at its end."""
        if not self.choices:
            return self.help
        return f"{self.help.removesuffix('.')}: {', '.join(self.choices)}."

    @property
    def allowed(self) -> str:
        """Names or range of the values, such as `[0, 1)`; empty if any will do."""
        return ", ".join(self.choices) or str(self.range or "")

    def value_in(self, config: Any) -> Any:
        """Return the value that a `RunConfig` has for it."""
        return getattr(getattr(config, self.section) if self.section else config, self.name)

    def used_by(self, task: str) -> bool:
        """Whether the task has a use for it."""
        return not self.tasks or task in self.tasks

    def check(self, value: Any, key: str = "") -> None:
        """Raise a `ConfigError` if the value, or an item of it, is out of range."""
        items = value if isinstance(value, (tuple, list)) else (value,)
        if self.range is None or all(item in self.range for item in items):
            if any(isinstance(item, int) and abs(item) >= 2**63 for item in items):
                raise ConfigError(f"{key or self.key} holds a number that is too large")
            return
        subject = "it" if items is not value else "every number"
        raise ConfigError(
            f"{key or self.key} is {brief(value)}; {subject} {self.range.requirement(items)}"
        )


def setting(default: T, help: str, **about: Any) -> T:
    """Declare a field of a config; `Setting` has and explains the other arguments."""
    return field(default=default, metadata={_METADATA: Setting(help, **about)})


def section_of(kind: type[Any]) -> str:
    """`model` for `ModelConfig`; empty for `RunConfig`, whose settings are in no section."""
    name = kind.__name__.removesuffix("Config").lower()
    return "" if name == "run" else name


def settings_in(kind: type[Any]) -> tuple[Setting, ...]:
    """Every setting of a config class and of the sections in it, in the order of declaration."""
    found: list[Setting] = []
    hints, section = typing.get_type_hints(kind), section_of(kind)
    for item in dataclasses.fields(kind):
        hint = hints[item.name]
        if dataclasses.is_dataclass(hint):
            found += settings_in(typing.cast(type[Any], hint))
        elif _METADATA in item.metadata:
            key = f"{section}.{item.name}" if section else item.name
            about: Setting = item.metadata[_METADATA]
            found.append(dataclasses.replace(about, key=key, type=hint, default=item.default))
    return tuple(found)


@dataclass(frozen=True)
class CheckedConfig:
    """Base of config sections; checks every value against the range of its setting."""

    def __post_init__(self) -> None:
        for item in dataclasses.fields(self):
            about: Setting = item.metadata[_METADATA]
            about.check(getattr(self, item.name), f"{section_of(type(self))}.{item.name}")


def _number(value: Bound) -> str:
    """`1/16`, `2**63`, `inf`."""
    if value is None or not math.isfinite(value):
        return str(value)
    if value > _LARGE and math.log2(value).is_integer():
        return f"2**{int(math.log2(value))}"
    return str(Fraction(value).limit_denominator(1000))
