"""Triplets of graphs: a query, two others, and the difference of their distances to the query.

They are the input of similarity learning: the paper's <G_i, G_j, G_k> and r_ijk = g_ij - g_ik,
where g is a distance such as the edit distance.
"""

from dataclasses import dataclass

from torch import Tensor

from graphpool.data.pairs.tuples import GraphTuples, TupleBatch
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.selection import Selection


@dataclass(frozen=True, eq=False)
class TripletBatch(TupleBatch):
    """Several triplets, with each graph that occurs in them once.

    Args:
        graphs: the graphs of the triplets, in ascending order of their positions in the set.
        query: `[triplets]`, positions in `graphs`; `first` and `second` likewise.
        r: `[triplets]`, distance of query and first less that of query and second.
        index: `[triplets]`, positions of the triplets in the set they were taken from.
    """

    members = ("query", "first", "second")

    graphs: GraphBatch
    query: Tensor
    first: Tensor
    second: Tensor
    r: Tensor
    index: Tensor


@dataclass(frozen=True, eq=False, repr=False)
class TripletSet(GraphTuples):
    """Triplets over the graphs of a set; each graph is stored once however often it occurs.

    Args:
        graphs: the set that positions refer to.
        query: `[triplets]` positions in `graphs`; `first` and `second` likewise.
        r: `[triplets]`, distance of query and first less that of query and second. Positive: the
            second is the nearer one.
    """

    noun, members, target = "triplet", ("query", "first", "second"), "r"
    id_form = "{}: {} & {}"

    graphs: GraphSet
    query: Tensor
    first: Tensor
    second: Tensor
    r: Tensor

    def batch(self, index: Selection | None = None) -> TripletBatch:
        """Return the chosen triplets (all by default) with each of their graphs once."""
        return TripletBatch(**self.gather(index))
