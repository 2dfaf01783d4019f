"""`TwoWayHAP` against a loop over its formulas, the flat network, and a virtual node of PyG."""

from typing import Any

import pytest
import torch
from plain import CHANNELS, EDGE_CHANNELS, Plain, batch_of, odd_graphs, random_graph
from torch import Tensor, nn

import graphpool as gp
from graphpool.errors import ConfigError, InputError
from graphpool.graphs import PlaceRule
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.coarse import FACT_CHANNELS
from graphpool.nn.encoders import encoder_names
from graphpool.nn.model import FlatNetwork
from graphpool.nn.two_way import TwoWayHAP

HARD, WHOLE = PlaceRule(steps=0, most=64), PlaceRule("given", clusters=1, most=1, steps=0)
MOLECULE = {"encoder": "gine", "norm": "batch", "residual": True, "edge_channels": EDGE_CHANNELS}


def graphs() -> list[Plain]:
    """Sparse graphs, with several places each, and graphs that break careless code."""
    made = []
    for seed, nodes in enumerate((14, 9, 20)):
        graph = random_graph(nodes, seed)
        keep = (
            torch.rand(nodes, nodes, generator=torch.Generator().manual_seed(seed)) < 0.4
        ).float()
        made.append(Plain(graph.x, graph.adj * torch.maximum(keep, keep.t())))
    return [*made, *odd_graphs().values()]


def network(seed: int = 0, **options: Any) -> TwoWayHAP:
    """A network whose norms and gates are not where they begin."""
    torch.manual_seed(seed)
    model = TwoWayHAP(CHANNELS, 8, 3, **{"rules": (HARD,), "layers": 3, **MOLECULE, **options})
    with torch.no_grad():
        for name, value in (*model.named_parameters(), *model.named_buffers()):
            moved = name.endswith(("running_var", "norm.weight", "eps", "gate")) or "norms" in name
            if moved and value.is_floating_point():
                value.copy_(torch.rand_like(value) + 0.5)
    return model.eval()


def literal(model: TwoWayHAP, batch: GraphBatch) -> tuple[Tensor, Tensor, Tensor]:
    """Nodes, places and logits by loops over nodes, places and edges, as DESIGN has them."""
    places, coarse = batch.places(HARD), batch.coarse(HARD)
    place = [int(coarse.ptr[g] + k) for g, k in zip(batch.batch, places.cluster, strict=True)]
    members = [[i for i, of in enumerate(place) if of == j] for j in range(coarse.num_nodes)]
    bonds, facts = batch.edges.rows(), coarse.edges.rows()
    level: Any = model.places[0]
    h = [model.encoder.start(x) for x in batch.x]
    c = [level.profile(x) for x in coarse.x]

    def layer(
        encoder: Any, position: int, old: list, graph: Any, rows: Tensor, weigh: bool
    ) -> list:
        gine, norm, adjacency = encoder.layers[position], encoder.norms[position], graph.adjacency
        new = []
        for i, own in enumerate(old):
            total = (1 + gine.eps) * own
            for slot in range(int(adjacency.row_ptr[i]), int(adjacency.row_ptr[i + 1])):
                if adjacency.weight[slot] != 0:
                    heard = (old[int(adjacency.col[slot])] + gine.edge(rows[slot])).relu()
                    total = total + (adjacency.weight[slot] if weigh else 1.0) * heard
            inner = gine.norm(gine.first(total)[None])[0].relu()
            new.append(own + norm(gine.second(inner)[None])[0].relu())
        return new

    for position in range(len(level.up)):
        h = layer(model.encoder, position, h, batch, bonds, weigh=True)
        c = [
            own + level.up[position](torch.stack([h[i] for i in members[j]]).mean(0))
            for j, own in enumerate(c)
        ]
        c = layer(level.encoder, position, c, coarse, facts, weigh=False)
        h = [own + level.down[position](c[place[i]]) for i, own in enumerate(h)]
    vectors = []
    for graph in range(batch.num_graphs):
        nodes = torch.stack([h[i] for i in range(batch.num_nodes) if batch.batch[i] == graph])
        parts = torch.stack([c[j] for j in range(coarse.num_nodes) if coarse.batch[j] == graph])
        sizes = model.sizes
        ways = [nodes.mean(0), nodes.sum(0) / sizes[0], parts.mean(0), parts.sum(0) / sizes[1]]
        vectors.append(torch.cat(ways))
    return torch.stack(h), torch.stack(c), model.head(torch.stack(vectors))


