"""A network that embeds graphs by themselves, made to compare them: HAP's own way."""

from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.batch import GraphBatch
from graphpool.nn.coarsen.outputs import Trace
from graphpool.nn.pairs.base import Compared, PairModel, euclidean
from graphpool.nn.pairs.distances.base import LevelDistances
from graphpool.nn.pairs.distances.sinkhorn import AlignedDistances, NodeDistances
from graphpool.nn.pairs.distances.sorted import SortedDistances
from graphpool.nn.pairs.layout import Paired
from graphpool.nn.pairs.score import Score

MULTISETS: dict[str, type[LevelDistances]] = {
    "aligned": AlignedDistances,
    "nodes": NodeDistances,
    "sorted": SortedDistances,
}


class Siamese(PairModel):
    """Distance between two graphs, level by level (the paper's d^k).

    Every graph is embedded once, however many pairs it is in.

    Args:
        network: any network of the registry, without a head (`out_channels=0`): its `trace` gives
            one vector per level, and `vector_channels` says how many levels there are.
        score: from distances to scores.
        distance: `"euclidean"`, the paper's, between the vectors that are read out of a level; or
            a name of `MULTISETS`, between its nodes or clusters as multisets, with a last row that
            sums the levels up.
    """

    def __init__(
        self,
        network: Any,
        score: Score | None = None,
        distance: str = "euclidean",
    ) -> None:
        made = MULTISETS.get(distance)
        if made is None:
            super().__init__(len(network.vector_channels), score)
        else:
            super().__init__(len(network.level_channels) + 1, score)
        self.network = network
        self.multisets = None if made is None else made(network.level_channels)

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> Compared:
        """Embed every graph of the batch, then measure."""
        trace: Trace = self.network.trace(graphs)
        # Each pair once: a GPU may sum two equal rows in different orders.
        paired = Paired.of(graphs, left, right)
        left, right = paired.first, paired.second
        if self.multisets is not None:
            distances = self.multisets(trace.nodes, left, right)
        else:
            distances = torch.stack(
                [
                    euclidean(vector.index_select(0, left), vector.index_select(0, right))
                    for vector in trace.vectors
                ]
            )
        return Compared(distances.index_select(1, paired.back), trace.losses)

    def overall(self, rows: Tensor) -> Tensor:
        """The mean over levels; of multisets the last row, which sums them up."""
        return super().overall(rows) if self.multisets is None else rows[-1]
