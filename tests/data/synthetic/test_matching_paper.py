"""The paper's matching pairs: what they are made of, and that they depend on the seed alone."""

import functools

import networkx as nx
import numpy as np
import pytest
import torch
from networkx.algorithms.isomorphism import GraphMatcher

from graphpool.data import content_hash
from graphpool.data.pairs import PairSet
from graphpool.data.synthetic.matching.build import MatchingSettings, matching_pairs
from graphpool.data.synthetic.matching.checks import check_paper, shared_edges
from graphpool.errors import ConfigError
from graphpool.graphs import GraphSet


@functools.cache
def paper(nodes: int = 20, pairs: int = 1000, seed: int = 0) -> PairSet:
    return matching_pairs("paper", nodes, pairs, seed)


def networkx(graphs: GraphSet, position: int) -> nx.Graph:
    graph = graphs[position]
    made = nx.empty_graph(graph.num_nodes)
    made.add_edges_from(graph.edge_index.T.tolist())
    return made


def test_half_of_the_pairs_match_in_random_order() -> None:
    y = paper().y
    assert float(y.sum()) == 500
    # 250 matches in either half of the set, but for chance.
    assert abs(float(y[:500].sum()) - 250) < 4 * (1000 * 0.25) ** 0.5 / 2
    assert 0.4 < float((y[1:] == y[:-1]).float().mean()) < 0.6


def test_sizes_are_those_of_the_paper() -> None:
    pairs = paper()
    left, right = (pairs.graphs.node_counts[side] for side in (pairs.left, pairs.right))
    assert set(left.tolist()) == {20}
    change = right - left
    for match, wanted in ((1, [-3, -2, -1]), (0, [3, 4, 5, 6, 7])):
        found, count = torch.unique(change[pairs.y == match], return_counts=True)
        assert found.tolist() == wanted
        assert float(count.min()) > 500 / len(wanted) * 0.7


def test_edge_probabilities_lie_between_those_of_the_paper() -> None:
    pairs = paper(nodes=100, pairs=200)
    density = pairs.graphs.edge_counts / (pairs.graphs.node_counts * (pairs.graphs.node_counts - 1))
    left, right = density[pairs.left], density[pairs.right]
    assert 0.18 < float(left.min()) < 0.22
    assert 0.48 < float(left.max()) < 0.52
    assert abs(float(left.mean()) - 0.35) < 4 * 0.3 / 12**0.5 / 200**0.5
    # The second graph is as dense as the first, whether it matches or not.
    for match in (0, 1):
        assert abs(float((right - left)[pairs.y == match].mean())) < 0.002


def test_all_graphs_are_connected() -> None:
    graphs = paper(pairs=100, seed=1).graphs
    assert all(nx.is_connected(networkx(graphs, place)) for place in range(len(graphs)))


@pytest.mark.parametrize("nodes", [5, 20])
def test_matching_graphs_are_induced_subgraphs_by_vf2(nodes: int) -> None:
    pairs = paper(nodes=nodes, pairs=30, seed=2)
    for left, right, y in zip(pairs.left, pairs.right, pairs.y, strict=True):
        one, other = networkx(pairs.graphs, int(left)), networkx(pairs.graphs, int(right))
        large, small = (one, other) if y == 1 else (other, one)
        assert GraphMatcher(large, small).subgraph_is_isomorphic()


def test_numbers_of_nodes_are_shuffled() -> None:
    pairs = paper()
    degree = pairs.graphs.degree
    last = degree[pairs.graphs.node_ptr[1:] - 1]
    grown = pairs.right[pairs.y == 0]
    first = degree[pairs.graphs.node_ptr[:-1]]
    # Unshuffled, the last node would be a new one, with more neighbours than one of the first.
    assert abs(float((last[grown] - first[grown]).float().mean())) < 0.6
    kept = pairs.y == 1
    assert float((first[pairs.left[kept]] == first[pairs.right[kept]]).float().mean()) < 0.4