@torch.no_grad()
def test_it_is_what_loops_over_the_formulas_compute() -> None:
    model, batch = network(), batch_of(graphs())
    model.sizes.copy_(torch.tensor([7.5, 2.5]))
    trace = model.trace(batch)
    nodes, places, logits = literal(model, batch)
    assert torch.allclose(trace.nodes[0].x, nodes, atol=1e-5)
    assert torch.allclose(trace.nodes[1].x, places, atol=1e-5)
    assert torch.allclose(trace.logits, logits, atol=1e-5)


@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("jump", [False, True])
def test_without_places_it_is_the_flat_network(encoder: str, jump: bool) -> None:
    options = {"encoder": encoder, "layers": 3, "edge_channels": EDGE_CHANNELS, "jump": jump}
    options["readout"] = ("mean", "max")
    flat = FlatNetwork(CHANNELS, 8, 3, **options)
    both = TwoWayHAP(CHANNELS, 8, 3, rules=(), **options)
    both.encoder.load_state_dict(flat.encoders[0].state_dict())
    both.head.load_state_dict(flat.head.state_dict())
    batch = batch_of(graphs())
    assert torch.equal(both(batch), flat(batch))
    assert len(both.state_dict()) == len(flat.state_dict())


@torch.no_grad()
def test_one_cluster_is_a_virtual_node() -> None:
    pyg = pytest.importorskip("torch_geometric.nn")
    model = network(rules=(WHOLE,), readout=("mean",), edge_channels=EDGE_CHANNELS)
    batch = batch_of([random_graph(n, n) for n in (9, 4, 12)])
    level: Any = model.places[0]
    edge_attr = batch.edges.rows()[batch.adjacency.present]
    h = model.encoder.start(batch.x)
    v = level.profile(batch.coarse(WHOLE).x)
    for position, gine in enumerate(model.encoder.layers):
        mlp = nn.Sequential(gine.first, gine.norm, nn.ReLU(), gine.second)
        layer = pyg.GINEConv(mlp, float(gine.eps), edge_dim=EDGE_CHANNELS)
        layer.lin = gine.edge
        h = h + model.encoder.norms[position](layer(h, batch.edge_index, edge_attr)).relu()
        v = v + level.up[position](pyg.global_mean_pool(h, batch.batch))
        own, norm = level.encoder.layers[position], level.encoder.norms[position]
        inner = own.norm(own.first((1 + own.eps) * v)).relu()
        v = v + norm(own.second(inner)).relu()
        h = h + level.down[position](v)[batch.batch]
    vector = torch.cat([pyg.global_mean_pool(h, batch.batch), v], -1)
    assert torch.allclose(model.embed(batch), vector, atol=1e-5)
    assert torch.allclose(model(batch), model.head(vector), atol=1e-5)


@torch.no_grad()
def test_a_whole_graph_node_stands_on_the_places() -> None:
    model, batch = network(rules=(HARD, WHOLE)), batch_of(graphs())
    trace = model.trace(batch)
    assert len(trace.nodes) == 2
    assert [len(out.counts) for out in trace.levels] == [batch.num_graphs] * 2
    assert trace.levels[1].counts.tolist() == [1] * batch.num_graphs
    assert trace.embedding.shape[1] == model.embedding_channels == 2 * 8 + 2 * 8 + 8


