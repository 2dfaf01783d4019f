"""The content assignment over a ragged batch."""

import math

from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import row_mm, segment_mean, segment_mm, spread
from graphpool.typing import Float

VARIANCE_FLOOR = 1e-5
# Where all nodes are alike the variance is the rounding of the mean; against this it vanishes.
MEAN_FLOOR = 1e-6


def content_assignment(
    x: Float[Tensor, "nodes channels"],
    weight: Float[Tensor, "channels clusters"],
    segments: Segments,
) -> Float[Tensor, "nodes clusters"]:
    """M, `[nodes, clusters]`, from features `[nodes, channels]` and T `[channels, clusters]`.

    With C = H T and C̃ its standardised form, the relaxed columns are c = C̃ᵀ C̃ / N, and
    M = softmax(C̃ c / √N').
    """
    content = standardised(x @ weight, segments)
    column = segment_mm(content, content, segments) / segments.counts.to(x.dtype).unsqueeze(-1)
    score = row_mm(content, column, segments) / math.sqrt(content.shape[1])
    return score.softmax(-1)


def standardised(
    content: Float[Tensor, "nodes channels"], segments: Segments
) -> Float[Tensor, "nodes channels"]:
    """Each column with mean 0 and, but for the floors, deviation 1 over the nodes of a graph."""
    mean = segment_mean(content, segments)
    centred = content - spread(mean, segments)
    variance = segment_mean(centred * centred, segments)
    scale = (variance + VARIANCE_FLOOR + MEAN_FLOOR * mean * mean).rsqrt()
    return centred * spread(scale, segments)
