"""Products over ragged batches, cluster formation, normalisation, masks of dense batches."""

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.ops.normalise import batch_normalised, normalise
from graphpool.nn.ops.products import (
    row_mm,
    segment_max,
    segment_mean,
    segment_mm,
    segment_sum,
    spmm,
    spread,
)

__all__ = [
    "ClusterMask",
    "batch_normalised",
    "form_clusters",
    "normalise",
    "row_mm",
    "segment_max",
    "segment_mean",
    "segment_mm",
    "segment_sum",
    "spmm",
    "spread",
]
