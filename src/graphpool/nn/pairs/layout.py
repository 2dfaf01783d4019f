"""Pairs of graphs laid out for networks that look at both graphs at once.

Such a network works on every pair once, whichever way round and however often it is asked for:
(G₁, G₂) and (G₂, G₁) are the same rows of the same products, and their results the same bits.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.ragged import gather, pointer, take
from graphpool.nn.pairs.cross_attention import Crossing
from graphpool.typing import Int


@dataclass(frozen=True, eq=False)
class Paired:
    """Different pairs of graphs of a batch, the smaller graph first, ordered by size.

    Args:
        first, second: `[different]`, positions in the batch.
        back: `[pairs]`, which of these every pair that was asked for is.
        sizes: `[2, different]`, nodes of the first and of the second graphs.
    """

    first: Int[Tensor, " different"]
    second: Int[Tensor, " different"]
    back: Int[Tensor, " pairs"]
    sizes: NDArray[np.int64]

    @classmethod
    def of(
        cls, graphs: GraphBatch, left: Int[Tensor, " pairs"], right: Int[Tensor, " pairs"]
    ) -> "Paired":
        """Put the pairs (left, right) in order."""
        # Numbers per pair are few: numpy is quick with them, and asks nothing of the device.
        counts = graphs.ptr.diff().cpu().numpy()
        order = np.argsort(counts, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        ends = rank[torch.stack([left, right]).cpu().numpy()]
        low, high = ends.min(0), ends.max(0)
        key, back = np.unique(high * len(order) + low, return_inverse=True)
        pair = order[np.stack([key % max(1, len(order)), key // max(1, len(order))])]
        ours = torch.from_numpy(pair).to(graphs.ptr.device)
        return cls(
            ours[0], ours[1], torch.from_numpy(back.reshape(-1)).to(ours.device), counts[pair]
        )

    def __len__(self) -> int:
        return self.first.shape[0]

    @property
    def graphs(self) -> Int[Tensor, " both"]:
        """All first graphs, then all second graphs: a graph as often as it is in a pair."""
        return torch.cat([self.first, self.second])

    def crossing(self) -> Crossing:
        """Whose nodes meet whose, in the layout of `copies`."""
        return Crossing(self.sizes, self.first.device)

    def copies(self, graphs: GraphBatch) -> GraphBatch:
        """The batch of `self.graphs`."""
        return repeated(graphs, self.graphs)


def repeated(graphs: GraphBatch, index: Int[Tensor, " chosen"]) -> GraphBatch:
    """The graphs of a batch at these positions, any number of times, as a batch of their own.

    Classes and labels of edges are left behind.
    """
    old = graphs.adjacency
    node, ptr = gather(graphs.ptr, index)
    slot, slot_ptr = gather(old.row_ptr[graphs.ptr], index)
    shift = torch.repeat_interleave(
        ptr[:-1] - graphs.ptr[index], slot_ptr.diff(), output_size=slot.shape[0]
    )
    adjacency = Adjacency(
        row_ptr=pointer(old.row_ptr.diff().index_select(0, node)),
        col=old.col.index_select(0, slot) + shift,
        weight=old.weight.index_select(0, slot),
        symmetric=old.symmetric,
        known_gcn=take(old.known_gcn, slot),
    )
    batch = torch.arange(index.shape[0], device=ptr.device)
    batch = torch.repeat_interleave(batch, ptr.diff(), output_size=node.shape[0])
    # Of a batch made by hand the places are worked out once for each graph, not for each copy.
    of_set = graphs.places_of_set is not None and graphs.node is not None
    return replace(
        graphs,
        x=graphs.x.index_select(0, node),
        adjacency=adjacency,
        batch=batch,
        ptr=ptr,
        index=graphs.index.index_select(0, index) if of_set else index,
        y=None,
        edge_label=None,
        edge_attr=None,
        one_hot_index=take(graphs.one_hot_index, node),
        node=take(graphs.node, node) if of_set else node,
        places_of_set=graphs.places_of_set if of_set else graphs.places,
    )
