"""Networks and poolers by name: list them, build them, register your own."""

import inspect
from typing import Any

from torch import nn

from graphpool.config import USES_EDGES, ModelConfig, resolve_model
from graphpool.errors import ConfigError, check_known, check_type, check_whole, nearest
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.hap import HAPCoarsening, clusters_from_ratio
from graphpool.nn.module import MOST
from graphpool.nn.zoo.families import (
    FAMILIES,
    Module,
    Network,
    Request,
    family_network,
)
from graphpool.nn.zoo.networks import BUILT_IN, PAIR_NETWORKS
from graphpool.nn.zoo.rules import rule_of, two_way_rule

METHODS: dict[str, Network] = {network.name: network for network in BUILT_IN}
# Networks of the zoo that pass no messages, or their own.
_WITHOUT_ENCODER = ("structure-free", "gmn", "gmn-hap")
PAIR_METHODS: dict[str, Network] = {network.name: network for network in PAIR_NETWORKS}
# Settings of soft clusters, which hap does not have.
SOFT = (
    "assignment", "relaxation", "connect", "cluster_profile", "cut_loss", "balance",
    "orthogonality",
)  # fmt: skip
TWO_WAY = {
    "down": ("each",),
    "gate": ("auto", "off"),
    "whole_graph": (False,),
    "gather": ("default", "levels", "last"),
}
"""Settings of `hap` alone, and the values that they may have with other networks."""


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
    """Register a pooler of your own by name; `--pooler` and all models take it then.

    Args:
        name: not taken yet.
        build: a class, or any function that makes a module. Of family `"group"`:
            `build(channels, clusters)`, a module with an attribute `clusters`; `"top-k"`:
            `build(channels, ratio)`; `"flat"`: `build(channels)`, a `FlatPool`. Those of the first
            two families return a `PoolOutput` of a `Level`.
        family: one of these.
        paper, year, summary, keeps, cost: what `graphpool list poolers` shows.
    """
    if name in METHODS or name in PAIR_METHODS:
        raise ConfigError(f"there is a pooler {name!r} already; give yours another name")
    check_known("family", family, FAMILIES)
    METHODS[name] = family_network(name, family, paper, year, summary, keeps, cost, build)


def list_networks() -> list[dict[str, Any]]:
    """Every name that `ModelConfig.pooler` takes, with its family, paper, year and summary.

    Those of family `pair` compare two graphs; all others embed single graphs, and compare them by
    their embeddings.
    """
    return [_row(network) for network in (*METHODS.values(), *PAIR_METHODS.values())]


def list_poolers() -> list[dict[str, Any]]:
    """Every pooler that `pooler` makes: name, family, paper, year, summary, keeps and cost."""
    return [_row(network) for network in METHODS.values() if _is_pooler(network)]


def _row(network: Network) -> dict[str, Any]:
    columns = ("name", "family", "paper", "year", "summary", "keeps", "cost")
    return {key: getattr(network, key) for key in columns}


def _is_pooler(network: Network) -> bool:
    return network.module is not None and network.around is None


def pooler(name: str, in_channels: int, **options: Any) -> nn.Module:
    """Make a pooler by name; it is called as `pool(x, edge_index, batch, edge_weight)`.

    Such as `pooler("hap", in_channels=64)`, `pooler("sagpool", in_channels=64, ratio=0.8)` or
    `pooler("set2set", in_channels=64)`.

    Args:
        name: one of `list_poolers`.
        in_channels: channels of the node features.
        options: of the pooler, each with a default.
    """
    known = {key: network for key, network in METHODS.items() if _is_pooler(network)}
    check_type("the name of a pooler", name, str, "one of list_poolers()")
    check_whole("in_channels", in_channels, 1, MOST)
    if name not in known:
        network = METHODS.get(name) or PAIR_METHODS.get(name)
        if network is None:
            raise ConfigError(f"unknown pooler {name!r}; {nearest(name, known)}")
        inner = "" if network.around is None else f"; the pooler in it is {network.around!r}"
        raise ConfigError(f"{name!r} is a whole network, not a pooler{inner}")
    module = known[name].module
    assert module is not None, "a pooler has a module"
    taken = inspect.signature(module).parameters
    if not any(each.kind is inspect.Parameter.VAR_KEYWORD for each in taken.values()):
        for key in options:
            if key not in taken:
                raise ConfigError(f"{name!r} has no option {key!r}; {nearest(key, taken)}")
    return module(in_channels, **options)


