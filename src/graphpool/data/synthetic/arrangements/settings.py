"""Names and settings of the arrangement sets, written as `ring:bridges=6,seed=3`."""

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
class Settings:
    """The settings of an arrangement set.

    Args:
        graphs: number of graphs, half of each class.
        sizes: least and most nodes of a community.
        edges: edges per node inside a community, at least 1.
        bridges: edges between two communities that are joined.
        noise: share of nodes with the label of the other type.
        communities: least and most communities of a graph (only `marks` and `marksmix`).
        twins: make graphs 2i and 2i + 1 of the same communities, one in each arrangement.
        seed: the same seed gives the same graphs.
    """

    graphs: int = 4000
    sizes: tuple[int, int] = (8, 12)
    edges: float = 1.8
    bridges: int = 1
    noise: float = 0.2
    communities: tuple[int, int] = (8, 8)
    twins: bool = False
    seed: int = 0


def default_settings(name: str) -> Settings:
    """Return the default settings of the set `name`."""
    communities = {"marksmix": (6, 10), "order": (6, 6), "spider": (6, 6)}
    return Settings(communities=communities.get(name, Settings.communities))


def setting_names(name: str) -> tuple[str, ...]:
    """List the settings of the set `name`; not all sets have a choice of communities or labels."""
    fixed = {"spider": {"communities", "noise"}, "ring": {"communities"}, "order": {"communities"}}
    return tuple(setting for setting in asdict(Settings()) if setting not in fixed.get(name, ()))


def checked_settings(name: str, given: Mapping[str, object]) -> Settings:
    """Return the settings of the set `name` with those `given`, as values or as text, checked."""
    if name not in ABOUT:
        raise ConfigError(f"there is no arrangement set {name!r}; {nearest(name, ABOUT)}")
    for setting in given:
        if setting not in setting_names(name):
            raise ConfigError(
                f"{name} has no setting {setting!r}; {nearest(setting, setting_names(name))}"
            )
    values: dict[str, Any] = {
        setting: _value(name, setting, value) for setting, value in given.items()
    }
    settings = replace(default_settings(name), **values)
    _check(name, settings)
    return settings


def parse_settings(text: str) -> dict[str, str]:
    """Split `bridges=6,sizes=8-12` into names and values, all as text."""
    found: dict[str, str] = {}
    for item in filter(None, map(str.strip, text.split(","))):
        setting, mark, value = map(str.strip, item.partition("="))
        if not (setting and mark and value):
            raise ConfigError(f"{item!r} is not a setting; write NAME=VALUE, such as bridges=6")
        if setting in found:
            raise ConfigError(f"{setting} is set twice; keep one of them")
        found[setting] = value
    return found


def full_name(name: str, settings: Settings) -> str:
    """Return the name of a set with all settings that differ from the default."""
    usual = asdict(default_settings(name))
    items = [
        f"{key}={as_text(value)}" for key, value in asdict(settings).items() if value != usual[key]
    ]
    return f"{name}:{','.join(items)}" if items else name


def as_text(value: object) -> str:
    """Return a value as it is written on the command line."""
    if isinstance(value, tuple):
        return "-".join(str(part) for part in dict.fromkeys(value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def _value(name: str, setting: str, value: object) -> Any:
    """Convert a value, which may be text, to the type of the setting."""
    usual = getattr(Settings(), setting)
    try:
        if isinstance(usual, bool):
            return {"true": True, "false": False}[as_text(value)]
        if isinstance(usual, int):
            return _whole(value)
        if isinstance(usual, float):
            return float(value)  # type: ignore[arg-type]
        parts = value.split("-") if isinstance(value, str) else value
        least, *most = parts if isinstance(parts, (tuple, list)) else [parts]
        return (_whole(least), _whole(*(most or [least])))
    except (KeyError, TypeError, ValueError):
        form = as_text(usual)
        raise ConfigError(f"{name}: {setting} can't be {value!r}; write such as {form}") from None


def _whole(value: object) -> int:
    """Return a whole number, given as such or as text; nothing is rounded."""
    number = int(value)  # type: ignore[call-overload]
    if not isinstance(value, str) and number != value:
        raise ValueError(value)
    return int(number)


def _check(name: str, settings: Settings) -> None:
    least, most = settings.sizes
    fewest, many = settings.communities
    densest = (least - 1) / 2
    wrong = {
        "graphs": (settings.graphs >= 1, "at least 1"),
        "sizes": (LEAST_SIZE <= least <= most, f"an ascending range from {LEAST_SIZE} on"),
        "edges": (1 <= settings.edges <= densest, f"1 to {densest:g} with communities of {least}"),
        "bridges": (1 <= settings.bridges <= least**2, f"1 to {least**2}, all pairs of nodes"),
        "noise": (0 <= settings.noise <= 1, "0 to 1"),
        "communities": (LEAST_RING <= fewest <= many, f"an ascending range from {LEAST_RING} on"),
        "seed": (settings.seed >= 0, "at least 0"),
    }
    for setting, (right, wanted) in wrong.items():
        if not right:
            value = as_text(getattr(settings, setting))
            raise ConfigError(f"{name}: {setting} can't be {value}; it must be {wanted}")
