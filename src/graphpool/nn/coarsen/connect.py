"""Connect: from A' = Mᵀ A M to the adjacency that the next level's encoder sees.

The paper's soft sampling (equation Gumbel-softmax), as printed, switches the coarse graph off: the
diagonal of A' (edges inside a cluster) dominates every row, and a softmax of log A' at
temperature 0.1 is the row-normalised tenth power of A', the identity.

Each function takes A', whether the model trains, and `mask` `[graphs, clusters]` where graphs have
different numbers of clusters: A' is zero outside of it, and so is the result.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from graphpool.nn.ops.normalise import normalise

TEMPERATURE = 0.1


def gumbel(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """The paper's soft sampling: softmax_j((log A'_ij + g_ij) / 0.1); `connect="gumbel"`.

    Deviations from the paper: it samples from A' (the equation prints A); the logarithm is
    clamped where A' is 0; the Gumbel noise g is drawn only while training. Rows sum to one, so
    the result is a directed graph.
    """
    if adj.shape[-1] == 1:
        return torch.ones_like(adj)
    logits = _sampling_logits(adj, training)
    return logits.softmax(-1) if mask is None else _softmax_among(logits, _pairs(mask))


def offdiagonal(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """Zero diagonal, then D^-½ A' D^-½: only edges between clusters; `connect="offdiagonal"`."""
    if adj.shape[-1] == 1:
        return torch.zeros_like(adj)
    return normalise(adj, keep=0.0, floor=1e-6)


def offdiagonal_gumbel(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """Soft sampling among the other clusters only; `connect="offdiagonal-gumbel"`."""
    if adj.shape[-1] == 1:
        return torch.zeros_like(adj)
    others = ~torch.eye(adj.shape[-1], dtype=torch.bool, device=adj.device)
    allowed = others.expand_as(adj) if mask is None else others & _pairs(mask)
    return _softmax_among(_sampling_logits(adj, training), allowed)


def plain(adj: Tensor, training: bool, mask: Tensor | None = None) -> Tensor:
    """A' itself; `connect="plain"`."""
    return adj


def _sampling_logits(adj: Tensor, training: bool) -> Tensor:
    """(log A' + g) / 0.1, with Gumbel noise g while training."""
    logits = adj.clamp(min=1e-12).log()
    if training:
        uniform = torch.rand_like(logits).clamp(min=1e-20)
        logits = logits - (-uniform.log()).clamp(min=1e-20).log()
    return logits / TEMPERATURE


def _pairs(mask: Tensor) -> Tensor:
    """Pairs of clusters that a graph has, `[graphs, clusters, clusters]`."""
    return mask.unsqueeze(-1) & mask.unsqueeze(-2)


def _softmax_among(logits: Tensor, allowed: Tensor) -> Tensor:
    """Row softmax over the allowed entries; a row without any is zero."""
    # Not -inf: a row of nothing else would be NaN.
    share = logits.masked_fill(~allowed, torch.finfo(logits.dtype).min).softmax(-1)
    return share * allowed.to(share.dtype)


CONNECTIONS: dict[str, Callable[[Tensor, bool, Tensor | None], Tensor]] = {
    "offdiagonal": offdiagonal,
    "gumbel": gumbel,
    "offdiagonal-gumbel": offdiagonal_gumbel,
    "plain": plain,
}
