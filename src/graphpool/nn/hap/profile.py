"""What a cluster is like as a place: how large, how dense, how connected."""

import math
from typing import Any, cast, no_type_check

import numpy as np
import torch
from torch import Tensor, nn

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.graphs.segments import Segments
from graphpool.nn.module import Module
from graphpool.nn.ops.normalise import batch_normalised
from graphpool.nn.ops.products import refuse_second_order, segment_sum
from graphpool.nn.ops.switch import compiled, use_compiled
from graphpool.typing import Float

Array = Any


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
        out, state = torch.empty_like(x), np.empty((2, channels), np.float32)
        rows_of = added.reshape(-1, channels), real.reshape(-1)
        known: dict[str, Any] = norm._buffers  # not by attribute, which takes longer
        count = norm_forward(
            *rows_of, gamma.numpy(), beta.numpy(), known["running_mean"].numpy(),
            known["running_var"].numpy(), known["num_batches_tracked"].numpy(), norm.training,
            cast(float, norm.momentum), norm.eps, state, out.view(-1, channels).numpy(),
        )  # fmt: skip
        ctx.save_for_backward(gamma, weight)
        ctx.normed, ctx.count = (*rows_of, state), count
        ctx.arrays, ctx.nodes = (measured, ptr, real), assignment.shape[0]
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("the profile of places")
        gamma, weight = ctx.saved_tensors
        graphs, clusters, channels = grad.shape
        flat = grad.contiguous().view(-1, channels)
        dx, dlearned = torch.empty_like(flat), grad.new_empty(2, channels)
        norm_backward(
            flat.numpy(), *ctx.normed, gamma.numpy(), ctx.count, dx.numpy(), dlearned.numpy()
        )
        dx = dx.view_as(grad)
        dadj, dweight = grad.new_empty(graphs, clusters, clusters), torch.empty_like(weight)
        dassigned = grad.new_empty(ctx.nodes, clusters)
        profile_backward(
            dx.numpy(), *ctx.arrays, weight.numpy(), dadj.numpy(), dassigned.numpy(),
            dweight.numpy(),
        )  # fmt: skip
        return dx, dadj, dassigned, dweight, dlearned[0], dlearned[1], None, None, None


@compiled
@no_type_check
def profile_forward(
    x: Array, adj: Array, assigned: Array, ptr: Array, real: Array, weight: Array,
    measured: Array, out: Array,
) -> None:  # fmt: skip
    """H' + W log(1 + measured) of each real cluster; others are not written.

    `measured` `[graphs, clusters, 6]` gets size, inner and outer weight, none below 0, and the
    logarithms.
    """
    graphs, clusters, channels = x.shape
    zero = np.float32(0.0)
    for graph in range(graphs):
        facts = measured[graph]
        for j in range(clusters):
            facts[j, 0] = zero
        for i in range(ptr[graph], ptr[graph + 1]):
            for j in range(clusters):
                facts[j, 0] += assigned[i, j]
        for j in range(clusters):
            if not real[graph, j]:
                continue
            total = zero
            for other in range(clusters):
                total += adj[graph, j, other]
            inside = adj[graph, j, j]
            facts[j, 1] = max(inside, zero)
            facts[j, 2] = max(total - inside, zero)
            for fact in range(3):
                facts[j, 3 + fact] = np.log1p(facts[j, fact])
            size, inner, outer = facts[j, 3], facts[j, 4], facts[j, 5]
            row, made = x[graph, j], out[graph, j]
            for c in range(channels):
                made[c] = row[c] + size * weight[0, c] + inner * weight[1, c] + outer * weight[2, c]


