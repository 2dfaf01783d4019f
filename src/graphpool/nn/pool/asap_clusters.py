"""ASAP's clusters and their fitness on a CPU, forward and backward by hand.

A row of the maximum times W and then a is the row times W a, so the map of masters is never made
for each node, only once for all.
"""

from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.ops.products import bag_sum, refuse_second_order
from graphpool.nn.pool.asap_compiled import (
    fitness_backward,
    fitness_forward,
    masters_backward,
    masters_forward,
    members_backward,
    members_logits,
    members_share,
)
from graphpool.typing import Float


class _Clusters(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, seen: Tensor, of_master: Tensor, bias: Tensor, of_member: Tensor,
        adjacency: Adjacency, slope: float,
    ) -> tuple[Tensor, Tensor]:  # fmt: skip
        ctx.set_materialize_grads(False)
        x, seen = x.contiguous(), seen.contiguous()
        slots = adjacency.row_ptr.numpy(), adjacency.col.numpy()
        top, where = torch.empty_like(seen), torch.empty_like(seen, dtype=torch.int32)
        masters_forward(seen.numpy(), *slots, top.numpy(), where.numpy())
        master, member = torch.mv(top, of_master).add_(bias), torch.mv(seen, of_member)
        share = x.new_empty(adjacency.col.shape[0])
        members_logits(master.numpy(), member.numpy(), *slots, slope, share.numpy())
        members_share(share.exp_().numpy(), slots[0])
        ctx.save_for_backward(x, seen, of_master, of_member, top, where, master, member, share)
        ctx.adjacency, ctx.slope = adjacency, slope
        return bag_sum(x, adjacency.col, adjacency.row_ptr, share), share

    @staticmethod
    def backward(ctx: Any, grad: Tensor | None, grad_share: Tensor | None) -> tuple[Any, ...]:
        refuse_second_order("ASAP")
        x, seen, of_master, of_member, top, where, master, member, share = ctx.saved_tensors
        slots = ctx.adjacency.row_ptr.numpy(), ctx.adjacency.col.numpy()
        grad = torch.zeros_like(x) if grad is None else grad.contiguous()
        grad_share = x.new_empty(0) if grad_share is None else grad_share.contiguous()
        dx, dseen = torch.zeros_like(x), torch.zeros_like(seen)
        dmaster, dmember = torch.zeros_like(master), torch.zeros_like(member)
        members_backward(
            x.numpy(), share.numpy(), grad.numpy(), grad_share.numpy(), master.numpy(),
            member.numpy(), *slots, ctx.slope, dx.numpy(), dmaster.numpy(), dmember.numpy(),
        )  # fmt: skip
        masters_backward(
            where.numpy(), dmaster.numpy(), of_master.numpy(), dmember.numpy(), of_member.numpy(),
            dseen.numpy(),
        )  # fmt: skip
        dof_master, dof_member = torch.mv(top.t(), dmaster), torch.mv(seen.t(), dmember)
        return dx, dseen, dof_master, dmaster.sum(), dof_member, None, None


class _Fitness(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, part: Tensor, weight: Tensor, size: Tensor, adjacency: Adjacency
    ) -> tuple[Tensor, Tensor]:
        part, weight, size = part.contiguous(), weight.contiguous(), size.contiguous()
        out, scale = part.new_empty(part.shape[0]), part.new_empty(part.shape[0])
        ctx.save_for_backward(part, weight)
        ctx.slots = adjacency.row_ptr.numpy(), adjacency.col.numpy()
        fitness_forward(
            part.numpy(), size.numpy(), *ctx.slots, weight.numpy(), out.numpy(), scale.numpy()
        )
        ctx.mark_non_differentiable(scale)
        return out, scale

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("ASAP")
        part, weight = ctx.saved_tensors
        asked = ctx.needs_input_grad[1]
        dpart, dweight = torch.zeros_like(part), weight.new_empty(weight.shape if asked else 0)
        fitness_backward(
            part.numpy(), grad.contiguous().numpy(), *ctx.slots, weight.numpy(), dpart.numpy(),
            dweight.numpy(),
        )  # fmt: skip
        return dpart, dweight if asked else None, None, None


def clusters(
    x: Float[Tensor, "nodes channels"],
    seen: Float[Tensor, "nodes channels"],
    of_master: Float[Tensor, " channels"],
    bias: Float[Tensor, ""],
    of_member: Float[Tensor, " channels"],
    adjacency: Adjacency,
    slope: float,
) -> tuple[Float[Tensor, "nodes channels"], Float[Tensor, " slots"]]:
    """x^c and α: softmax over the members j of LeakyReLU(m_i·of_master + bias + x'_j·of_member).

    Args:
        x: what clusters are made of; float32 and on a CPU, like all of them.
        seen: x', what masters and attention see.
        of_master, bias: how masters count.
        of_member: how members count.
        adjacency: row i has the members of the cluster around i.
        slope: of LeakyReLU.
    """
    return _Clusters.apply(x, seen, of_master, bias, of_member, adjacency, slope)  # type: ignore[no-any-return]


def fitness(
    part: Float[Tensor, "nodes 3"],
    size: Float[Tensor, "nodes 3"],
    weight: Float[Tensor, " slots"],
    adjacency: Adjacency,
) -> tuple[Float[Tensor, " nodes"], Float[Tensor, " nodes"]]:
    """φ = Σ_j Â_ij (near_j - less_i) + own_i, and how large the numbers were it was made from.

    Args:
        part: near, less and own of every node; float32 and on a CPU, like all of them.
        size: how large the numbers were that these were made from; no gradient.
        weight: Â.
        adjacency: whose slots these are.
    """
    return _Fitness.apply(part, weight, size.detach(), adjacency)  # type: ignore[no-any-return]
