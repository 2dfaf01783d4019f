"""Compare graphs by the distance of their embeddings, as HAP does."""

from typing import Any

import torch
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.outputs import Trace
from graphpool.nn.pairs.base import PairDistances, PairModel, euclidean
from graphpool.nn.pairs.distances import (
    EdgeAwareSinkhornDistance,
    MultisetDistance,
    SinkhornDistance,
    SortedDistance,
)
from graphpool.nn.pairs.layout import PairLayout
from graphpool.nn.pairs.score import Score
from graphpool.nn.two_way import TwoWayHAP

MULTISETS: dict[str, type[MultisetDistance]] = {
    "aligned": EdgeAwareSinkhornDistance,
    "nodes": SinkhornDistance,
    "sorted": SortedDistance,
}


class Siamese(PairModel):
    """Distance between two graphs, level by level (the paper's d^k).

    Every graph is embedded once, however many pairs it is in.

    Args:
        network: any network of the registry, without a head (`out_channels=0`): its `trace` has
            one vector per level that is read out, and `vector_channels` the channels of each.
        score: maps distances to scores.
        distance: `"euclidean"`, as in the paper, between the readouts of a level; or a name in
            `MULTISETS`, between its nodes or clusters as multisets, with the sum of all levels
            as the last row. Hard places of `TwoWayHAP` weigh little at first: one edge more can
            divide a graph into other places. Levels that `gather` leaves out are not compared.
    """

    def __init__(
        self,
        network: Any,
        score: Score | None = None,
        distance: str = "euclidean",
    ) -> None:
        if distance not in MULTISETS:
            super().__init__(len(network.vector_channels), score)
        else:
            super().__init__(len(network.compared_levels) + 1, score)
        self.network = network
        self.multisets = None if distance not in MULTISETS else _multisets(distance, network)
        if self.multisets is not None and isinstance(network, TwoWayHAP):
            self.multisets.start_with_nodes()

    def measure(self, graphs: GraphSet) -> None:
        """Set constants of the network that embeds single graphs."""
        self.network.measure(graphs)

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> PairDistances:
        """Embed every graph of the batch, and return the distances of the pairs."""
        trace: Trace = self.network.trace(graphs)
        # Each pair once, because a GPU may sum two equal rows in different orders.
        layout = PairLayout.of(graphs, left, right)
        left, right = layout.first, layout.second
        if self.multisets is not None:
            levels = [trace.nodes[number] for number in self.network.compared_levels]
            distances = self.multisets(levels, left, right)
        else:
            distances = torch.stack(
                [
                    euclidean(vector.index_select(0, left), vector.index_select(0, right))
                    for vector in trace.vectors
                ]
            )
        return PairDistances(distances.index_select(1, layout.back), trace.losses)

    def overall(self, rows: Tensor) -> Tensor:
        """Return the mean over levels; for multisets the last row, which is their sum."""
        return super().overall(rows) if self.multisets is None else rows[-1]


def _multisets(distance: str, network: Any) -> MultisetDistance:
    """Return the distance between the levels of a network that are compared."""
    kind, compared = MULTISETS[distance], network.compared_levels
    if not compared:
        raise ConfigError(
            f"model.gather 'last' reads a single cluster of each graph, and model.distance "
            f"{distance!r} compares sets of nodes or clusters; use distance 'euclidean', which "
            "compares graph vectors, or gather 'levels'"
        )
    if kind is EdgeAwareSinkhornDistance and not any(network.level_edges[at] for at in compared):
        kind = SinkhornDistance  # the same without edges
    return kind(tuple(network.level_channels[at] for at in compared))
