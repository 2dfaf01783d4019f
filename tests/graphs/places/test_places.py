"""Places are what one expects of clusters, and depend on a graph's own edges alone."""

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

import graphpool as gp
from graphpool.errors import ConfigError, DataError
from graphpool.graphs import Adjacency, GraphSet, Segments
from graphpool.graphs.places import PlaceRule, Places, places_of
from graphpool.graphs.places import find as places_module


def packed(*graphs: nx.Graph) -> GraphSet:
    return gp.from_networkx([nx.convert_node_labels_to_integers(graph) for graph in graphs])


def clusters(graph: nx.Graph, **rule: object) -> set[frozenset[int]]:
    found = packed(graph).places(PlaceRule(**rule)).cluster.tolist()
    return {frozenset(v for v, c in enumerate(found) if c == k) for k in range(max(found) + 1)}


def of_edges(edges: list[tuple[int, int]], weights: list[float], nodes: int) -> Places:
    edge_index = torch.tensor(edges).T
    adjacency = Adjacency.from_edge_index(edge_index, nodes, torch.tensor(weights))
    return places_of(adjacency, Segments(torch.tensor([0, nodes])), PlaceRule())


def two_triangles() -> nx.Graph:
    return nx.Graph([(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3), (0, 3)])


@pytest.mark.parametrize(
    "graph",
    [nx.cycle_graph(3), nx.cycle_graph(12), nx.complete_graph(4), nx.complete_graph(40),
     nx.star_graph(9), nx.petersen_graph(), nx.hypercube_graph(4), nx.path_graph(2)],
)  # fmt: skip
def test_a_graph_whose_symmetry_leaves_no_choice_is_one_cluster(graph: nx.Graph) -> None:
    assert len(clusters(graph)) == 1


@pytest.mark.parametrize("cliques", [3, 8, 20])
def test_each_community_of_a_ring_is_a_cluster(cliques: int) -> None:
    found = clusters(nx.ring_of_cliques(cliques, 5), most=32)
    assert found == {frozenset(range(5 * k, 5 * k + 5)) for k in range(cliques)}


def test_components_are_never_joined() -> None:
    parts = [nx.path_graph(3), nx.cycle_graph(6), nx.complete_graph(4), nx.empty_graph(2)]
    graph = nx.disjoint_union_all(parts)
    components = [frozenset(part) for part in nx.connected_components(graph)]
    assert all(any(found <= part for part in components) for found in clusters(graph))
    assert {frozenset([13]), frozenset([14])} <= clusters(graph)


def test_a_node_between_two_communities_alike_belongs_to_neither() -> None:
    graph = nx.disjoint_union(nx.complete_graph(5), nx.complete_graph(5))
    graph.add_edges_from([(0, 10), (5, 10)])
    assert clusters(graph) == {frozenset(range(5)), frozenset(range(5, 10)), frozenset([10])}


def test_the_larger_of_two_cliques_is_no_heap_of_single_nodes() -> None:
    """Modularity at 1.5 would rather leave the nodes of the larger one alone."""
    graph = nx.disjoint_union(nx.complete_graph(20), nx.complete_graph(5))
    graph.add_edge(0, 20)
    assert clusters(graph) == {frozenset(range(20)), frozenset(range(20, 25))}


# ---------------------------------------------------------------------- how many


@pytest.mark.parametrize("most", [1, 4, 7])
def test_no_graph_has_more_clusters_than_most(most: int) -> None:
    graphs = packed(
        nx.ring_of_cliques(12, 4), nx.empty_graph(30), nx.random_labeled_tree(90, seed=0),
        nx.disjoint_union_all([nx.path_graph(1 + k % 5) for k in range(40)]),
    )  # fmt: skip
    counts = graphs.places(PlaceRule(most=most)).counts
    assert int(counts.max()) <= most
    assert int(counts.min()) >= 1


def test_nodes_without_edges_make_room_before_communities_are_merged() -> None:
    graph = nx.disjoint_union(nx.ring_of_cliques(4, 5), nx.empty_graph(20))
    cliques = {frozenset(range(5 * k, 5 * k + 5)) for k in range(4)}
    assert clusters(graph, most=8) == {*cliques, frozenset(range(20, 40))}


