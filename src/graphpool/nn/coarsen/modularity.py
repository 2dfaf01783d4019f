"""Losses of DMoN (Tsitsulin et al. 2023), and the table that group poolers take theirs from.

They keep to what `graphpool.nn.coarsen.losses` says of all losses: a number per graph, from that
graph alone; no matrix of nodes by nodes; rows of zeros are no nodes.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.nn.coarsen.losses import LOSSES, Assigned
from graphpool.nn.ops.products import segment_sum
from graphpool.typing import Float


def modularity(level: Assigned) -> Float[Tensor, " graphs"]:
    """-tr(Sᵀ B S) / 2m with B = A - d dᵀ / 2m.

    Minus the modularity of the clusters: above -1, 0 when all nodes are in one or shared evenly,
    0 without edges. B is never made: tr(Sᵀ B S) is tr(Sᵀ A S) - ‖Sᵀ d‖² / 2m. A directed graph
    counts as the mean of its two directions.
    """
    held = segment_sum(level.degree * level.assignment, level.segments)
    total = segment_sum(level.degree, level.segments).squeeze(-1)
    some = total > 0
    total = torch.where(some, total, 1.0)
    gain = level.inside / total - (held / total.unsqueeze(-1)).square().sum(-1)
    return torch.where(some, -gain, 0.0)


def collapse(level: Assigned) -> Float[Tensor, " graphs"]:
    """√k ‖Σ_i S_i‖ / N - 1: 0 for even sizes, √k - 1 at worst."""
    size: Tensor = torch.linalg.vector_norm(level.sizes, dim=-1)
    return level.count.sqrt() * size / level.nodes - 1


GROUP_LOSSES: dict[str, Callable[[Assigned], Tensor]] = {
    **LOSSES,
    "modularity": modularity,
    "collapse": collapse,
}


def check_group_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights that are not 0; a negative or infinite one is an error."""
    for name, weight in weights.items():
        if not 0 <= weight < float("inf"):
            raise ConfigError(f"the weight of the loss {name!r} is {weight}; it must be 0 or more")
    return {name: weight for name, weight in weights.items() if weight}


def group_losses(level: Assigned, weights: Mapping[str, float]) -> dict[str, Tensor]:
    """Weight times mean over graphs of each loss, by names of `GROUP_LOSSES`."""
    return {name: weight * GROUP_LOSSES[name](level).mean() for name, weight in weights.items()}
