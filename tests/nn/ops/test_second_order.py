"""Backward passes written by hand can't be differentiated again, and say so."""

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import nn

from graphpool.nn.encoders import Encoder
from graphpool.nn.hap.content import content_assignment
from graphpool.nn.ops.cluster_mask import Rows
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.ops.normalise import normalise
from graphpool.nn.pool.asap import ASAP
from graphpool.nn.pool.gmt import GMTPool
from graphpool.nn.pool.structpool import StructPool

REFUSED = "can't be differentiated twice"


def test_second_derivatives_are_refused_and_not_wrong() -> None:
    given = batch_of([random_graph(n, n).to(torch.float64) for n in (7, 1, 4)])
    weight = torch.randn(CHANNELS, 3, dtype=torch.float64, requires_grad=True)
    share = content_assignment(given.x, weight, given.segments)
    made, _ = form_clusters(share, given.x, given.adjacency, given.segments)
    matrix = torch.rand(1, 3, 3, dtype=torch.float64, requires_grad=True)
    for out, source in ((share, weight), (made, weight), (normalise(matrix), matrix)):
        torch.autograd.grad(out.square().sum(), source, retain_graph=True)
        with pytest.raises(RuntimeError, match=REFUSED):
            torch.autograd.grad(out.square().sum(), source, create_graph=True)


def test_cluster_gcn() -> None:
    x, adj = torch.randn(2, 3, CHANNELS, requires_grad=True), torch.rand(2, 3, 3)
    rows = Rows(torch.tensor([[True, True, True], [True, False, False]]))
    out = Encoder("gcn", CHANNELS, 5)(x, adj, None, rows)
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.autograd.grad(out.square().sum(), x, create_graph=True)


@pytest.mark.parametrize(
    "module",
    [GMTPool(CHANNELS, 3, heads=1), StructPool(CHANNELS, 3), ASAP(CHANNELS)],
    ids=["gmt", "structpool", "asap"],
)
def test_a_second_derivative_is_refused(module: nn.Module) -> None:
    batch = batch_of([random_graph(n, n) for n in (7, 1, 4)])
    x = batch.x.clone().requires_grad_()
    out = module(x, batch.adjacency, batch.segments)
    with pytest.raises(RuntimeError, match=REFUSED):
        torch.autograd.grad(out.x.square().sum(), x, create_graph=True)
