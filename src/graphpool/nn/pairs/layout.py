"""The layout of pairs of graphs for networks that process both graphs together.

Every pair is computed once, whatever its order and however often it is requested: (G₁, G₂) and
(G₂, G₁) are the same rows of the same products, so their results are equal to the bit.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import InputError
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.checks import INTEGERS, check_range, check_tensor, derived, trusted
from graphpool.graphs.ragged import gather, take
from graphpool.graphs.segments import Segments, pointer
from graphpool.typing import Int


@dataclass(frozen=True, eq=False)
class PairLayout:
    """The different pairs of graphs of a batch, the smaller graph first, ordered by size.

    Args:
        first, second: `[different]`, positions in the batch.
        back: `[pairs]`, position among these of every requested pair.
        sizes: `[2, different]`, number of nodes of the first and of the second graphs.
    """

    first: Int[Tensor, " different"]
    second: Int[Tensor, " different"]
    back: Int[Tensor, " pairs"]
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls, graphs: GraphBatch, left: Int[Tensor, " pairs"], right: Int[Tensor, " pairs"]
    ) -> "PairLayout":
        """Make the layout of the pairs (left, right)."""
        if not isinstance(graphs, GraphBatch):
            raise InputError(f"the graphs are a {type(graphs).__name__}; give GraphSet.batch(...)")
        check_pairs(left, right, graphs.num_graphs)
        # Few numbers per pair: numpy is fast with them, and needs no work on the device.
        counts = graphs.ptr.diff().cpu().numpy()
        order = np.argsort(counts, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        ends = rank[torch.stack([left, right]).cpu().numpy()]
        low, high = ends.min(0), ends.max(0)
        key, back = np.unique(high * len(order) + low, return_inverse=True)
        pair = order[np.stack([key % max(1, len(order)), key // max(1, len(order))])]
        first, second = torch.from_numpy(pair).to(graphs.ptr.device)
        return cls(first, second, torch.from_numpy(back.reshape(-1)).to(first.device), counts[pair])

    def __len__(self) -> int:
        return self.first.shape[0]

    @property
    def graphs(self) -> Int[Tensor, " both"]:
        """All first graphs, then all second graphs, repeated for each pair."""
        return torch.cat([self.first, self.second])


def repeat_graphs(graphs: GraphBatch, index: Int[Tensor, " chosen"]) -> GraphBatch:
    """Return a batch of the graphs at these positions, which may repeat.

    Classes and edge labels are dropped.
    """
    old = graphs.adjacency
    node, ptr = gather(graphs.ptr, index)
    slot, slot_ptr = gather(old.row_ptr[graphs.ptr], index)
    shift = torch.repeat_interleave(
        ptr[:-1] - graphs.ptr[index], slot_ptr.diff(), output_size=slot.shape[0]
    )
    adjacency = trusted(
        Adjacency,
        row_ptr=pointer(old.row_ptr.diff().index_select(0, node)),
        col=old.col.index_select(0, slot) + shift,
        weight=old.weight.index_select(0, slot),
        symmetric=old.symmetric,
        known_gcn=take(old.known_gcn, slot),
    )
    # For a batch that is not from a set, places are found once for each graph, not for each copy.
    of_set = graphs.places_of_set is not None and graphs.node is not None
    return derived(
        graphs,
        x=graphs.x.index_select(0, node),
        adjacency=adjacency,
        batch=Segments.trusted(ptr).batch,
        ptr=ptr,
        index=graphs.index.index_select(0, index) if of_set else index,
        y=None,
        edge_label=None,
        edge_attr=None,
        edges=None if graphs.edges is None else graphs.edges.take(slot),
        one_hot_index=take(graphs.one_hot_index, node),
        node=take(graphs.node, node) if of_set else node,
        places_of_set=graphs.places_of_set if of_set else graphs.places,
    )


def check_pairs(left: Tensor, right: Tensor, graphs: int) -> None:
    """Refuse anything but two equally long vectors of positions among `graphs` graphs."""
    for name, side in (("left", left), ("right", right)):
        check_tensor(name, side, INTEGERS, (None,))
        check_range(name, side, 0, graphs - 1)
    if left.shape != right.shape or left.device != right.device:
        raise InputError(
            f"left names {left.shape[0]} graphs and right {right.shape[0]}; give pairs"
        )