def count_parameters(name: str, channels: int = 64, clusters: int = 8) -> int | None:
    """Learned numbers of the pooling module alone; `None` for a network without one."""
    network = METHODS.get(name) or PAIR_METHODS.get(name) or find_method(name)
    if network.module is None:
        return None
    second = {"clusters": (clusters,), "ratio": (0.5,), "channels": ()}[network.takes]
    made = network.module(channels, *second)
    return sum(weight.numel() for weight in made.parameters())


def find_method(name: str) -> Network:
    """Find a network that embeds graphs; an unknown name is an error that names the nearest."""
    check_known("pooler", name, METHODS)
    return METHODS[name]


def place_rule(config: ModelConfig) -> PlaceRule | None:
    """Return the rule by which the model of `config` finds places; `None`: it uses none."""
    rule_from = find_method(config.pooler).rule
    if rule_from is None or config.assignment in ("content", "static"):
        return None
    rule = rule_from(config)
    if rule is None and config.clusters:
        return HAPCoarsening(1, config.clusters[0]).rule
    return rule


def uses_places(name: str) -> bool:
    """Return whether the network of this name, or of pairs, has places."""
    if name in PAIR_METHODS:
        return name.endswith("-hap")
    return find_method(name).rule is not None


def chooses_places(name: str) -> bool:
    """Return whether `model.cluster_count` sets how many places a graph has for this method."""
    return find_method(name).rule in (rule_of, two_way_rule)


def check_settings(config: ModelConfig) -> None:
    """Raise a `ConfigError` for settings that the network of `config` does not have."""
    both_ways = config.pooler == "hap"
    idle = {key: (getattr(ModelConfig, key),) for key in SOFT} if both_ways else TWO_WAY
    for key, values in idle.items():
        if (value := getattr(config, key)) not in values:
            other = (
                "hap-one-way, which hap meant up to version 0.1.0; use the pooler hap-one-way"
                if both_ways
                else "the pooler hap; use that"
            )
            raise ConfigError(f"model.{key} = {value!r} is a setting of {other}, or leave it out")
    if both_ways and config.ratio and config.clusters:
        raise ConfigError(
            "model.ratio and model.clusters both set how many places a graph has in hap; leave out "
            "one of them"
        )
    if not both_ways and config.units in ("graph", "nodes") and uses_places(config.pooler):
        raise ConfigError(
            f"model.units {config.units!r} is for the pooler hap; use that, or other units"
        )


def edges_unused(config: ModelConfig) -> str:
    """Return why the network of resolved settings uses no features of edges; empty if it does."""
    if config.pooler in _WITHOUT_ENCODER:
        return f"network {config.pooler}"
    return "" if config.encoder in USES_EDGES else f"encoder {config.encoder}"


def build_model(
    config: ModelConfig,
    in_channels: int,
    out_channels: int,
    mean_nodes: float | None = None,
    edge_channels: int = 0,
) -> nn.Module:
    """Build the model that `config` describes.

    Args:
        config: settings; `pooler` names the method. What they leave open is resolved for graphs
            with features of edges if there are `edge_channels`.
        in_channels: channels of the node features.
        out_channels: classes.
        mean_nodes: mean nodes per training graph, needed when `config.ratio` sets the clusters,
            and the unit of the readout `scaled_sum`.
        edge_channels: channels of the features of edges.
    """
    config = resolve_model(config, edge_channels > 0)
    check_settings(config)
    build, clusters = find_method(config.pooler).build, config.clusters
    assert build is not None, "only pair networks are built elsewhere"
    if config.ratio:
        if mean_nodes is None:
            raise ConfigError("model.ratio needs the mean number of nodes of the training graphs")
        clusters = clusters_from_ratio(config.ratio, mean_nodes, len(clusters) or 2)
    mean = 1.0 if mean_nodes is None else mean_nodes
    return build(Request(config, clusters, in_channels, out_channels, edge_channels, mean))
