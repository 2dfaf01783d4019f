"""Build networks by name from settings."""

from torch import nn

from graphpool.config import ModelConfig
from graphpool.errors import ConfigError
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.hap import HAPCoarsening, clusters_from_ratio
from graphpool.nn.zoo.families import rule_of
from graphpool.nn.zoo.registry import METHODS as METHODS
from graphpool.nn.zoo.registry import find_method


def place_rule(config: ModelConfig) -> PlaceRule | None:
    """Return the rule by which the model of `config` finds places; `None`: it uses none."""
    rule_from = find_method(config.pooler).rule
    if rule_from is None or config.assignment in ("content", "static"):
        return None
    return rule_from(config) or HAPCoarsening(1, config.clusters[0]).rule


def chooses_places(name: str) -> bool:
    """Return whether `model.cluster_count` sets how many places a graph has for this method."""
    return find_method(name).rule is rule_of


def build_model(
    config: ModelConfig, in_channels: int, out_channels: int, mean_nodes: float | None = None
) -> nn.Module:
    """Build the model that `config` describes.

    Args:
        config: settings; `pooler` names the method.
        in_channels: channels of the node features.
        out_channels: classes.
        mean_nodes: mean nodes per training graph, needed when `config.ratio` sets the clusters.
    """
    build, clusters = find_method(config.pooler).build, config.clusters
    assert build is not None, "only pair networks are built elsewhere"
    if config.ratio:
        if mean_nodes is None:
            raise ConfigError("model.ratio needs the mean number of nodes of the training graphs")
        clusters = clusters_from_ratio(config.ratio, mean_nodes, len(clusters) or 2)
    return build(config, clusters, in_channels, out_channels)
