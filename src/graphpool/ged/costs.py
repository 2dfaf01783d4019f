"""Costs of edits: `Costs` for users, and `Tables` for compiled loops."""

import math
import sys
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from fractions import Fraction
from typing import Any, NamedTuple, no_type_check

import numpy as np

from graphpool.errors import ConfigError, DataError, brief, check_type, check_whole, nearest
from graphpool.ged.kernel import IntArray, inlined

LabelCosts = Mapping[tuple[Hashable, Hashable], float]
_FINEST = 10**6
_LARGEST = 10**12
MOST_LABELS = 4096


class Rate(NamedTuple):
    """The cheapest edits of nodes or of edges.

    Args:
        change: least cost of changing a label, at most deletion + insertion.
        take, give: cost of a deletion and of an insertion.
    """

    change: int
    take: int
    give: int


class Tables(NamedTuple):
    """Costs as integers, by label code.

    A cost is an integer divided by `scale`. Labels of nodes are 0, 1, …, and the last row and
    column of `node` stand for no node. Labels of edges are 1, 2, …, and 0 is no edge.

    Args:
        node: `[labels + 1, labels + 1]`, cost of turning the first into the second.
        edge: `[labels + 1, labels + 1]`; an edge is deleted and inserted where that is cheaper
            than a substitution.
        scale: the integer that stands for a cost of 1.
        unit: the greatest number that divides every cost: distances are multiples of it.
        node_rate, edge_rate: the cheapest edits.
        uniform: 1 if all substitutions of edges cost the same.
        deletes: 1 if deleting a node and inserting another can be cheaper than substituting;
            0 if some optimal path maps every node of the smaller graph.
    """

    node: IntArray
    edge: IntArray
    scale: int
    unit: int
    node_rate: Rate
    edge_rate: Rate
    uniform: int
    deletes: int


@dataclass(frozen=True)
class Costs:
    """Costs of the six kinds of edit; by default each costs 1.

    Substituting equal labels costs nothing. `node_labels` and `edge_labels` give the cost of
    particular substitutions, `{("C", "N"): 0.5}`, in both directions unless the other one is
    given too; all others cost `node_substitution` and `edge_substitution`. Costs have at most six
    decimals, and are below a million.
    """

    node_insertion: float = 1.0
    node_deletion: float = 1.0
    node_substitution: float = 1.0
    edge_insertion: float = 1.0
    edge_deletion: float = 1.0
    edge_substitution: float = 1.0
    node_labels: LabelCosts = field(default_factory=dict)
    edge_labels: LabelCosts = field(default_factory=dict)

    def __post_init__(self) -> None:
        for kind in ("node_labels", "edge_labels"):
            check_type(kind, getattr(self, kind), Mapping, "a dict of costs by pairs of labels")
        for name, value in self._values():
            if 0 < _number(name, value) < 1 / _FINEST:
                raise ConfigError(
                    f"cost of {name} is {brief(value)}; costs have six decimals, so "
                    "scale all of them up"
                )
        for kind in ("node_labels", "edge_labels"):
            for pair, value in getattr(self, kind).items():
                if not isinstance(pair, tuple) or len(pair) != 2:
                    raise ConfigError(f"{kind}: {brief(pair)} is not a pair of labels")
                if pair[0] == pair[1] and value != 0:
                    problem = f"{brief(pair)} costs {brief(value)}"
                    raise ConfigError(f"{kind}: {problem}; equal labels must cost 0")

    def _values(self) -> list[tuple[str, float]]:
        plain = [item.name for item in fields(self) if not item.name.endswith("_labels")]
        named = [
            (f"{kind} {brief(pair)}", value)
            for kind in ("node_labels", "edge_labels")
            for pair, value in getattr(self, kind).items()
        ]
        return [(name, getattr(self, name)) for name in plain] + named

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "Costs":
        """Make costs from JSON values; label costs are lists of `[first, second, cost]`."""
        check_type("costs", values, Mapping, "a dict of costs by name")
        known = {item.name for item in fields(cls)}
        arguments: dict[str, Any] = {}
        for key, value in values.items():
            if key not in known:
                raise ConfigError(f"there is no cost {brief(key)}; {nearest(key, known)}")
            if not key.endswith("_labels"):
                arguments[key] = _number(key, value)
                continue
            try:
                named = {(first, second): cost for first, second, cost in value}
            except (TypeError, ValueError):
                raise ConfigError(f"{key} must be a list of [first, second, cost]") from None
            arguments[key] = {
                pair: _number(f"{key} {brief(pair)}", cost) for pair, cost in named.items()
            }
        return cls(**arguments)

    def to_dict(self) -> dict[str, Any]:
        """Return the costs as JSON values."""
        values = asdict(self)
        for kind in ("node_labels", "edge_labels"):
            values[kind] = [[first, second, cost] for (first, second), cost in values[kind].items()]
        return values

    def tables(self, node_names: Sequence[Hashable], edge_names: Sequence[Hashable]) -> Tables:
        """Return the costs between these labels as integers."""
        scale = self._scale()
        node = _square(node_names or (None,), self.node_substitution, self.node_labels, scale)
        node_rate = _rate(node, self.node_deletion, self.node_insertion, scale)
        deletes = node.max() > node_rate.take + node_rate.give
        node = np.pad(node, (0, 1))
        node[:-1, -1], node[-1, :-1] = node_rate.take, node_rate.give

        edge = _square(edge_names or (None,), self.edge_substitution, self.edge_labels, scale)
        edge_rate = _rate(edge, self.edge_deletion, self.edge_insertion, scale)
        edge = np.minimum(edge, edge_rate.take + edge_rate.give)
        uniform = edge.max() <= edge_rate.change
        edge = np.pad(edge, (1, 0))
        edge[1:, 0], edge[0, 1:] = edge_rate.take, edge_rate.give
        unit = int(np.gcd.reduce(np.concatenate([node.ravel(), edge.ravel()]))) or 1
        return Tables(node, edge, scale, unit, node_rate, edge_rate, int(uniform), int(deletes))

    def _scale(self) -> int:
        """Return the least factor that makes all costs integers, up to a millionth."""
        values = [value for _, value in self._values()]
        if max(values) > _LARGEST / _FINEST:
            raise ConfigError(f"a cost of {max(values):g} is too large; use less than a million")
        parts = [Fraction(value).limit_denominator(_FINEST) for value in values]
        scale = math.lcm(*(part.denominator for part in parts))
        return min(scale, _FINEST)


