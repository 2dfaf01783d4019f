"""Hard pairs, which the exact search divides: its second phase, forced on small graphs."""

import itertools
from typing import Any

import networkx as nx
import numpy as np
import pytest
from cases_of import check_paths, random_cases
from graphs_of import random_costs, random_graph
from numpy.typing import NDArray
from truth_of import close, literal_distance

from graphpool import ged
from graphpool.ged import Costs, Limits, collect, exact, make_problem
from graphpool.ged.exact import ascent, hard
from graphpool.ged.exact.root import load_root
from graphpool.ged.exact.workspace import UPPER, make_workspace
from graphpool.ged.pair import load_pair, make_pair, mapping_cost
from graphpool.numba_cache import interpreted

KINDS: dict[str, dict[str, Any]] = {
    "molecules": {"labels": "CCCNO", "density": 0.25},
    "edge labels": {"edge_labels": "ab", "density": 0.3},
    "directed": {"directed": True, "density": 0.2},
    "no labels": {"labels": "", "density": 0.35},
    "many twins": {"labels": "C", "density": 0.12, "loops": True},
}


@pytest.fixture
def divided(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Every pair that the first bounds don't settle is hard, and is divided again and again.

    Returns:
        The levels of the problems that were divided.
    """
    levels: list[int] = []
    divide = hard.HardPair._divide

    def counted(self: hard.HardPair, level: int, bound: int) -> int:
        levels.append(level)
        return divide(self, level, bound)

    monkeypatch.setattr(exact, "PATIENCE", 0)
    monkeypatch.setattr(hard, "_SEARCH", 1)
    monkeypatch.setattr(hard, "_STEP", 300)
    monkeypatch.setattr(hard, "_ROOT_SWEEPS", 2)
    monkeypatch.setattr(hard, "_SWEEPS", 1)
    monkeypatch.setattr(hard.HardPair, "_divide", counted)
    return levels


def proved(graphs: list[Any], pairs: NDArray[np.int64], costs: Costs) -> list[int]:
    """Distances in whole numbers, which must be proved and cost what their mappings cost."""
    problem = make_problem(collect(graphs), costs)
    found = exact.solve(problem, pairs, Limits())
    assert (found.lower == found.upper).all()
    work = make_pair(found.mapping.shape[1])
    for at, (first, second) in enumerate(pairs.tolist()):
        size, _, _ = load_pair(problem, first, second, work)
        assert mapping_cost(problem, work, size, found.mapping[at]) == found.upper[at]
    return found.upper.tolist()


@pytest.mark.parametrize(
    ("kind", "deletes"),
    [*((kind, False) for kind in KINDS), ("molecules", True), ("edge labels", True)],
)
def test_dividing_finds_what_the_undivided_search_finds(
    kind: str, deletes: bool, divided: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    draw = np.random.default_rng([5, *kind.encode(), deletes])
    most = 6 if deletes else 11
    sizes = draw.integers(most - 3, most + 1, 80)
    graphs = [random_graph(draw, size, **KINDS[kind]) for size in sizes.tolist()]
    costs = random_costs(draw, deletes) if deletes else Costs()
    pairs = np.arange(80).reshape(-1, 2)
    in_parts = proved(graphs, pairs, costs)
    assert divided, "no pair was divided"
    monkeypatch.setattr(exact, "PATIENCE", 1 << 30)
    assert in_parts == proved(graphs, pairs, costs)


def test_dividing_finds_what_trying_every_mapping_finds(divided: list[int]) -> None:
    for number in range(40):
        draw = np.random.default_rng([77, number])
        first, second = (random_graph(draw, size, density=0.4) for size in (5, 6))
        costs = random_costs(draw, deletes=bool(number % 2))
        found = ged.distance(first, second, costs=costs)
        assert found.optimal
        assert close(found.distance, literal_distance(first, second, costs))
    assert divided


def test_a_fixed_node_does_not_hide_its_twins(
    divided: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of nodes that are exactly alike one is tried, unless just that one is taken already."""
    graphs = []
    for leaves in range(2, 7):
        tree = nx.star_graph(leaves)
        tree.add_edges_from((1, leaves + 1 + number) for number in range(3))
        tree.add_edges_from((2, leaves + 4 + number) for number in range(leaves % 3))
        graphs += [tree, nx.complete_bipartite_graph(leaves, 3), nx.barbell_graph(3, leaves % 3)]
    pairs = np.array(list(itertools.combinations(range(len(graphs)), 2)))
    in_parts = proved(graphs, pairs, Costs())
    assert max(divided) > 0
    monkeypatch.setattr(exact, "PATIENCE", 1 << 30)
    assert in_parts == proved(graphs, pairs, Costs())


@pytest.mark.parametrize("most", [1, 3, 10])
def test_bounds_hold_when_a_divided_pair_is_stopped(most: int, divided: list[int]) -> None:
    for case in random_cases():
        check_paths(case, exact.solve(case.problem, case.pairs, Limits(expanded=most)))


def test_sweeps_raise_the_bound_and_never_above_the_distance() -> None:
    """At ten nodes they close half of the gap between the branch bound and the distance."""
    fine, reached = 2048, []
    for number in range(20):
        draw = np.random.default_rng([11, number])
        graphs = [random_graph(draw, 10, density=0.25, labels="CCCNO") for _ in range(2)]
        problem = make_problem(collect(graphs), Costs())
        truth = int(exact.solve(problem, np.array([[0, 1]]), Limits()).upper[0])
        work, form = make_workspace(10, 1), ascent.make_reformulation(10)
        interpreted(load_root)(problem, work, 0, 1)
        branch = -(-int(work.level[0, 0]) // 2)
        ascent.reformulate(problem, work, form, fine)
        bound = 0
        for turn in range(40):
            before, limit = bound, fine * int(work.state[UPPER])  # nothing is barred
            ascent.redistribute(work.near, work.degree, form)
            ascent.sweep(form, bound, limit, 0, 10, turn % 2)
            bound = ascent.raise_bound(form, bound, limit)
            assert before <= bound <= fine * truth
        reached.append((branch, -(-bound // fine), truth))
    low, swept, true = np.array(reached).sum(0)
    assert swept - low > (true - low) / 2
