"""A*: exact where it ends, and bounds in time where it does not."""

import time
from pathlib import Path

import networkx as nx
import numpy as np
from cases_of import answers, check_paths, random_cases
from graphs_of import published, random_graph
from truth_of import close, networkx_distance

from graphpool import ged
from graphpool.ged import Costs, Limits, collect, make_problem
from graphpool.ged.methods import astar


def hard_pair(nodes: int):
    draw = np.random.default_rng(nodes)
    return [random_graph(draw, nodes, density=0.2, labels="CN") for _ in range(2)]


def test_exact_on_pairs_of_every_kind():
    for case in random_cases():
        found = answers(case, "astar")
        check_paths(case, found)
        assert (found.lower == case.truth).all()
        assert (found.upper == case.truth).all()


def test_equal_to_networkx():
    draw = np.random.default_rng(2)
    for directed in (False, True):
        for _ in range(6):
            first, second = (
                random_graph(draw, int(draw.integers(1, 6)), directed=directed, edge_labels="ab")
                for _ in range(2)
            )
            costs = Costs(node_substitution=1.5, edge_substitution=0.5, edge_insertion=2.0)
            found = ged.distance(first, second, "astar", costs)
            assert found.optimal
            assert close(found.distance, networkx_distance(first, second, costs))


def test_equal_to_published_distances(data_root: Path):
    graphs, full, _ = published(data_root, "AIDS700nef")
    pairs = np.random.default_rng(3).integers(0, len(graphs), (200, 2))
    found = astar.solve(make_problem(graphs, Costs()), pairs, Limits())
    assert (found.upper == full[pairs[:, 0], pairs[:, 1]]).all()
    assert (found.lower == found.upper).all()


def test_a_limit_on_expansions_leaves_bounds_that_hold():
    stopped = 0
    for case in random_cases():
        found = answers(case, "astar", Limits(expanded=1))
        check_paths(case, found)
        assert (found.expanded <= 1).all()
        stopped += int((found.lower < found.upper).sum())
    assert stopped > 0


def test_more_expansions_never_lower_the_lower_bound():
    first, second = hard_pair(14)
    bounds = [
        ged.distance(first, second, "astar", max_nodes_expanded=count).lower
        for count in (0, 10, 100, 1000)
    ]
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def test_a_time_limit_is_kept():
    first, second = hard_pair(40)
    ged.distance(first, second, "astar", max_nodes_expanded=1)  # compiled before the clock runs
    started = time.perf_counter()
    found = ged.distance(first, second, "astar", time_limit=0.2)
    assert time.perf_counter() - started < 0.5
    assert 0 < found.lower < found.upper
    assert found.expanded > 0


def test_the_time_limit_is_for_each_pair():
    graphs = [*hard_pair(30), *hard_pair(31)]
    pairs = np.array([[0, 1], [2, 3], [0, 0]])
    found = astar.solve(make_problem(collect(graphs), Costs()), pairs, Limits(seconds=0.1))
    assert (found.expanded[:2] > 100).all()
    assert found.upper[2] == found.lower[2] == 0


def test_full_memory_stops_the_search_with_bounds_that_hold():
    first, second = hard_pair(24)
    problem, pairs = make_problem(collect([first, second]), Costs()), np.array([[0, 1]])
    small = astar.solve(problem, pairs, Limits(), memory=200_000)
    large = astar.solve(problem, pairs, Limits(), memory=4_000_000)
    assert small.expanded[0] < large.expanded[0]
    assert 0 < small.lower[0] <= large.lower[0] < large.upper[0]


def test_a_search_in_many_turns_finds_what_it_finds_in_one(monkeypatch):
    first, second = hard_pair(9)
    once = ged.distance(first, second, "astar")
    monkeypatch.setattr(astar, "_FIRST_CAPACITY", 16)  # the store gets full and grows
    again = ged.distance(first, second, "astar")
    assert once.optimal
    assert (again.distance, again.expanded) == (once.distance, once.expanded)
    assert again.mapping == once.mapping


def test_without_nodes_there_is_nothing_to_search():
    found = ged.distance((0, []), nx.path_graph(3), "astar")
    assert (found.distance, found.optimal, found.expanded) == (5, True, 0)
