"""Small random pairs of every kind with their true distances, for all methods to be checked on."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from graphs_of import random_costs, random_graph
from numpy.typing import NDArray
from truth_of import close, literal_distance

from graphpool.ged import METHODS, Answers, Costs, GedProblem, Limits, collect, make_problem
from graphpool.ged.pair import load_pair, make_pair, mapping_cost


class Case(NamedTuple):
    """All ordered pairs of a few graphs under the same costs.

    Args:
        truth: `[pairs]` distances in whole numbers, as methods give them.
    """

    graphs: list[Any]
    costs: Costs
    problem: GedProblem
    pairs: NDArray[np.int64]
    truth: NDArray[np.int64]


def make_case(graphs: list[Any], costs: Costs) -> Case:
    """All ordered pairs of these NetworkX graphs."""
    problem = make_problem(collect(graphs), costs)
    count = range(len(graphs))
    pairs = np.array([(i, j) for i in count for j in count], dtype=np.int64)
    exact = [literal_distance(graphs[i], graphs[j], costs) * problem.tables.scale for i, j in pairs]
    truth = np.array([round(value) for value in exact], dtype=np.int64)
    assert all(close(value, whole) for value, whole in zip(exact, truth.tolist(), strict=True))
    return Case(graphs, costs, problem, pairs, truth)


@cache
def random_cases() -> list[Case]:
    """Labelled, edge-labelled, directed, looped, with deletions worth it and not, 0 to 4 nodes."""
    draw = np.random.default_rng(5)
    made = []
    for number in range(24):
        kind = {
            "density": [0.3, 0.6][number % 2],
            "directed": number % 4 > 1,
            "loops": number % 3 == 0,
            "edge_labels": ["", "ab", "abc"][number % 3],
        }
        graphs = [random_graph(draw, int(nodes), **kind) for nodes in draw.integers(0, 5, 3)]
        graphs.append(random_graph(draw, 4, **kind))
        costs = random_costs(draw, deletes=number % 8 > 3) if number else Costs()
        made.append(make_case(graphs, costs))
    return made


def answers(case: Case, method: str, limits: Limits | None = None) -> Answers:
    """What a method answers to all pairs of a case."""
    return METHODS[method].solve(case.problem, case.pairs, limits or Limits())


def check_paths(case: Case, found: Answers) -> None:
    """Every mapping is a permutation that costs `upper`, and the truth is between the bounds."""
    work = make_pair(found.mapping.shape[1])
    for at, (first, second) in enumerate(case.pairs.tolist()):
        size, _, _ = load_pair(case.problem, first, second, work)
        mapping = found.mapping[at]
        assert sorted(mapping[:size].tolist()) == list(range(size))
        assert (mapping[size:] == -1).all()
        assert mapping_cost(case.problem, work, size, mapping) == found.upper[at]
    assert (found.lower <= case.truth).all()
    assert (case.truth <= found.upper).all()
