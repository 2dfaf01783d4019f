"""Coarsening: the base classes of poolers, what they return, auxiliary losses, health."""

from graphpool.nn.coarsen.base import CONNECTIONS, GroupPool, Pooler, form
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.coarsen.losses import LOSSES
from graphpool.nn.coarsen.outputs import NodeSelection, PoolOutput, Trace

__all__ = [
    "CONNECTIONS",
    "GroupPool",
    "LOSSES",
    "NodeSelection",
    "PoolOutput",
    "Pooler",
    "Trace",
    "form",
    "level_health",
]
