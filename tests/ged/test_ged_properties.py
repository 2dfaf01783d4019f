"""Laws of the edit distance, on random graphs and on ten thousand real pairs."""

from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from graphs_of import Published, edited, published, random_costs, random_graph, shuffled
from hypothesis import given, settings
from hypothesis import strategies as st
from truth_of import applied, close, isomorphic, literal_distance, mapping_cost, same_graph

from graphpool import ged
from graphpool.ged import METHODS, Costs, Limits, make_problem

seeds = st.integers(0, 2**32 - 1)
repeatable = settings(max_examples=40, deadline=None, derandomize=True, database=None)
SLOW = ["astar", "beam80"]
UPPER = [name for name, method in METHODS.items() if method.answer != "lower"]


@st.composite
def kinds(draw: st.DrawFn) -> dict[str, Any]:
    """What graphs are like; all graphs of a test are of one kind."""
    return {
        "density": draw(st.sampled_from([0.1, 0.3, 0.6])),
        "labels": draw(st.sampled_from(["", "CN", "CNO"])),
        "edge_labels": draw(st.sampled_from(["", "ab"])),
        "directed": draw(st.booleans()),
        "loops": draw(st.booleans()),
    }


def some(seed: int, kind: dict[str, Any], graphs: int, most: int = 6) -> list[Any]:
    draw = np.random.default_rng(seed)
    return [random_graph(draw, int(draw.integers(1, most + 1)), **kind) for _ in range(graphs)]


def reverse(costs: Costs) -> Costs:
    """The costs of the way back."""
    return Costs(
        node_insertion=costs.node_deletion,
        node_deletion=costs.node_insertion,
        node_substitution=costs.node_substitution,
        edge_insertion=costs.edge_deletion,
        edge_deletion=costs.edge_insertion,
        edge_substitution=costs.edge_substitution,
        node_labels={(b, a): cost for (a, b), cost in costs.node_labels.items()},
        edge_labels={(b, a): cost for (a, b), cost in costs.edge_labels.items()},
    )


@repeatable
@given(seeds, kinds())
def test_the_way_back_costs_as_much(seed: int, kind: dict[str, Any]) -> None:
    first, second = some(seed, kind, 2)
    assert ged.distance(first, second).distance == ged.distance(second, first).distance


@repeatable
@given(seeds, kinds(), st.booleans())
def test_the_way_back_costs_as_much_with_reversed_costs(
    seed: int, kind: dict[str, Any], deletes: bool
) -> None:
    costs = random_costs(np.random.default_rng(seed), deletes)
    first, second = some(seed, kind, 2, most=4)
    there = ged.distance(first, second, costs=costs).distance
    back = ged.distance(second, first, costs=reverse(costs)).distance
    assert close(there, back)


@repeatable
@given(seeds, kinds())
def test_a_shuffled_copy_is_at_distance_zero(seed: int, kind: dict[str, Any]) -> None:
    draw = np.random.default_rng(seed)
    graph = random_graph(draw, int(draw.integers(1, 8)), **kind)
    found = ged.distance(graph, shuffled(draw, graph))
    assert (found.distance, found.path) == (0, ())


@repeatable
@given(seeds, kinds())
def test_only_isomorphic_graphs_are_at_distance_zero(seed: int, kind: dict[str, Any]) -> None:
    first, second = some(seed, kind, 2, most=3)
    assert (ged.distance(first, second).distance == 0) == isomorphic(first, second)


@repeatable
@given(seeds, kinds())
def test_a_detour_is_never_shorter(seed: int, kind: dict[str, Any]) -> None:
    first, between, last = some(seed, kind, 3)
    direct = ged.distance(first, last).distance
    detour = ged.distance(first, between).distance + ged.distance(between, last).distance
    assert direct <= detour


@repeatable
@given(seeds, st.booleans(), st.integers(0, 5))
def test_k_edits_lead_no_further_than_k(seed: int, directed: bool, edits: int) -> None:
    draw = np.random.default_rng(seed)
    first = random_graph(draw, int(draw.integers(1, 7)), directed=directed)
    second = shuffled(draw, edited(draw, first, edits))
    assert ged.distance(first, second).distance <= edits


@pytest.mark.parametrize("method", METHODS)
@settings(repeatable, max_examples=25)
@given(seed=seeds, kind=kinds(), plain=st.booleans(), deletes=st.booleans())
def test_lower_bound_distance_upper_bound(
    method: str, seed: int, kind: dict[str, Any], plain: bool, deletes: bool
) -> None:
    first, second = some(seed, kind, 2, most=4)
    costs = Costs() if plain else random_costs(np.random.default_rng(seed), deletes)
    found = ged.distance(first, second, method=method, costs=costs)
    truth = literal_distance(first, second, costs)
    assert 0 <= found.lower <= truth + 1e-9
    assert found.upper >= truth - 1e-9
    assert found.distance == (found.lower if METHODS[method].answer == "lower" else found.upper)


@pytest.mark.parametrize("method", UPPER)
@settings(repeatable, max_examples=25)
@given(seed=seeds, kind=kinds(), plain=st.booleans(), deletes=st.booleans())
def test_the_path_leads_from_one_graph_to_the_other(
    method: str, seed: int, kind: dict[str, Any], plain: bool, deletes: bool
) -> None:
    first, second = some(seed, kind, 2, most=4)
    costs = Costs() if plain else random_costs(np.random.default_rng(seed), deletes)
    found = ged.distance(first, second, method=method, costs=costs)
    assert same_graph(applied(first, found.path, found.mapping), second)
    assert close(sum(step.cost for step in found.path), found.upper)
    assert close(mapping_cost(first, second, costs, dict(enumerate(found.mapping))), found.upper)


@pytest.fixture(scope="module")
def aids(data_root: Path) -> Published:
    return published(data_root, "AIDS700nef")


def check_bounds(method: str, aids: Published, count: int) -> None:
    """Lower bound, published distance and upper bound of random pairs are in this order."""
    pairs = np.random.default_rng(0).integers(0, len(aids.graphs), (count, 2))
    found = METHODS[method].solve(make_problem(aids.graphs, Costs()), pairs, Limits())
    truth = aids.full[pairs[:, 0], pairs[:, 1]]
    assert (found.lower >= 0).all()
    assert (found.lower <= truth).all()
    if METHODS[method].answer == "lower":
        assert (found.upper == -1).all()
    else:
        assert (found.upper >= truth).all()
    if METHODS[method].answer == "exact":
        assert (found.lower == found.upper).all()


@pytest.mark.parametrize("method", METHODS)
def test_bounds_hold_on_pairs_of_molecules(method: str, aids: Published) -> None:
    # Ten thousand pairs; the two slow methods have them in the test below.
    check_bounds(method, aids, 1_000 if method in SLOW else 10_000)


@pytest.mark.slow
@pytest.mark.parametrize("method", SLOW)
def test_bounds_of_slow_methods_hold_on_ten_thousand_pairs(method: str, aids: Published) -> None:
    check_bounds(method, aids, 10_000)


def test_a_graph_is_as_far_from_others_whoever_is_in_the_collection() -> None:
    graphs = [nx.path_graph(4), nx.cycle_graph(5), nx.star_graph(3), nx.complete_graph(6)]
    pairs = np.array([(i, j) for i in range(4) for j in range(4)])
    found = METHODS["exact"].solve(make_problem(ged.collect(graphs), Costs()), pairs, Limits())
    alone = [ged.distance(graphs[i], graphs[j]).distance for i, j in pairs.tolist()]
    assert found.upper.tolist() == alone
