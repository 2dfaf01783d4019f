"""Pairs of graphs with a target: whether they match, or any measure of similarity."""

from dataclasses import dataclass

from torch import Tensor

from graphpool.data.pairs.tuples import GraphTuples, TupleBatch
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.selection import Selection


@dataclass(frozen=True, eq=False)
class PairBatch(TupleBatch):
    """Several pairs, with each graph that occurs in them once.

    Args:
        graphs: the graphs of the pairs, in ascending order of their positions in the set.
        left: `[pairs]`, positions in `graphs`; `right` likewise.
        y: `[pairs]`, the targets.
        index: `[pairs]`, positions of the pairs in the set they were taken from.
    """

    members = ("left", "right")

    graphs: GraphBatch
    left: Tensor
    right: Tensor
    y: Tensor
    index: Tensor


@dataclass(frozen=True, eq=False, repr=False)
class PairSet(GraphTuples):
    """Pairs over the graphs of a set; each graph is stored once however often it occurs.

    Args:
        graphs: the set that positions refer to.
        left: int64 `[pairs]`, positions in `graphs`; `right` likewise.
        y: float32 `[pairs]`, 1 where the pair matches and 0 where it doesn't, or any target.
    """

    noun, members, target, id_form = "pair", ("left", "right"), "y", "{} & {}"

    graphs: GraphSet
    left: Tensor
    right: Tensor
    y: Tensor

    def batch(self, index: Selection | None = None) -> PairBatch:
        """Return the chosen pairs (all by default) with each of their graphs once."""
        return PairBatch(**self.gather(index))
