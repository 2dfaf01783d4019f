"""Networks and poolers by name: one registry, and the functions that build them."""

from graphpool.nn.zoo.build import (
    METHODS,
    PAIR_METHODS,
    build_model,
    chooses_places,
    count_parameters,
    list_networks,
    list_poolers,
    place_rule,
    pooler,
    register_pooler,
)

__all__ = [
    "METHODS",
    "PAIR_METHODS",
    "build_model",
    "chooses_places",
    "count_parameters",
    "list_networks",
    "list_poolers",
    "place_rule",
    "pooler",
    "register_pooler",
]
