"""HAP's coarsening: GCont, MOA, cluster formation, connect."""

from graphpool.nn.coarsen.connect import CONNECTIONS
from graphpool.nn.hap.coarsen import HAPCoarsening, clusters_from_ratio
from graphpool.nn.hap.gcont import GCont
from graphpool.nn.hap.moa import ContentAttention, StaticAttention
from graphpool.nn.hap.relaxation import RELAXATIONS

__all__ = [
    "CONNECTIONS",
    "ContentAttention",
    "GCont",
    "HAPCoarsening",
    "RELAXATIONS",
    "StaticAttention",
    "clusters_from_ratio",
]
