"""Hungarian and VJ: valid edit paths from one assignment."""

import networkx as nx
import numpy as np
import pytest
from cases_of import answers, check_paths, make_case, random_cases
from scipy.optimize import linear_sum_assignment

from graphpool import ged
from graphpool.ged import Costs
from graphpool.ged.local_edge_costs import load_local_costs, make_local_costs
from graphpool.ged.methods.bipartite import match_nodes
from graphpool.ged.pair import load_pair, padded_size

METHODS = ["hungarian", "vj"]


@pytest.mark.parametrize("method", METHODS)
def test_paths_are_valid_and_bounds_hold(method):
    for case in random_cases():
        check_paths(case, answers(case, method))


@pytest.mark.parametrize("method", METHODS)
def test_equal_graphs_with_unlike_nodes_are_matched(method):
    graph = (list("CNOF"), [(0, 1), (1, 2), (2, 3)])
    found = ged.distance(graph, graph, method)
    assert found.distance == 0
    assert found.mapping == (0, 1, 2, 3)
    assert found.optimal


@pytest.mark.parametrize("method", METHODS)
def test_dear_substitutions_become_deletions_and_insertions(method):
    found = ged.distance((["C"], []), (["N"], []), method, Costs(node_substitution=9.0))
    assert [str(step) for step in found.path] == ["delete node 0 (C)", "insert node 0 (N)"]
    assert found.distance == 2


@pytest.mark.parametrize("method", METHODS)
def test_a_graph_without_nodes_is_filled_or_emptied(method):
    triangle = nx.complete_graph(3)
    assert ged.distance((0, []), triangle, method).distance == 6
    assert ged.distance(triangle, (0, []), method).distance == 6
    assert ged.distance((0, []), (0, []), method).distance == 0


@pytest.mark.parametrize("jonker", [0, 1])
def test_the_matrix_is_the_one_of_riesen_and_bunke(jonker):
    # A path N-C-C and an edge C-N; entries are written out by hand below.
    case = make_case(
        [nx.path_graph(3), nx.path_graph(2)], Costs(node_deletion=2.0, edge_insertion=3.0)
    )
    nx.set_node_attributes(case.graphs[0], {0: "N", 1: "C", 2: "C"}, "label")
    nx.set_node_attributes(case.graphs[1], {0: "C", 1: "N"}, "label")
    case = make_case(case.graphs, case.costs)
    problem = case.problem
    work = make_local_costs(problem, padded_size(problem, case.pairs))
    load_pair(problem, 0, 1, work.pair)
    load_local_costs(problem, 0, 1, 3, work)
    mapping = np.zeros(3, dtype=np.int32)
    match_nodes(problem, work, 3, 3, 2, jonker, mapping)
    cost = work.cost[:5, :5]
    assert cost[:3, :2].tolist() == [[1, 0], [1, 2], [0, 1]]
    assert [cost[v, 2 + v] for v in range(3)] == [3, 4, 3]
    assert [cost[3 + u, u] for u in range(2)] == [4, 4]
    assert (cost[3:, 2:] == 0).all()
    rows, columns = linear_sum_assignment(cost)
    chosen = work.assignment.column_of[:5]
    assert cost[np.arange(5), chosen].sum() == cost[rows, columns].sum() == 4
