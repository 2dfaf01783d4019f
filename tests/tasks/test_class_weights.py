"""Weights of classes and of single graphs in the loss."""

import math

import numpy as np
import pytest
import torch

from graphpool.config import RunConfig, TrainConfig
from graphpool.config.class_weight import read_class_weight, write_class_weight
from graphpool.data.load import load
from graphpool.errors import ConfigError
from graphpool.estimators.classifier import GraphClassifier
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.classes import weighted
from graphpool.tasks.classification import ClassificationTask

QUICK = {"epochs": 2, "hidden_channels": 4, "pooler": "sum"}


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    """12 graphs of class -1 and 36 of class 1."""
    whole = load("MUTAG", features=None)
    parts = [(whole.y == 0).nonzero()[:12, 0], (whole.y == 1).nonzero()[:36, 0]]
    return whole[torch.cat(parts)]


def bits(estimator: GraphClassifier) -> list[bytes]:
    return [value.numpy().tobytes() for value in estimator.model_.network.state_dict().values()]


# ---------------------------------------------------------------------- the setting


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("", {}),
        ("balanced", None),
        ("toxic=4, safe=1", {"toxic": 4.0, "safe": 1.0}),
        ("-1=0.5", {"-1": 0.5}),
        ("a=b=2", {"a=b": 2.0}),
        ('{"a,b": 3}', {"a,b": 3.0}),
    ],
)
def test_text_names_the_weights(text, weights):
    assert read_class_weight(text) == weights


@pytest.mark.parametrize("text", ["toxic", "a=1,a=2", "a=x", "{", "{[", "{" * 10_000, '{"a": []}'])
def test_other_text_is_refused(text):
    with pytest.raises(ConfigError, match="balanced, or weights such as toxic=4,safe=1"):
        TrainConfig(class_weight=text)


@pytest.mark.parametrize("text", ["a=-1", "a=nan", "a=inf"])
def test_weights_must_be_finite_and_not_negative(text):
    with pytest.raises(ConfigError, match="finite"):
        TrainConfig(class_weight=text)


def test_a_dict_of_python_becomes_text():
    written = write_class_weight({1.0: 2, "a,b": 3, np.int64(4): 5})
    assert read_class_weight(written) == {"1": 2.0, "a,b": 3.0, "4": 5.0}
    assert write_class_weight(None) == ""


# ---------------------------------------------------------------------- the weights


def test_balanced_classes_count_the_same(graphs):
    found, _ = weighted(graphs, None, graphs.classes, "balanced")
    sums = [float(found.graph_weight[graphs.y == code].sum()) for code in (0, 1)]
    assert sums == pytest.approx([24, 24])


def test_weights_of_classes_and_graphs_are_multiplied_and_have_mean_one(graphs):
    own = torch.linspace(1, 2, len(graphs))
    found, _ = weighted(graphs.with_weight(own), None, graphs.classes, "-1=3")
    expected = torch.where(graphs.y == 0, 3.0, 1.0) * own
    torch.testing.assert_close(found.graph_weight, expected / expected.mean())


@pytest.mark.parametrize("text", ["", "-1=2,1=2"])
def test_equal_weights_are_left_out(graphs, text):
    found, held = weighted(graphs.with_weight(torch.full((48,), 3.0)), graphs, graphs.classes, text)
    assert found.graph_weight is None
    assert held.graph_weight is None


def test_an_unknown_class_is_named(graphs):
    with pytest.raises(ConfigError, match=r"unknown class in train.class_weight 'toxic'"):
        weighted(graphs, None, graphs.classes, "toxic=2")


def test_the_loss_is_the_weighted_mean_of_cross_entropies(graphs):
    weights = np.linspace(0.5, 2, len(graphs))
    fitted = GraphClassifier(**QUICK, validation=0).fit(graphs, sample_weight=weights)
    model, task = fitted.model_, fitted.model_.task
    probability = fitted.predict_proba(graphs)[np.arange(48), graphs.y.numpy()]
    plain = task.score(model, graphs)["loss"]
    assert plain == pytest.approx(-np.log(probability).mean(), rel=1e-5)
    given, _ = weighted(graphs.with_weight(torch.from_numpy(weights)), None, graphs.classes, "")
    loss = task.evaluate(model.network, model.prepare(given), 16)["loss"]
    assert loss == pytest.approx(-np.average(np.log(probability), weights=weights), rel=1e-5)
    batch = model.prepare(given).batch()
    assert task.step(model.network, batch).loss.item() == pytest.approx(loss, rel=1e-5)
    assert task.losses(model.network, batch).mean().item() == pytest.approx(loss, rel=1e-5)


