"""HAP's coarsening: GCont, MOA, cluster formation, connect."""

from graphpool.nn.coarsen.base import CONNECTIONS
from graphpool.nn.hap.coarsen import (
    ASSIGNMENTS,
    PLACE_ASSIGNMENTS,
    HAPCoarsening,
    clusters_from_ratio,
)
from graphpool.nn.hap.moa import RELAXATIONS, ContentAttention, GCont, StaticAttention
from graphpool.nn.hap.places import PlaceAttention

__all__ = [
    "ASSIGNMENTS",
    "CONNECTIONS",
    "ContentAttention",
    "GCont",
    "HAPCoarsening",
    "PLACE_ASSIGNMENTS",
    "PlaceAttention",
    "RELAXATIONS",
    "StaticAttention",
    "clusters_from_ratio",
]
