"""GCN over the clusters that graphs have: compiled, against the dense form and its gradients."""

import pytest
import torch
from torch import Tensor

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.encoders import Encoder

pytestmark = pytest.mark.usefixtures("both_ways")
CHANNELS = 3
# Not always the first ones: a row counts by where the mask says.
MASK = torch.tensor([[1, 1, 1, 1], [1, 0, 0, 0], [0, 1, 0, 1], [1, 1, 0, 0]]).bool()


def level() -> tuple[Tensor, Tensor]:
    draw = torch.Generator().manual_seed(3)
    pairs = MASK.unsqueeze(-1) & MASK.unsqueeze(-2)
    x = torch.randn(*MASK.shape, CHANNELS, generator=draw) * MASK.unsqueeze(-1)
    return x, torch.rand(4, 4, 4, generator=draw) * pairs


def encoder(layers: int = 2) -> Encoder:
    made = Encoder("gcn", CHANNELS, 5, layers=layers)
    for value in made.parameters():
        value.data.uniform_(-0.7, 0.7)
    return made


@pytest.mark.parametrize("layers", [1, 2, 3])
def test_output_and_gradients_are_those_of_the_dense_form(layers: int) -> None:
    module, found = encoder(layers), []
    for dtype in (torch.float32, torch.float64):
        module = module.to(dtype)
        x, adj = (value.to(dtype).requires_grad_() for value in level())
        # A weight between rows that are no clusters stays 0, whatever its gradient.
        pairs = MASK.unsqueeze(-1) & MASK.unsqueeze(-2)
        out = module(x, adj * pairs, None, ClusterMask(MASK))
        assert not out[~MASK].any()
        pull = torch.randn(out.shape, generator=torch.Generator().manual_seed(5)).to(dtype)
        inputs = [x, adj, *module.parameters()]
        dx, *others = torch.autograd.grad((out * pull).sum(), inputs)
        found.append([out.detach(), dx[MASK], *others])
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one.double(), other, atol=2e-6, rtol=1e-5)


def test_incoming_gradient_is_left_alone() -> None:
    x, adj = level()
    out = encoder()(x.requires_grad_(), adj, None, ClusterMask(MASK))
    incoming = torch.randn(out.shape)
    before = incoming.clone()
    torch.autograd.grad(out, x, incoming)
    assert torch.equal(incoming, before)


def test_a_number_that_is_not_finite_comes_out_of_its_own_graph() -> None:
    x, adj = level()
    x[2, 3, 0] = torch.nan
    out = encoder()(x, adj, None, ClusterMask(MASK))
    assert out.isfinite().all(-1).all(-1).tolist() == [True, True, False, True]
