"""Workspace search: valid paths, better ones with a wider beam, the same ones every time."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from cases_of import answers, check_paths, random_cases
from graphs_of import published

from graphpool import ged
from graphpool.errors import ConfigError
from graphpool.ged import Costs, Limits, make_problem
from graphpool.ged.methods.beam import solve_beam


@pytest.mark.parametrize("method", ["beam1", "beam80"])
def test_paths_are_valid_and_bounds_hold(method):
    for case in random_cases():
        check_paths(case, answers(case, method))


def test_a_beam_as_wide_as_the_tree_is_exact():
    for case in random_cases():
        found = solve_beam(case.problem, case.pairs, Limits(), 500)
        assert (found.upper == case.truth).all()


def test_a_beam_of_one_expands_each_node_once():
    found = ged.distance(nx.path_graph(7), nx.cycle_graph(9), "beam1")
    assert found.expanded == 7


def test_a_limit_makes_the_beam_narrower():
    first, second = nx.path_graph(8), nx.cycle_graph(9)
    assert ged.distance(first, second, "beam80").expanded > 40
    assert ged.distance(first, second, "beam80", max_nodes_expanded=40).expanded <= 40


def test_the_same_pair_has_the_same_path_in_any_company():
    for case in random_cases()[:6]:
        together = solve_beam(case.problem, case.pairs, Limits(), 3)
        for at in range(len(case.pairs)):
            alone = solve_beam(case.problem, case.pairs[at : at + 1], Limits(), 3)
            assert alone.upper[0] == together.upper[at]
            size = alone.mapping.shape[1]
            assert (alone.mapping[0] == together.mapping[at, :size]).all()


def test_a_beam_without_width_is_refused():
    problem = make_problem(ged.collect([(1, []), (1, [])]), Costs())
    with pytest.raises(ConfigError, match="width of the beam is 0; it must be at least 1"):
        solve_beam(problem, np.array([[0, 1]]), Limits(), 0)


def test_wider_beams_come_closer_on_molecules(data_root: Path):
    graphs, full, _ = published(data_root, "AIDS700nef")
    problem = make_problem(graphs, Costs())
    pairs = np.random.default_rng(1).integers(0, len(graphs), (400, 2))
    truth = full[pairs[:, 0], pairs[:, 1]]
    gap = [(solve_beam(problem, pairs, Limits(), width).upper - truth) for width in (1, 10, 80)]
    assert min(part.min() for part in gap) == 0
    assert gap[0].mean() > gap[1].mean() > gap[2].mean()
    assert gap[2].mean() < 0.25
