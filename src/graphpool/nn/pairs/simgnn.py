"""SimGNN (Bai et al., WSDM 2019): a tensor network of graph vectors, and a histogram of nodes."""

import math

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.ragged import gather
from graphpool.nn.encoders import Encoder
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.label_embedding import embed_labels
from graphpool.nn.module import Module
from graphpool.nn.pairs.base import PairDistances, PairModel, flat_pooling
from graphpool.nn.pairs.cross_attention import CrossAttention
from graphpool.nn.pairs.layout import PairLayout
from graphpool.nn.pairs.score import SCALE, Score
from graphpool.nn.pool.mean_att import MeanAttPool
from graphpool.typing import Float


class SimGNN(PairModel):
    """SimGNN: encoder, attention readout, neural tensor network and histogram, score.

    The network computes a number z and the score s = σ(z). The distance is
    d = log(1 + e^-z) / scale, so that exp(-scale · d) = s. Nothing forces z to be large for a
    graph and itself: s(G, G) is learned. Every graph is embedded once.

    With more than one level, as in SimGNN-HAP, each has a tensor network and layers of its own,
    all with the same histogram of the nodes: one number, and one distance, per level.

    Args:
        encoder: encoder of the nodes; three GCN layers in the source.
        pooling: readout of the graphs, level by level: a `Hierarchy` without an encoder before the
            first coarsening. With HAP's coarsenings it is SimGNN-HAP. By default `MeanAttPool`.
        slices: channels of the tensor network.
        bins: bins of the histogram.
        score: maps distances to scores; by default s is the σ(z) above.
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

    def compare(self, graphs: GraphBatch, left: Tensor, right: Tensor) -> PairDistances:
        """Embed every graph of the batch, and return the distances of the pairs."""
        layout = PairLayout.of(graphs, left, right)
        h = self.encoder(embed_labels(self, graphs))
        trace = self.pooling.trace(graphs.with_x(h))
        node, _ = gather(graphs.ptr, layout.graphs)
        histogram = similarity_histogram(
            h.detach().index_select(0, node), CrossAttention(layout.sizes, h.device), self.bins
        )
        logits = [
            head(vector.index_select(0, layout.first), vector.index_select(0, layout.second),
                 histogram)
            for head, vector in zip(self.heads, trace.vectors, strict=True)
        ]  # fmt: skip
        distances = nn.functional.softplus(-torch.stack(logits)) / SCALE
        return PairDistances(distances.index_select(1, layout.back), trace.losses)


class TensorNetwork(Module):
    """g(h₁, h₂) = ReLU(h₁ᵀ W_k h₂ + V [h₁, h₂] + b), k = 1 … slices (Socher et al., 2013)."""

    def __init__(self, channels: int, slices: int = 16) -> None:
        super().__init__()
        self.tensor = nn.Parameter(torch.empty(slices, channels, channels))
        self.linear = nn.Linear(2 * channels, slices)
        self._reset_tensor()

    def _reset_tensor(self) -> None:
        # A slice is a sum of channels² products: with this limit it is as large as the vectors.
        # Larger ones would turn whole slices off for all pairs, permanently.
        limit = math.sqrt(3) / self.tensor.shape[1]
        nn.init.uniform_(self.tensor, -limit, limit)

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        super().reset_parameters()
        self._reset_tensor()

    def forward(
        self, one: Float[Tensor, "pairs channels"], other: Float[Tensor, "pairs channels"]
    ) -> Float[Tensor, "pairs slices"]:
        """Return the interaction of the two vectors, which is not symmetric."""
        moved = torch.tensordot(one, self.tensor, ([1], [1]))
        product = (moved @ other.unsqueeze(-1)).squeeze(-1)
        total: Tensor = product + self.linear(torch.cat([one, other], -1))
        return total.relu()


class PairHead(Module):
    """A tensor network, the histogram beside it, and fully connected layers to one number.

    The layers are those of the source, 32 to 16 to 8 to 4 to 1. Deviations from it: a tensor
    network depends on which graph comes first, so the number is the mean over both orders; and
    the layers have a leaky ReLU, because four units that are all off would never learn again.
    """

    def __init__(self, channels: int, slices: int = 16, bins: int = 16) -> None:
        super().__init__()
        self.tensor = TensorNetwork(channels, slices)
        self.layers = nn.Sequential(
            nn.Linear(slices + bins, 16), nn.LeakyReLU(), nn.Linear(16, 8), nn.LeakyReLU(),
            nn.Linear(8, 4), nn.LeakyReLU(), nn.Linear(4, 1),
        )  # fmt: skip

    def forward(
        self,
        one: Float[Tensor, "pairs channels"],
        other: Float[Tensor, "pairs channels"],
        histogram: Float[Tensor, "pairs bins"],
    ) -> Float[Tensor, " pairs"]:
        """Return the similarity of the graphs, a real number."""
        x = self.tensor(torch.cat([one, other]), torch.cat([other, one]))
        x = self.layers(torch.cat([x, torch.cat([histogram, histogram])], -1)).squeeze(-1)
        forward, reverse = x.chunk(2)
        return (forward + reverse) / 2  # type: ignore[no-any-return]


@torch.no_grad()
def similarity_histogram(
    h: Float[Tensor, "nodes channels"], attention: CrossAttention, bins: int = 16
) -> Float[Tensor, "pairs bins"]:
    """Return the histogram over [0, 1] of the similarities σ(h_i · h_j), `[pairs, bins]` shares.

    No gradient passes through it. The source pads the smaller graph with zeros to the size N of
    the larger one, and so counts N² similarities, of which those with a padded node are σ(0) = ½.
    Here they are added to their bin without being computed.

    Args:
        h: nodes of all first graphs, then of all second graphs.
        attention: the pairs, with the runs of their nodes.
    """
    # Bins of σ(e) by the value of e, to avoid rounding at the ends, where σ is flat.
    edges = h.new_tensor([math.log(k / (bins - k)) for k in range(1, bins)])
    parts = []
    for run in attention.runs:
        x, y = run.one.pad(h), run.other.pad(h)
        bucket = torch.bucketize((x @ y.mT).contiguous(), edges, right=True)
        shift = torch.arange(run.one.pairs, device=h.device).view(-1, 1, 1) * bins
        position = (bucket + shift).flatten()
        if run.one.mask is not None or run.other.mask is not None:
            real = torch.ones_like(bucket, dtype=torch.bool)
            if run.one.mask is not None:
                real &= run.one.mask.unsqueeze(-1)
            if run.other.mask is not None:
                real &= run.other.mask.unsqueeze(-2)
            position = position[real.flatten()]
        counts = torch.bincount(position, minlength=run.one.pairs * bins).view(-1, bins)
        parts.append(counts.to(h.dtype))
    if not parts:
        return h.new_zeros(0, bins)
    total = torch.cat(parts)
    whole = torch.from_numpy(np.square(attention.sizes.max(0))).to(h.device, h.dtype).unsqueeze(-1)
    total[:, bins // 2] += (whole - total.sum(-1, keepdim=True)).squeeze(-1)
    return total / whole
