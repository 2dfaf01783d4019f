"""What a cluster is like as a place: how large, how dense, how connected."""

import math
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.segments import Segments
from graphpool.nn.hap.profile_compiled import (
    norm_backward,
    norm_forward,
    profile_backward,
    profile_forward,
)
from graphpool.nn.module import Module
from graphpool.nn.ops.batch_norm import batch_normalised
from graphpool.nn.ops.products import refuse_second_order, segment_sum
from graphpool.nn.ops.switch import use_compiled
from graphpool.typing import Float


class PlaceProfile(Module):
    """A cluster's profile, added to its features, and both brought to one scale.

    BatchNorm(H'_j + W log(1 + (n_j, A'_jj, Σ_{l≠j} A'_jl))): how many nodes it has, how many edges
    lie inside it and how many leave it. A sum over the nodes can't say the last two, and an
    encoder that normalises the coarse graph, such as GCN, forgets them. Sums over alike clusters
    differ by little from a large mean; without the normalisation the coarse network often doesn't
    learn to see it. Clusters that a graph has not stay 0.
    """

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(3, channels))
        nn.init.uniform_(self.weight, -1 / math.sqrt(3), 1 / math.sqrt(3))
        self.norm = nn.BatchNorm1d(channels)

    def reset_parameters(self) -> None:
        """Draw the initial weights again."""
        nn.init.uniform_(self.weight, -1 / math.sqrt(3), 1 / math.sqrt(3))
        super().reset_parameters()

    def forward(
        self,
        x: Float[Tensor, "graphs clusters channels"],
        adj: Float[Tensor, "graphs clusters clusters"],
        assignment: Float[Tensor, "*nodes clusters"],
        segments: Segments | None,
        rows: ClusterMask | None = None,
    ) -> Float[Tensor, "graphs clusters channels"]:
        """Cluster features with their profile.

        Args:
            x: H'.
            adj: A' before `connect`.
            assignment: M.
            segments: the graphs of a ragged level's nodes.
            rows: the clusters that graphs have, if not all.
        """
        parts = (x, adj, assignment, self.weight, self.norm.weight, self.norm.bias)
        if segments is not None and rows is not None and use_compiled("profile", x):
            return _Profiled.apply(*parts, self.norm, segments, rows)  # type: ignore[no-any-return]
        inside = adj.diagonal(dim1=-2, dim2=-1)
        outside = adj.sum(-1) - inside
        measured = torch.stack([segment_sum(assignment, segments), inside, outside], -1)
        # Rounding can take the last below 0, negative edge weights all of them.
        return batch_normalised(self.norm, x + measured.clamp(min=0).log1p() @ self.weight, rows)


class _Profiled(torch.autograd.Function):
    """The same for a ragged level on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any, x: Tensor, adj: Tensor, assignment: Tensor, weight: Tensor, gamma: Tensor,
        beta: Tensor, norm: nn.BatchNorm1d, segments: Segments, rows: ClusterMask,
    ) -> Tensor:  # fmt: skip
        x, adj, assignment = x.contiguous(), adj.contiguous(), assignment.contiguous()
        graphs, clusters, channels = x.shape
        measured = np.empty((graphs, clusters, 6), np.float32)
        added = np.empty((graphs, clusters, channels), np.float32)
        ptr, real = segments.ptr.numpy(), rows.mask.numpy()
        profile_forward(
            x.numpy(), adj.numpy(), assignment.numpy(), ptr, real, weight.numpy(), measured, added
        )
        made = ctx.made = RowNorm(norm, real.reshape(-1))
        ctx.save_for_backward(gamma, weight)
        ctx.arrays, ctx.nodes = (measured, ptr, real), assignment.shape[0]
        return made.forward(added.reshape(-1, channels), gamma, beta).view_as(x)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the profile of places")
        gamma, weight = ctx.saved_tensors
        graphs, clusters, channels = grad.shape
        flat = grad.contiguous().view(-1, channels)
        dx, dgamma, dbeta = ctx.made.backward(flat, gamma)
        dx = dx.view_as(grad)
        dadj, dweight = grad.new_empty(graphs, clusters, clusters), torch.empty_like(weight)
        dassigned = grad.new_empty(ctx.nodes, clusters)
        profile_backward(
            dx.numpy(), *ctx.arrays, weight.numpy(), dadj.numpy(), dassigned.numpy(),
            dweight.numpy(),
        )  # fmt: skip
        return dx, dadj, dassigned, dweight, dgamma, dbeta, None, None, None


class RowNorm:
    """Batch norm over some of the rows on a CPU, compiled, with its way back; others become 0."""

    def __init__(self, norm: nn.BatchNorm1d, real: Any) -> None:
        self.norm, self.real = norm, real

    def forward(self, x: Any, weight: Tensor, bias: Tensor) -> Tensor:
        """Of an array `[rows, channels]`; running statistics move while training."""
        norm = self.norm
        self.x, self.state = x, np.empty((2, x.shape[1]), np.float32)
        out = torch.empty(x.shape, dtype=torch.float32)
        known: dict[str, Any] = norm._buffers  # not by attribute, which takes longer
        self.count = norm_forward(
            x, self.real, weight.numpy(), bias.numpy(), known["running_mean"].numpy(),
            known["running_var"].numpy(), known["num_batches_tracked"].numpy(), norm.training,
            cast(float, norm.momentum), norm.eps, self.state, out.numpy(),
        )  # fmt: skip
        return out

    def backward(self, grad: Tensor, weight: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Gradients of x, weight and bias."""
        dx, dlearned = torch.empty_like(grad), grad.new_empty(2, grad.shape[1])
        norm_backward(
            grad.numpy(), self.x, self.real, self.state, weight.numpy(), self.count, dx.numpy(),
            dlearned.numpy(),
        )  # fmt: skip
        return dx, dlearned[0], dlearned[1]