def test_the_seed_decides_every_bit() -> None:
    one, again, other = (matching_pairs("paper", [6, 9], 41, seed, verify=False)
                         for seed in (3, 3, 4))  # fmt: skip
    checked = matching_pairs("paper", [6, 9], 41, 3, verify=True)
    for same in (again, checked):
        assert content_hash(one.graphs) == content_hash(same.graphs)
        assert torch.equal(one.left, same.left)
        assert torch.equal(one.y, same.y)
    assert content_hash(one.graphs) != content_hash(other.graphs)


def test_pairs_are_shared_out_evenly_among_sizes() -> None:
    pairs = matching_pairs("paper", [6, 8, 10], 20, 0)
    size = pairs.graphs.node_counts[pairs.left]
    found = [(int((size == n).sum()), int(pairs.y[size == n].sum())) for n in (6, 8, 10)]
    assert [count for count, _ in found] == [7, 7, 6]
    assert sum(matching for _, matching in found) == 10
    assert all(abs(2 * matching - count) <= 1 for count, matching in found)
    assert pairs.name == "matching-paper-6-8-10"
    assert pairs.ids[4] == "4a & 4b"


def test_shared_edges_are_those_of_a_literal_loop() -> None:
    # A triangle with a tail, and the triangle with other numbers and a new neighbour.
    graphs = GraphSet.build(
        "two",
        torch.tensor([4, 4]),
        torch.tensor([4, 4]),
        torch.tensor([[0, 1, 0, 2, 0, 1, 0, 3], [1, 2, 2, 3, 1, 2, 2, 0]]),
        undirected=True,
    )
    origin = np.array([2, 0, 1, -1])
    both, between = shared_edges(graphs, origin)
    assert (both.tolist(), between.tolist()) == ([6], [6])
    # Node 2 taken for the tail: of the three edges 2-0, 0-3, 2-3 the first graph has two.
    both, between = shared_edges(graphs, np.array([2, 0, 3, -1]))
    assert (both.tolist(), between.tolist()) == ([4], [4])


def test_a_second_graph_that_is_no_part_is_found_out() -> None:
    graphs = GraphSet.build(
        "two",
        torch.tensor([4, 3]),
        torch.tensor([3, 3]),
        torch.tensor([[0, 1, 2, 0, 1, 0], [1, 2, 3, 1, 2, 2]]),
        undirected=True,
    )
    with pytest.raises(RuntimeError, match="edges that the first lacks"):
        check_paper(graphs, np.arange(3), np.array([True]), vf2=False)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (("papers", 20, 10, 0), "did you mean 'paper'"),
        (("paper", 4, 10, 0), "from 5 on"),
        (("paper", [], 10, 0), "one or more different numbers"),
        (("paper", [20, 20], 10, 0), "one or more different numbers"),
        (("paper", 20, 0, 0), "at least one pair"),
        (("paper", 20, 10, -1), "no negative seed"),
        (("paper", 20, 10, 0, "hard"), "no hardness"),
        (("balanced", 9, 10, 0), "from 10 on"),
        (("balanced", 20, 10, 0, "hardest"), "did you mean 'hard'"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: tuple, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        MatchingSettings.of(*settings)


def test_keys_differ_where_pairs_do() -> None:
    settings = [
        ("paper", 20, 10, 0),
        ("paper", 20, 10, 1),
        ("paper", 20, 12, 0),
        ("paper", [20, 30], 10, 0),
        ("balanced", 20, 10, 0),
        ("balanced", 20, 10, 0, "hard"),
    ]
    keys = {MatchingSettings.of(*each).key for each in settings}
    keys.add(MatchingSettings.of("balanced", 20, 10, 0, edit="none").key)
    assert len(keys) == len(settings) + 1
    assert (
        MatchingSettings.of("paper", 20, 10, 0).key == MatchingSettings.of("paper", [20], 10, 0).key
    )
