"""The content assignment over a ragged batch, forward and backward by hand.

This is the hot path of HAP. Two facts make it quick. ⟨C̃_i, c_j⟩ = Σ_l (C_il - mean_l) K_lj with one
small matrix K = diag(s²) Σ diag(s) / √N' per graph (Σ the covariance of C's columns, s their
inverse deviations), so the standardised C̃ is never made. And N' is small: products and softmax
over `[N', nodes]` run along memory, over `[nodes, N']` across it, four to sixteen times slower.
"""

import math
from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.segments import Segments
from graphpool.nn.ops.compiled import compilable
from graphpool.nn.ops.formation_compiled import content_backward, content_scores
from graphpool.nn.ops.products import (
    refuse_second_order,
    row_mm,
    segment_mean,
    segment_mm,
    segment_sum,
    spread,
)
from graphpool.nn.ops.switch import enabled
from graphpool.typing import Float

VARIANCE_FLOOR = 1e-5
# Where all nodes are alike the variance is the rounding of the mean; against this it vanishes.
MEAN_FLOOR = 1e-6


class _ContentAssignment(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, segments: Segments) -> Tensor:
        content = weight.t() @ x.t()  # [clusters, nodes]
        scores = _compiled_scores if compilable(x) else _tensor_scores
        mean, covariance, scale, score = scores(content, segments)
        share = score.softmax(0)
        ctx.save_for_backward(x, weight, content, mean, covariance, scale, share)
        ctx.segments = segments
        return share.t()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the content assignment")
        x, weight, content, mean, covariance, scale, share = ctx.saved_tensors
        back = _compiled_backward if compilable(grad) else _tensor_backward
        dcontent = back(grad, content, mean, covariance, scale, share, ctx.segments)
        dx = dcontent.t() @ weight.t() if ctx.needs_input_grad[0] else None
        return dx, (dcontent @ x).t(), None


def _compiled_scores(content: Tensor, segments: Segments) -> tuple[Tensor, ...]:
    clusters = content.shape[0]
    covariance = content.new_empty(segments.num_graphs, clusters, clusters)
    scale = content.new_empty(segments.num_graphs, clusters)
    mean, score = torch.empty_like(scale), torch.empty_like(content)
    content_scores(
        content.numpy(), segments.ptr.numpy(), VARIANCE_FLOOR, MEAN_FLOOR,
        mean.numpy(), covariance.numpy(), scale.numpy(), score.numpy(),
    )  # fmt: skip
    return mean, covariance, scale, score


def _tensor_scores(content: Tensor, segments: Segments) -> tuple[Tensor, ...]:
    """Centre `content` in place; mean, covariance, scale and scores."""
    count = segments.counts.to(content.dtype)
    rows = content.t().contiguous()
    mean = segment_sum(rows, segments) / count
    content.sub_(spread(mean, segments).t())
    centred = content.t().contiguous()
    covariance = segment_mm(centred, centred, segments) / count.unsqueeze(-1)
    scale = _inverse_deviation(mean, covariance)
    return mean, covariance, scale, row_mm(centred, _mix(covariance, scale), segments).t()


def _inverse_deviation(mean: Tensor, covariance: Tensor) -> Tensor:
    """s = (variance + 1e-5 + 1e-6 mean²)^-½ of each column, `[graphs, clusters]`."""
    variance = covariance.diagonal(dim1=-2, dim2=-1)
    return (variance + VARIANCE_FLOOR + MEAN_FLOOR * mean * mean).rsqrt()


def _mix(covariance: Tensor, scale: Tensor) -> Tensor:
    """K = diag(s²) Σ diag(s) / √N' of each graph."""
    left = (scale * scale / math.sqrt(scale.shape[-1])).unsqueeze(-1)
    return left * covariance * scale.unsqueeze(-2)


def _compiled_backward(
    grad: Tensor, content: Tensor, mean: Tensor, covariance: Tensor, scale: Tensor,
    share: Tensor, segments: Segments,
) -> Tensor:  # fmt: skip
    dcontent = torch.empty_like(content)
    # A copy even where `grad` lies right already: it is overwritten, and others may hold it.
    score = grad.t().clone(memory_format=torch.contiguous_format)
    content_backward(
        share.numpy(), score.numpy(), content.numpy(), segments.ptr.numpy(), MEAN_FLOOR,
        mean.numpy(), covariance.numpy(), scale.numpy(), dcontent.numpy(),
    )  # fmt: skip
    return dcontent


def _tensor_backward(
    grad: Tensor, content: Tensor, mean: Tensor, covariance: Tensor, scale: Tensor,
    share: Tensor, segments: Segments,
) -> Tensor:  # fmt: skip
    grad, centred = grad.t(), content.t()
    score = (share * (grad - (share * grad).sum(0))).t()
    mixed = segment_mm(centred, score, segments) / math.sqrt(share.shape[0])
    weighted = mixed * covariance
    own, other = scale.unsqueeze(-1), scale.unsqueeze(-2)
    pull = 2 * scale * (weighted @ own).squeeze(-1) + ((other * other) @ weighted).squeeze(-2)
    dvariance = -0.5 * scale**3 * pull
    back = mixed * own * own * other + torch.diag_embed(dvariance)
    count = segments.counts.to(grad.dtype)
    both = (back + back.mT) / count.unsqueeze(-1)
    mix = _mix(covariance, scale)
    dcentred = row_mm(score, mix.mT, segments) + row_mm(centred, both, segments)
    # What all nodes share leaves through the centring and comes in through the mean.
    shared = (segment_sum(dcentred, segments) - 2 * MEAN_FLOOR * mean * dvariance) / count
    return (dcentred - spread(shared, segments)).t()


def content_assignment(
    x: Float[Tensor, "nodes channels"],
    weight: Float[Tensor, "channels clusters"],
    segments: Segments,
) -> Float[Tensor, "nodes clusters"]:
    """M, `[nodes, clusters]`, from features `[nodes, channels]` and T `[channels, clusters]`."""
    if enabled("content"):
        return _ContentAssignment.apply(x, weight, segments)  # type: ignore[no-any-return]
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
