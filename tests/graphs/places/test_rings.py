"""Parts by rings are what bridges and components of NetworkX give, and rings stay whole."""

from dataclasses import replace
from pathlib import Path
from typing import Literal

import networkx as nx
import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.errors import ConfigError
from graphpool.graphs import GraphSet
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.places import PlaceRule, places_of
from graphpool.graphs.segments import Segments

Parts = set[frozenset[int]]
RINGS = PlaceRule(units="rings", steps=0, most=10_000)


def parts_of(graphs: GraphSet, rule: PlaceRule = RINGS) -> list[Parts]:
    """The parts of each graph as sets of nodes."""
    return [grouped(part.tolist()) for part in split(graphs, graphs.places(rule).cluster)]


def split(graphs: GraphSet, values: torch.Tensor) -> tuple[torch.Tensor, ...]:
    return values.split(graphs.node_counts.tolist())


def grouped(labels: list[int]) -> Parts:
    return {
        frozenset(node for node, other in enumerate(labels) if other == label)
        for label in set(labels)
    }


def literal(
    graphs: list[nx.Graph], unit_size: int = 32, resolution: float = 1.5, simple: bool = False
) -> list[Parts]:
    """The rule step by step, with NetworkX and the places of contracted graphs."""
    units, rings, small = [], [], []
    for graph in graphs:
        plain = nx.Graph(graph.to_undirected())
        plain.remove_edges_from(list(nx.selfloop_edges(plain)))
        whole = plain.copy()
        whole.remove_edges_from(list(nx.bridges(plain)))
        kept = [c for c in nx.connected_components(whole) if 3 <= len(c) <= unit_size]
        if simple:
            kept = [c for c in kept if len(nx.cycle_basis(whole.subgraph(c))) <= 4]
            if 3 * plain.number_of_edges() > 4 * len(plain):
                kept = []
        ring = {node for component in kept for node in component}
        components = kept + [{node} for node in plain if node not in ring]
        unit = {node: at for at, component in enumerate(components) for node in component}
        contracted = graph.__class__()
        contracted.add_nodes_from(range(len(components)))
        for u, v in graph.edges:
            if unit[u] != unit[v]:
                contracted.add_edge(unit[u], unit[v])
        units.append(unit)
        rings.append(ring)
        small.append(contracted)
    packed = gp.from_networkx(small)
    rule = PlaceRule(resolution=resolution, steps=0, most=10_000)
    answer = []
    for graph, unit, ring, place in zip(
        graphs, units, rings, split(packed, packed.places(rule).cluster), strict=True
    ):
        if not ring:
            answer.append(grouped([int(place[unit[node]]) for node in sorted(graph)]))
            continue
        left = nx.Graph()
        left.add_nodes_from(graph)
        for u, v in graph.edges:
            free = u not in ring and v not in ring and place[unit[u]] == place[unit[v]]
            if free or unit[u] == unit[v]:
                left.add_edge(u, v)
        answer.append({frozenset(component) for component in nx.connected_components(left)})
    return answer


