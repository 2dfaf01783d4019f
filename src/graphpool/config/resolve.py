"""Settings that depend on the training graphs or on each other, resolved in one place.

`model.encoder = "auto"` depends on the edges of the training graphs; `num_layers`, `norm` and
`residual` that are left open depend on the encoder and the network, `readout` and `max_clusters` on
the network, `gate` on it and on the number of training graphs.
`train.scoring = "auto"` depends on the set and on the task. They are resolved once, before anything
is built: model files, run folders, results and records hold the values that were used.
"""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any, Literal

from graphpool.config.convert import to_dict
from graphpool.config.model import ModelConfig
from graphpool.config.renamed import current_network
from graphpool.config.run import SCORING, RunConfig

USES_EDGES = ("gine", "gatv2", "gated")
"""Encoders that use features of edges."""

BOTH_WAYS: tuple[Literal["mean", "scaled_sum"], ...] = ("mean", "scaled_sum")
"""The readout of `hap`; that of other networks is the sum."""

MOST_SOFT, MOST_HARD = 16, 1024
"""Largest number of places of a graph: soft ones, which take memory for every node; hard ones."""

SHALLOW, DEEP = 2, 3
"""Layers of an encoder that uses no features of edges, and of one that does or goes with `hap`."""

MANY_GRAPHS = 8_000
"""Training graphs from which on `hap` has no gates."""


def resolve_model(
    settings: ModelConfig, edge_features: bool = False, graphs: int = 0
) -> ModelConfig:
    """Return the settings with a value in place of every one that is left open.

    Args:
        edge_features: whether edges of the training graphs differ in labels or attributes; needed
            only where `settings.encoder` is `auto`.
        graphs: how many training graphs there are, 0 where graphs are compared; needed only where
            `settings.gate` is `auto`.
    """
    encoder = settings.encoder
    if encoder == "auto":
        encoder = "gine" if edge_features else "gcn"
    both_ways = settings.pooler == "hap"
    deep = both_ways or encoder in USES_EDGES
    norm, residual, gate = settings.norm, settings.residual, settings.gate
    return replace(
        settings,
        encoder=encoder,
        num_layers=settings.num_layers or (DEEP if deep else SHALLOW),
        norm=norm if norm != "auto" else "batch" if deep else "none",
        residual=residual if residual != "auto" else "on" if deep else "off",
        readout=settings.readout or (BOTH_WAYS if both_ways else ("sum",)),
        max_clusters=settings.max_clusters or (MOST_HARD if both_ways else MOST_SOFT),
        gate=gate if gate != "auto" else "on" if both_ways and graphs < MANY_GRAPHS else "off",
    )


def resolve(
    config: RunConfig, edge_features: bool = False, metric: str = "", graphs: int = 0
) -> RunConfig:
    """Return the settings of a run with a value in place of every one that is left open.

    Args:
        edge_features, graphs: of `resolve_model`.
        metric: what is published with the training graphs, if anything is.
    """
    scoring = resolve_scoring(config, metric)
    return replace(
        config,
        model=resolve_model(config.model, edge_features, graphs),
        train=replace(config.train, scoring=scoring),
    )


def resolve_shared(config: RunConfig, edge_features: bool = False, metric: str = "") -> RunConfig:
    """Return settings that several networks share: encoder, layers and normalisation are the same.

    They are those of `config.model.pooler`; readout, number of places and gates, which depend on
    the network, are left open (`with_gates`). The arguments are those of `resolve`.
    """
    resolved, given = resolve(config, edge_features, metric), config.model
    own = {key: getattr(given, key) for key in ("readout", "max_clusters", "gate")}
    return replace(resolved, model=replace(resolved.model, **own))


def with_gates(config: RunConfig, graphs: int) -> RunConfig:
    """Return settings that several networks share, without gates if there are many graphs."""
    if config.model.gate == "auto" and graphs >= MANY_GRAPHS:
        return replace(config, model=replace(config.model, gate="off"))
    return config


def resolve_scoring(config: RunConfig, metric: str = "") -> Any:
    """Return the metric that chooses the epoch; `metric` is what is published with the set."""
    if config.train.scoring != "auto":
        return config.train.scoring
    known = SCORING[config.task]
    return metric if metric in known else known[0]


def completed_model(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return resolved settings of a model, as an older version wrote them, with newer ones added.

    Those are at their defaults, which change nothing.
    """
    return {**_defaults(), **current_network(values)}


@cache
def _defaults() -> dict[str, Any]:
    return to_dict(resolve_model(ModelConfig(pooler="hap-one-way", encoder="gcn")))
