"""Models of pairs on parts that recur: graphs of one set and of two get the same answers."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.literal_parts import chains

import graphpool as gp
from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.pairs import PairSet
from graphpool.estimators.comparer import GraphComparer
from graphpool.estimators.matcher import GraphMatcher
from graphpool.graphs import GraphSet, RecurringParts
from graphpool.models import TrainedModel

POOLERS = ("hap", "hap-one-way", "gmn-hap", "simgnn-hap")
HERE, THERE = np.arange(4), np.arange(4, 10)
QUICK: dict[str, Any] = {"epochs": 1, "hidden_channels": 8, "threads": 1, "units": "recurring"}


def pairs_of(graphs: GraphSet) -> PairSet:
    left = torch.arange(0, len(graphs), 2)
    return PairSet(graphs, left, left + 1, (left % 4 == 0).float())


def true_distances(graphs: GraphSet, others: GraphSet) -> np.ndarray:
    sizes = [side.node_counts.double().numpy() for side in (graphs, others)]
    return np.abs(np.subtract.outer(*sizes))


@pytest.fixture(scope="module", params=POOLERS)
def model(request: pytest.FixtureRequest) -> TrainedModel:
    config = RunConfig(
        task="matching",
        model=ModelConfig(request.param, encoder="gcn", hidden_channels=8, units="recurring"),
        train=TrainConfig(epochs=2, batch_size=16, threads=1),
    )
    return TrainedModel.fit(pairs_of(chains(0, 20)), None, config)


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return chains(1, 10)


def test_graphs_of_two_sets_are_as_far_apart_as_in_one(
    model: TrainedModel, graphs: GraphSet
) -> None:
    within = model.distances(graphs, HERE, THERE)
    assert len(np.unique(within)) > 1
    np.testing.assert_array_equal(model.between(graphs[HERE], graphs[THERE]), within)
    far, where = model.kneighbors(graphs[HERE], graphs[THERE], 6)
    np.testing.assert_array_equal(np.take_along_axis(within, where, 1), far)


def test_two_graphs_are_as_far_apart_as_among_others(model: TrainedModel, graphs: GraphSet) -> None:
    within = model.distances(graphs, HERE, THERE)
    for row, column in ((0, 0), (3, 5), (2, 1)):
        one, other = graphs[[HERE[row]]], graphs[[THERE[column]]]
        compared = model.compare(one, other)
        assert compared.distance == pytest.approx(within[row, column], abs=1e-5, rel=1e-4)
        assert model.compare(other, one) == compared


@pytest.mark.filterwarnings("ignore:.*'Xe':graphpool.errors.FeatureWarning")
def test_labels_that_are_new_are_no_obstacle(model: TrainedModel, graphs: GraphSet) -> None:
    new = chains(2, 4, words=("C", "N", "O", "Xe"))
    across = model.between(new, graphs[THERE])
    both = gp.concatenate([new, graphs[THERE]])
    np.testing.assert_array_equal(across, model.distances(both, HERE, THERE))
    compared = model.compare(new[[1]], graphs[[THERE[2]]])
    assert compared.distance == pytest.approx(across[1, 2], abs=1e-5, rel=1e-4)


def test_parts_that_the_graphs_have_are_not_found_again(
    model: TrainedModel, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = model.between(graphs[HERE], graphs[THERE])
    known = model.features.with_places(graphs)
    asked = []
    apply = RecurringParts.apply
    monkeypatch.setattr(
        RecurringParts, "apply", lambda self, given: asked.append(given) or apply(self, given)
    )
    np.testing.assert_array_equal(model.between(known[HERE], known[THERE]), expected)
    model.compare(known[[0]], known[[1]])
    assert not asked
    model.between(graphs[HERE], graphs[THERE])
    assert [len(given) for given in asked] == [len(HERE), len(THERE)]


def test_equal_features_are_no_equal_graphs_where_edges_are_cut_elsewhere() -> None:
    """`gcn` reads no labels of edges, and `degree` none of nodes; parts depend on both."""
    config = RunConfig(
        task="matching",
        features="degree",
        model=ModelConfig("hap", encoder="gcn", hidden_channels=8, units="recurring"),
        train=TrainConfig(epochs=1, batch_size=16, threads=1),
    )
    model = TrainedModel.fit(pairs_of(chains(0, 20)), None, config)
    torch.nn.init.ones_(model.network.network.places[0].gate)
    graph = chains(1, 10)[[0]]
    other = replace(graph, node_label=torch.zeros_like(graph.node_label))
    both = model.features.with_places(graph), model.features.with_places(other)
    assert model.features.parts is not None
    rule = model.features.parts.rule
    assert not torch.equal(both[0].places(rule).cluster, both[1].places(rule).cluster)
    compared, back = model.compare(graph, other), model.compare(other, graph)
    assert compared == back
    assert compared.distance > 0
    assert compared.distance == pytest.approx(float(model.between(graph, other)[0, 0]), rel=1e-4)
    assert model.compare(graph, graph).distance == 0


FORMS: dict[str, Callable[[GraphSet], Any]] = {
    "a set": lambda graphs: graphs,
    "graphs": list,
    "NetworkX": gp.to_networkx,
}


@pytest.fixture(scope="module", params=["hap", "hap-one-way"])
def comparer(request: pytest.FixtureRequest) -> GraphComparer:
    graphs = chains(0, 20)
    comparer = GraphComparer(request.param, triplets=60, **QUICK)
    return comparer.fit(graphs, true_distances(graphs, graphs))


@pytest.mark.parametrize("form", FORMS)
def test_a_comparer_takes_graphs_in_any_form(
    comparer: GraphComparer, graphs: GraphSet, form: str
) -> None:
    queries, others = FORMS[form](graphs[HERE]), FORMS[form](graphs[THERE])
    y = true_distances(graphs[HERE], graphs[THERE])
    expected = comparer.model_.distances(graphs, HERE, THERE)
    np.testing.assert_allclose(comparer.distances(queries, others), expected, atol=1e-5)
    np.testing.assert_allclose(
        comparer.kneighbors(queries, 6, among=others)[0], np.sort(expected, axis=1), atol=1e-5
    )
    assert comparer.kneighbors(queries, 3)[0].shape == (4, 3)
    assert 0 <= comparer.score(queries, y, among=others) <= 1


def test_a_comparer_takes_a_single_graph(comparer: GraphComparer, graphs: GraphSet) -> None:
    within = comparer.model_.distances(graphs, HERE, THERE)
    found = comparer.distances(graphs[0], gp.to_networkx(graphs[4]))
    np.testing.assert_allclose(found, within[:1, :1], atol=1e-5)


@pytest.mark.parametrize("pooler", ["hap", "hap-one-way"])
def test_a_matcher_reports_on_graphs_of_networkx(pooler: str, tmp_path: Path) -> None:
    graphs = chains(0, 20)
    pairs = pairs_of(graphs)
    matcher = GraphMatcher(pooler, **QUICK).fit(pairs)
    positions = torch.stack([pairs.left, pairs.right], 1).numpy()
    given = gp.to_networkx(graphs)
    page = matcher.report(tmp_path / "report.html", given, pairs.y.numpy(), positions)
    assert page.exists()
    np.testing.assert_allclose(
        matcher.predict_proba(given, positions), matcher.predict_proba(pairs), atol=1e-5
    )


def test_weights_and_texts_of_one_side_are_ignored(model: TrainedModel, graphs: GraphSet) -> None:
    weighted = graphs[HERE].with_weight(torch.ones(len(HERE)))
    plain = model.between(graphs[HERE], graphs[THERE])
    np.testing.assert_array_equal(model.between(weighted, graphs[THERE]), plain)