# ---------------------------------------------------------------------- in fit


@pytest.fixture(scope="module")
def plain(graphs: GraphSet) -> list[bytes]:
    return bits(GraphClassifier(**QUICK).fit(graphs))


def test_weights_of_one_change_no_bit(graphs, plain):
    assert bits(GraphClassifier(**QUICK).fit(graphs, sample_weight=np.ones(48))) == plain
    equal = GraphClassifier(**QUICK, class_weight={-1: 2, 1: 2}).fit(graphs)
    assert bits(equal) == plain


def test_other_weights_do(graphs, plain):
    weights = np.where(graphs.y == 0, 3.0, 1.0)
    own = bits(GraphClassifier(**QUICK).fit(graphs, sample_weight=weights))
    assert own != plain
    assert bits(GraphClassifier(**QUICK, class_weight="-1=3").fit(graphs)) == own


def test_a_graph_of_weight_zero_is_left_out(graphs):
    weights = np.ones(48)
    weights[[3, 20]] = 0
    kept = graphs[np.flatnonzero(weights)]
    assert bits(GraphClassifier(**QUICK).fit(graphs, sample_weight=weights)) == bits(
        GraphClassifier(**QUICK).fit(kept)
    )


def test_balanced_weights_find_the_rare_class():
    """Ten percent of noisy graphs are of class 1; without weights none of them is found."""
    generator = np.random.default_rng(0)
    y = (np.arange(200) % 10 == 0).astype(int)
    nodes = torch.from_numpy(generator.integers(3, 9, 200) + 2 * y)
    index = torch.cat(
        [torch.stack([torch.arange(n - 1), torch.arange(1, n)]) for n in nodes.tolist()], dim=1
    )
    paths = GraphSet.build(
        "paths", nodes, nodes - 1, index, undirected=True, y=torch.from_numpy(y), classes=(0, 1)
    )
    options = {"pooler": "sum", "hidden_channels": 8, "epochs": 15, "validation": 0}
    recall = {}
    for name, extra in {"plain": {}, "balanced": {"class_weight": "balanced"}}.items():
        fitted = GraphClassifier(**options, features="constant", **extra).fit(paths)
        recall[name] = fitted.predict(paths)[y == 1].mean()
    assert recall["plain"] < 0.2
    assert recall["balanced"] > 0.5


@pytest.mark.parametrize(
    "weights", [np.ones(3), -np.ones(48), np.zeros(48), np.full(48, np.nan), ["a"] * 48, [[1]] * 48]
)
def test_wrong_weights_are_refused(graphs, weights):
    with pytest.raises(ValueError, match="sample_weight"):
        GraphClassifier(**QUICK).fit(graphs, sample_weight=weights)


def test_score_takes_weights(graphs):
    fitted = GraphClassifier(**QUICK).fit(graphs)
    correct = fitted.predict(graphs) == np.asarray(graphs.classes)[graphs.y]
    weights = np.linspace(0, 1, 48)
    found = fitted.score(graphs, sample_weight=torch.from_numpy(weights))
    assert found == pytest.approx(np.average(correct, weights=weights))


def test_a_saved_model_scores_as_before(graphs, tmp_path):
    fitted = GraphClassifier(**QUICK, class_weight={-1: 3}).fit(graphs)
    loaded = GraphClassifier.load(fitted.save(tmp_path / "model.safetensors"))
    assert loaded.model_.score(graphs) == pytest.approx(fitted.model_.score(graphs))
    assert read_class_weight(loaded.class_weight) == {"-1": 3.0}


def test_a_run_has_the_setting(tmp_path, data_root):
    config = RunConfig(data="MUTAG", train=TrainConfig(class_weight="balanced"))
    data = ClassificationTask.open(config)
    task = ClassificationTask.of(data.train)
    train, valid = task.weighted(data.train, data.valid, config.train)
    assert math.isclose(float(train.graph_weight.mean()), 1, rel_tol=1e-5)
    assert valid.graph_weight is not None
