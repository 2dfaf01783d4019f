"""The loops behind places, checked against plain forms of the same thing."""

from itertools import pairwise
from typing import no_type_check

import networkx as nx
import numpy as np
import pytest
from from_python import from_python

from graphpool.graphs.hashing import mix
from graphpool.graphs.places import colours, moves
from graphpool.graphs.places import net as nets
from graphpool.graphs.places.compiled import find_places, walk
from graphpool.graphs.places.kernel import SOURCES, compiled
from graphpool.numba_cache import digest

Array = np.ndarray

cells_of, mixed, refine, sort = map(
    from_python, (colours.cells_of, colours.mixed, colours.refine, colours.sort)
)
move_all, parts_of, put_and_weigh = map(
    from_python, (moves.move_all, moves.parts_of, moves.put_and_weigh)
)
coarse_net, first_net, load, numbered_from_zero = map(
    from_python, (nets.coarse_net, nets.first_net, nets.load, nets.numbered_from_zero)
)


def slots(graph: nx.Graph) -> tuple[Array, Array, Array]:
    """Pointers, neighbours and whole weights."""
    rows = [sorted(graph[node]) for node in range(len(graph))]
    ptr = np.cumsum([0, *map(len, rows)])
    col = [v for row in rows for v in row]
    weight = [graph[u][v].get("weight", 1) for u, row in enumerate(rows) for v in row]
    return ptr, np.array(col, dtype=np.int32), np.array(weight, dtype=np.int64)


def drawn(seed: int, nodes: int = 30) -> nx.Graph:
    draw = np.random.default_rng(seed)
    graph = nx.gnm_random_graph(nodes, 2 * nodes, seed=seed)
    for u, v in graph.edges:
        graph[u][v]["weight"] = int(draw.integers(1, 5))
    return graph


def modularity(graph: nx.Graph, member: Array, resolution: float) -> float:
    parts = [set(np.flatnonzero(member == c).tolist()) for c in np.unique(member)]
    return float(nx.community.modularity(graph, parts, resolution=resolution))


def equitable(graph: nx.Graph) -> list[int]:
    """The coarsest equitable partition, by looking at all neighbours until nothing changes."""
    colour = [0] * len(graph)
    while True:
        seen = [
            (colour[v], *sorted((colour[u], graph[v][u].get("weight", 1)) for u in graph[v]))
            for v in range(len(graph))
        ]
        names = {sight: number for number, sight in enumerate(sorted(set(seen)))}
        finer = [names[sight] for sight in seen]
        if len(names) == len(set(colour)):
            return finer
        colour = finer


MANY = [
    nx.path_graph(31), nx.cycle_graph(8), nx.petersen_graph(), nx.star_graph(5), nx.empty_graph(3),
    nx.grid_2d_graph(6, 9), nx.balanced_tree(3, 3), nx.disjoint_union(nx.cycle_graph(6),
    nx.path_graph(7)), nx.ring_of_cliques(5, 4), nx.karate_club_graph(), drawn(0), drawn(1),
    nx.random_labeled_tree(150, seed=1), nx.random_labeled_tree(151, seed=2),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MANY)))
def test_refinement_finds_the_coarsest_equitable_partition(number: int) -> None:
    graph = nx.convert_node_labels_to_integers(MANY[number])
    colour = np.zeros(len(graph), dtype=np.uint64)
    start, length, order, count = refine(*slots(graph), colour)
    expected = equitable(graph)
    pairs = set(zip(expected, colour.tolist(), strict=True))
    assert len(pairs) == len(set(expected)) == len(set(colour.tolist())) == count
    nodes, begins = cells_of(start, length, order, count, colour)
    assert sorted(nodes.tolist()) == list(range(len(graph)))
    cells = [colour[nodes[a:b]] for a, b in pairwise(begins)]
    assert all((cell == cell[0]).all() for cell in cells)
    assert [cell[0] for cell in cells] == sorted(set(colour.tolist()))


def test_colours_of_a_long_path_take_no_round_over_all_nodes() -> None:
    """60,000 rounds over 60,000 nodes would take minutes."""
    path = np.arange(120_001)
    col = np.stack([path - 1, path + 1], 1).reshape(-1)[1:-1].astype(np.int32)
    ptr = np.concatenate([[0], np.arange(1, 2 * 120_001 - 1, 2), [2 * 120_000]])
    colour = np.zeros(120_001, dtype=np.uint64)
    refine(ptr, col, np.ones(len(col), dtype=np.int64), colour)
    assert len(np.unique(colour)) == 60_001
    assert (colour == colour[::-1]).all()


def test_mixing_is_that_of_the_other_hashes() -> None:
    values = np.array([0, 1, 7, 2**63 + 5], dtype=np.uint64)
    assert [mixed(value) for value in values] == mix(values).tolist()


