"""Balanced matching pairs: sizes tell nothing, and pairs differ as much as they should."""

import functools
import hashlib
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from graphpool.data import content_hash
from graphpool.data.pairs import PairSet
from graphpool.data.synthetic.matching.balanced import draw_balanced, rewired
from graphpool.data.synthetic.matching.build import VERSION, MatchingSettings, matching_pairs
from graphpool.data.synthetic.matching.draws import connected_graphs, ends, slots, stream
from graphpool.data.synthetic.matching.proofs import degrees
from graphpool.data.synthetic.matching.swaps import swapped
from graphpool.errors import ConfigError
from graphpool.graphs import GraphSet

HARDNESSES = ("easy", "medium", "hard")
PINNED = {
    "paper easy": "7ff52d6c40c7f2b2",
    "balanced easy": "5facf1d5a456ceed",
    "balanced medium": "77d1a81dba316484",
    "balanced hard": "ac4c439d2ec9a205",
}


@functools.cache
def balanced(hardness: str, nodes: int = 20, pairs: int = 400, seed: int = 0) -> PairSet:
    return matching_pairs("balanced", nodes, pairs, seed, hardness)


def networkx(graphs: GraphSet, position: int) -> nx.Graph:
    graph = graphs[position]
    made = nx.empty_graph(graph.num_nodes)
    made.add_edges_from(graph.edge_index.T.tolist())
    return made


def halves(pairs: int) -> np.ndarray:
    return np.arange(pairs) % 2 == 0


@pytest.mark.parametrize("hardness", HARDNESSES)
def test_both_graphs_have_as_many_nodes_and_edges(hardness: str) -> None:
    pairs = balanced(hardness)
    for count in (pairs.graphs.node_counts, pairs.graphs.edge_counts):
        assert torch.equal(count[pairs.left], count[pairs.right])
    assert float(pairs.y.sum()) == 200
    edges = pairs.graphs.edge_counts[pairs.left].double()
    spread = edges.std() * (4 / 400) ** 0.5
    gap = edges[pairs.y == 1].mean() - edges[pairs.y == 0].mean()
    assert abs(float(gap)) < 4 * float(spread)


@pytest.mark.parametrize("hardness", HARDNESSES)
def test_no_pair_that_does_not_match_is_isomorphic_by_vf2(hardness: str) -> None:
    pairs = balanced(hardness, pairs=120, seed=1)
    apart = [
        nx.is_isomorphic(networkx(pairs.graphs, int(left)), networkx(pairs.graphs, int(right)))
        for left, right in zip(pairs.left, pairs.right, strict=True)
    ]
    found = torch.tensor(apart)
    assert not found[pairs.y == 0].any()
    # Half of those that match are plain copies, but for chance.
    assert 0.3 < float(found[pairs.y == 1].float().mean()) < 0.7


@pytest.mark.parametrize("hardness", HARDNESSES)
def test_without_edits_pairs_that_match_are_copies(hardness: str) -> None:
    pairs = matching_pairs("balanced", 12, 60, 0, hardness, edit="none")
    for left, right, y in zip(pairs.left, pairs.right, pairs.y, strict=True):
        one, other = networkx(pairs.graphs, int(left)), networkx(pairs.graphs, int(right))
        assert nx.is_isomorphic(one, other) == bool(y)
    assert pairs.name == f"matching-balanced-{hardness}-none-12"


@pytest.mark.parametrize("hardness", HARDNESSES)
def test_all_graphs_are_connected(hardness: str) -> None:
    graphs = balanced(hardness, pairs=120, seed=1).graphs
    assert all(nx.is_connected(networkx(graphs, place)) for place in range(len(graphs)))


@pytest.mark.parametrize("hardness", HARDNESSES)
def test_second_graphs_have_shuffled_numbers(hardness: str) -> None:
    pairs = balanced(hardness)
    degree = pairs.graphs.degree.reshape(-1, 20).double()
    left, right = degree[pairs.left], degree[pairs.right]
    matching = pairs.y == 1
    together = torch.corrcoef(torch.stack([left[matching].flatten(), right[matching].flatten()]))
    # What is left is that dense pairs are dense in both graphs.
    mean = left[matching].mean(1, keepdim=True)
    inside = ((left[matching] - mean) * (right[matching] - mean)).mean()
    assert abs(float(inside)) < 0.1 * float(((left[matching] - mean) ** 2).mean())
    assert float(together[0, 1]) < 0.9


# ---------------------------------------------------------------------- how graphs differ


