"""`Feature`: the base class of node features."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, TypeVar

from graphpool.errors import ConfigError
from graphpool.graphs.graphset import GraphSet
from graphpool.typing import Float, Tensor

T = TypeVar("T")


class Feature(ABC):
    """One block of columns of the node features.

    `kind` is the word in a feature string and `summary` one line about it. `fit` learns from
    training graphs what `transform` needs; `state` holds all of it as plain values, and
    `from_state` returns an equal feature.
    """

    kind: ClassVar[str]
    summary: ClassVar[str]

    @classmethod
    def parse(cls, argument: str | None) -> "Feature":
        """Make an unfitted feature from what follows the colon in `kind:argument`."""
        if argument is not None:
            raise ConfigError(f"features: {cls.kind!r} takes no argument, {argument!r} was given")
        return cls()

    @abstractmethod
    def fit(self, graphs: GraphSet) -> "Feature":
        """Fit on training graphs."""

    @abstractmethod
    def transform(self, graphs: GraphSet) -> Float[Tensor, "nodes channels"]:
        """Return the columns of every node of `graphs`."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What each column means."""

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """Return everything that was fitted, as plain values for JSON."""

    @classmethod
    @abstractmethod
    def from_state(cls, state: dict[str, Any]) -> "Feature":
        """Return a fitted feature from its `state`."""


def whole_number(kind: str, argument: str, least: int) -> int:
    """Read the argument of a feature as an integer of at least `least`."""
    try:
        value = int(argument)
    except ValueError:
        value = least - 1
    if value < least:
        raise ConfigError(
            f"features: {kind}:{argument} needs a whole number of at least {least}, "
            f"such as {kind}:{max(least, 8)}"
        )
    return value


def fitted(kind: str, value: T | None) -> T:
    """Return the fitted value, or raise an error that says to fit first."""
    if value is None:
        raise ConfigError(f"features: {kind!r} is not fitted; call fit(training graphs) first")
    return value
