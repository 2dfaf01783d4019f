"""Networks that compare two graphs: siamese networks, GMN and SimGNN."""

from graphpool.nn.pairs.base import PairDistances, PairModel
from graphpool.nn.pairs.gmn import GMN
from graphpool.nn.pairs.score import ExpScore, LearnedScore, Score
from graphpool.nn.pairs.siamese import Siamese
from graphpool.nn.pairs.simgnn import SimGNN

__all__ = [
    "GMN",
    "ExpScore",
    "LearnedScore",
    "PairDistances",
    "PairModel",
    "Score",
    "Siamese",
    "SimGNN",
]
