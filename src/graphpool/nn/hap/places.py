"""The place assignment: clusters are where the edges are dense, and content has its say.

A graph's *places* are a partition found from its edges alone (`graphpool.graphs.places.find`),
softened by a few steps of a lazy random walk into shares P. They differ in number from graph to
graph, and a place's number means nothing: whatever is learned treats all places of a graph alike.
"""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.graphs.places.find import TINY, Places
from graphpool.graphs.segments import Segments
from graphpool.nn.hap.content import MEAN_FLOOR, VARIANCE_FLOOR, standardised
from graphpool.nn.hap.moa import GCont
from graphpool.nn.hap.places_compiled import place_backward, place_forward
from graphpool.nn.module import Module
from graphpool.nn.ops.products import (
    refuse_second_order,
    row_mm,
    segment_mm,
    segment_sum,
)
from graphpool.nn.ops.switch import use_compiled
from graphpool.typing import Float

# The least size of a place, against division by zero.
FLOOR = 1e-6
# The score of a place that no walk reaches.
NOWHERE = -1e30


class PlaceAttention(Module):
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
        self._reset_weigh()

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.zeros_(self.sharpness)
        super().reset_parameters()
        self._reset_weigh()

    def _reset_weigh(self) -> None:
        if self.weigh is not None:
            bound = 0.1 / math.sqrt(self.weigh.in_features)
            nn.init.uniform_(self.weigh.weight, -bound, bound)
            nn.init.constant_(self.weigh.bias, 0.1)

    def forward(
        self,
        x: Float[Tensor, "nodes channels"],
        segments: Segments,
        places: Places,
    ) -> Float[Tensor, "nodes clusters"]:
        """Assign nodes `[nodes, channels]` to the places of their graphs.

        Args:
            x: H.
            segments: the graphs of the nodes.
            places: of the graphs, with their shares P.
        """
        if self.content is not None and self.weigh is not None:
            learned = self.content.weight, self.weigh.weight, self.weigh.bias
            if use_compiled("places", x):
                return _PlaceAssignment.apply(  # type: ignore[no-any-return]
                    x, self.sharpness, *learned, places, segments
                )
        share = places.share.to(x.dtype)
        # Not log 0, which is several times slower.
        score = self.sharpness.exp() * share.clamp(min=TINY).log()
        if self.content is not None and self.weigh is not None:
            score = score + _content(x, *learned, share, segments)
        return score.masked_fill(share == 0, NOWHERE).softmax(-1)


def _content(
    x: Tensor, weight: Tensor, weigh: Tensor, bias: Tensor, share: Tensor, segments: Segments
) -> Tensor:
    """γ_j ⟨C̃_i, c_j⟩ / √d, `[nodes, clusters]`."""
    size = segment_sum(share, segments)
    part = row_mm(share, (size / segments.counts.to(x.dtype)).unsqueeze(-1), segments)
    position = torch.cat([share.square().sum(-1, keepdim=True), part], -1)
    content = standardised(torch.cat([x, position], -1) @ weight, segments)
    own = segment_mm(share, content, segments) / size.clamp(min=FLOOR).unsqueeze(-1)
    gate = own @ weigh.t() + bias
    return row_mm(content, (own * gate / math.sqrt(content.shape[1])).mT, segments)


class _PlaceAssignment(torch.autograd.Function):
    """The same on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, sharpness: Tensor, weight: Tensor, weigh: Tensor, bias: Tensor,
        places: Places, segments: Segments,
    ) -> Tensor:  # fmt: skip
        graphs, clusters = segments.num_graphs, places.width
        nodes, channels = x.shape[0], weight.shape[1]
        content, out = x.new_empty(channels + 2, nodes), x.new_empty(nodes, clusters)
        torch.mm(weight[:-2].t(), x.t(), out=content[:-2])
        # What only compiled loops read is kept as they read it: each conversion costs time.
        given = (
            content.numpy(), places.columns.numpy(), segments.ptr.numpy(), places.counts.numpy(),
        )  # fmt: skip
        made = (
            np.empty((graphs, 2, channels), np.float32),
            np.empty((graphs, clusters, channels + 2), np.float32),
            np.empty((clusters, nodes), np.float32),
        )
        place_forward(
            *given, weight.numpy(), weigh.numpy(), bias.numpy(), sharpness.numpy(),
            VARIANCE_FLOOR, MEAN_FLOOR, FLOOR, *made, out.numpy(),
        )  # fmt: skip
        ctx.save_for_backward(x, sharpness, weight, weigh)
        ctx.given, ctx.made = given, made
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the place assignment")
        x, sharpness, weight, weigh = ctx.saved_tensors
        channels = weight.shape[1]
        dcontent = x.new_empty(channels, x.shape[0])
        dweight, dlearned = torch.empty_like(weight), np.empty(channels + 2, np.float32)
        rows = dweight.numpy()
        place_backward(
            grad.contiguous().numpy(), *ctx.given, weigh.numpy(), sharpness.numpy(), MEAN_FLOOR,
            *ctx.made, dcontent.numpy(), rows, dlearned,
        )  # fmt: skip
        # Not the transposed product, which is several times slower.
        rows[:-2] = (dcontent @ x).numpy().T
        dx = dcontent.t() @ weight[:-2].t() if ctx.needs_input_grad[0] else None
        parts = dlearned[-1:].reshape(()), dlearned[None, :channels], dlearned[channels:-1]
        dsharpness, dweigh, dbias = (torch.from_numpy(values) for values in parts)
        return dx, dsharpness, dweight, dweigh, dbias, None, None
