"""`Feature`: the base class of features of nodes and of edges."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, TypeVar

from graphpool.errors import ConfigError, DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import current_limits
from graphpool.typing import Float, Tensor

T = TypeVar("T")


class Feature(ABC):
    """One block of columns of the features of nodes, or of edges.

    `of` says of which; a row is such a node or edge. `kind` is the word in a feature string and
    `summary` one line about it. `fit` learns from training graphs what `transform` needs. `stored`
    names the attributes that hold all of it as plain values, None before `fit`. A feature that
    takes a number, `kind:number`, has that first in `stored`, and `least` is the smallest it may
    be.
    """

    of: ClassVar[Literal["node", "edge"]] = "node"
    kind: ClassVar[str]
    summary: ClassVar[str]
    stored: ClassVar[tuple[str, ...]] = ()
    least: ClassVar[int | None] = None

    @classmethod
    def parse(cls, argument: str | None) -> "Feature":
        """Make an unfitted feature from what follows the colon in `kind:argument`."""
        feature = cls()
        if argument is not None:
            if cls.least is None:
                raise ConfigError(
                    f"features: {cls.kind!r} takes no argument, {argument!r} was given"
                )
            setattr(feature, cls.stored[0], _whole_number(cls.kind, argument, cls.least))
        return feature

    def fit(self, graphs: GraphSet) -> "Feature":
        """Fit on training graphs; by default there is nothing to fit."""
        return self

    @abstractmethod
    def transform(self, graphs: GraphSet) -> Float[Tensor, "rows channels"]:
        """Return the columns of every node, or of every edge, of `graphs`."""

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What each column means."""

    def state(self) -> dict[str, Any]:
        """Return everything that was fitted, as plain values for JSON."""
        values = {key: fitted(self.kind, getattr(self, key)) for key in self.stored}
        return {
            key: list(value) if isinstance(value, tuple) else value for key, value in values.items()
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> "Feature":
        """Return a fitted feature from its `state`."""
        feature = cls()
        for key in cls.stored:
            value = state[key]
            _check_stored(cls.kind, key, value)
            setattr(feature, key, tuple(value) if isinstance(value, list) else value)
        return feature


def _check_stored(kind: str, key: str, value: Any) -> None:
    """Refuse what no feature stores, and a number of columns that would fill the memory."""
    listed = value if isinstance(value, (list, tuple)) else [value]
    plain = all(isinstance(item, (int, float, str)) for item in listed)
    columns = value if type(value) is int else len(listed)
    if not plain or not 0 <= columns <= current_limits().attributes:
        raise ValueError(f"{kind}.{key} is {value!r:.60}")


def _whole_number(kind: str, argument: str, least: int) -> int:
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


def row_name(graphs: GraphSet, of: str, rows: Tensor) -> str:
    """Name the first of some nodes or edges, a mask `[rows]`, such as `graph 7: edge 0-3`."""
    row = int(rows.nonzero()[0])
    graph = int((graphs.node_graph if of == "node" else graphs.edge_graph)[row])
    if of == "node":
        name = str(row - int(graphs.node_ptr[graph]))
    else:
        name = "-".join(map(str, graphs.edge_index[:, row].tolist()))
    return f"graph {graphs.ids[graph]}: {of} {name}"


def refuse_negative_weights(graphs: GraphSet, reason: str) -> None:
    """Refuse graphs with a negative edge weight; `reason` says what it can't be."""
    if graphs.edge_weight is not None and bool((graphs.edge_weight < 0).any()):
        raise DataError(f"{graphs.name} has negative edge weights, {reason}; use other features")