def test_components_that_look_alike_are_pooled_first_and_small_ones_before_large() -> None:
    parts = [nx.path_graph(2)] * 3 + [nx.path_graph(3)] * 2 + [nx.complete_graph(5)]
    graph = nx.disjoint_union_all(parts)
    pairs, paths = frozenset(range(6)), frozenset(range(6, 12))
    first, second, clique = frozenset([6, 7, 8]), frozenset([9, 10, 11]), frozenset(range(12, 17))
    assert clusters(graph, most=4) == {pairs, first, second, clique}
    assert clusters(graph, most=3) == {pairs, paths, clique}
    assert clusters(graph, most=2) == {pairs | paths, clique}


@pytest.mark.parametrize("count", [2, 3, 5, 11])
def test_the_given_number_is_reached_in_a_graph_without_symmetry(count: int) -> None:
    graph = nx.random_labeled_tree(80, seed=3)
    assert len(clusters(graph, count="given", clusters=count)) == count


def test_given_clusters_are_the_communities() -> None:
    found = clusters(nx.ring_of_cliques(6, 5), count="given", clusters=6)
    assert found == {frozenset(range(5 * k, 5 * k + 5)) for k in range(6)}


def test_a_symmetric_graph_may_get_fewer_than_given() -> None:
    assert len(clusters(nx.cycle_graph(10), count="given", clusters=4)) == 1


def test_no_more_clusters_than_nodes() -> None:
    assert len(clusters(nx.path_graph(3), count="given", clusters=8)) <= 3


def test_ratio_is_taken_of_each_graphs_nodes() -> None:
    trees = [nx.random_labeled_tree(nodes, seed=nodes) for nodes in (9, 41, 60)]
    rule = PlaceRule(count="ratio", ratio=0.1)
    assert packed(*trees).places(rule).counts.tolist() == [2, 5, 6]


def test_eigengap_counts_loosely_joined_parts() -> None:
    graphs = packed(*(nx.ring_of_cliques(count, 6) for count in (3, 5, 9)))
    assert graphs.places(PlaceRule(count="eigengap")).counts.tolist() == [3, 5, 9]


def test_a_higher_resolution_gives_more_clusters() -> None:
    graph = nx.random_labeled_tree(200, seed=1)
    assert len(clusters(graph, resolution=4.0)) > len(clusters(graph, resolution=0.5))


@pytest.mark.parametrize(
    "wrong",
    [{"clusters": 0}, {"most": 0}, {"steps": -1}, {"resolution": 0.0},
     {"resolution": 1000.0}, {"ratio": 1.5}, {"count": "ratio"}],
)  # fmt: skip
def test_a_rule_that_makes_no_sense_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        PlaceRule(**wrong)


def test_decalin_and_bicyclopentyl_are_told_apart() -> None:
    """All rounds of message passing see the same in both."""
    sixes = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (0, 6), (6, 7), (7, 8),
                      (8, 9), (9, 5)])  # fmt: skip
    fives = nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))
    fives.add_edge(0, 5)
    assert clusters(fives) == {frozenset(range(5)), frozenset(range(5, 10))}
    assert len(clusters(sixes)) != 2


def test_a_graph_too_large_for_exact_sums_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places_module, "MOST_EDGES", 10)
    with pytest.raises(DataError, match="25 edges; places are found in graphs of up to 10"):
        packed(nx.complete_graph(5)).places()


# ---------------------------------------------------------------------- edges and weights


def test_two_isomorphic_graphs_have_the_same_clusters() -> None:
    graph = nx.random_labeled_tree(40, seed=5)
    names = np.random.default_rng(0).permutation(40).tolist()
    other = nx.Graph()
    other.add_nodes_from(range(40))
    other.add_edges_from((names[u], names[v]) for u, v in graph.edges)
    moved = {frozenset(names[v] for v in part) for part in clusters(graph)}
    sizes = sorted(len(part) for part in moved)
    assert sorted(len(part) for part in clusters(other)) == sizes


def test_weights_count() -> None:
    """A cycle of six is nothing but one cluster, unless every other edge is heavy."""
    edges = [(i, (i + 1) % 6) for i in range(6)]
    both = edges + [(v, u) for u, v in edges]
    heavy = [5.0 if u % 2 == 0 else 1.0 for u, _ in edges] * 2
    assert of_edges(both, heavy, 6).cluster.tolist() == [0, 0, 1, 1, 2, 2]
    assert of_edges(both, [0.3] * 12, 6).counts.tolist() == [1]


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_the_unit_of_weights_does_not_matter(scale: float) -> None:
    draw = np.random.default_rng(0)
    tree = list(nx.random_labeled_tree(60, seed=2).edges)
    weights = draw.uniform(0.2, 3.0, len(tree))
    both = tree + [(v, u) for u, v in tree]
    plain = of_edges(both, np.tile(weights, 2).tolist(), 60).cluster
    assert torch.equal(of_edges(both, np.tile(weights * scale, 2).tolist(), 60).cluster, plain)


