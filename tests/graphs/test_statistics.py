import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from random_graphs import packed, random_graphs

from graphpool.data import from_networkx, read_tu, to_networkx
from graphpool.graphs import GraphSet, graph_colours, node_colours
from graphpool.graphs.statistics import Duplicates, Spread, statistics


@pytest.mark.parametrize("directed", [False, True])
def test_numbers_equal_networkx(directed: bool) -> None:
    graphs = packed(random_graphs(4, graphs=15, directed=directed))
    found = statistics(graphs)
    made = to_networkx(graphs)
    assert isinstance(made, list)
    plain = [graph.copy() for graph in made]
    for graph in plain:
        graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    edges = [float(graph.number_of_edges()) for graph in plain]
    assert found.directed is directed
    assert found.edges == Spread(min(edges), sum(edges) / 15, max(edges))
    assert found.total_edges == sum(edges)
    assert found.self_loops == sum(nx.number_of_selfloops(graph) for graph in made)
    assert found.isolated_nodes == sum(len(list(nx.isolates(graph))) for graph in plain)
    assert found.graphs_without_edges == edges.count(0)
    assert found.density.mean == pytest.approx(np.mean([nx.density(graph) for graph in plain]))
    parts = [nx.number_connected_components(nx.Graph(graph)) for graph in made]
    assert found.components == sum(parts)
    assert found.connected_graphs == parts.count(1)
    labels = Counter(label for graph in made for _, label in graph.nodes(data="label"))
    assert dict(found.node_labels) == labels
    kinds = Counter(label for graph in made for *_, label in graph.edges(data="label"))
    assert dict(found.edge_labels) == kinds
    assert dict(found.classes) == Counter(graph.graph["y"] for graph in made)
    assert (found.node_attributes, found.edge_attributes, found.graph_attributes) == (3, 2, 2)


def test_statistics_are_plain_values() -> None:
    values = statistics(packed(random_graphs(4))).to_dict()
    assert json.loads(json.dumps(values))["nodes"]["min"] == 1.0


def test_classes_without_names_are_called_by_their_codes() -> None:
    graphs = replace(packed(random_graphs(4)), y=torch.tensor([0, 2, 2, 0, 2, 0]), classes=())
    assert statistics(graphs).classes == ((0, 3), (1, 0), (2, 3))


def test_empty_set_has_statistics() -> None:
    found = statistics(packed(random_graphs(4))[[]])
    assert (found.graphs, found.components, found.nodes) == (0, 0, Spread(0.0, 0.0, 0.0))
    assert found.duplicates == Duplicates(0, 0, 0, None, None, attributes=True)


def shuffled(graph: nx.Graph, seed: int) -> nx.Graph:
    """The same graph with its nodes in another order."""
    order = np.random.default_rng(seed).permutation(len(graph)).tolist()
    moved = type(graph)()
    moved.add_nodes_from((node, graph.nodes[node]) for node in order)
    moved.add_edges_from(graph.edges(data=True))
    return moved


def colours(*graphs: nx.Graph) -> list[int]:
    return graph_colours(from_networkx(graphs)).tolist()


@pytest.mark.parametrize("directed", [False, True])
def test_relabelled_graphs_have_the_same_colour(directed: bool) -> None:
    for seed in range(5):
        graph = nx.gnp_random_graph(12, 0.25, seed=seed, directed=directed)
        nx.set_node_attributes(graph, {node: node % 3 for node in graph}, "label")
        nx.set_edge_attributes(graph, {edge: sum(edge) % 2 for edge in graph.edges}, "label")
        one, two = colours(graph, shuffled(graph, seed))
        assert one == two


def test_colours_agree_with_networkx_on_all_small_graphs() -> None:
    atlas = [graph for graph in nx.graph_atlas_g()[1:] if len(graph) <= 6]
    for graph in atlas:
        nx.set_node_attributes(graph, 0, "label")
    theirs = [nx.weisfeiler_lehman_graph_hash(g, node_attr="label", iterations=6) for g in atlas]
    pairs = set(zip(colours(*atlas), theirs, strict=True))
    assert len(pairs) == len({one for one, _ in pairs}) == len({two for _, two in pairs})


