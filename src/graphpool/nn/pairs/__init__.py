"""Networks that compare two graphs: distances between their vectors, GMN, SimGNN."""

from graphpool.nn.pairs.base import Compared, PairModel
from graphpool.nn.pairs.gmn import GMN
from graphpool.nn.pairs.score import ExpScore, LearnedScore, Score
from graphpool.nn.pairs.siamese import Siamese
from graphpool.nn.pairs.simgnn import SimGNN

__all__ = [
    "GMN",
    "Compared",
    "ExpScore",
    "LearnedScore",
    "PairModel",
    "Score",
    "Siamese",
    "SimGNN",
]