@pytest.mark.parametrize("count", [0, 1, 5, 16, 17, 100, 1000])
def test_sorting_keeps_equal_ones_in_order(count: int) -> None:
    key = np.random.default_rng(count).integers(0, 1 + count // 3, count).astype(np.uint64)
    order = np.arange(count)
    sort(order, key, 0, count)
    assert order.tolist() == np.argsort(key, kind="stable").tolist()


@pytest.mark.parametrize("sixteenths", [8, 16, 24, 40])
def test_gains_are_differences_of_modularity(sixteenths: int) -> None:
    graph, draw = drawn(3), np.random.default_rng(0)
    net = first_net(*slots(graph))
    member = draw.integers(0, 6, 30)
    parts = parts_of(net, member.copy(), sixteenths)
    total = int(net.mass.sum())
    for node, cluster in zip(draw.permutation(30)[:12], draw.integers(0, 6, 12), strict=True):
        if parts.member[node] == cluster:
            continue
        before = modularity(graph, parts.member, sixteenths / 16)
        gain = put_and_weigh(net, parts, node, cluster)
        after = modularity(graph, parts.member, sixteenths / 16)
        assert 2 * gain / (16 * total**2) == pytest.approx(after - before, abs=1e-12)
        fresh = parts_of(net, parts.member, sixteenths)
        assert (fresh.mass == parts.mass).all()
        assert (fresh.look == parts.look).all()


@pytest.mark.parametrize("seed", range(5))
def test_moves_end_where_no_single_node_gains(seed: int) -> None:
    graph = drawn(seed)
    net = first_net(*slots(graph))
    parts = parts_of(net, np.arange(30), 24)
    assert move_all(net, parts)
    best = modularity(graph, parts.member, 1.5)
    for node in range(30):
        for cluster in {parts.member[other] for other in graph[node]}:
            other = parts.member.copy()
            other[node] = cluster
            assert modularity(graph, other, 1.5) <= best + 1e-12


def test_the_net_of_clusters_is_the_quotient_graph() -> None:
    graph = drawn(4)
    member = np.random.default_rng(1).integers(0, 7, 30)
    count = numbered_from_zero(member)
    net = coarse_net(first_net(*slots(graph)), member, count)
    inside = np.eye(count)[member]
    expected = inside.T @ nx.to_numpy_array(graph, nodelist=range(30)) @ inside
    assert net.mass.tolist() == expected.sum(0).tolist()
    assert net.size.tolist() == np.bincount(member).tolist()
    np.fill_diagonal(expected, 0)
    found = np.zeros((count, count))
    for cluster in range(count):
        for slot in range(net.ptr[cluster], net.ptr[cluster + 1]):
            found[cluster, net.col[slot]] += net.weight[slot]
    assert (found == expected).all()


def test_only_ratios_of_weights_are_kept() -> None:
    ptr, col = np.array([0, 1, 3, 4]), np.array([1, 0, 2, 1])
    for weights in ([6.0, 6.0, 9.0, 9.0], [0.02, 0.02, 0.03, 0.03]):
        _, near, amount = load(ptr, col, np.array(weights, dtype=np.float32), 0, 3, True)
        assert near.tolist() == [1, 0, 2, 1]
        assert amount[2] / amount[0] == pytest.approx(1.5, abs=1e-4)
    _, _, amount = load(ptr, col, np.array([6, 6, 9, 9], dtype=np.float32), 0, 3, True)
    assert amount.tolist() == [2, 2, 3, 3]


@pytest.mark.parametrize("seed", range(6))
def test_modularity_is_no_worse_than_that_of_networkx(seed: int) -> None:
    graph = nx.gaussian_random_partition_graph(120, 15, 5, 0.5, 0.03, seed=seed)
    ptr, col, weight = slots(graph)
    label, counts = np.zeros(120, dtype=np.int64), np.zeros(1, dtype=np.int64)
    nodes = np.array([0, 120])
    find_places(ptr, col, weight.astype(np.float32), nodes, True, 24,
                np.zeros(1, dtype=np.int64), np.full(1, 120), label, counts)  # fmt: skip
    theirs = nx.community.louvain_communities(graph, resolution=1.5, seed=seed)
    least = nx.community.modularity(graph, theirs, resolution=1.5)
    assert modularity(graph, label, 1.5) >= least - 0.005


def test_kept_code_is_keyed_by_all_sources() -> None:
    """numba alone looks at a function's own file, and would keep what it calls from others."""
    for loop in (find_places, walk, moves.move_all, colours.refine):
        assert loop._cache._cache_file._source_stamp == digest(*SOURCES)


def test_a_compiled_function_computes() -> None:
    @no_type_check
    def twice(number):
        return 2 * number

    assert compiled(twice)(21) == 42