def random_graphs(seed: int, number: int, directed: bool = False) -> list[nx.Graph]:
    """Trees with a few more edges, forests, self-loops; some graphs are dense."""
    draw, made = np.random.default_rng(seed), []
    for _ in range(number):
        nodes = int(draw.integers(1, 40))
        graph = nx.DiGraph() if directed else nx.Graph()
        graph.add_nodes_from(range(nodes))
        parents = [int(draw.integers(0, node)) for node in range(1, nodes)]
        edges = [(node + 1, parent) for node, parent in enumerate(parents) if draw.random() < 0.9]
        more = int(draw.integers(0, nodes // 3 + 1)) if draw.random() < 0.8 else 3 * nodes
        edges += [tuple(pair) for pair in draw.integers(0, nodes, (more, 2)).tolist()]
        graph.add_edges_from(edge if draw.random() < 0.5 else edge[::-1] for edge in edges)
        made.append(graph)
    return made


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("units", ["rings", "auto"])
@pytest.mark.parametrize(("unit_size", "resolution"), [(32, 1.5), (6, 1.5), (3, 1.5), (12, 4.0)])
def test_as_networkx_does(
    directed: bool, units: Literal["rings", "auto"], unit_size: int, resolution: float
) -> None:
    made = random_graphs(unit_size, 100, directed)
    rule = PlaceRule(units=units, unit_size=unit_size, resolution=resolution, steps=0, most=10_000)
    expected = literal(made, unit_size, resolution, units == "auto")
    assert parts_of(gp.from_networkx(made), rule) == expected


def as_networkx(graphs: GraphSet) -> list[nx.Graph]:
    made = []
    for number in range(len(graphs)):
        graph = nx.Graph()
        graph.add_nodes_from(range(graphs[number].num_nodes))
        graph.add_edges_from(graphs[number].edge_index.t().tolist())
        made.append(graph)
    return made


@pytest.mark.parametrize("name", ["MUTAG", "PROTEINS"])
def test_as_networkx_does_on_real_graphs(name: str, data_root: Path) -> None:
    graphs = gp.load(name, root=data_root, features=None)[list(range(0, 180, 3))]
    automatic = replace(RINGS, units="auto")
    assert parts_of(graphs) == literal(as_networkx(graphs))
    assert parts_of(graphs, automatic) == literal(as_networkx(graphs), simple=True)


def test_as_networkx_does_on_zinc(data_root: Path) -> None:
    pytest.importorskip("rdkit")
    graphs = gp.load("ZINC-12k", root=data_root, features=None)[list(range(300))]
    assert parts_of(graphs) == literal(as_networkx(graphs))


def with_tail(nodes: int, tail: int) -> nx.Graph:
    graph = nx.cycle_graph(nodes)
    nx.add_path(graph, [0, *range(nodes, nodes + tail)])
    return graph


@pytest.mark.parametrize("resolution", [0.5, 1.5, 3.0, 6.0, 12.0, 64.0])
@pytest.mark.parametrize("units", ["rings", "auto"])
def test_a_ring_with_a_tail_stays_whole(resolution: float, units: str) -> None:
    rule = PlaceRule(units=units, resolution=resolution, steps=0)  # type: ignore[arg-type]
    (parts,) = parts_of(gp.from_networkx([with_tail(6, 3)]), rule)
    assert frozenset(range(6)) in parts
    assert len(parts) <= 3


def test_fused_and_spiro_rings_are_one_part() -> None:
    decalin = nx.cycle_graph(10)
    decalin.add_edge(0, 5)
    spiro = nx.cycle_graph(6)
    nx.add_cycle(spiro, [0, 6, 7, 8, 9])
    joined = nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))
    joined.add_edge(0, 5)
    parts = parts_of(gp.from_networkx([decalin, spiro, joined]))
    assert [sorted(map(len, each)) for each in parts] == [[10], [10], [5, 5]]


def test_rings_above_the_size_are_left_to_modularity() -> None:
    chain = nx.disjoint_union(nx.ring_of_cliques(5, 5), nx.cycle_graph(6))
    chain.add_edge(0, 25)
    (parts,) = parts_of(gp.from_networkx([chain]), PlaceRule(units="rings", unit_size=12, steps=0))
    assert parts == {frozenset(range(5 * k, 5 * k + 5)) for k in range(5)} | {
        frozenset(range(25, 31))
    }


def test_graphs_without_rings_have_the_places_of_modularity() -> None:
    made = [nx.ring_of_cliques(20, 4), nx.random_labeled_tree(60, seed=0), nx.empty_graph(40),
            nx.path_graph(1), nx.gnm_random_graph(70, 300, seed=0)]  # fmt: skip
    graphs = gp.from_networkx(made)
    for count in ("auto", "ratio", "eigengap"):
        plain = PlaceRule(count, ratio=0.2)  # type: ignore[arg-type]
        rings = PlaceRule(count, ratio=0.2, units="rings")  # type: ignore[arg-type]
        assert torch.equal(graphs.places(plain).cluster, graphs.places(rings).cluster)
        assert torch.equal(graphs.places(plain).share, graphs.places(rings).share)


def test_an_edge_that_is_listed_twice_is_no_bridge() -> None:
    ring = [(0, 1), (1, 2), (2, 0)]
    chain = [(2, 3), (3, 4), (4, 5), (5, 6)]

    def part(edges: list[tuple[int, int]]) -> Parts:
        both = torch.tensor(edges + [(v, u) for u, v in edges]).t()
        adjacency = Adjacency.from_edge_index(both, 7)
        segments = Segments.from_counts(torch.tensor([7]))
        return grouped(places_of(adjacency, segments, RINGS).cluster.tolist())

    assert frozenset({0, 1, 2}) in part(ring + chain)
    assert frozenset({0, 1, 2, 3}) in part(ring + chain + chain[:1])
    assert part(ring + 2 * chain) == {frozenset(range(7))}


def test_edges_both_ways_in_a_directed_graph_are_one_edge() -> None:
    graph = nx.DiGraph([(0, 1), (1, 2), (2, 0), (2, 3), (3, 2), (3, 4)])
    (parts,) = parts_of(gp.from_networkx([graph]))
    assert frozenset({0, 1, 2}) in parts


