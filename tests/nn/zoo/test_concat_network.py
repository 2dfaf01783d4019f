"""GCN-concat: the layers side by side, against PyG, and the contract of networks."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
from plain import CHANNELS, Plain, batch_of, odd_graphs, random_graph
from torch import Tensor

from graphpool.errors import ConfigError
from graphpool.graphs.cluster_mask import ClusterMask
from graphpool.nn.encoders import ConcatEncoder, Encoder, encoder_names
from graphpool.nn.model import ConcatNetwork
from graphpool.nn.pool.sort import SortPool

NETWORKS: dict[str, Callable[[], ConcatNetwork]] = {
    **{
        kind: lambda kind=kind: ConcatNetwork(CHANNELS, 8, 3, encoder=kind)  # type: ignore[misc]
        for kind in encoder_names()
    },
    "norm": lambda: ConcatNetwork(CHANNELS, 8, 3, norm="batch", layers=3),
    "readouts": lambda: ConcatNetwork(CHANNELS, 8, 3, readout=("sum", "mean", "max")),
    "dgcnn": lambda: ConcatNetwork(CHANNELS, 8, 3, layers=3, readout=SortPool(24, 10)),
}
every = pytest.mark.parametrize("name", NETWORKS)


def made(name: str, dtype: torch.dtype = torch.float64, seed: int = 0) -> ConcatNetwork:
    torch.manual_seed(seed)
    return NETWORKS[name]().to(dtype).eval()


def graphs(dtype: torch.dtype = torch.float64) -> list[Plain]:
    return [random_graph(n, n, weighted=True).to(dtype) for n in (9, 2, 6, 13)]


@torch.no_grad()
def test_encoder_and_sum_equal_pyg() -> None:
    pyg = pytest.importorskip("torch_geometric.nn")
    network = ConcatNetwork(CHANNELS, 8, 3, layers=3).double().eval()
    batch = batch_of(graphs())
    x, outputs = batch.x, []
    for layer in network.encoders[0].layers:
        other = pyg.GCNConv(layer.in_channels, layer.out_channels).double()
        other.lin.weight.copy_(layer.weight.t())  # type: ignore[operator, union-attr]
        other.bias.copy_(layer.bias)
        x = other(x, batch.edge_index, batch.adjacency.weight[batch.adjacency.present]).relu()
        outputs.append(x)
    joined = pyg.JumpingKnowledge("cat")(outputs)
    expected = pyg.global_add_pool(joined, batch.batch)
    torch.testing.assert_close(network.embed(batch), expected)


@torch.no_grad()
@pytest.mark.parametrize("norm", ["none", "batch"])
@pytest.mark.parametrize("kind", encoder_names())
def test_each_part_is_what_an_encoder_of_that_many_layers_gives(kind: str, norm: str) -> None:
    whole = ConcatEncoder(kind, CHANNELS, 8, 3, norm=norm).eval()
    for value in whole.state_dict().values():
        if value.is_floating_point():
            value.add_(0.2 * torch.rand_like(value))
    batch = batch_of(graphs(torch.float32))
    joined = whole(batch.x, batch.adjacency)
    assert joined.shape == (30, whole.out_channels) == (30, 24)
    for layers, part in enumerate(joined.split(8, -1), 1):
        short = Encoder(kind, CHANNELS, 8, layers, norm=norm).eval()
        state = short.state_dict()
        short.load_state_dict({name: whole.state_dict()[name] for name in state})
        torch.testing.assert_close(part, short(batch.x, batch.adjacency))


@torch.no_grad()
@pytest.mark.parametrize("norm", ["none", "batch"])
def test_dense_encoding_equals_ragged_encoding(norm: str) -> None:
    encoder = ConcatEncoder("gcn", CHANNELS, 8, norm=norm).double().eval()
    given = graphs()
    x = torch.zeros(len(given), 13, CHANNELS).double()
    adj = torch.zeros(len(given), 13, 13).double()
    mask = torch.zeros(len(given), 13, dtype=torch.bool)
    for position, graph in enumerate(given):
        size = graph.nodes
        x[position, :size], adj[position, :size, :size] = graph.x, graph.adj
        mask[position, :size] = True
    rows, batch = ClusterMask(mask), batch_of(given)
    dense = encoder(x, adj, None, rows)
    torch.testing.assert_close(rows.compact(dense), encoder(batch.x, batch.adjacency))
    assert not dense[~mask].any()


@torch.no_grad()
@every
def test_order_of_nodes_does_not_matter(name: str) -> None:
    network, given = made(name), graphs()
    shuffled = [graph.permuted(torch.randperm(graph.nodes)) for graph in given]
    one, other = network(batch_of(given)), network(batch_of(shuffled))
    torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@torch.no_grad()
@every
def test_batch_mates_do_not_matter(name: str) -> None:
    network, given = made(name), [*graphs(), odd_graphs()["no edges"].to(torch.float64)]
    together = network(batch_of(given))
    alone = torch.cat([network(batch_of([graph])) for graph in given])
    torch.testing.assert_close(together, alone, atol=1e-6, rtol=0)


@every
def test_odd_graphs_are_finite_with_finite_gradients(name: str) -> None:
    for odd, graph in odd_graphs().items():
        network, batch = made(name, torch.float32), batch_of([graph])
        out = network(batch)
        assert out.isfinite().all(), odd
        for grad in torch.autograd.grad(out.sum(), list(network.parameters())):
            assert grad.isfinite().all(), odd


@every
def test_gradients_reach_every_parameter(name: str) -> None:
    network = made(name)
    out: Tensor = network(batch_of(graphs()))
    (out * torch.randn_like(out)).sum().backward()
    for where, weight in network.named_parameters():
        assert weight.grad is not None
        assert weight.grad.abs().max() > 0, where


@torch.no_grad()
@every
def test_state_round_trip_and_the_three_depths_of_a_call(name: str) -> None:
    first, second, batch = made(name, seed=1), made(name, seed=2), batch_of(graphs())
    assert not torch.equal(first(batch), second(batch))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(batch), second(batch))
    trace = first.trace(batch)
    assert trace.logits.shape == (4, 3)
    assert torch.equal(trace.logits, first(batch))
    assert torch.equal(trace.embedding, first.embed(batch))
    assert trace.embedding.shape == (4, first.embedding_channels)
    assert first.levels(batch) == trace.levels == ()
    assert trace.losses == {}


def test_dropout_acts_while_training_only() -> None:
    network = ConcatNetwork(CHANNELS, 8, 3, dropout=0.5)
    batch = batch_of(graphs(torch.float32))
    assert not torch.equal(network(batch), network(batch))
    network.eval()
    assert torch.equal(network(batch), network(batch))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"readout": SortPool(8, 4)}, "takes 8 channels; 2 layers of 8 have 16"),
        ({"readout": ("smu",)}, "'sum'"),
        ({"encoder": "gcm"}, "'gcn'"),
    ],
)
def test_wrong_settings_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        ConcatNetwork(CHANNELS, 8, 3, **options)
