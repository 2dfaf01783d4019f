"""Networks that compare two graphs: distances between their vectors, GMN, SimGNN."""

from graphpool.nn.pairs.base import Compared, PairModel
from graphpool.nn.pairs.gmn import GMN
from graphpool.nn.pairs.score import ExpScore, LearnedScore, Score
from graphpool.nn.pairs.siamese import Siamese
from graphpool.nn.pairs.simgnn import SimGNN
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model, pair_place_rule

__all__ = [
    "GMN",
    "PAIR_METHODS",
    "Compared",
    "ExpScore",
    "LearnedScore",
    "PairModel",
    "Score",
    "Siamese",
    "SimGNN",
    "build_pair_model",
    "pair_place_rule",
]