def test_refinement_never_merges_labels() -> None:
    pair = nx.Graph([(0, 1)])
    nx.set_node_attributes(pair, {0: "a", 1: "b"}, "label")
    assert len(set(node_colours(from_networkx([pair])).tolist())) == 2


def test_labels_weights_directions_and_loops_tell_graphs_apart() -> None:
    def path(**values: object) -> nx.Graph:
        graph = nx.Graph()
        graph.add_node(0, label=values.get("node", 0))
        graph.add_node(1, label=0)
        graph.add_edge(0, 1, label=values.get("edge", 0), weight=values.get("weight", 1.0))
        return graph

    looped = path()
    looped.add_edge(0, 0, label=0, weight=1.0)
    different = [path(), path(node=1), path(edge=1), path(weight=2.0), looped]
    assert len(set(colours(*different))) == len(different)
    into, out = nx.DiGraph([(0, 1), (0, 2)]), nx.DiGraph([(1, 0), (2, 0)])
    assert len(set(colours(into, out))) == 2


def test_graphs_that_1wl_cannot_tell_apart_are_equal() -> None:
    hexagon, triangles = nx.cycle_graph(6), nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))
    one, two = colours(hexagon, triangles)
    assert one == two


def test_duplicates_are_counted_with_their_classes() -> None:
    shapes = [nx.path_graph(3), nx.path_graph(3), nx.cycle_graph(3), nx.path_graph(3)]
    found = statistics(from_networkx(shapes, y=[0, 0, 1, 1])).duplicates
    assert found == Duplicates(distinct=2, repeated=2, groups=1, mixed=1, ceiling=0.75)
    assert statistics(from_networkx(shapes), duplicates=False).duplicates is None


@pytest.mark.parametrize(
    ("name", "graphs", "nodes", "largest", "edges", "labels", "isolated"),
    [
        ("MUTAG", 188, 17.93, 28, 19.79, 7, 0),
        ("PROTEINS", 1113, 39.06, 620, 72.82, 3, 5),
        ("NCI109", 4127, 29.68, 111, 32.13, 38, 474),
    ],
)
def test_real_sets_have_their_known_numbers(
    data_root: Path,
    name: str,
    graphs: int,
    nodes: float,
    largest: int,
    edges: float,
    labels: int,
    isolated: int,
) -> None:
    found = statistics(read_tu(data_root / f"{name}.zip"))
    assert (found.graphs, found.nodes.max, found.isolated_nodes) == (graphs, largest, isolated)
    assert (round(found.nodes.mean, 2), round(found.edges.mean, 2)) == (nodes, edges)
    assert len(found.node_labels) == labels


@pytest.mark.parametrize(
    ("name", "distinct", "ceiling"),
    [
        ("IMDB-BINARY", 537, 0.886),
        ("IMDB-MULTI", 387, 0.633),
        ("EXP", 600, 0.5),
        ("CEXP", 900, 0.75),
    ],
)
def test_ceiling_of_1wl_on_real_sets(
    data_root: Path, name: str, distinct: int, ceiling: float
) -> None:
    found = statistics(read_tu(data_root / f"{name}.zip")).duplicates
    assert found is not None
    assert found.distinct == distinct
    assert found.ceiling == pytest.approx(ceiling, abs=5e-4)


def test_linux_graphs_fall_into_their_isomorphism_classes(data_root: Path) -> None:
    stored = np.load(data_root / "LINUX.npz", allow_pickle=False)
    graphs = GraphSet.build(
        "LINUX",
        torch.from_numpy(np.diff(stored["node_ptr"])),
        torch.from_numpy(np.diff(stored["edge_ptr"])),
        torch.from_numpy(stored["edges"].astype(np.int64).reshape(-1, 2).T.copy()),
        undirected=True,
    )
    found = statistics(graphs).duplicates
    assert found is not None
    assert found.distinct == 89
