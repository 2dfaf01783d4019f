"""What `GraphClassifier.fit` takes beside graphs: validation graphs of one's own, a metric."""

import dataclasses

import numpy as np
import pytest

from graphpool.data.load import load
from graphpool.errors import ConfigError, DataError, GraphpoolWarning, TrainingWarning
from graphpool.estimators.classifier import GraphClassifier
from graphpool.graphs.graphset import GraphSet

QUICK = {"epochs": 2, "hidden_channels": 4, "pooler": "sum"}


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return load("MUTAG", features=None)[:60]


def bits(estimator: GraphClassifier) -> list[bytes]:
    return [value.numpy().tobytes() for value in estimator.model_.network.state_dict().values()]


def test_validation_graphs_of_ones_own_choose_the_epoch(graphs):
    train, valid = GraphClassifier(**QUICK)._parts(graphs)
    names = np.asarray(graphs.classes)
    shared = bits(GraphClassifier(**QUICK).fit(graphs))
    for given in (
        valid,
        (valid, None),
        (valid, valid.y),
        (list(valid), None),
    ):
        fitted = GraphClassifier(**QUICK).fit(train, validation_data=given)
        assert bits(fitted) == shared
    by_name = GraphClassifier(**QUICK).fit(
        train, names[train.y], validation_data=(valid, names[valid.y])
    )
    assert bits(by_name) == shared
    assert fitted.result_.best_metrics["accuracy"] == fitted.model_.score(valid)["accuracy"]


def test_all_other_graphs_are_learned_from(graphs):
    fitted = GraphClassifier(**QUICK, validation=0.5).fit(graphs[:40], validation_data=graphs[40:])
    whole = GraphClassifier(**QUICK, validation=0).fit(graphs[:40])
    assert fitted.result_.history[0]["train"] == whole.result_.history[0]["train"]


def test_weights_of_validation_graphs(graphs):
    given = (graphs[40:], None, np.linspace(0, 1, 20))
    weighted = GraphClassifier(**QUICK).fit(graphs[:40], validation_data=given)
    plain = GraphClassifier(**QUICK).fit(graphs[:40], validation_data=graphs[40:])
    assert weighted.result_.best_metrics["loss"] != plain.result_.best_metrics["loss"]


def test_wrong_validation_data_are_refused(graphs):
    train, valid = graphs[:40], graphs[40:]
    unnamed = dataclasses.replace(valid, y=None, classes=())
    for given, message in (
        (3, "must be a set of graphs with classes"),
        ((valid,), "must be a set"),
        (unnamed, "have no classes"),
        ((valid, np.full(20, 7)), "none of the classes"),
        ((valid, [0, 1]), "shape"),
    ):
        with pytest.raises(DataError, match=message):
            GraphClassifier(**QUICK).fit(train, validation_data=given)


def test_the_metric_that_chooses_the_epoch_is_an_argument(graphs):
    fitted = GraphClassifier(**QUICK, scoring="roc_auc").fit(graphs)
    best = max(row["valid"]["roc_auc"] for row in fitted.result_.history)
    assert fitted.result_.best_metrics["roc_auc"] == best
    with pytest.raises(ConfigError, match="did you mean 'roc_auc'"):
        GraphClassifier(scoring="roc-auc").fit(graphs)


def test_a_model_with_one_answer_warns(graphs):
    with pytest.warns(TrainingWarning, match="answers 1 for every graph") as caught:
        fitted = GraphClassifier(**QUICK, learning_rate=0.1, class_weight={-1: 0}).fit(graphs)
    assert issubclass(caught[0].category, GraphpoolWarning)
    assert "for every graph" in fitted.result_.warnings[0]
