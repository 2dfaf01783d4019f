"""The search as plain Python gives the answers of the compiled one, and spares its compilation."""

import warnings

import networkx as nx
import numpy as np
import pytest

from graphpool.errors import FeatureWarning
from graphpool.ged import distance, exact
from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.ignored import not_counted
from graphpool.ged.pair import make_problem
from graphpool.ged.result import Limits

LIMITS = Limits(None, None)


def some_graphs(directed=False):
    graphs = []
    for seed, nodes in enumerate((4, 6, 10, 12, 13)):
        graph = nx.gnm_random_graph(nodes, nodes + 2, seed=seed, directed=directed)
        nx.set_node_attributes(graph, {v: "C" if seed > 1 else "CN"[v % 2] for v in graph}, "label")
        nx.set_edge_attributes(graph, {e: "-="[sum(e) % 2] for e in graph.edges}, "label")
        graphs.append(graph)
    return graphs


@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("seconds", [100.0, 0.02])
def test_it_gives_the_answers_of_the_compiled_search(monkeypatch, directed, seconds):
    """A short time leaves a search to the compiled code in the middle."""
    problem = make_problem(collect(some_graphs(directed)), Costs())
    pairs = np.stack(np.triu_indices(5, 1), axis=1)
    expected = exact.solve(problem, pairs, LIMITS)
    monkeypatch.setattr(exact, "is_ready", lambda function: False)
    monkeypatch.setattr(exact, "_UNCOMPILED", seconds)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        answers = exact.solve(problem, pairs, LIMITS)
    assert expected.expanded.max() > 64  # kicks are among the steps
    for one, other in zip(answers, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_a_small_pair_is_solved_without_compiled_code(monkeypatch):
    plain = exact._python_run(exact.run)  # made from the dispatchers, before they are replaced

    def refuse(*arguments):
        raise AssertionError("compiled code was called")

    monkeypatch.setattr(exact, "is_ready", lambda function: False)
    monkeypatch.setattr(exact, "_python_run", lambda function: plain)
    monkeypatch.setattr(exact, "run", refuse)
    assert distance(nx.path_graph(5), nx.cycle_graph(6)).distance == 3


def test_attributes_that_do_not_count_are_said():
    one, other = nx.path_graph(3), nx.path_graph(3)
    nx.set_node_attributes(one, 1.0, "charge")
    nx.set_edge_attributes(other, 2.0, "length")
    expected = ("the node attribute charge", "the edge attribute length")
    assert not_counted([one, other]) == expected
    with pytest.warns(FeatureWarning, match="does not count the node attribute charge and"):
        distance(one, other)


def test_labels_are_no_attributes_that_do_not_count():
    assert not_counted(some_graphs()) == ()
