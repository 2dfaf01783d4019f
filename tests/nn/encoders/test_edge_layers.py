"""Layers with features of edges against PyTorch Geometric's and literal loops, weights copied."""

from typing import Any

import pytest
import torch
from plain import CHANNELS, EDGE_CHANNELS, Plain, batch_of, random_graph
from torch import Tensor, nn

from graphpool.errors import InputError
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.edge_features import EdgeFeatures, distinct_rows
from graphpool.nn.encoders import (
    USES_EDGES,
    Encoder,
    EncoderLayer,
    GatedLayer,
    GATv2Layer,
    GINELayer,
    encoder_names,
)
from graphpool.nn.level import Level

LAYERS: dict[str, type[EncoderLayer]] = {
    "gine": GINELayer,
    "gatv2": GATv2Layer,
    "gated": GatedLayer,
}


def graphs(directed: bool = True, **options: bool) -> list[Plain]:
    return [random_graph(n, n, directed=directed, **options) for n in (7, 1, 5, 12)]


def edge_rows(batch: GraphBatch) -> Tensor:
    """Features of edges in the order of `edge_index`."""
    assert batch.edges is not None
    return batch.edges.rows()[batch.adjacency.present]


def assert_same(found: Tensor, wanted: Tensor, pairs: list[tuple[Tensor, Tensor]]) -> None:
    """Equal results, and equal gradients of each pair (ours, theirs)."""
    torch.testing.assert_close(found, wanted, atol=1e-5, rtol=1e-5)
    weight = torch.randn_like(found)
    mine = torch.autograd.grad((found * weight).sum(), [one for one, _ in pairs])
    theirs = torch.autograd.grad((wanted * weight).sum(), [other for _, other in pairs])
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other.reshape(one.shape), atol=1e-4, rtol=1e-4)


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("directed", [False, True])
def test_gine(pyg: Any, directed: bool) -> None:
    batch = batch_of(graphs(directed, loops=True))
    ours = GINELayer(CHANNELS, 8, EDGE_CHANNELS)
    perceptron = nn.Sequential(ours.first, nn.ReLU(), ours.second)
    theirs = pyg.GINEConv(perceptron, train_eps=True, edge_dim=EDGE_CHANNELS)
    with torch.no_grad():
        theirs.eps.fill_(ours.eps.fill_(0.3))
        theirs.lin.load_state_dict(ours.edge.state_dict())
    x, y = batch.x.clone().requires_grad_(), batch.x.clone().requires_grad_()
    found = ours(x, batch.edge_index, edge_attr=edge_rows(batch))
    wanted = theirs(y, batch.edge_index, edge_rows(batch))
    pairs = [(x, y), (ours.eps, theirs.eps), (ours.edge.weight, theirs.lin.weight)]
    assert_same(found, wanted, [*pairs, (ours.first.weight, ours.first.weight)])


@pytest.mark.usefixtures("both_ways")
@pytest.mark.parametrize("directed", [False, True])
def test_gatv2(pyg: Any, directed: bool) -> None:
    batch = batch_of(graphs(directed))
    ours = GATv2Layer(CHANNELS, 8, EDGE_CHANNELS, heads=2)
    theirs = pyg.GATv2Conv(CHANNELS, 4, heads=2, edge_dim=EDGE_CHANNELS, fill_value=0.0)
    with torch.no_grad():
        theirs.lin_l.load_state_dict(ours.source.state_dict())
        theirs.lin_r.load_state_dict(ours.target.state_dict())
        theirs.lin_edge.load_state_dict(ours.edge.state_dict())
        theirs.att.copy_(ours.vector.unsqueeze(0))
        theirs.bias.copy_(ours.bias.normal_())
    x, y = batch.x.clone().requires_grad_(), batch.x.clone().requires_grad_()
    found = ours(x, batch.edge_index, edge_attr=edge_rows(batch))
    wanted = theirs(y, batch.edge_index, edge_rows(batch))
    pairs = [(x, y), (ours.vector, theirs.att), (ours.edge.weight, theirs.lin_edge.weight)]
    pairs += [(ours.source.weight, theirs.lin_l.weight), (ours.target.bias, theirs.lin_r.bias)]
    assert_same(found, wanted, pairs)


def literal_gated(layer: GatedLayer, graph: Plain) -> tuple[Tensor, Tensor]:
    """The equations, node by node and edge by edge, of one graph."""
    own, value, target, source = layer.nodes(graph.x).split(layer.out_channels, -1)
    rows, states = [], torch.zeros(graph.nodes, graph.nodes, layer.out_channels)
    for i in range(graph.nodes):
        total, sizes = torch.zeros(layer.out_channels), torch.full((layer.out_channels,), 1e-6)
        for j in range(graph.nodes):
            if weight := float(graph.adj[i, j]):
                state = target[i] + source[j] + layer.edge.weight @ graph.edges[i, j]
                total = total + weight * state.sigmoid() * value[j]
                sizes = sizes + weight * state.sigmoid()
                states[i, j] = state.relu().detach()
        rows.append(own[i] + total / sizes)
    return torch.stack(rows), states