@compiled
@no_type_check
def profile_backward(
    grad: Array, measured: Array, ptr: Array, real: Array, weight: Array, dadj: Array,
    dassigned: Array, dweight: Array,
) -> None:  # fmt: skip
    """From the gradient of `profile_forward` to those of A', M and W; that of H' is `grad`."""
    graphs, clusters, channels = grad.shape
    one, zero = np.float32(1.0), np.float32(0.0)
    size = np.empty(clusters, np.float32)
    for c in range(channels):
        dweight[0, c] = dweight[1, c] = dweight[2, c] = zero
    for graph in range(graphs):
        facts = measured[graph]
        for j in range(clusters):
            inside = outside = alone = zero
            if real[graph, j]:
                pulled = grad[graph, j]
                first, second, third = facts[j, 3], facts[j, 4], facts[j, 5]
                for c in range(channels):
                    dweight[0, c] += first * pulled[c]
                    dweight[1, c] += second * pulled[c]
                    dweight[2, c] += third * pulled[c]
                    alone += weight[0, c] * pulled[c]
                    inside += weight[1, c] * pulled[c]
                    outside += weight[2, c] * pulled[c]
                alone /= one + facts[j, 0]
                inside /= one + facts[j, 1]
                outside /= one + facts[j, 2]
                if facts[j, 1] <= 0:
                    inside = zero
                if facts[j, 2] <= 0:
                    outside = zero
            size[j] = alone
            for other in range(clusters):
                dadj[graph, j, other] = outside
            dadj[graph, j, j] = inside
        for i in range(ptr[graph], ptr[graph + 1]):
            for j in range(clusters):
                dassigned[i, j] = size[j]


@compiled
@no_type_check
def norm_forward(
    x: Array, real: Array, weight: Array, bias: Array, known_mean: Array, known_variance: Array,
    steps: Array, training: bool, momentum: float, eps: float, state: Array, out: Array,
) -> int:  # fmt: skip
    """weight · (x - mean) · scale + bias in the real rows, 0 in the others; how many are real.

    While training mean and scale, which `state` `[2, channels]` gets, are those of the real rows
    if there are two of them, and the running statistics move; they are taken otherwise, and 0
    comes back.
    """
    rows, channels = x.shape
    mean, scale = state[0], state[1]
    count = 0
    if training:
        for c in range(channels):
            mean[c] = scale[c] = np.float32(0.0)
        for i in range(rows):
            if real[i]:
                count += 1
                row = x[i]
                for c in range(channels):
                    mean[c] += row[c]
    if count > 1:
        part = np.float32(1.0) / np.float32(count)
        for c in range(channels):
            mean[c] *= part
        for i in range(rows):
            if real[i]:
                row = x[i]
                for c in range(channels):
                    apart = row[c] - mean[c]
                    scale[c] += apart * apart
        step, unbiased = np.float32(momentum), np.float32(count / (count - 1))
        steps[()] += 1
        for c in range(channels):
            variance = scale[c] * part
            known_mean[c] += step * (mean[c] - known_mean[c])
            known_variance[c] += step * (variance * unbiased - known_variance[c])
            scale[c] = np.float32(1.0) / np.sqrt(variance + np.float32(eps))
    else:
        count = 0
        for c in range(channels):
            mean[c] = known_mean[c]
            scale[c] = np.float32(1.0) / np.sqrt(known_variance[c] + np.float32(eps))
    for i in range(rows):
        row, made = x[i], out[i]
        if real[i]:
            for c in range(channels):
                made[c] = (row[c] - mean[c]) * scale[c] * weight[c] + bias[c]
        else:
            for c in range(channels):
                made[c] = np.float32(0.0)
    return count


@compiled
@no_type_check
def norm_backward(
    grad: Array, x: Array, real: Array, state: Array, weight: Array, count: int, dx: Array,
    dlearned: Array,
) -> None:  # fmt: skip
    """Gradients of `norm_forward`; `dlearned` `[2, channels]` are those of weight and bias."""
    rows, channels = x.shape
    mean, scale, dweight, dbias = state[0], state[1], dlearned[0], dlearned[1]
    for c in range(channels):
        dweight[c] = dbias[c] = np.float32(0.0)
    for i in range(rows):
        if real[i]:
            row, pulled = x[i], grad[i]
            for c in range(channels):
                dbias[c] += pulled[c]
                dweight[c] += pulled[c] * (row[c] - mean[c]) * scale[c]
    # Running statistics don't depend on x.
    part = np.float32(1.0) / np.float32(count) if count else np.float32(0.0)
    for i in range(rows):
        row, pulled, out = x[i], grad[i], dx[i]
        if real[i]:
            for c in range(channels):
                apart = (row[c] - mean[c]) * scale[c]
                common = (dbias[c] + apart * dweight[c]) * part
                out[c] = weight[c] * scale[c] * (pulled[c] - common)
        else:
            for c in range(channels):
                out[c] = np.float32(0.0)
