"""Coarse graphs of hard places, against loops over NetworkX graphs."""

import math
from collections import Counter
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.graphs import GraphSet, PlaceRule, Places
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.coarse import FACT_CHANNELS, PROFILE_CHANNELS

RULE = PlaceRule(steps=0, most=1024)


def graphs_of(directed: bool = False, weighted: bool = False) -> list[nx.Graph]:
    """Graphs of several shapes, some with self-loops, weights and isolated nodes."""
    draw = np.random.default_rng(3)
    made = [
        nx.barbell_graph(5, 2), nx.path_graph(9), nx.empty_graph(3), nx.path_graph(1),
        nx.disjoint_union(nx.cycle_graph(6), nx.complete_graph(4)),
        nx.connected_caveman_graph(4, 5), nx.gnp_random_graph(25, 0.12, seed=2),
    ]  # fmt: skip
    made[1].add_edge(4, 4)
    if directed:
        made = [nx.gnp_random_graph(20, 0.1, seed=1, directed=True), *map(nx.DiGraph, made)]
        made[1].remove_edge(0, 1)
    for graph in made if weighted else ():
        for *_, data in graph.edges(data=True):
            data["weight"] = float(draw.choice([0.25, 0.5, 1.0, 3.0]))
    return made


def as_set(graphs: list[nx.Graph]) -> GraphSet:
    made = gp.data.interop.from_networkx(graphs, name="shapes")
    return made.with_x(torch.ones(made.num_nodes, 1))


def literal(graph: nx.Graph, cluster: list[int]) -> tuple[list[list[float]], dict]:
    """Profile of each place, and the facts and weight of each edge (source, target)."""
    places = max(cluster) + 1
    size = Counter(cluster)
    joined = {frozenset(edge) for edge in graph.edges if edge[0] != edge[1]}
    inner, outer = Counter(), Counter()
    for one, other in joined:
        ends = cluster[one], cluster[other]
        if ends[0] == ends[1]:
            inner[ends[0]] += 1
        else:
            outer.update(ends)
    profile = []
    for place in range(places):
        n, own = size[place], inner[place]
        onehot = [float(min(n, 10) == count) for count in range(1, 11)]
        logs = [math.log(1 + n), math.log(1 + own), math.log(1 + outer[place])]
        rank = own - n + 1
        if rank > 16:
            rank = 16 + math.log(1 + rank - 16)
        profile.append([*logs, rank, *onehot])
    weight: Counter = Counter()
    for one, other, data in graph.edges(data=True):
        ways = [(one, other)] if graph.is_directed() else [(one, other), (other, one)]
        for source, target in ways:
            if cluster[source] != cluster[target]:
                weight[cluster[source], cluster[target]] += data.get("weight", 1.0)
    degree: Counter = Counter()
    for (_, target), value in weight.items():
        degree[target] += value
    edges = {}
    for (source, target), value in weight.items():
        both = degree[source] * degree[target]
        edges[source, target] = (value, 1.0, math.log(value), value / both**0.5 if both else 0.0)
    return profile, edges


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_coarse_graphs_are_those_of_a_loop(directed: bool, weighted: bool) -> None:
    shapes = graphs_of(directed, weighted)
    graphs = as_set(shapes)
    coarse, places = graphs.coarse(RULE), graphs.places(RULE)
    assert coarse.node_counts.tolist() == places.counts.tolist()
    assert coarse.x.shape[1] == PROFILE_CHANNELS
    assert coarse.edge_x.shape[1] == FACT_CHANNELS
    for position, shape in enumerate(shapes):
        nodes = slice(*graphs.node_ptr[position : position + 2].tolist())
        profile, edges = literal(shape, places.cluster[nodes].tolist())
        part = coarse[[position]]
        assert torch.allclose(part.x, torch.tensor(profile))
        found = {
            (source, target): (float(weight), *facts.tolist())
            for source, target, weight, facts in zip(
                *part.edge_index.tolist(), part.edge_weight, part.edge_x, strict=True
            )
        }
        assert found.keys() == edges.keys()
        for key, values in edges.items():
            assert found[key] == pytest.approx(values, rel=1e-5)


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        (nx.complete_graph(4), 3.0),
        (nx.complete_graph(70), 16 + math.log(1 + 70 * 69 // 2 - 69 - 16)),
        (nx.empty_graph(30), -16 - math.log(1 + 29 - 16)),
    ],
    ids=["few", "many", "no edges"],
)
def test_cycles_of_dense_places_count_by_their_logarithm(graph: nx.Graph, expected: float) -> None:
    coarse = as_set([graph]).coarse(PlaceRule(steps=0, most=1))
    assert coarse.x is not None
    assert coarse.x[0, 3].item() == pytest.approx(expected)


