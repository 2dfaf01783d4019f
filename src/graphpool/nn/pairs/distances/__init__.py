"""Distances between two graphs as multisets of nodes or clusters, level by level."""

from graphpool.nn.pairs.distances.base import LevelNodes, MultisetDistance
from graphpool.nn.pairs.distances.sinkhorn import EdgeAwareSinkhornDistance, SinkhornDistance
from graphpool.nn.pairs.distances.sorted import SortedDistance

__all__ = [
    "EdgeAwareSinkhornDistance",
    "LevelNodes",
    "MultisetDistance",
    "SinkhornDistance",
    "SortedDistance",
]
