"""Cluster formation over a ragged batch: H' = Mᵀ H and A' = Mᵀ A M, equations (H') and (A')."""

from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.ops.formation_compiled import form_backward, form_forward
from graphpool.nn.ops.products import constant, refuse_second_order, segment_mm, spmm
from graphpool.nn.ops.switch import use_compiled
from graphpool.typing import Float, Int


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
    if use_compiled("formation", assignment):
        return _FormClusters.apply(assignment, x, adjacency, segments, counts)  # type: ignore[no-any-return]
    reached = spmm(adjacency, constant(adjacency.weight), assignment)
    # One product makes both: Mᵀ [H | A M].
    formed = segment_mm(assignment, torch.cat([x, reached], -1), segments)
    coarse_x, coarse_adj = formed.split([x.shape[1], reached.shape[1]], -1)
    return coarse_x, coarse_adj