def test_weights_that_do_not_count_make_no_edge() -> None:
    edges = torch.tensor([[0, 1, 2, 3, 1, 2, 0], [1, 0, 3, 2, 2, 1, 0]])
    weight = torch.tensor([1.0, 1.0, 1.0, 1.0, -1.0, 0.0, 5.0])
    graphs = GraphSet.build(
        "signed", torch.tensor([4]), torch.tensor([7]), edges, edge_weight=weight
    )
    coarse = graphs.coarse(RULE)
    assert len(coarse) == 1
    assert coarse.num_nodes == 2
    assert coarse.num_edges == 0
    assert coarse.x[:, 1].tolist() == pytest.approx([math.log(2)] * 2)


@pytest.mark.parametrize("directed", [False, True])
def test_a_batch_slices_the_set_or_works_from_its_own_tensors(directed: bool) -> None:
    graphs = as_set(graphs_of(directed, weighted=True))
    chosen = [4, 0, 2, 5, 0]
    batch = graphs.batch(chosen)
    raw = replace(batch, places_of_set=None, coarse_of_set=None, node=None)
    one, other = batch.coarse(RULE), raw.coarse(RULE)
    for name in ("x", "ptr", "batch"):
        assert torch.equal(getattr(one, name), getattr(other, name))
    for name in ("row_ptr", "col", "weight"):
        assert torch.equal(getattr(one.adjacency, name), getattr(other.adjacency, name))
    assert torch.equal(one.edges.rows(), other.edges.rows())
    assert torch.equal(batch.members(RULE, one).batch, raw.members(RULE, other).batch)


def test_the_members_of_a_place_are_its_nodes() -> None:
    graphs = as_set(graphs_of())
    batch = graphs.batch([5, 1, 6])
    coarse, places = batch.coarse(RULE), batch.places(RULE)
    members = batch.members(RULE, coarse)
    expected = coarse.ptr[batch.batch] + places.cluster
    assert torch.equal(members.batch, expected)
    for place in range(coarse.num_nodes):
        listed = members.nodes[members.ptr[place] : members.ptr[place + 1]]
        assert listed.tolist() == (expected == place).nonzero().flatten().tolist()


def test_coarse_graphs_have_coarse_graphs() -> None:
    graphs = as_set([nx.path_graph(80)])
    second = PlaceRule(steps=0, most=4)
    whole = PlaceRule("given", clusters=1, most=1, steps=0)
    coarse = graphs.coarse(RULE).coarse(second)
    assert graphs.coarse(RULE).num_nodes > coarse.num_nodes > 1
    assert coarse.coarse(whole).num_nodes == 1
    batch = graphs.batch().coarse(RULE).coarse(second)
    assert isinstance(batch, GraphBatch)
    assert torch.equal(batch.x, coarse.x)


def test_they_are_made_once_and_kept_with_copies() -> None:
    graphs = as_set(graphs_of())
    coarse = graphs.coarse(RULE)
    assert graphs.coarse(RULE) is coarse
    assert graphs.with_x(torch.ones(graphs.num_nodes, 2)).coarse(RULE) is coarse
    part = graphs[[5, 0]].coarse(RULE)
    assert torch.equal(part.x, coarse[[5, 0]].x)
    assert torch.equal(part.edge_x, coarse[[5, 0]].edge_x)


def test_places_found_elsewhere_have_their_own_coarse_graphs() -> None:
    graphs = as_set([nx.path_graph(4)])
    before = graphs.coarse(RULE)
    places = Places(torch.tensor([0, 1, 1, 2]), torch.tensor([3]))
    after = graphs.with_places({RULE: places}).coarse(RULE)
    assert after.num_nodes == 3
    assert graphs.coarse(RULE) is before


def test_many_places_take_memory_linear_in_the_nodes() -> None:
    nodes = 60_000
    graphs = GraphSet.build(
        "alone", torch.tensor([nodes]), torch.tensor([0]), torch.zeros(2, 0).long()
    )
    places = Places(torch.arange(nodes), torch.tensor([nodes]))
    coarse = graphs.with_places({RULE: places}).coarse(RULE)
    assert coarse.num_nodes == nodes
