"""Graph edit distance: exact, bounded and approximate, for pairs and whole collections."""

from graphpool.ged.collection import Collection, collect
from graphpool.ged.compare import Comparison, compare
from graphpool.ged.costs import Costs
from graphpool.ged.distance import distance
from graphpool.ged.matrix import matrix
from graphpool.ged.matrix_file import DistanceMatrix, open_matrix
from graphpool.ged.methods.registry import METHODS, Method
from graphpool.ged.path import Operation
from graphpool.ged.result import EditDistance

__all__ = [
    "distance", "matrix", "open_matrix", "compare", "Costs", "EditDistance", "DistanceMatrix",
    "Comparison", "Operation", "METHODS", "Method", "Collection", "collect",
]  # fmt: skip