def test_weights_that_are_no_edges_close_no_ring() -> None:
    graph = with_tail(6, 2)
    graph[0][1]["weight"] = 0.0
    graph.add_edge(0, 0)
    places = gp.from_networkx([graph]).places(PlaceRule(steps=0))
    rings = gp.from_networkx([graph]).places(RINGS)
    assert torch.equal(places.cluster, rings.cluster)


def test_too_many_parts_are_merged() -> None:
    beads = nx.path_graph(40)
    for bead in range(40):  # a ring of 3 to 7 nodes at each
        nx.add_cycle(beads, [bead, *((bead, k) for k in range(2 + bead % 5))])
    graphs = gp.from_networkx([nx.convert_node_labels_to_integers(beads)])
    many = graphs.places(PlaceRule(units="rings", steps=0, most=1024))
    few = graphs.places(PlaceRule(units="rings", steps=0))
    four = graphs.places(PlaceRule("given", clusters=4, units="rings", steps=0))
    assert many.counts.item() == 40
    assert few.counts.item() <= 16
    assert four.counts.item() <= 4
    for places in (few, four):  # no ring is divided
        pairs = torch.stack([many.cluster, places.cluster]).unique(dim=1)
        assert pairs.shape[1] == 40


@pytest.mark.parametrize("units", ["rings", "auto"])
def test_odd_graphs(units: str) -> None:
    loops = nx.Graph([(0, 0), (1, 1), (0, 1)])
    made = [nx.empty_graph(1), nx.empty_graph(3), loops, nx.path_graph(2), nx.cycle_graph(3),
            nx.disjoint_union(nx.cycle_graph(4), nx.cycle_graph(4)),
            nx.cycle_graph(33)]  # fmt: skip
    rule = PlaceRule(units=units)  # type: ignore[arg-type]
    places = gp.from_networkx(made).places(rule)
    assert places.counts.tolist() == [1, 3, 1, 1, 1, 2, 1]
    assert torch.isfinite(places.share).all()
    assert torch.allclose(places.share.sum(1), torch.ones(len(places.cluster)))


def test_batch_mates_change_nothing() -> None:
    graphs = gp.from_networkx(random_graphs(5, 60))
    together = split(graphs, graphs.places(RINGS).cluster)
    for number in range(0, 60, 7):
        assert torch.equal(graphs[[number]].places(RINGS).cluster, together[number])


def test_a_long_chain_of_rings_needs_no_recursion() -> None:
    many = 30_000
    first = 3 * torch.arange(many)
    ring = torch.stack([first, first + 1, first + 1, first + 2, first + 2, first], 1)
    edges = torch.cat([ring.reshape(-1, 2), torch.stack([first[:-1] + 2, first[1:]], 1)]).t()
    adjacency = Adjacency.from_edge_index(torch.cat([edges, edges.flip(0)], 1), 3 * many)
    places = places_of(
        adjacency, Segments.from_counts(torch.tensor([3 * many])),
        PlaceRule(units="auto", steps=0, most=many),
    )  # fmt: skip
    assert places.counts.tolist() == [many]


def test_auto_leaves_dense_graphs_to_modularity(data_root: Path) -> None:
    automatic, plain = PlaceRule(units="auto"), PlaceRule()
    dense = [gp.load("IMDB-BINARY", root=data_root, features=None), gp.load("ring:graphs=100")]
    for graphs in dense:
        assert torch.equal(graphs.places(automatic).cluster, graphs.places(plain).cluster)


def test_auto_leaves_large_systems_of_rings_to_modularity() -> None:
    def beads(rings: int) -> GraphSet:
        """Rings of six that share an edge with the next one, and a tail."""
        graph = nx.ladder_graph(rings + 1)
        for rung in list(graph.edges):
            if abs(rung[0] - rung[1]) == 1:
                nx.add_path(graph, [rung[0], (rung, 0), rung[1]])
                graph.remove_edge(*rung)
        nx.add_path(graph, [0, "a", "b"])
        return gp.from_networkx([nx.convert_node_labels_to_integers(graph)])

    automatic = replace(RINGS, units="auto")
    for rings in (1, 2, 3, 4, 5, 6):
        assert (parts_of(beads(rings)) == parts_of(beads(rings), automatic)) == (rings <= 4)


def test_wrong_units_are_refused() -> None:
    with pytest.raises(ConfigError, match="rings"):
        PlaceRule(units="ring")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="unit_size=2"):
        PlaceRule(units="rings", unit_size=2)
