"""The same code on a GPU gives the same numbers; needs a CUDA device."""

import copy
from typing import Any

import pytest
import torch
from torch.nn.functional import cross_entropy

from graphpool.config import ModelConfig
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.find import places_of
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.zoo.build import METHODS, build_model

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")


def some_graphs() -> GraphSet:
    generator = torch.Generator().manual_seed(0)
    counts = torch.randint(1, 30, (40,), generator=generator)
    edge_counts = counts * 2
    edges = torch.rand(2, int(edge_counts.sum()), generator=generator)
    edges = (edges * counts.repeat_interleave(edge_counts)).long()
    graphs = GraphSet.build(
        "random", counts, edge_counts, edges, undirected=True,
        y=torch.arange(40) % 2, classes=(0, 1),
    )  # fmt: skip
    kinds = torch.randint(3, (graphs.num_edges,), generator=generator)
    graphs = graphs.with_edge_x(torch.nn.functional.one_hot(kinds, 3).float())
    return graphs.with_x(torch.randn(graphs.num_nodes, 5, generator=generator))


def test_a_batch_made_on_the_gpu_is_the_one_made_on_the_cpu() -> None:
    graphs = some_graphs()
    index = torch.tensor([3, 17, 0, 39])
    here, there = graphs.batch(index), graphs.to("cuda").batch(index.cuda())
    assert torch.equal(here.edge_index, there.edge_index.cpu())
    assert torch.equal(here.x, there.x.cpu())
    assert torch.equal(here.ptr, there.ptr.cpu())
    assert torch.allclose(here.adjacency.gcn, there.adjacency.gcn.cpu())
    assert torch.equal(here.edges.rows(), there.edges.rows().cpu())


@pytest.mark.parametrize("rule", [PlaceRule(), PlaceRule("given", clusters=4)], ids=str)
def test_places_found_on_the_gpu_are_those_of_the_cpu(rule: PlaceRule) -> None:
    graphs = some_graphs()
    index = torch.tensor([3, 17, 0, 39])
    there = graphs.to("cuda").batch(index.cuda())
    wanted = graphs.batch(index).places(rule)
    for found in (there.places(rule), places_of(there.adjacency, there.segments, rule)):
        for name in ("cluster", "counts", "share"):
            assert getattr(found, name).is_cuda
            assert torch.equal(getattr(found, name).cpu(), getattr(wanted, name)), name


def test_coarse_graphs_made_on_the_gpu_are_those_of_the_cpu() -> None:
    graphs, rule = some_graphs(), PlaceRule(steps=0, most=64)
    index = torch.tensor([3, 17, 0, 39])
    here, there = graphs.batch(index), graphs.to("cuda").batch(index.cuda())
    ours, theirs = here.coarse(rule), there.coarse(rule)
    assert theirs.x.is_cuda
    assert torch.equal(ours.x, theirs.x.cpu())
    assert torch.equal(ours.adjacency.col, theirs.adjacency.col.cpu())
    assert torch.equal(ours.edges.rows(), theirs.edges.rows().cpu())
    members = there.members(rule, theirs)
    assert torch.equal(here.members(rule, ours).nodes, members.nodes.cpu())


VARIANTS: dict[str, dict[str, Any]] = {
    **{name: {"pooler": name} for name in sorted(METHODS)},
    "three levels": {"clusters": (6, 3, 1)},
    "places-only": {"pooler": "hap-one-way", "assignment": "places-only"},
    "all readouts": {"norm": "batch", "readout": ("sum", "mean", "max")},
    "sampled": {"pooler": "hap-one-way", "connect": "offdiagonal-gumbel"},
    "both ways": {"pooler": "hap", "whole_graph": True, "down": "once"},
    "losses": {"pooler": "hap-one-way", "cut_loss": 0.5, "balance": 0.5, "orthogonality": 0.5},
}


@pytest.mark.parametrize("encoder", ["gcn", "gat", "gin", "gine", "gatv2", "gated"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_logits_and_gradients_agree_with_the_cpu(variant: str, encoder: str) -> None:
    torch.manual_seed(0)
    graphs = some_graphs()
    options = {"hidden_channels": 16, "num_layers": 2, **VARIANTS[variant]}
    config = ModelConfig(encoder=encoder, **options)  # type: ignore[arg-type]
    here = build_model(config, in_channels=5, out_channels=2, edge_channels=3).eval()
    there = copy.deepcopy(here).cuda()
    results = []
    for model, batch in ((here, graphs.batch()), (there, graphs.to("cuda").batch())):
        trace = model.trace(batch)
        logits = trace.logits
        (cross_entropy(logits, batch.y) + sum(trace.losses.values())).backward()
        grads = [value.grad.cpu() for value in model.parameters() if value.grad is not None]
        results.append((logits.detach().cpu(), grads))
    (left, left_grads), (right, right_grads) = results
    assert torch.allclose(left, right, rtol=1e-3, atol=1e-3)
    for ours, theirs in zip(left_grads, right_grads, strict=True):
        scale = ours.abs().max().clamp(min=1e-6)
        assert float((ours - theirs).abs().max() / scale) < 5e-3


def test_batch_norm_over_clusters_learns_the_same_statistics() -> None:
    torch.manual_seed(0)
    graphs = some_graphs()
    here = build_model(ModelConfig(hidden_channels=16, norm="batch"), 5, 2).train()
    there = copy.deepcopy(here).cuda()
    here(graphs.batch())
    there(graphs.to("cuda").batch())
    for (name, ours), theirs in zip(here.named_buffers(), there.buffers(), strict=True):
        assert torch.allclose(ours.float(), theirs.cpu().float(), rtol=1e-3, atol=1e-3), name