def _number(name: str, value: Any) -> float:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not number or not 0 <= value <= sys.float_info.max:
        raise ConfigError(f"cost of {name} is {brief(value)}; give a number that is 0 or more")
    return float(value)


def _square(
    names: Sequence[Hashable], substitution: float, given: LabelCosts, scale: int
) -> IntArray:
    """Return `[labels, labels]`: 0 on the diagonal, `given` costs, else that of a substitution."""
    if len(names) > MOST_LABELS:
        raise DataError(
            f"the graphs have {len(names)} labels; edit distances, whose costs are a table of all "
            f"pairs of labels, are computed for up to {MOST_LABELS}"
        )
    matrix = np.full((len(names), len(names)), round(substitution * scale), dtype=np.int64)
    np.fill_diagonal(matrix, 0)
    code = {name: number for number, name in enumerate(names)}
    _check_types(code, {name for pair in given for name in pair})
    for (first, second), cost in given.items():
        if first in code and second in code:
            matrix[code[first], code[second]] = round(cost * scale)
            if (second, first) not in given:
                matrix[code[second], code[first]] = round(cost * scale)
    return matrix


def check_tables(tables: Tables) -> None:
    """Refuse tables that compiled loops can't read: wrong types, shapes or numbers."""
    check_type("tables", tables, Tables, "what Costs.tables returns")
    for name in ("node", "edge"):
        table = getattr(tables, name)
        square = isinstance(table, np.ndarray) and table.dtype == np.int64 and table.ndim == 2
        if not square or not table.flags.c_contiguous or not 2 <= len(table) == table.shape[1]:
            raise DataError(f"the costs of {name}s must be a square table of int64")
        if not 0 <= table.min() <= table.max() <= 2 * _LARGEST:
            raise DataError(f"the costs of {name}s must lie in 0 to {2 * _LARGEST}")
        rate = getattr(tables, f"{name}_rate")
        check_type(f"{name}_rate", rate, Rate, "Rate(...)")
        for key, cost in rate._asdict().items():
            check_whole(f"{key} of {name}s", cost, 0, 2 * _LARGEST)
    for name, least, most in (("scale", 1, _FINEST), ("unit", 1, 2 * _LARGEST),
                              ("uniform", 0, 1), ("deletes", 0, 1)):  # fmt: skip
        check_whole(name, getattr(tables, name), least, most)


def _rate(square: IntArray, deletion: float, insertion: float, scale: int) -> Rate:
    take, give = round(deletion * scale), round(insertion * scale)
    other = square[~np.eye(len(square), dtype=bool)]
    return Rate(int(other.min(initial=take + give)), take, give)


def _check_types(present: Collection[Hashable], named: Iterable[Hashable]) -> None:
    """Refuse labels that differ from a label of the graphs only in being a string or a number."""
    spelt = {str(name): name for name in present}
    for name in named:
        other = spelt.get(str(name), name)
        if other != name:
            raise ConfigError(
                f"costs name the label {name!r}, but the graphs have {other!r}; strings and "
                "numbers are different labels"
            )


@inlined
@no_type_check
def bag_cost(rate: Rate, left: int, right: int, common: int) -> int:
    """Return the least cost of turning `left` labels into `right` labels, `common` of them equal.

    Equal labels are matched for free, the rest is substituted at the cheapest rate, and what one
    bag (multiset) has more of is deleted or inserted. No edit path costs less, because the rate of
    a substitution is never above a deletion and an insertion.
    """
    less = min(left, right)
    return (less - common) * rate.change + (left - less) * rate.take + (right - less) * rate.give
