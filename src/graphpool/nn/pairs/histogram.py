"""SimGNN's histogram: how alike the nodes of two graphs are, all pairs of them counted."""

import math

import numpy as np
import torch
from torch import Tensor

from graphpool.nn.pairs.cross_attention import Crossing
from graphpool.typing import Float


@torch.no_grad()
def similarity_histogram(
    h: Float[Tensor, "nodes channels"], crossing: Crossing, bins: int = 16
) -> Float[Tensor, "pairs bins"]:
    """Shares of the bins of [0, 1] among the similarities σ(h_i · h_j), `[pairs, bins]`.

    No gradient passes through it. The source fills the smaller graph up with zeros to the size N
    of the larger one, and so counts N² similarities: those with a node that isn't there are
    σ(0) = ½. We add them to their bin without making them.

    Args:
        h: nodes of all first graphs, then of all second graphs.
        crossing: the pairs.
    """
    # Bins of σ(e) by the size of e: no rounding at the ends, where σ is flat.
    inner = [math.log(k / (bins - k)) for k in range(1, bins)]
    edges = h.new_tensor(inner)
    parts = []
    for run in crossing.runs:
        x, y = run.one.lay(h), run.other.lay(h)
        place = torch.bucketize((x @ y.mT).contiguous(), edges, right=True)
        shift = torch.arange(run.one.pairs, device=h.device).view(-1, 1, 1) * bins
        here = (place + shift).flatten()
        if run.one.mask is not None or run.other.mask is not None:
            there = torch.ones_like(place, dtype=torch.bool)
            if run.one.mask is not None:
                there &= run.one.mask.unsqueeze(-1)
            if run.other.mask is not None:
                there &= run.other.mask.unsqueeze(-2)
            here = here[there.flatten()]
        counts = torch.bincount(here, minlength=run.one.pairs * bins).view(-1, bins)
        parts.append(counts.to(h.dtype))
    if not parts:
        return h.new_zeros(0, bins)
    total = torch.cat(parts)
    whole = torch.from_numpy(np.square(crossing.sizes.max(0))).to(h.device, h.dtype).unsqueeze(-1)
    total[:, bins // 2] += (whole - total.sum(-1, keepdim=True)).squeeze(-1)
    return total / whole
