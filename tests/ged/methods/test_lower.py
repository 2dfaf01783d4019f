"""The label and branch bounds, by hand and never above the truth."""

import networkx as nx
import numpy as np
import pytest
from cases_of import answers, random_cases

from graphpool import ged
from graphpool.ged import Costs
from graphpool.ged.assignment import hungarian, make_assignment_workspace, volgenant_jonker


@pytest.mark.parametrize("solver", [hungarian, volgenant_jonker])
def test_assignments_cost_what_scipy_finds(solver):
    from scipy.optimize import linear_sum_assignment

    draw = np.random.default_rng(0)
    work = make_assignment_workspace(30)
    for size in [*range(13), 30] * 8:
        cost = draw.integers(0, draw.choice([2, 9, 10**12]), (size, size), dtype=np.int64)
        cost[draw.random((size, size)) < 0.2] = 10**15
        rows, columns = linear_sum_assignment(cost)
        assert solver(cost, size, work) == cost[rows, columns].sum()
        assert sorted(work.column_of[:size].tolist()) == list(range(size))


def test_bids_that_rise_by_one_end():
    # Three rows bid for two columns that cost next to nothing; the third column costs 10**15.
    cost = np.array([[0, 1, 10**15], [1, 0, 10**15], [0, 0, 10**15]], dtype=np.int64)
    assert volgenant_jonker(cost, 3, make_assignment_workspace(3)) == 10**15


@pytest.mark.parametrize("method", ["label", "branch"])
def test_a_bound_is_never_above_the_truth(method):
    for case in random_cases():
        found = answers(case, method)
        assert (found.lower <= case.truth).all()
        assert (found.lower % case.problem.tables.unit == 0).all()
        assert (found.upper == -1).all()
        assert (found.mapping == -1).all()


def test_the_branch_bound_is_never_below_the_label_bound():
    above = 0
    for case in random_cases():
        label, branch = answers(case, "label").lower, answers(case, "branch").lower
        assert (label <= branch).all()
        above += int((label < branch).sum())
    assert above > 0


def test_label_bound_by_hand():
    # Nodes CCO and CNNN: C stays, C and O change, one N is new: 2 * 2 + 5.
    # Edges aa and b: one changes for 0.5 and one goes for 3.
    first = (list("CCO"), [(0, 1, "a"), (1, 2, "a")])
    second = (list("CNNN"), [(0, 1, "b")])
    costs = Costs(
        node_insertion=5.0, node_substitution=2.0, edge_deletion=3.0, edge_substitution=0.5
    )
    assert ged.distance(first, second, "label", costs).lower == 2 * 2 + 5 + 0.5 + 3


def test_label_bound_takes_the_cheapest_substitution_there_is():
    costs = Costs(node_labels={("C", "N"): 0.25})
    assert ged.distance((["C", "C"], []), (["N", "O"], []), "label", costs).lower == 0.5


def test_label_bound_deletes_and_inserts_where_that_is_cheaper():
    costs = Costs(node_substitution=10.0, node_insertion=2.0)
    assert ged.distance((["C"], []), (["N"], []), "label", costs).lower == 3


def test_self_loops_are_no_edges_between_nodes():
    looped, joined = nx.Graph([(0, 0)]), nx.Graph([(0, 1)])
    looped.add_node(1)
    assert ged.distance(looped, joined, "label").lower == 2


def test_directed_edges_count_one_by_one():
    both, one = nx.DiGraph([(0, 1), (1, 0)]), nx.DiGraph([(0, 1)])
    assert ged.distance(both, one, "label").lower == 1


def test_branch_bound_by_hand():
    # A star and a path on 4 nodes have the same labels. Half of the edges that must change:
    # degrees 3 1 1 1 against 2 2 1 1 differ by 1 + 1, so half of 2.
    star, path = nx.star_graph(3), nx.path_graph(4)
    assert ged.distance(star, path, "label").lower == 0
    assert ged.distance(star, path, "branch").lower == 1


def test_half_an_edge_is_rounded_up_to_the_unit():
    # Degrees 2 1 1 0 against 1 1 1 1: half a deletion and half an insertion cost 1.5 + 3, and
    # all distances are multiples of 3.
    costs = Costs(3.0, 3.0, 3.0, edge_insertion=6.0, edge_deletion=3.0, edge_substitution=3.0)
    first, second = (4, [(0, 1), (0, 2)]), (4, [(0, 1), (2, 3)])
    assert ged.distance(first, second, "branch", costs).lower == 6


def test_branch_bound_matches_edges_by_their_own_costs():
    # Both centres have edges a, b; a fits c and b fits d for 0.25, crosswise it costs 2.
    near = {("a", "c"): 0.25, ("b", "d"): 0.25}
    costs = Costs(edge_substitution=2.0, edge_labels={**near, ("a", "d"): 2.0, ("b", "c"): 2.0})
    first, second = ("XYZ", [(0, 1, "a"), (0, 2, "b")]), ("XYZ", [(0, 1, "d"), (0, 2, "c")])
    found = ged.distance(first, second, "branch", costs)
    # Centre: half of 0.25 + 0.25; each leaf: half of 2 crosswise, or 1 for its label and 0.125.
    assert found.lower == 0.25 + 1 + 1


@pytest.mark.parametrize("method", ["label", "branch"])
def test_equal_graphs_are_at_zero(method):
    graph = nx.cycle_graph(5)
    assert ged.distance(graph, graph, method).lower == 0
