"""Cluster formation over a ragged batch: H' = Mᵀ H and A' = Mᵀ A M, equations (H') and (A')."""

from typing import Any, no_type_check

import numpy as np
import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.products import check_rows, constant, refuse_second_order, segment_mm, spmm
from graphpool.nn.ops.switch import compiled, use_compiled
from graphpool.typing import Float, Int

Array = Any


@compiled
@no_type_check
def _collect(share: Array, values: Array, start: int, stop: int, clusters: int, out: Array) -> None:
    """Add shareᵀ values over the nodes from start to stop to `out` `[clusters, channels]`."""
    channels = values.shape[1]
    # Four nodes at a time: each sum is loaded and stored once for four products.
    blocked = start + (stop - start) // 4 * 4
    for i in range(start, blocked, 4):
        v0, v1, v2, v3 = values[i], values[i + 1], values[i + 2], values[i + 3]
        for j in range(clusters):
            m0, m1, m2, m3 = share[i, j], share[i + 1, j], share[i + 2, j], share[i + 3, j]
            for c in range(channels):
                out[j, c] += m0 * v0[c] + m1 * v1[c] + m2 * v2[c] + m3 * v3[c]
    for i in range(blocked, stop):
        for j in range(clusters):
            for c in range(channels):
                out[j, c] += share[i, j] * values[i, c]


@compiled
@no_type_check
def _return(
    share: Array, values: Array, grad: Array, start: int, stop: int, clusters: int,
    dvalues: Array, dshare: Array,
) -> None:  # fmt: skip
    """Gradients of `_collect`, added to `dvalues` and `dshare`."""
    channels = values.shape[1]
    # Four clusters at a time: a node's row is loaded once for eight products.
    blocked = clusters // 4 * 4
    for j in range(0, blocked, 4):
        g0, g1, g2, g3 = grad[j], grad[j + 1], grad[j + 2], grad[j + 3]
        for i in range(start, stop):
            value, dvalue = values[i], dvalues[i]
            m0, m1, m2, m3 = share[i, j], share[i, j + 1], share[i, j + 2], share[i, j + 3]
            t0 = t1 = t2 = t3 = np.float32(0.0)
            for c in range(channels):
                dvalue[c] += m0 * g0[c] + m1 * g1[c] + m2 * g2[c] + m3 * g3[c]
                t0 += value[c] * g0[c]
                t1 += value[c] * g1[c]
                t2 += value[c] * g2[c]
                t3 += value[c] * g3[c]
            dshare[i, j] += t0
            dshare[i, j + 1] += t1
            dshare[i, j + 2] += t2
            dshare[i, j + 3] += t3
    for j in range(blocked, clusters):
        for i in range(start, stop):
            total = np.float32(0.0)
            for c in range(channels):
                dvalues[i, c] += share[i, j] * grad[j, c]
                total += values[i, c] * grad[j, c]
            dshare[i, j] += total


@compiled
@no_type_check
def form_forward(
    share: Array, x: Array, reached: Array, ptr: Array, counts: Array, coarse_x: Array,
    coarse_adj: Array,
) -> None:  # fmt: skip
    """Add H' = Mᵀ H and A' = Mᵀ (A M) to the outputs; `reached` is A M.

    `counts` are the clusters of each graph; the columns of M behind them are zero.
    """
    for graph in range(ptr.shape[0] - 1):
        start, stop, clusters = ptr[graph], ptr[graph + 1], counts[graph]
        _collect(share, x, start, stop, clusters, coarse_x[graph])
        _collect(share, reached, start, stop, clusters, coarse_adj[graph])


@compiled
@no_type_check
def form_backward(
    share: Array, x: Array, reached: Array, grad_x: Array, grad_adj: Array, ptr: Array,
    counts: Array, dshare: Array, dx: Array, dreached: Array,
) -> None:  # fmt: skip
    """Add the gradients of `form_forward` to the outputs."""
    for graph in range(ptr.shape[0] - 1):
        start, stop, clusters = ptr[graph], ptr[graph + 1], counts[graph]
        _return(share, x, grad_x[graph], start, stop, clusters, dx, dshare)
        _return(share, reached, grad_adj[graph], start, stop, clusters, dreached, dshare)


class _FormClusters(torch.autograd.Function):
    """`form_clusters` for float32 on a CPU, compiled."""

    @staticmethod
    def forward(
        ctx: Any,
        assignment: Tensor,
        x: Tensor,
        adjacency: Adjacency,
        segments: Segments,
        counts: Tensor | None,
    ) -> tuple[Tensor, Tensor]:
        if counts is None:
            counts = torch.full((segments.num_graphs,), assignment.shape[1])
        reached = spmm(adjacency, adjacency.weight, assignment)
        assignment, x = assignment.contiguous(), x.contiguous()
        graphs, clusters = segments.num_graphs, assignment.shape[1]
        coarse_x = x.new_zeros(graphs, clusters, x.shape[1])
        coarse_adj = x.new_zeros(graphs, clusters, clusters)
        # Kept as compiled loops read them: each conversion costs time.
        given = assignment.numpy(), x.numpy(), reached.numpy()
        where = segments.ptr.numpy(), counts.numpy()
        form_forward(*given, *where, coarse_x.numpy(), coarse_adj.numpy())
        ctx.save_for_backward(assignment, x, reached)
        ctx.adjacency, ctx.given, ctx.where = adjacency, given, where
        return coarse_x, coarse_adj

    @staticmethod
    def backward(ctx: Any, grad_x: Tensor, grad_adj: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("cluster formation")
        adjacency = ctx.adjacency
        dassignment, dx, dreached = (torch.zeros_like(value) for value in ctx.saved_tensors)
        form_backward(
            *ctx.given, grad_x.contiguous().numpy(), grad_adj.contiguous().numpy(), *ctx.where,
            dassignment.numpy(), dx.numpy(), dreached.numpy(),
        )  # fmt: skip
        dassignment += spmm(adjacency, adjacency.weight, dreached, transpose=True)
        return dassignment, dx, None, None, None


def form_clusters(
    assignment: Float[Tensor, "nodes clusters"],
    x: Float[Tensor, "nodes channels"],
    adjacency: Adjacency,
    segments: Segments,
    counts: Int[Tensor, " graphs"] | None = None,
) -> tuple[Float[Tensor, "graphs clusters channels"], Float[Tensor, "graphs clusters clusters"]]:
    """H' `[graphs, clusters, channels]` and A' `[graphs, clusters, clusters]`.

    Args:
        assignment: M, `[nodes, clusters]`.
        x: H, `[nodes, channels]`.
        adjacency: A of the whole batch.
        segments: the graphs of the nodes.
        counts: clusters of each graph, if not all; further columns of M are zero.
    """
    check_rows(assignment, adjacency.num_nodes)
    check_rows(x, adjacency.num_nodes)
    check_rows(segments.batch, adjacency.num_nodes)
    if counts is not None:
        check_rows(counts, segments.num_graphs)
    if use_compiled("formation", assignment):
        return _FormClusters.apply(assignment, x, adjacency, segments, counts)  # type: ignore[no-any-return]
    reached = spmm(adjacency, constant(adjacency.weight), assignment)
    # One product makes both: Mᵀ [H | A M].
    formed = segment_mm(assignment, torch.cat([x, reached], -1), segments)
    coarse_x, coarse_adj = formed.split([x.shape[1], reached.shape[1]], -1)
    return coarse_x, coarse_adj
