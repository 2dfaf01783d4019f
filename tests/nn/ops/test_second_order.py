"""Compiled backward passes can't be differentiated again, and say so; plain operations can."""

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import Tensor, nn

from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.encoders import Encoder
from graphpool.nn.hap.moa import content_assignment
from graphpool.nn.hap.profile import PlaceProfile
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.ops.switch import plain_operations
from graphpool.nn.pool.asap import ASAP
from graphpool.nn.pool.gmt import GMTPool
from graphpool.nn.pool.structpool import StructPool

ROWS = ClusterMask(torch.tensor([[True, True, True], [True, False, False], [True, True, False]]))


def formed(x: Tensor) -> Tensor:
    batch = batch_of([random_graph(n, n) for n in (7, 1, 4)])
    share = x.new_ones(12, 3).softmax(-1)
    return form_clusters(share * x.sum(), x, batch.adjacency, batch.segments)[0]


def profiled(x: Tensor) -> Tensor:
    batch = batch_of([random_graph(n, n) for n in (7, 1, 4)])
    module = PlaceProfile(CHANNELS)
    share, dense = torch.full((12, 3), 1 / 3), x.sum() * torch.ones(3, 3, CHANNELS)
    return module(dense, torch.ones(3, 3, 3), share, batch.segments, ROWS)


def encoded(x: Tensor) -> Tensor:
    dense = x[:9].view(3, 3, CHANNELS)
    return Encoder("gcn", CHANNELS, 5)(dense, torch.ones(3, 3, 3), None, ROWS)


COMPILED = {
    "formation": formed,
    "profile": profiled,
    "cluster gcn": encoded,
    "normalise": lambda x: normalise((x[:3] @ x[:3].t()).exp().unsqueeze(0)),
}


@pytest.mark.parametrize("name", COMPILED)
def test_a_compiled_backward_pass_refuses_to_be_differentiated(name: str) -> None:
    x = torch.randn(12, CHANNELS, requires_grad=True)
    with pytest.raises(RuntimeError, match="can't be differentiated twice"):
        torch.autograd.grad(COMPILED[name](x).square().sum(), x, create_graph=True)
    with plain_operations():
        (grad,) = torch.autograd.grad(COMPILED[name](x).square().sum(), x, create_graph=True)
    assert torch.autograd.grad(grad.sum(), x)[0].isfinite().all()


def test_asap_refuses_by_its_sparse_product() -> None:
    batch = batch_of([random_graph(n, n) for n in (7, 1, 4)])
    x = batch.x.clone().requires_grad_()
    out = ASAP(CHANNELS)(x, batch.adjacency, batch.segments)
    with pytest.raises(RuntimeError, match="can't be differentiated twice"):
        torch.autograd.grad(out.adjacency.weight.square().sum(), x, create_graph=True)


@pytest.mark.parametrize(
    "module", [GMTPool(CHANNELS, 1, heads=1), StructPool(CHANNELS, 3)], ids=["gmt", "structpool"]
)
def test_assignments_of_plain_operations_have_second_derivatives(module: nn.Module) -> None:
    batch = batch_of([random_graph(n, n) for n in (7, 1, 4)])
    x = batch.x.clone().requires_grad_()
    share = module(x, batch.adjacency, batch.segments).assignment
    (grad,) = torch.autograd.grad(share.square().sum(), x, create_graph=True)
    assert torch.autograd.grad(grad.square().sum(), x)[0].isfinite().all()


def test_content_has_second_derivatives() -> None:
    batch = batch_of([random_graph(n, n).to(torch.float64) for n in (7, 2, 4)])
    weight = torch.randn(CHANNELS, 3, dtype=torch.float64, requires_grad=True)

    def function(weight: Tensor) -> Tensor:
        return content_assignment(batch.x, weight, batch.segments)

    assert torch.autograd.gradgradcheck(function, (weight,))