@pytest.mark.parametrize(
    ("hardness", "edit", "matching", "others"),
    [
        ("easy", "rewire", {0, 1}, None),
        ("medium", "swap", {0, 2}, None),
        ("medium", "rewire", {0, 1}, None),
        ("hard", "rewire", {0, 1}, {3, 4}),
        ("hard", "none", {0}, {3, 4}),
    ],
)
def test_as_many_edges_are_replaced_as_the_hardness_says(
    hardness: str, edit: str, matching: set[int], others: set[int] | None
) -> None:
    y = halves(400)
    drawn = draw_balanced(20, y, hardness, edit, stream(0, "test"))
    gone = (drawn.left & ~drawn.right).sum(1)
    values, count = np.unique(gone[y], return_counts=True)
    assert set(values.tolist()) == matching
    assert count.min() > 200 / len(matching) * 0.7
    if others is None:
        assert gone[~y].min() > 5
    else:
        values, count = np.unique(gone[~y], return_counts=True)
        assert set(values.tolist()) == others
        assert count.min() > 70


def test_degrees_tell_nothing_in_medium_pairs() -> None:
    pairs = balanced("medium")
    degree = pairs.graphs.degree.reshape(-1, 20).sort(1).values
    assert torch.equal(degree[pairs.left], degree[pairs.right])


def test_more_swaps_would_change_nothing() -> None:
    draw = stream(1, "test")
    start = connected_graphs(30, np.full(400, 0.3), draw)
    shared = {
        attempts: (start & swapped(start, np.full(400, -1), attempts, draw)).sum(1)
        for attempts in (1, 100, 800)
    }
    error = shared[800].std() * (2 / 400) ** 0.5
    assert abs(shared[100].mean() - shared[800].mean()) < 4 * error
    assert shared[1].mean() - shared[800].mean() > 20 * error


def test_swaps_reach_every_graph_of_the_same_degrees_as_often() -> None:
    # All labelled graphs with degrees 3, 2, 2, 2, 2, 1, listed by brute force.
    low, high = ends(6)
    wanted = np.array([3, 2, 2, 2, 2, 1])
    rows = []
    for chosen in combinations(range(15), 6):
        degree = np.bincount(np.concatenate([low[list(chosen)], high[list(chosen)]]), minlength=6)
        if (degree == wanted).all():
            rows.append(sum(1 << place for place in chosen))
    start = np.zeros((12000, 15), dtype=bool)
    start[:, [place for place in range(15) if rows[0] >> place & 1]] = True
    made = swapped(start, np.full(12000, -1), 100, stream(2, "test"))
    assert (degrees(made, 6) == wanted).all()
    found, count = np.unique(made @ (1 << np.arange(15)), return_counts=True)
    assert found.tolist() == sorted(rows)
    assert chisquare(count).pvalue > 0.001


def test_as_many_swaps_as_wanted() -> None:
    draw = stream(3, "test")
    start = draw.random((200, slots(12))) < 0.4
    for wanted in (0, 1):
        made = swapped(start, np.full(200, wanted), 100, draw)
        assert ((start & ~made).sum(1) == 2 * wanted).all()
        assert ((made & ~start).sum(1) == 2 * wanted).all()


def test_rewiring_never_puts_an_edge_back() -> None:
    draw = stream(4, "test")
    start = draw.random((300, slots(10))) < 0.4
    count = np.arange(300) % 5
    made = rewired(start, count, draw)
    assert ((start & ~made).sum(1) == count).all()
    assert ((made & ~start).sum(1) == count).all()
    # Every edge is as likely to go.
    gone = (start & ~made)[count > 0]
    share = gone.sum(0) / np.maximum(start[count > 0].sum(0), 1)
    assert abs(share.mean() - (2.5 / 18)) < 0.03


# ---------------------------------------------------------------------- seeds and settings


@pytest.mark.parametrize("hardness", HARDNESSES)
def test_the_seed_decides_every_bit(hardness: str) -> None:
    one, again, other = (matching_pairs("balanced", [10, 14], 50, seed, hardness, verify=checked)
                         for seed, checked in ((3, False), (3, True), (4, False)))  # fmt: skip
    assert content_hash(one.graphs) == content_hash(again.graphs)
    assert torch.equal(one.left, again.left)
    assert torch.equal(one.y, again.y)
    assert content_hash(one.graphs) != content_hash(other.graphs)


def test_the_pairs_of_this_version_stay_as_they_are() -> None:
    # Whoever changes what is drawn for a seed must count VERSION up, or caches hold other pairs.
    found = {}
    for kind, hardness in (("paper", "easy"), *(("balanced", which) for which in HARDNESSES)):
        pairs = matching_pairs(kind, 12, 40, 7, hardness)
        digest = hashlib.sha256(pairs.graphs.edge_index.numpy().tobytes())
        for part in (pairs.left, pairs.right, pairs.y):
            digest.update(part.numpy().tobytes())
        found[f"{kind} {hardness}"] = digest.hexdigest()[:16]
    assert (VERSION, found) == (1, PINNED)


def test_an_edit_that_a_hardness_has_not_is_refused() -> None:
    with pytest.raises(ConfigError, match="no edit 'swap' in hard pairs"):
        MatchingSettings.of("balanced", 20, 10, 0, "hard", edit="swap")
