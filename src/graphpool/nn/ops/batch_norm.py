"""Batch normalisation over the nodes or clusters of a level."""

from typing import cast

from torch import Tensor, nn

from graphpool.graphs.cluster_mask import ClusterMask


def batch_normalised(norm: nn.BatchNorm1d, x: Tensor, rows: ClusterMask | None = None) -> Tensor:
    """Batch norm over all nodes, or over the rows of a dense level that are clusters.

    A single one has no spread of its own and takes the running statistics.
    """
    flat = x.flatten(0, -2) if rows is None else rows.compact(x)
    if flat.shape[0] > 1 or not norm.training:
        flat = cast(Tensor, norm(flat))
    else:
        flat = nn.functional.batch_norm(
            flat, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps
        )
    return flat.view_as(x) if rows is None else rows.expand(flat)
