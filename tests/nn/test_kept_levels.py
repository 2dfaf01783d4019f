"""Networks whose levels stay ragged, and readouts that learn, step by step by hand."""

import pytest
import torch
from plain import CHANNELS, batch_of, random_graph
from torch import Tensor

from graphpool.config import ModelConfig
from graphpool.graphs.batch import GraphBatch
from graphpool.nn.encoders import Encoder
from graphpool.nn.hap import HAPCoarsening
from graphpool.nn.hierarchy import Hierarchy
from graphpool.nn.model import PoolerNetwork
from graphpool.nn.pool import ASAP, MeanAttPool, SAGPool, Set2Set, TopKPool
from graphpool.nn.readout import Readout
from graphpool.nn.zoo.build import METHODS, build_model


def batch() -> GraphBatch:
    return batch_of([random_graph(n, n, weighted=True) for n in (6, 9, 3)])


def sums(x: Tensor, ptr: Tensor) -> Tensor:
    return torch.stack([part.sum(0) for part in x.split(ptr.diff().tolist())])


@torch.no_grad()
@pytest.mark.parametrize("name", ["gpool", "sagpool", "attpool-global", "attpool-local", "asap"])
def test_graph_vector_is_read_from_all_nodes_and_from_those_kept(name: str) -> None:
    model = build_model(ModelConfig(name, hidden_channels=8), CHANNELS, 2).eval()
    given = batch()
    first, second = model.encoders
    x = first(given.x, given.adjacency)
    kept = model.coarsenings[0](x, given.adjacency, given.segments)
    after = second(kept.x, kept.adjacency)
    wanted = torch.cat([sums(x, given.ptr), sums(after, kept.level.segments.ptr)], -1)
    torch.testing.assert_close(model.embed(given), wanted)
    assert model.embedding_channels == 16
    (level,) = model.levels(given)
    assert torch.equal(level.selection.index, kept.selection.index)
    assert level.counts.tolist() == kept.level.segments.ptr.diff().tolist()


@torch.no_grad()
def test_kept_levels_follow_one_another_and_can_be_coarsened() -> None:
    model = PoolerNetwork(
        CHANNELS, 8, 2,
        coarsenings=[TopKPool(8, 0.7), ASAP(8), HAPCoarsening(8, 4, "content")],
        readout=("sum", "max"), norm="batch",
    ).eval()  # fmt: skip
    one, two, three = model.levels(batch())
    assert one.selection is not None
    assert two.selection is not None
    assert three.assignment is not None
    assert two.x.shape[0] < one.x.shape[0] < 18
    assert three.x.shape == (3, 4, 8)
    assert model(batch()).shape == (3, 2)


def test_nodes_can_not_be_kept_from_clusters() -> None:
    model = PoolerNetwork(CHANNELS, 8, 2, coarsenings=[HAPCoarsening(8, 4, "content"), SAGPool(8)])
    with pytest.raises(ValueError, match="ragged"):
        model(batch())


def test_flat_poolers_are_readouts_of_any_level() -> None:
    readouts = [MeanAttPool(8), Set2Set(8), Readout(("max",))]
    model = Hierarchy(
        [Encoder("gcn", CHANNELS, 8), Encoder("gcn", 8, 8)],
        [SAGPool(8), HAPCoarsening(8, 4)],
        readouts,
        out_channels=2,
    )
    assert model.embedding_channels == 8 + 16 + 8
    assert model.embed(batch()).shape == (3, 32)
    names = set(model.state_dict())
    assert {"learned.0.weight", "learned.1.lstm.weight_ih"} <= names
    model(batch()).square().sum().backward()
    assert all(weight.grad is not None for pool in readouts[:2] for weight in pool.parameters())  # type: ignore[union-attr]


@torch.no_grad()
@pytest.mark.parametrize("name", ["hap-meanpool", "hap-meanattpool"])
def test_a_flat_pooler_in_haps_place_is_followed_by_layers_over_one_node(name: str) -> None:
    model = build_model(ModelConfig(name, hidden_channels=8), CHANNELS, 2).eval()
    given = batch()
    first, second = model.encoders
    x = first(given.x, given.adjacency)
    if name == "hap-meanpool":
        vector = sums(x, given.ptr) / given.ptr.diff().unsqueeze(-1)
    else:
        vector = model.coarsenings[0].pool(x, None, given.segments)
    # A GCN over a node by itself is a perceptron.
    for layer in second.layers:
        vector = (vector @ layer.weight + layer.bias).relu()
    torch.testing.assert_close(model.embed(given), vector)


@torch.no_grad()
@pytest.mark.parametrize("name", ["sagpool", "diffpool"])
def test_in_haps_place_the_last_level_alone_is_read(name: str) -> None:
    slot = build_model(ModelConfig(f"hap-{name}", hidden_channels=8), CHANNELS, 2).eval()
    whole = build_model(ModelConfig(name, hidden_channels=8), CHANNELS, 2).eval()
    for part in ("encoders", "coarsenings"):
        getattr(whole, part).load_state_dict(getattr(slot, part).state_dict())
    assert slot.embedding_channels == 8
    torch.testing.assert_close(slot.embed(batch()), whole.embed(batch())[:, 8:])


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("clusters", [(1,), (4,), (5, 2), (1, 1)])
def test_any_numbers_of_clusters_fit_together(name: str, clusters: tuple[int, ...]) -> None:
    model = build_model(ModelConfig(name, hidden_channels=8, clusters=clusters), CHANNELS, 2)
    assert model(batch()).shape == (3, 2)
