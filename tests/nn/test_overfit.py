"""Both forms of HAP must be able to learn twenty graphs by heart."""

import pytest
import torch

import graphpool as gp
from graphpool.config import ModelConfig
from graphpool.nn.zoo.build import build_model


@pytest.mark.usefixtures("unchecked_shapes")  # test_contract checks them
@pytest.mark.parametrize("name", ["hap", "hap-paper"])
def test_twenty_graphs_of_mutag_are_learned_by_heart(name: str) -> None:
    graphs = gp.load("MUTAG", cache=False, download=False)
    assert graphs.y is not None
    chosen = [graphs.y.eq(kind).nonzero().flatten()[:10] for kind in (0, 1)]
    batch = graphs.batch(torch.cat(chosen))
    assert batch.y is not None
    torch.manual_seed(1)
    model = build_model(ModelConfig(pooler=name), batch.x.shape[1], 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    # All steps, however small the loss: the running means of batch norm lag behind.
    for _ in range(250):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(batch), batch.y)
        loss.backward()
        optimizer.step()
    model.eval()
    assert (model(batch).argmax(-1) == batch.y).float().mean() == 1.0
