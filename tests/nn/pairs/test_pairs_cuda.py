"""Pair networks on a GPU give the numbers of the CPU; needs a CUDA device."""

import copy

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph

from graphpool.config import ModelConfig
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


@pytest.mark.parametrize("score", ["exp", "learned"])
@pytest.mark.parametrize("name", [*PAIR_METHODS, "hap", "sum"])
def test_distances_and_gradients_agree_with_the_cpu(name: str, score: str) -> None:
    batch = batch_of([random_graph(n, n, weighted=True) for n in (9, 2, 60, 13, 5, 90)])
    settings = ModelConfig(pooler=name, hidden_channels=16, norm="batch")
    here = build_pair_model(settings, CHANNELS, 7.0, score).eval()
    there = copy.deepcopy(here).cuda()
    left = torch.randint(6, (40,))
    # A graph and itself are no pair that doesn't match: its slope, 1/d at d = 0, is rounding noise.
    right = (left + torch.randint(1, 6, (40,))) % 6
    results = []
    for model, device in ((here, "cpu"), (there, "cuda")):
        compared = model.compare(batch.to(device), left.to(device), right.to(device))
        yes, no = model.log_scores(compared)
        (yes.mean() + 0.1 * no.mean()).backward()
        grads = {key: value.grad.cpu() for key, value in model.named_parameters()}  # type: ignore[union-attr]
        results.append((compared.distances.detach().cpu(), grads))
    (ours, our_grads), (theirs, their_grads) = results
    torch.testing.assert_close(ours, theirs, rtol=1e-3, atol=1e-3)
    for key, grad in our_grads.items():
        scale = grad.abs().max().clamp(min=1e-6)
        assert float((grad - their_grads[key]).abs().max() / scale) < 2e-2, key
    # Sparse products of a GPU add up in any order, so two calls may differ: this is one.
    ends = torch.cat([left, right]).cuda(), torch.cat([right, left]).cuda()
    both = there.compare(batch.to("cuda"), *ends).distances
    assert torch.equal(both[:, :40], both[:, 40:])
