"""Cluster formation over a ragged batch: H' = Mᵀ H and A' = Mᵀ A M, equations (H') and (A')."""

from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.segments import Segments
from graphpool.nn.compiled import compilable
from graphpool.nn.hap.compiled import form_backward, form_forward
from graphpool.nn.products import row_mm, segment_mm, spmm


class _FormClusters(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, assignment: Tensor, x: Tensor, adjacency: Adjacency, segments: Segments
    ) -> tuple[Tensor, Tensor]:
        ctx.adjacency, ctx.segments = adjacency, segments
        if compilable(assignment, x, adjacency.weight):
            assignment, x = assignment.contiguous(), x.contiguous()
            reached, coarse_x, coarse_adj = _compiled_forward(assignment, x, adjacency, segments)
        else:
            reached = spmm(adjacency, adjacency.weight, assignment)
            # One product makes both: Mᵀ [H | A M].
            formed = segment_mm(assignment, torch.cat([x, reached], -1), segments)
            coarse_x, coarse_adj = formed.split([x.shape[1], reached.shape[1]], -1)
        ctx.save_for_backward(assignment, x, reached)
        return coarse_x, coarse_adj

    @staticmethod
    def backward(ctx: Any, grad_x: Tensor, grad_adj: Tensor) -> tuple[Tensor | None, ...]:
        assignment, x, reached = ctx.saved_tensors
        adjacency, segments = ctx.adjacency, ctx.segments
        if adjacency.symmetric and compilable(assignment, grad_x, grad_adj):
            saved = (assignment, x, reached)
            dassignment, dx = _compiled_backward(grad_x, grad_adj, *saved, adjacency, segments)
            return dassignment, dx, None, None
        grad = torch.cat([grad_x, grad_adj], -1)
        dx, dreached = row_mm(assignment, grad, segments).split([x.shape[1], grad_adj.shape[2]], -1)
        dassignment = row_mm(torch.cat([x, reached], -1), grad.mT, segments)
        dassignment = dassignment + spmm(adjacency, adjacency.weight, dreached, transpose=True)
        return dassignment, dx, None, None


def _compiled_forward(
    assignment: Tensor, x: Tensor, adjacency: Adjacency, segments: Segments
) -> tuple[Tensor, Tensor, Tensor]:
    graphs, clusters = segments.num_graphs, assignment.shape[1]
    reached = torch.zeros_like(assignment)
    coarse_x = x.new_zeros(graphs, clusters, x.shape[1])
    coarse_adj = x.new_zeros(graphs, clusters, clusters)
    form_forward(
        assignment.numpy(), x.numpy(), adjacency.row_ptr.numpy(), adjacency.col.numpy(),
        adjacency.weight.numpy(), segments.ptr.numpy(),
        reached.numpy(), coarse_x.numpy(), coarse_adj.numpy(),
    )  # fmt: skip
    return reached, coarse_x, coarse_adj


def _compiled_backward(
    grad_x: Tensor, grad_adj: Tensor, assignment: Tensor, x: Tensor, reached: Tensor,
    adjacency: Adjacency, segments: Segments,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    dreached, dx = torch.zeros_like(reached), torch.zeros_like(x)
    dassignment = torch.empty_like(assignment)
    form_backward(
        assignment.numpy(), x.numpy(), reached.numpy(),
        grad_x.contiguous().numpy(), grad_adj.contiguous().numpy(), adjacency.row_ptr.numpy(),
        adjacency.col.numpy(), adjacency.weight.numpy(), segments.ptr.numpy(),
        dreached.numpy(), dassignment.numpy(), dx.numpy(),
    )  # fmt: skip
    return dassignment, dx


def form_clusters(
    assignment: Tensor, x: Tensor, adjacency: Adjacency, segments: Segments
) -> tuple[Tensor, Tensor]:
    """H' `[graphs, clusters, channels]` and A' `[graphs, clusters, clusters]`.

    Args:
        assignment: M, `[nodes, clusters]`.
        x: H, `[nodes, channels]`.
        adjacency: A of the whole batch.
        segments: the graphs of the nodes.
    """
    return _FormClusters.apply(assignment, x, adjacency, segments)  # type: ignore[no-any-return]