@pytest.mark.parametrize("directed", [False, True])
def test_gated(directed: bool) -> None:
    given = graphs(directed, weighted=True, loops=True)
    batch, layer = batch_of(given), GatedLayer(CHANNELS, 8, EDGE_CHANNELS, carry=True)
    found, after = layer.step(batch.x, Level.from_batch(batch), activate=False)
    literal = [literal_gated(layer, graph) for graph in given]
    wanted = torch.cat([rows for rows, _ in literal])
    parameters = list(layer.parameters())
    assert_same(found, wanted, list(zip(parameters, parameters, strict=True)))
    states = torch.cat([s[g.adj != 0] for g, (_, s) in zip(given, literal, strict=True)])
    assert isinstance(after, Level)
    assert isinstance(after.edges, EdgeFeatures)
    # Slots have self-loops first, the matrix has them in their column.
    present, order = batch.adjacency.present, batch.edge_index[1] * 100 + batch.edge_index[0]
    state = after.edges.rows()[present][order.argsort()]
    torch.testing.assert_close(state, states, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("kind", LAYERS)
def test_distinct_rows_and_a_row_per_edge_are_the_same(kind: str) -> None:
    batch = batch_of(graphs(loops=True))
    rows = edge_rows(batch).round()
    table, number = distinct_rows(rows)
    assert table.shape[0] < rows.shape[0]
    few = EdgeFeatures.of_slots(table, number, batch.adjacency.present)
    layer = LAYERS[kind](CHANNELS, 8, EDGE_CHANNELS)
    x, y = batch.x.clone().requires_grad_(), batch.x.clone().requires_grad_()
    found = layer(x, batch.adjacency, edge_attr=few)
    wanted = layer(y, batch.adjacency, edge_attr=rows)
    torch.testing.assert_close(found, wanted)
    found.square().sum().backward()
    wanted.square().sum().backward()
    torch.testing.assert_close(x.grad, y.grad)


@pytest.mark.parametrize("kind", LAYERS)
def test_the_order_of_edges_does_not_matter(kind: str) -> None:
    batch = batch_of(graphs(loops=True))
    layer, order = LAYERS[kind](CHANNELS, 8, EDGE_CHANNELS), torch.randperm(len(edge_rows(batch)))
    found = layer(batch.x, batch.edge_index[:, order], edge_attr=edge_rows(batch)[order])
    torch.testing.assert_close(found, layer(batch))


@pytest.mark.parametrize("kind", LAYERS)
def test_features_of_edges_count(kind: str) -> None:
    batch, layer = batch_of(graphs()), LAYERS[kind](CHANNELS, 8, EDGE_CHANNELS)
    other = layer(batch.x, batch.edge_index, edge_attr=edge_rows(batch).flip(0))
    assert (layer(batch) - other).abs().max() > 0.01


def test_missing_and_wrong_features_of_edges_are_errors() -> None:
    batch, layer = batch_of(graphs()), GINELayer(CHANNELS, 8, EDGE_CHANNELS)
    with pytest.raises(InputError, match="edges have 0 channels; this GINELayer takes"):
        layer(batch.x, batch.edge_index)
    with pytest.raises(InputError, match="edge_attr has shape"):
        layer(batch.x, batch.edge_index, edge_attr=edge_rows(batch)[1:])
    with pytest.raises(InputError, match="edges have 2 channels"):
        layer(batch.x, batch.edge_index, edge_attr=edge_rows(batch)[:, :2])


def test_other_encoders_leave_features_of_edges_out() -> None:
    batch = batch_of(graphs())
    assert set(USES_EDGES) == set(LAYERS)
    for kind in set(encoder_names()) - set(USES_EDGES):
        encoder = Encoder(kind, CHANNELS, 8, edge_channels=EDGE_CHANNELS)
        assert encoder.edge_channels == 0
        assert torch.equal(encoder(batch), encoder(batch.x, batch.adjacency))


def test_a_residual_encoder_is_the_form_of_the_prototype() -> None:
    """h ← h + ReLU BN W₂ ReLU BN W₁ ((1 + ε) h + Σ ReLU(h + W_e e)), in training mode."""
    batch = batch_of(graphs())
    encoder = Encoder("gine", CHANNELS, 8, 3, norm="batch", edge_channels=3, residual=True)
    h = encoder.start(batch.x)
    source, target = batch.edge_index
    for layer, norm in zip(encoder.layers, encoder.norms, strict=True):
        messages = (h[source] + layer.edge(edge_rows(batch))).relu()
        inner = h.index_add(0, target, messages)
        inner = layer.second(layer.norm(layer.first(inner)).relu())
        h = h + norm(inner).relu()
    for part in encoder.modules():
        if isinstance(part, nn.BatchNorm1d):
            part.reset_running_stats()
    torch.testing.assert_close(encoder(batch), h, atol=1e-5, rtol=1e-5)
