"""The place assignment: clusters are where the edges are dense, and content has its say.

A graph's *places* are a partition found from its edges alone (`graphpool.graphs.places`), softened
by a few steps of a lazy random walk into shares P. They differ in number from graph to graph, and
a place's number means nothing: whatever is learned treats all places of a graph alike.
"""

import math
from typing import Any

import torch
from torch import Tensor, nn

from graphpool.graphs.segments import Segments
from graphpool.nn.hap.content import MEAN_FLOOR, VARIANCE_FLOOR
from graphpool.nn.hap.gcont import GCont
from graphpool.nn.hap.places_compiled import place_backward, place_scores
from graphpool.nn.products import (
    refuse_second_order,
    row_mm,
    segment_mean,
    segment_mm,
    segment_sum,
    spread,
)
from graphpool.shapes import Bool, Float

# The least size of a place, against division by zero.
FLOOR = 1e-6
# Below every share that is not 0: (2 · degree)^-steps.
TINY = 1e-37
# The score of a place that no walk reaches.
NOWHERE = -1e30


class PlaceAttention(nn.Module):
    """Places weighed against content: `assignment="places"`.

    M_ij = softmax_j(e^b log P_ij + γ_j ⟨C̃_i, c_j⟩ / √d) over the places j that a walk from node i
    reaches (P_ij > 0; it has no share in the others, whatever its content), where

    - P_ij is the share of place j in node i, and b, learned, says how sharply it counts;
    - C = [H ‖ Q] T is the paper's global content, d columns, fed with the node's features H and
      with its position Q_i = (Σ_j P_ij², Σ_j P_ij n_j / N): how far inside it lies, and how large
      a part of the graph its place is; C̃ is C standardised over the nodes of the graph;
    - c_j = Σ_i P_ij C̃_i / n_j is the content of place j, with n_j = Σ_i P_ij its size: it stands
      where the paper has the relaxed column of C;
    - γ_j = w · c_j + w₀ weighs content against place for each place, by what it holds.

    Args:
        in_channels: channels of the node features H.
        channels: d.
        content: without it M depends on P and b alone.
    """

    def __init__(self, in_channels: int, channels: int = 8, content: bool = True) -> None:
        super().__init__()
        self.sharpness = nn.Parameter(torch.zeros(()))
        self.content = GCont(in_channels + 2, channels) if content else None
        self.weigh = nn.Linear(channels, 1) if content else None
        if self.weigh is not None:
            nn.init.uniform_(
                self.weigh.weight, -0.1 / math.sqrt(channels), 0.1 / math.sqrt(channels)
            )
            nn.init.constant_(self.weigh.bias, 0.1)

    def forward(
        self,
        x: Float[Tensor, "nodes channels"],
        segments: Segments,
        share: Float[Tensor, "nodes clusters"],
        mask: Bool[Tensor, "graphs clusters"],
    ) -> Float[Tensor, "nodes clusters"]:
        """Assign nodes `[nodes, channels]` to the places of their graphs.

        Args:
            x: H.
            segments: the graphs of the nodes.
            share: P; zero in the columns of places that a graph has not.
            mask: which places each graph has.
        """
        share = share.to(x.dtype)
        # Not log 0, which is several times slower.
        near, sharp = share.clamp(min=TINY).log(), self.sharpness.exp()
        if self.content is not None and self.weigh is not None:
            learned = self.content.weight, self.weigh.weight.squeeze(0), self.weigh.bias
            if x.dtype is torch.float32 and x.is_cpu:
                return _PlaceAssignment.apply(  # type: ignore[no-any-return]
                    x, sharp, *learned, share, near, mask, segments
                )
            score = sharp * near + _content(x, *learned, share, segments)
        else:
            score = sharp * near
        return score.masked_fill(share == 0, NOWHERE).softmax(-1)


