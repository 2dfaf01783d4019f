"""The exact distance equals what NetworkX finds and what trying every mapping finds."""

import math
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from graphs_of import random_costs, random_graph
from numpy.random import Generator
from truth_of import close, literal_distance, networkx_distance

from graphpool import ged
from graphpool.ged import METHODS, Costs

EXACT = [name for name, method in METHODS.items() if method.answer == "exact"]
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"labels": ""},
    "node labels": {},
    "edge labels": {"edge_labels": "ab"},
    "only edge labels": {"labels": "", "edge_labels": "ab"},
    "disconnected": {"density": 0.15, "edge_labels": "ab"},
    "dense": {"density": 0.8, "labels": "CN"},
    "self-loops": {"loops": True, "edge_labels": "ab"},
    "directed": {"directed": True, "density": 0.25},
    "directed, edge labels": {"directed": True, "density": 0.25, "edge_labels": "ab"},
    "directed, self-loops": {"directed": True, "density": 0.25, "loops": True, "labels": ""},
}


def pairs_of(
    kind: str, pairs: int, most: int, seed: int, least: int = 1
) -> list[tuple[Generator, Any, Any]]:
    """Random pairs of graphs of one kind, each with a generator of its own."""
    made = []
    for number in range(pairs):
        draw = np.random.default_rng([seed, number, list(KINDS).index(kind)])
        sizes = draw.integers(least, most + 1, 2).tolist()
        made.append((draw, *(random_graph(draw, size, **KINDS[kind]) for size in sizes)))
    return made


def check(
    pairs: list[tuple[Generator, Any, Any]],
    truth: Callable[[Any, Any, Costs], float],
    costs: Callable[[Generator], Costs] = lambda draw: Costs(),
    method: str = "exact",
) -> None:
    """Every distance of `pairs` is proved optimal and equal to the truth."""
    for draw, first, second in pairs:
        given = costs(draw)
        found = ged.distance(first, second, costs=given, method=method)
        expected = truth(first, second, given)
        assert found.optimal
        assert close(found.distance, expected), (found, expected, given)


@pytest.mark.parametrize("kind", KINDS)
def test_random_pairs_are_at_the_distance_that_networkx_finds(kind: str) -> None:
    check(pairs_of(kind, pairs=12, most=6, seed=0), networkx_distance)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_fifty_pairs_of_up_to_seven_nodes_equal_networkx(kind: str) -> None:
    check(pairs_of(kind, pairs=50, most=7, seed=1), networkx_distance)


@pytest.mark.parametrize("kind", KINDS)
def test_general_costs_equal_networkx(kind: str) -> None:
    pairs = pairs_of(kind, pairs=8, most=5, seed=2)
    check(pairs, networkx_distance, lambda draw: random_costs(draw, deletes=False))


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("kind", KINDS)
def test_substitutions_dearer_than_deletion_and_insertion(kind: str, method: str) -> None:
    pairs = pairs_of(kind, pairs=12, most=4, seed=3)
    check(pairs, literal_distance, lambda draw: random_costs(draw, deletes=True), method)


@pytest.mark.parametrize("method", EXACT)
@pytest.mark.parametrize("kind", KINDS)
def test_every_exact_method_equals_trying_all_mappings(kind: str, method: str) -> None:
    check(pairs_of(kind, pairs=8, most=4, seed=4), literal_distance, method=method)


@pytest.mark.parametrize("method", EXACT)
def test_no_nodes_at_all(method: str) -> None:
    empty, triangle = (0, []), (3, [(0, 1), (1, 2), (0, 2)])
    assert ged.distance(empty, empty, method=method).distance == 0
    assert ged.distance(empty, triangle, method=method).distance == 6
    assert ged.distance(triangle, empty, method=method).distance == 6


@pytest.mark.parametrize("times", [1.0, 1_000.0, 900_000.0])
@pytest.mark.parametrize("method", EXACT)
def test_costs_with_many_digits(method: str, times: float) -> None:
    # In millionths these are large numbers: sums of them must fit where they are kept.
    given = [round(times * cost, 6) for cost in (0.923457, 0.765432, 0.733333, 0.654321, 0.987654)]
    costs = Costs(*given, edge_substitution=round(times * 0.513579, 6))
    for _, first, second in pairs_of("edge labels", pairs=15, most=4, seed=5):
        found = ged.distance(first, second, costs=costs, method=method, time_limit=10.0)
        assert found.optimal
        assert math.isclose(
            found.distance, literal_distance(first, second, costs), rel_tol=1e-6, abs_tol=1e-9
        )


def test_hand_worked_molecules() -> None:
    ethanol = ("CCO", [(0, 1), (1, 2)])
    ether = ("COC", [(0, 1), (1, 2)])
    propane_ring = ("CCC", [(0, 1), (1, 2), (0, 2)])
    assert ged.distance(ethanol, ether).distance == 2
    assert ged.distance(ethanol, propane_ring).distance == 2
    assert ged.distance(ether, propane_ring).distance == 2


def test_a_path_and_a_star_of_five_nodes() -> None:
    # The path's inner node has degree 2 and the star's 4: two edges are wrong on either side.
    assert ged.distance(nx.path_graph(5), nx.star_graph(4)).distance == 4


def test_deletion_and_insertion_instead_of_a_dear_substitution() -> None:
    costs = Costs(node_substitution=10.0)
    # Deleting O with its edge and inserting N with its edge, or all four nodes and two edges.
    found = ged.distance(("CO", [(0, 1)]), ("CN", [(0, 1)]), costs=costs)
    assert found.distance == 4
    assert found.mapping == (0, None)


def test_a_dear_substitution_is_kept_where_edges_cost_more() -> None:
    costs = Costs(node_substitution=3.0, edge_insertion=5.0, edge_deletion=5.0)
    found = ged.distance(("CO", [(0, 1)]), ("CN", [(0, 1)]), costs=costs)
    assert found.distance == 3
    assert found.mapping == (0, 1)


def test_an_edge_is_replaced_where_that_beats_its_substitution() -> None:
    costs = Costs(edge_substitution=7.0)
    found = ged.distance((2, [(0, 1, "single")]), (2, [(0, 1, "double")]), costs=costs)
    assert found.distance == 2
    assert [step.kind for step in found.path] == ["delete", "insert"]


def test_edge_labels_can_be_left_out() -> None:
    first, second = (2, [(0, 1, "single")]), (2, [(0, 1, "double")])
    assert ged.distance(first, second).distance == 1
    assert ged.distance(first, second, edge_labels=False).distance == 0


def test_an_edge_with_its_reverse_is_two_edges_of_a_directed_graph() -> None:
    both, none = nx.DiGraph([(0, 1), (1, 0)]), nx.empty_graph(2, create_using=nx.DiGraph)
    assert ged.distance(both, none).distance == 2


def test_direction_matters() -> None:
    chain, fork = nx.DiGraph([(0, 1), (1, 2)]), nx.DiGraph([(0, 1), (0, 2)])
    assert ged.distance(chain, fork).distance == 2
    assert ged.distance(chain.to_undirected(), fork.to_undirected()).distance == 0
