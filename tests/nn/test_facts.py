"""What the design page says of the method, as tests: where the paper's reading fails, and why."""

import networkx as nx
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from plain import CHANNELS, Plain, batch_of, from_edges, random_graph

from graphpool.graphs.batch import GraphBatch
from graphpool.nn import HAP, HAPCoarsening
from graphpool.nn.coarsen.health import clusters_used, effective_rank, off_identity
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.encoders import Encoder, encoder_names
from graphpool.nn.hap import CONNECTIONS, RELAXATIONS
from graphpool.nn.level import Level
from graphpool.nn.ops.formation import form_clusters
from graphpool.nn.readout import Readout

FORMS = [("content", "gram"), *(("static", relaxation) for relaxation in RELAXATIONS)]
INVARIANT = [("content", "gram"), ("static", "gram"), ("static", "sort")]
forms = pytest.mark.parametrize("form", FORMS, ids="/".join)


def batch(dtype: torch.dtype = torch.float64) -> GraphBatch:
    return batch_of([random_graph(n, n).to(dtype) for n in (6, 1, 9, 12)])


def coarsen(layer: HAPCoarsening, graphs: GraphBatch) -> PoolOutput:
    return layer(graphs.x, graphs.adjacency, graphs.segments)


@torch.no_grad()
@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**31),
    scale=st.sampled_from([0.1, 1.0, 10.0]),
    clusters=st.integers(2, 9),
    relaxation=st.sampled_from(["gram", "sort", "truncate"]),
)
def test_static_attention_has_one_strongest_cluster_for_all_nodes_of_a_graph(
    seed: int, scale: float, clusters: int, relaxation: str
) -> None:
    torch.manual_seed(seed)
    layer = HAPCoarsening(CHANNELS, clusters, "static", relaxation).double()
    for weight in layer.parameters():
        weight.normal_(std=scale)
    graph = random_graph(9, seed).to(torch.float64)
    share = coarsen(layer, batch_of([graph])).assignment
    # Some cluster is the strongest of every node, but for rounding.
    behind = (share.amax(-1, keepdim=True) - share).amax(0)
    assert behind.min() < 1e-9


@torch.no_grad()
def test_static_attention_uses_one_cluster_and_content_attention_several() -> None:
    used = {}
    for form in (("static", "gram"), ("static", "sort"), ("static", "truncate"), FORMS[0]):
        level = coarsen(HAPCoarsening(CHANNELS, 8, *form).double(), batch())
        used[form] = clusters_used(level)[[0, 2, 3]].tolist()
        if form[0] == "content":
            assert effective_rank(level)[3] > 1.2
    assert used.pop(("content", "gram")) > [1, 1, 1]
    assert set(map(tuple, used.values())) == {(1, 1, 1)}


@torch.no_grad()
@forms
@pytest.mark.parametrize("clusters", [1, 3, 8])
def test_cluster_features_sum_to_the_sum_over_nodes(form: tuple[str, str], clusters: int) -> None:
    graphs = batch()
    level = coarsen(HAPCoarsening(CHANNELS, clusters, *form).double(), graphs)
    total = torch.stack([part.sum(0) for part in graphs.x.split(graphs.ptr.diff().tolist())])
    torch.testing.assert_close(level.x.sum(1), total)


@torch.no_grad()
@forms
def test_one_cluster_is_sum_pooling_without_parameters(form: tuple[str, str]) -> None:
    layer, graphs = HAPCoarsening(CHANNELS, 1, *form), batch(torch.float32)
    assert not list(layer.parameters())
    level = coarsen(layer, graphs)
    torch.testing.assert_close(level.x.squeeze(1), Readout(("sum",))(Level.from_batch(graphs)))
    dense = random_graph(5)
    level = layer(dense.x.unsqueeze(0), dense.adj.unsqueeze(0))
    torch.testing.assert_close(level.x[0, 0], dense.x.sum(0))


@forms
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_sum_or_mean_right_after_a_coarsening_teaches_it_nothing(
    form: tuple[str, str], reduction: str
) -> None:
    layer = HAPCoarsening(CHANNELS, 4, *form).double()
    target = torch.randn(4, CHANNELS, dtype=torch.float64)

    def gradient(name: str) -> float:
        out = Readout((name,))(coarsen(layer, batch()).level)
        found = torch.autograd.grad((out - target).square().sum(), list(layer.parameters()))
        return max(float(grad.abs().max()) for grad in found)

    assert gradient(reduction) < 1e-10
    assert gradient("max") > 1e-4


