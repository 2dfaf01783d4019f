"""What is known of one method."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from torch import nn

from graphpool.config import ModelConfig
from graphpool.graphs.places.rule import PlaceRule

Builder = Callable[[ModelConfig, tuple[int, ...], int, int], nn.Module]
Module = Callable[..., nn.Module]
Takes = Literal["clusters", "ratio", "channels"]


@dataclass(frozen=True)
class Method:
    """One row of `graphpool list poolers`.

    Args:
        name: what `--pooler` takes.
        family: `group`, `top-k`, `flat`, or `rule` for what is no pooler.
        paper: its authors.
        year: of publication.
        summary: one line.
        keeps: what remains of a graph.
        cost: what time and memory grow with.
        build: the whole network, from settings, clusters, input channels and classes.
        module: the pooler alone, called with its channels and with what `takes` says; `None` for a
            network that has none.
        takes: second argument of `module`: `clusters`, `ratio`, or none but the `channels`.
        rule: how many places a graph has by the settings; `None` if it does not use places.
    """

    name: str
    family: str
    paper: str
    year: int | None
    summary: str
    keeps: str
    cost: str
    build: Builder
    module: Module | None = None
    takes: Takes = "clusters"
    rule: Callable[[ModelConfig], PlaceRule | None] | None = None