def _content(
    x: Tensor, weight: Tensor, weigh: Tensor, bias: Tensor, share: Tensor, segments: Segments
) -> Tensor:
    """γ_j ⟨C̃_i, c_j⟩ / √d, `[nodes, clusters]`."""
    size = segment_sum(share, segments)
    part = row_mm(share, (size / segments.counts.to(x.dtype)).unsqueeze(-1), segments)
    position = torch.cat([share.square().sum(-1, keepdim=True), part], -1)
    content = _standardised(torch.cat([x, position], -1) @ weight, segments)
    own = segment_mm(share, content, segments) / size.clamp(min=FLOOR).unsqueeze(-1)
    gate = (own @ weigh + bias).unsqueeze(-1)
    return row_mm(content, (own * gate / math.sqrt(content.shape[1])).mT, segments)


class _PlaceAssignment(torch.autograd.Function):
    """The same on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, sharp: Tensor, weight: Tensor, weigh: Tensor, bias: Tensor,
        share: Tensor, near: Tensor, mask: Tensor, segments: Segments,
    ) -> Tensor:  # fmt: skip
        channels, (graphs, clusters) = weight.shape[1], mask.shape
        content = weight[:-2].t() @ x.t()  # [channels, nodes]
        share, near, counts = share.t().contiguous(), near.t().contiguous(), mask.sum(-1)
        position, mean = x.new_empty(2, x.shape[0]), x.new_empty(graphs, channels)
        own, size = x.new_empty(graphs, clusters, channels), x.new_empty(graphs, clusters)
        gate, scale, score = torch.empty_like(size), torch.empty_like(mean), sharp * near
        place_scores(
            content.numpy(), share.numpy(), segments.ptr.numpy(), counts.numpy(),
            weight[-2:].contiguous().numpy(), weigh.contiguous().numpy(), float(bias),
            VARIANCE_FLOOR, MEAN_FLOOR, FLOOR, NOWHERE, position.numpy(),
            mean.numpy(), scale.numpy(), own.numpy(), size.numpy(), gate.numpy(), score.numpy(),
        )  # fmt: skip
        assigned = score.softmax(0)
        ctx.save_for_backward(
            x, weight, weigh, content, share, near, counts, position, mean, scale, own, size, gate,
            assigned,
        )  # fmt: skip
        ctx.segments = segments
        return assigned.t()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the place assignment")
        (
            x, weight, weigh, content, share, near, counts, position, mean, scale, own, size, gate,
            assigned,
        ) = ctx.saved_tensors  # fmt: skip
        # A copy even where `grad` lies right already: it is overwritten, and others may hold it.
        dscore = grad.t().clone(memory_format=torch.contiguous_format)
        dcontent, dweigh = torch.empty_like(content), weigh.new_zeros(weigh.shape[0] + 1)
        place_backward(
            dscore.numpy(), assigned.numpy(), content.numpy(), share.numpy(),
            ctx.segments.ptr.numpy(), counts.numpy(), weigh.contiguous().numpy(), MEAN_FLOOR,
            mean.numpy(), scale.numpy(), own.numpy(), size.numpy(), gate.numpy(),
            dcontent.numpy(), dweigh.numpy(),
        )  # fmt: skip
        dx = dcontent.t() @ weight[:-2].t() if ctx.needs_input_grad[0] else None
        dweight = torch.cat([dcontent @ x, dcontent @ position.t()], -1).t()
        dsharp = torch.dot(dscore.flatten(), near.flatten())
        return dx, dsharp, dweight, dweigh[:-1], dweigh[-1:], None, None, None, None


def _standardised(content: Tensor, segments: Segments) -> Tensor:
    """Each column with mean 0 and, but for the floors, deviation 1 over the nodes of a graph."""
    mean = segment_mean(content, segments)
    centred = content - spread(mean, segments)
    variance = segment_mean(centred * centred, segments)
    scale = (variance + VARIANCE_FLOOR + MEAN_FLOOR * mean * mean).rsqrt()
    return centred * spread(scale, segments)
