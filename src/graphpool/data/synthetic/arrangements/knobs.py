"""Names and knobs of the arrangement sets, and how both are written: `ring:bridges=6,seed=3`."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from graphpool.errors import ConfigError, nearest

LEAST_SIZE = 3  # nodes of the smallest community that need not be a tree
LEAST_RING = 6  # communities of the shortest cycle on which two marks can be 3 apart

ABOUT = {
    "ring": "a cycle of 8 communities of two types, AABBAABB against ABAAABBB",
    "marks": "a cycle of 8 communities, two of them marked: at distance 2 against 3 or 4",
    "marksmix": "marks with 6 to 10 communities",
    "order": "a path of 6 communities of two types, AABABB against ABAABB",
    "spider": "a tree of 6 communities without types, legs of 1, 1, 3 against 1, 2, 2",
}


@dataclass(frozen=True)
class Knobs:
    """What an arrangement set is drawn from.

    Args:
        graphs: number of graphs, half of each class.
        sizes: least and most nodes of a community.
        edges: edges per node inside a community, at least 1.
        bridges: edges between two communities that are joined.
        noise: share of nodes with the label of the other type.
        communities: least and most communities of a graph (`marks` and `marksmix` alone).
        twins: let graphs 2i and 2i + 1 be the same communities in either arrangement.
        seed: everything drawn follows from it.
    """

    graphs: int = 4000
    sizes: tuple[int, int] = (8, 12)
    edges: float = 1.8
    bridges: int = 1
    noise: float = 0.2
    communities: tuple[int, int] = (8, 8)
    twins: bool = False
    seed: int = 0


def defaults(name: str) -> Knobs:
    """The knobs of `name` when none is turned."""
    communities = {"marksmix": (6, 10), "order": (6, 6), "spider": (6, 6)}
    return Knobs(communities=communities.get(name, Knobs.communities))


def turnable(name: str) -> tuple[str, ...]:
    """The knobs that `name` has; a fixed arrangement has a fixed number of communities."""
    fixed = {"spider": {"communities", "noise"}, "ring": {"communities"}, "order": {"communities"}}
    return tuple(knob for knob in asdict(Knobs()) if knob not in fixed.get(name, ()))


def turned(name: str, given: Mapping[str, object]) -> Knobs:
    """The knobs of the set `name` with those `given`, as values or as text, checked."""
    if name not in ABOUT:
        raise ConfigError(f"there is no arrangement set {name!r}; {nearest(name, ABOUT)}")
    for knob in given:
        if knob not in turnable(name):
            raise ConfigError(f"{name} has no knob {knob!r}; {nearest(knob, turnable(name))}")
    values: dict[str, Any] = {knob: _value(name, knob, value) for knob, value in given.items()}
    knobs = replace(defaults(name), **values)
    _check(name, knobs)
    return knobs


def parse(settings: str) -> dict[str, str]:
    """Knobs as text, by name, from `bridges=6,sizes=8-12`; empty text turns none."""
    found: dict[str, str] = {}
    for item in filter(None, map(str.strip, settings.split(","))):
        knob, mark, value = map(str.strip, item.partition("="))
        if not (knob and mark and value):
            raise ConfigError(f"{item!r} is no setting; write KNOB=VALUE, such as bridges=6")
        if knob in found:
            raise ConfigError(f"{knob} is set twice; keep one of them")
        found[knob] = value
    return found


def spelled(name: str, knobs: Knobs) -> str:
    """The one way to write a set: its name, and the knobs that are not as usual."""
    usual = asdict(defaults(name))
    items = [f"{key}={text(value)}" for key, value in asdict(knobs).items() if value != usual[key]]
    return f"{name}:{','.join(items)}" if items else name


def text(value: object) -> str:
    """A knob's value as it is written on the command line."""
    if isinstance(value, tuple):
        return "-".join(str(part) for part in dict.fromkeys(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, knob: str, value: object) -> Any:
    """A value as the knob has it; text is read, and a whole number will do for a range."""
    usual = getattr(Knobs(), knob)
    try:
        if isinstance(usual, bool):
            return {"true": True, "false": False}[text(value)]
        if isinstance(usual, int):
            return _whole(value)
        if isinstance(usual, float):
            return float(value)  # type: ignore[arg-type]
        parts = value.split("-") if isinstance(value, str) else value
        least, *most = parts if isinstance(parts, (tuple, list)) else [parts]
        return (_whole(least), _whole(*(most or [least])))
    except (KeyError, TypeError, ValueError):
        form = text(usual)
        raise ConfigError(f"{name}: {knob} can't be {value!r}; write such as {form}") from None


def _whole(value: object) -> int:
    """A whole number, as such or as text; nothing is rounded."""
    number = int(value)  # type: ignore[call-overload]
    if not isinstance(value, str) and number != value:
        raise ValueError(value)
    return int(number)


def _check(name: str, knobs: Knobs) -> None:
    least, most = knobs.sizes
    fewest, many = knobs.communities
    densest = (least - 1) / 2
    wrong = {
        "graphs": (knobs.graphs >= 1, "at least 1"),
        "sizes": (LEAST_SIZE <= least <= most, f"an ascending range from {LEAST_SIZE} on"),
        "edges": (1 <= knobs.edges <= densest, f"1 to {densest:g} with communities of {least}"),
        "bridges": (1 <= knobs.bridges <= least**2, f"1 to {least**2}, all pairs of nodes"),
        "noise": (0 <= knobs.noise <= 1, "0 to 1"),
        "communities": (LEAST_RING <= fewest <= many, f"an ascending range from {LEAST_RING} on"),
        "seed": (knobs.seed >= 0, "at least 0"),
    }
    for knob, (right, wanted) in wrong.items():
        if not right:
            value = text(getattr(knobs, knob))
            raise ConfigError(f"{name}: {knob} can't be {value}; it must be {wanted}")