def test_self_loops_and_weights_below_zero_or_not_finite_are_left_out() -> None:
    edges = list(two_triangles().edges)
    both = edges + [(v, u) for u, v in edges]
    plain = of_edges(both, [1.0] * 14, 6)
    more = [*both, (0, 0), (5, 5), (1, 4), (4, 1), (2, 5), (5, 2), (1, 5), (5, 1)]
    odd = [*[1.0] * 14, 50.0, 9.0, -3.0, -3.0, np.nan, np.nan, np.inf, np.inf]
    with_more = of_edges(more, odd, 6)
    assert torch.equal(with_more.cluster, plain.cluster)
    assert torch.equal(with_more.share, plain.share)


def test_a_direction_does_not_matter() -> None:
    edges = list(nx.random_labeled_tree(50, seed=4).edges)
    both = edges + [(v, u) for u, v in edges]
    one_way, two_ways = of_edges(edges, [1.0] * 49, 50), of_edges(both, [1.0] * 98, 50)
    assert torch.equal(one_way.cluster, two_ways.cluster)
    assert torch.allclose(one_way.share, two_ways.share)


def test_repeated_edges_add_up() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (3, 0), (1, 0), (2, 1), (3, 2), (0, 3)]
    repeated = [*edges, (0, 1), (1, 0), (2, 3), (3, 2)]
    heavy = [2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0]
    once, twice = of_edges(edges, heavy, 4), of_edges(repeated, [1.0] * 12, 4)
    assert torch.equal(once.cluster, twice.cluster)
    assert torch.allclose(once.share, twice.share)


def test_the_other_graphs_do_not_matter() -> None:
    """Not even a directed one, for which the whole batch is no longer symmetric."""
    tree = list(nx.random_labeled_tree(40, seed=9).edges)
    both = torch.tensor(tree + [(v, u) for u, v in tree]).T
    alone = places_of(Adjacency.from_edge_index(both, 40), Segments(torch.tensor([0, 40])),
                      PlaceRule())  # fmt: skip
    mate = torch.tensor([[40, 41, 42], [41, 42, 43]])
    mixed = Adjacency.from_edge_index(torch.cat([both, mate], 1), 44)
    assert not mixed.symmetric
    together = places_of(mixed, Segments(torch.tensor([0, 40, 44])), PlaceRule())
    assert torch.equal(together.cluster[:40], alone.cluster)
    assert torch.equal(together.share[:40, : alone.width], alone.share)


# ---------------------------------------------------------------------- shares


def walked(graph: nx.Graph, cluster: Tensor, steps: int) -> np.ndarray:
    """((I + D⁻¹A)/2)^steps times the membership, written down."""
    dense = nx.to_numpy_array(graph)
    degree = dense.sum(1, keepdims=True)
    step = np.where(degree > 0, dense / np.maximum(degree, 1e-9), np.eye(len(dense)))
    walk = np.linalg.matrix_power((np.eye(len(dense)) + step) / 2, steps)
    return walk @ np.eye(int(cluster.max()) + 1)[cluster.numpy()]


@pytest.mark.parametrize("steps", [0, 1, 2, 5])
def test_shares_are_lazy_walks(steps: int) -> None:
    weighted = two_triangles()
    nx.set_edge_attributes(weighted, 2.0, "weight")
    weighted[0][1]["weight"] = 3.0
    parts = [nx.ring_of_cliques(4, 4), nx.disjoint_union(two_triangles(), nx.empty_graph(2)),
             weighted]  # fmt: skip
    for graph in parts:
        found = packed(graph).places(PlaceRule(steps=steps))
        expected = walked(graph, found.cluster, steps)
        assert np.allclose(found.share.numpy(), expected, atol=1e-6)


def test_shares_sum_to_one_and_leave_absent_clusters_empty() -> None:
    graphs = packed(nx.ring_of_cliques(5, 4), nx.path_graph(2), nx.empty_graph(1))
    found = graphs.places()
    assert found.counts.tolist() == [5, 1, 1]
    assert found.share.shape == (23, 5)
    assert found.share.dtype == torch.float32
    assert torch.allclose(found.share.sum(1), torch.ones(23))
    assert (found.share[20:, 1:] == 0).all()
