"""StructPool's mean field over a sparse adjacency on a CPU, forward and backward by hand.

The gradient of the weights W, one number per edge, is the expensive part. They are worked out once
for all steps: that of slot (i, j) is Σ_t g_i·S_j over the steps t, so gradients and shares of all
steps stand side by side, and go into the features without being kept.
"""

from typing import Any

import torch
from torch import Tensor

from graphpool.graphs.adjacency import Adjacency
from graphpool.nn.ops.products import bag_sum, refuse_second_order
from graphpool.nn.pool.mean_field_compiled import (
    energies,
    likeness_backward,
    likeness_forward,
    shares,
    step_backward,
)
from graphpool.typing import Float


class _MeanField(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, x: Tensor, unary: Tensor, compatibility: Tensor, near: Adjacency,
        iterations: int, floor: float,
    ) -> Tensor:  # fmt: skip
        x, unary, compatibility = x.contiguous(), unary.contiguous(), compatibility.contiguous()
        like, scale = torch.empty_like(near.weight), x.new_empty(x.shape[0])
        likeness_forward(
            x.numpy(), near.row_ptr.numpy(), near.col.numpy(), near.weight.numpy(), floor,
            like.numpy(), scale.numpy(),
        )  # fmt: skip
        share, message = torch.empty_like(unary), torch.zeros_like(unary)
        ctx.steps = []
        for step in range(iterations + 1):
            if step:  # the first shares come without a message
                message = bag_sum(share, near.col, near.row_ptr, like)
                share = torch.empty_like(unary)
            energies(
                unary.numpy(), message.numpy(), scale.numpy(), compatibility.numpy(), share.numpy()
            )
            shares(share.exp_().numpy())
            ctx.steps.append((message, share))
        ctx.save_for_backward(x, compatibility, like, scale)
        ctx.near = near
        # A copy, for `steps` must not hold what the caller may change.
        return share.clone()

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        refuse_second_order("StructPool")
        x, compatibility, like, scale = ctx.saved_tensors
        near: Adjacency = ctx.near
        grad, back = grad.contiguous(), None if near.symmetric else near.reverse
        dunary, dtotal = torch.zeros_like(grad), torch.zeros_like(scale)
        # Sums over all nodes and steps, one after the other, would lose digits in single precision.
        dcompatibility = torch.zeros_like(compatibility, dtype=torch.double)
        pulls = []
        for message, share in reversed(ctx.steps):
            pulled = torch.empty_like(grad)
            step_backward(
                share.numpy(), grad.numpy(), message.numpy(), scale.numpy(), compatibility.numpy(),
                dunary.numpy(), dcompatibility.numpy(), pulled.numpy(), dtotal.numpy(),
            )  # fmt: skip
            pulls.append(pulled)
            if len(pulls) == len(ctx.steps):
                break
            if back is None:
                grad = bag_sum(pulled, near.col, near.row_ptr, like)
            else:
                grad = bag_sum(pulled, near.row[back], near.reverse_ptr, like[back])
        # The first shares had no message; each later one's is of the shares before it.
        pulled = torch.cat(pulls[:-1], -1)
        before = torch.cat([share for _, share in reversed(ctx.steps[:-1])], -1)
        dx = torch.zeros_like(x)
        likeness_backward(
            x.numpy(), near.row_ptr.numpy(), near.col.numpy(), near.weight.numpy(), near.symmetric,
            pulled.numpy(), before.numpy(), dtotal.numpy(), dx.numpy(),
        )  # fmt: skip
        return dx, dunary, dcompatibility.float(), None, None, None


def mean_field(
    x: Float[Tensor, "nodes channels"],
    unary: Float[Tensor, "nodes clusters"],
    compatibility: Float[Tensor, "clusters clusters"],
    near: Adjacency,
    iterations: int,
    floor: float,
) -> Float[Tensor, "nodes clusters"]:
    """S after so many steps S = softmax(U - W S μ) from S = softmax(U).

    Args:
        x: what likeness is of, 0 or more; float32 and on a CPU, like all of them.
        unary: U.
        compatibility: μ.
        near: the pairs of nodes that are compared; its weights, which have no gradient here,
            multiply those of W.
        iterations: how many steps, at least 1.
        floor: what the sum of a row of W before its normalisation is raised by.
    """
    return _MeanField.apply(x, unary, compatibility, near, iterations, floor)  # type: ignore[no-any-return]