def test_closed_gates_leave_nodes_as_those_of_the_flat_network() -> None:
    torch.manual_seed(0)
    model = TwoWayHAP(CHANNELS, 8, 3, rules=(HARD, WHOLE), gate=True, layers=3, **MOLECULE)
    batch = batch_of(graphs())
    trace = model.eval().trace(batch)
    assert torch.allclose(trace.nodes[0].x, model.encoder(batch), atol=1e-6)
    trace.logits.square().sum().backward()
    level: Any = model.places[0]
    assert bool((level.gate.grad.abs().sum(1) > 0).all())


@pytest.mark.parametrize(
    ("down", "layers", "after"),
    [("each", 3, (0, 1, 2)), ("once", 1, (0,)), ("once", 4, (1,)), ("never", 3, ())],
)
def test_nodes_hear_from_places_after_these_rounds(
    down: str, layers: int, after: tuple[int, ...]
) -> None:
    model = network(down=down, layers=layers)
    level: Any = model.places[0]
    assert level.down_after == after
    assert len(level.down) == len(after)
    batch = batch_of(graphs())
    heard = not torch.allclose(model.trace(batch).nodes[0].x, model.encoder(batch))
    assert heard == bool(after)


def test_the_assignment_is_made_of_the_places_when_asked_for() -> None:
    model, batch = network(), batch_of(graphs())
    out = model.levels(batch)[0]
    places = batch.places(HARD)
    assert torch.equal(out.assignment, places.share)
    assert out.counts.tolist() == places.counts.tolist()
    assert out.clusters == places.width
    assert out.x.shape == (int(places.counts.sum()), 8)
    for graph, count in enumerate(places.counts.tolist()):
        alone = batch_of([graphs()[graph]]).coarse(HARD).adjacency
        assert torch.equal(out.adj[graph, :count, :count], alone.dense().sign())
        assert not out.adj[graph, count:].any()


def test_measured_sizes_are_means_of_the_graphs_and_travel_with_the_weights() -> None:
    graphs = gp.load("MUTAG")[:30]
    model = TwoWayHAP(graphs.x.shape[1], 8, 2, rules=(HARD, WHOLE))
    model.measure(graphs)
    counts = graphs.places(HARD).counts
    expected = [float(graphs.node_counts.double().mean()), float(counts.double().mean()), 1.0]
    assert model.sizes.tolist() == pytest.approx(expected)
    other = TwoWayHAP(graphs.x.shape[1], 8, 2, rules=(HARD, WHOLE))
    other.load_state_dict(model.state_dict())
    assert torch.equal(other.eval()(graphs.batch()), model.eval()(graphs.batch()))
    for reset in (model, other):
        reset.reset_parameters()
        assert reset.sizes.tolist() == pytest.approx(expected)


def test_facts_and_weights_of_coarse_edges_are_used() -> None:
    model = network()
    level: Any = model.places[0]
    assert level.encoder.edge_channels == FACT_CHANNELS
    batch = batch_of(graphs())
    before = model(batch)
    with torch.no_grad():
        level.encoder.layers[0].edge.weight.zero_()
    assert not torch.allclose(before, model(batch))


@pytest.mark.parametrize("wrong", [{"down": "sometimes"}, {"rules": ("auto",)}])
def test_wrong_arguments_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ConfigError):
        TwoWayHAP(CHANNELS, 8, 2, **wrong)


@pytest.mark.usefixtures("unchecked_shapes")  # as a caller's process runs
@pytest.mark.parametrize(
    "graphs", [torch.ones(3, 4), None, [torch.ones(3, 4)]], ids=lambda g: type(g).__name__
)
def test_what_is_no_batch_is_refused(graphs: Any) -> None:
    with pytest.raises(InputError, match=r"give GraphSet.batch"):
        TwoWayHAP(4, 8, 2)(graphs)
