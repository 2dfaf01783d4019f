"""Graph edit distance: exact, bounded and approximate, for pairs and whole collections."""

from graphpool.ged.collection import Collection, collect
from graphpool.ged.compare import Comparison, MethodScore, compare, sample_pairs
from graphpool.ged.costs import Costs
from graphpool.ged.distance import distance
from graphpool.ged.duplicates import identical, isomorphic
from graphpool.ged.matrix import matrix
from graphpool.ged.matrix_file import DistanceMatrix, open_matrix
from graphpool.ged.methods import METHODS, Method, find_method
from graphpool.ged.pair import GedProblem, make_problem
from graphpool.ged.path import Operation
from graphpool.ged.result import Answers, EditDistance, Limits

__all__ = [
    "METHODS",
    "Answers",
    "Collection",
    "Comparison",
    "Costs",
    "DistanceMatrix",
    "EditDistance",
    "GedProblem",
    "Limits",
    "Method",
    "MethodScore",
    "Operation",
    "collect",
    "compare",
    "distance",
    "find_method",
    "identical",
    "isomorphic",
    "make_problem",
    "matrix",
    "open_matrix",
    "sample_pairs",
]
