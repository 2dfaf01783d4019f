"""The rules by which networks find places, from their settings."""

from dataclasses import replace
from typing import Any, cast

from graphpool.config import MOST_HARD, MOST_SOFT, ModelConfig
from graphpool.errors import ConfigError
from graphpool.graphs.places.rule import PlaceRule, Units

RATIO = 0.5


def rule_by_share(config: ModelConfig) -> PlaceRule | None:
    """`rule_of` a method whose places are the share of the nodes that others keep."""
    return rule_of(by_share(config))


def rule_of(config: ModelConfig, units: Units = "none") -> PlaceRule | None:
    """How many places a graph has; `None` where `clusters` says it.

    Args:
        units: what `model.units = "default"` stands for.
    """
    if config.units == "recurring":
        if not config.parts:
            raise ConfigError(
                "model.units 'recurring' needs parts that are learned from training graphs; train "
                "the model, or give model.parts the digest of RecurringParts"
            )
        return PlaceRule(units="recurring", learned=config.parts)
    for key, others in (("units", "'auto' or 'none'"), ("cluster_count", "'modularity'")):
        if getattr(config, key) == "validation":
            raise ConfigError(
                f"model.{key} 'validation' tries several ways to find places while training; train "
                f"with it, or build the model with {others}"
            )
    options: dict[str, Any] = {
        "resolution": config.resolution,
        "most": config.max_clusters or MOST_SOFT,
        "units": units if config.units == "default" else config.units,
    }
    if config.ratio:
        return PlaceRule("ratio", ratio=config.ratio, **options)
    if config.clusters:
        return None
    return PlaceRule("eigengap" if config.cluster_count == "eigengap" else "auto", **options)


def two_way_rule(config: ModelConfig) -> PlaceRule | None:
    """Return the rule for the places of nodes of the network that goes both ways, if it has any."""
    return next(iter(two_way_rules(config)), None)


def two_way_rules(config: ModelConfig) -> tuple[PlaceRule, ...]:
    """Return a rule for each level: places as they are found, or as many as `clusters` says.

    They are hard, so that a graph may have any number of them.
    """
    if config.units in ("graph", "nodes"):
        rules = [_hard(1)] if config.units == "graph" or config.whole_graph else []
    elif config.ratio or not config.clusters:
        rule = cast(PlaceRule, rule_of(config, "auto"))
        rules = [replace(rule, steps=0, most=config.max_clusters or MOST_HARD)]
    else:
        rules = [_hard(count) for count in config.clusters]
    if config.whole_graph and rules and rules[-1].most != 1:
        rules.append(_hard(1))
    return tuple(rules)


def by_share(config: ModelConfig) -> ModelConfig:
    """Return the settings with a share of the nodes as clusters, by default half of them."""
    return replace(config, ratio=config.ratio or RATIO)


def _hard(count: int) -> PlaceRule:
    return PlaceRule("given", clusters=count, most=count, steps=0)