def ring_of_communities(communities: int = 8, size: int = 8) -> tuple[Plain, torch.Tensor]:
    """Cliques in a ring, one bridge between neighbours, and the perfect assignment."""
    edges = []
    for number in range(communities):
        first = number * size
        edges += [(first + i, first + j) for i in range(size) for j in range(i)]
        edges.append((first, (first + size + 1) % (communities * size)))
    share = torch.eye(communities).repeat_interleave(size, 0)
    return from_edges(communities * size, edges), share


@torch.no_grad()
def test_printed_soft_sampling_switches_perfect_clusters_off() -> None:
    graph, share = ring_of_communities()
    graphs = batch_of([graph])
    x, adj = form_clusters(share, graphs.x, graphs.adjacency, graphs.segments)
    neighbours = adj[0] - torch.diag(adj[0].diagonal())
    assert (neighbours > 0).sum(1).tolist() == [2] * 8
    assert effective_rank(
        PoolOutput(Level(x, adj), share, node_segments=graphs.segments)
    ).item() == pytest.approx(8)
    found = {
        name: PoolOutput(Level(x, connect(adj, False)), share, node_segments=graphs.segments)
        for name, connect in CONNECTIONS.items()
    }
    torch.testing.assert_close(found["gumbel"].adj[0], torch.eye(8), atol=1e-3, rtol=0)
    assert off_identity(found["gumbel"]).item() < 0.05
    assert off_identity(found["offdiagonal"]).item() > 0.5
    assert off_identity(found["offdiagonal-gumbel"]).item() > 0.5
    # Every cluster hears of its two neighbours alike: 1 / (√2 · √2).
    torch.testing.assert_close(found["offdiagonal"].adj[0], neighbours / 2, atol=1e-5, rtol=0)


DECALIN = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (5, 6), (6, 7), (7, 8), (8, 9), (9, 0)]
BICYCLOPENTYL = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (0, 5), (5, 6), (6, 7), (7, 8), (8, 9), (9, 5)]  # fmt: skip  # noqa: E501


def test_decalin_and_bicyclopentyl_are_different_graphs_that_1_wl_holds_for_one() -> None:
    one, other = nx.Graph(DECALIN), nx.Graph(BICYCLOPENTYL)
    assert len(one) == len(other) == 10
    assert not nx.is_isomorphic(one, other)
    hashes = set()
    for graph in (one, other):
        nx.set_node_attributes(graph, "C", "element")
        hashes.add(nx.weisfeiler_lehman_graph_hash(graph, node_attr="element", iterations=6))
    assert len(hashes) == 1


@torch.no_grad()
@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("form", INVARIANT, ids="/".join)
def test_content_forms_cannot_tell_decalin_from_bicyclopentyl(
    form: tuple[str, str], encoder: str
) -> None:
    graphs = batch_of([from_edges(10, DECALIN), from_edges(10, BICYCLOPENTYL)])
    for connect in CONNECTIONS:
        model = HAP(
            CHANNELS, 16, (4, 3), 5, encoder=encoder, readout=("sum", "mean", "max"),
            assignment=form[0], relaxation=form[1], connect=connect,
        ).eval()  # fmt: skip
        one, other = model.embed(graphs)
        assert one.abs().max() > 1e-3
        torch.testing.assert_close(one, other, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_assignment_by_place_tells_decalin_from_bicyclopentyl() -> None:
    graphs = batch_of([from_edges(10, DECALIN), from_edges(10, BICYCLOPENTYL)])
    # One half of each molecule, cut where it is thinnest.
    decalin, rings = [0, 1, 1, 1, 1, 0, 0, 0, 0, 0], [0] * 5 + [1] * 5
    share = torch.eye(2)[decalin + rings]
    _, adj = form_clusters(share, graphs.x, graphs.adjacency, graphs.segments)
    assert adj[0, 0, 1] == 2
    assert adj[1, 0, 1] == 1


@torch.no_grad()
def test_constant_features_make_gat_blind() -> None:
    encoder = Encoder("gat", CHANNELS, 8)
    out = encoder(torch.ones(10, CHANNELS), batch_of([from_edges(10, DECALIN)]).adjacency)
    torch.testing.assert_close(out, out[:1].expand(10, -1))
