"""Proofs that graphs are more than one edit apart, against brute force over all edits."""

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest

from graphpool.data.synthetic.matching.balanced import rewired
from graphpool.data.synthetic.matching.draws import Flags, connected, ends, slots, stream
from graphpool.data.synthetic.matching.proofs import beyond_one_rewiring, beyond_one_swap, degrees
from graphpool.data.synthetic.matching.swaps import swapped

NODES = 7
LOW, HIGH = ends(NODES)


def networkx(row: Flags) -> nx.Graph:
    made = nx.empty_graph(NODES)
    made.add_edges_from(zip(LOW[row].tolist(), HIGH[row].tolist(), strict=True))
    return made


def rewirings(row: Flags) -> Iterator[Flags]:
    yield row
    for gone in np.flatnonzero(row):
        for come in np.flatnonzero(~row):
            other = row.copy()
            other[gone], other[come] = False, True
            yield other


def swaps(row: Flags) -> Iterator[Flags]:
    yield row
    for other in two_rewirings(row):
        if (degrees(other[None], NODES) == degrees(row[None], NODES)).all():
            yield other


def two_rewirings(row: Flags) -> Iterator[Flags]:
    for one in rewirings(row):
        for other in rewirings(one):
            if (row & ~other).sum() == 2:
                yield other


def shuffled(rows: Flags, seed: int) -> Flags:
    """The same graphs with other numbers of nodes."""
    draw = np.random.default_rng(seed)
    made = np.zeros_like(rows)
    for place, row in enumerate(rows):
        new = draw.permutation(NODES)
        a, b = new[LOW[row]], new[HIGH[row]]
        high, low = np.maximum(a, b), np.minimum(a, b)
        made[place, high * (high - 1) // 2 + low] = True
    return made


def start(graphs: int, seed: int) -> Flags:
    return stream(seed, "proofs").random((graphs, slots(NODES))) < 0.45


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_within_one_rewiring_is_taken_for_farther(count: int) -> None:
    left = start(300, 0)
    right = shuffled(rewired(left, np.full(300, count), stream(1, "proofs")), 0)
    assert not beyond_one_rewiring(left, right, NODES).any()


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_within_one_swap_is_taken_for_farther(count: int) -> None:
    left = start(300, 2)
    right = shuffled(swapped(left, np.full(300, count), 100, stream(3, "proofs")), 0)
    assert not beyond_one_swap(left, right, NODES).any()


def test_one_rewiring_by_brute_force() -> None:
    left = start(40, 4)
    right = shuffled(rewired(left, np.full(40, 3), stream(5, "proofs")), 1)
    proved = beyond_one_rewiring(left, right, NODES)
    assert 5 < proved.sum() < 40  # both answers occur
    for one, other, answer in zip(left, right, proved, strict=True):
        wanted = networkx(other)
        near = any(nx.faster_could_be_isomorphic(networkx(row), wanted)
                   and nx.is_isomorphic(networkx(row), wanted)
                   for row in rewirings(one))  # fmt: skip
        # Refined colours tell graphs of 7 nodes with so few edges apart almost always.
        assert near != answer


def test_one_swap_by_brute_force() -> None:
    left = start(60, 6)
    left = left[(left.sum(1) < 11) & connected(left, np.ones((60, NODES), dtype=bool))][:12]
    right = shuffled(swapped(left, np.full(len(left), -1), 100, stream(7, "proofs")), 2)
    proved = beyond_one_swap(left, right, NODES)
    assert 0 < proved.sum() < len(left)
    for one, other in zip(left[proved], right[proved], strict=True):
        wanted = networkx(other)
        assert not any(nx.is_isomorphic(networkx(row), wanted) for row in swaps(one))


def test_connected_looks_at_present_nodes_alone() -> None:
    # A path 0-1-2 and node 3 by itself.
    row = np.zeros((1, 6), dtype=bool)
    row[0, [0, 2]] = True
    present = np.array([[True, True, True, False]])
    assert connected(row, present).tolist() == [True]
    assert connected(row, ~np.zeros_like(present)).tolist() == [False]
