"""SimGNN (Bai et al., WSDM 2019): graph vectors that interact, and a histogram of their nodes."""

from dataclasses import replace

import torch
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.ragged import gather
from graphpool.nn.encoders import Encoder
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.pairs.base import Compared, PairModel
from graphpool.nn.pairs.embedded import flat_pooling
from graphpool.nn.pairs.histogram import similarity_histogram
from graphpool.nn.pairs.layout import Paired
from graphpool.nn.pairs.ntn import PairHead
from graphpool.nn.pairs.score import SCALE, Score
from graphpool.nn.pool.mean_att import MeanAttPool


class SimGNN(PairModel):
    """Encoder, attention readout, neural tensor network and histogram, score.

    The network gives a number z and s = σ(z). For the tasks that need a distance it is
    d = log(1 + e^-z) / scale, so that exp(-scale · d) is that s. Nothing says that z is large for
    a graph and itself: s(G, G) is what was learned. Every graph is embedded once.

    With more than one level, as for SimGNN-HAP, each has a tensor network and layers of its own,
    all with the same histogram, that of the nodes: one number, and one distance, per level.

    Args:
        encoder: of the nodes; the source has three GCN layers.
        pooling: what reads the graphs out, level by level, a `Hierarchy` of no encoder before the
            first coarsening: with HAP's coarsenings it is SimGNN-HAP. By default `MeanAttPool`.
        slices: of the tensor network.
        bins: of the histogram.
        score: from distances to scores; with the one by default s is the σ(z) above.
    """

    def __init__(
        self,
        encoder: Encoder,
        pooling: Hierarchy | None = None,
        slices: int = 16,
        bins: int = 16,
        score: Score | None = None,
    ) -> None:
        pooling = pooling or flat_pooling(MeanAttPool(encoder.out_channels))
        super().__init__(len(pooling.vector_channels), score)
        self.encoder, self.pooling, self.bins = encoder, pooling, bins
        self.heads = nn.ModuleList(
            PairHead(channels, slices, bins) for channels in pooling.vector_channels
        )

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> Compared:
        """Embed every graph of the batch, then let the pairs interact."""
        h = self.encoder(graphs.x, graphs.adjacency, graphs.one_hot_index)
        trace = self.pooling.trace(replace(graphs, x=h, one_hot_index=None))
        paired = Paired.of(graphs, left, right)
        node, _ = gather(graphs.ptr, paired.graphs)
        histogram = similarity_histogram(
            h.detach().index_select(0, node), paired.crossing(), self.bins
        )
        made = [
            head(vector.index_select(0, paired.first), vector.index_select(0, paired.second),
                 histogram)
            for head, vector in zip(self.heads, trace.vectors, strict=True)
        ]  # fmt: skip
        distances = nn.functional.softplus(-torch.stack(made)) / SCALE
        return Compared(distances.index_select(1, paired.back), trace.losses)
