"""Methods by name: what they are, and `register_pooler` for your own."""

import inspect
from typing import Any

from torch import nn

from graphpool.errors import ConfigError, nearest
from graphpool.nn.zoo.families import grouped, keeping, reading
from graphpool.nn.zoo.method import Method, Module, Takes
from graphpool.nn.zoo.methods import BUILT_IN

# What a module of each family takes, and the network that is made around it.
FAMILIES: dict[str, tuple[Takes, Any]] = {
    "group": ("clusters", grouped),
    "top-k": ("ratio", keeping),
    "flat": ("channels", reading),
}


METHODS: dict[str, Method] = {method.name: method for method in BUILT_IN}


def register_pooler(
    name: str,
    build: Module,
    *,
    family: str,
    paper: str = "-",
    year: int | None = None,
    summary: str = "",
    keeps: str = "",
    cost: str = "",
) -> None:
    """Make your own pooler known by name, wherever a pooler is named.

    Args:
        name: not taken yet.
        build: a class, or any function that makes a module. Of family `"group"`:
            `build(channels, clusters)`, a module that returns a `Coarsened` and has an attribute
            `clusters`; `"top-k"`: `build(channels, ratio)`, which returns a `Kept`; `"flat"`:
            `build(channels)`, a `FlatPool`.
        family: one of these.
        paper, year, summary, keeps, cost: what `graphpool list poolers` says of it.
    """
    if name in METHODS:
        raise ConfigError(f"there is a pooler {name!r} already; give yours another name")
    if family not in FAMILIES:
        raise ConfigError(f"unknown family {family!r}; {nearest(family, FAMILIES)}")
    takes, around = FAMILIES[family]
    METHODS[name] = Method(
        name, family, paper, year, summary, keeps, cost, around(build), build, takes
    )


def find_method(name: str) -> Method:
    """The method of this name; an unknown one is an error that names the nearest."""
    if name not in METHODS:
        raise ConfigError(f"unknown pooler {name!r}; {nearest(name, METHODS)}")
    return METHODS[name]


def list_poolers() -> list[dict[str, Any]]:
    """Name, family, paper, year, summary, what it keeps and its cost, of every method."""
    told = ("name", "family", "paper", "year", "summary", "keeps", "cost")
    return [{key: getattr(method, key) for key in told} for method in METHODS.values()]


def pooler(name: str, **options: Any) -> nn.Module:
    """A pooling module by name: a coarsening, one that keeps nodes, or a flat one.

    Such as `pooler("hap", in_channels=64, clusters=8)`, `pooler("sagpool", in_channels=64,
    ratio=0.5)` or `pooler("set2set", in_channels=64)`.
    """
    module = find_method(name).module
    if module is None:
        raise ConfigError(f"{name!r} is a whole network and has no pooling module of its own")
    known = inspect.signature(module).parameters
    if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in known.values()):
        for key in options:
            if key not in known:
                raise ConfigError(f"{name!r} has no option {key!r}; {nearest(key, known)}")
    return module(**options)


def count_parameters(name: str, channels: int = 64, clusters: int = 8) -> int | None:
    """Learned numbers of the pooling module alone; `None` for a network without one."""
    method = find_method(name)
    if method.module is None:
        return None
    second = {"clusters": (clusters,), "ratio": (0.5,), "channels": ()}[method.takes]
    made = method.module(channels, *second)
    return sum(weight.numel() for weight in made.parameters())
