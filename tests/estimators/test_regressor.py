"""`GraphRegressor`: numbers about graphs, with gaps, weights and intervals."""

import warnings
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from sklearn.metrics import r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import check_estimator

import graphpool as gp
from graphpool.errors import ConfigError, DataError, GraphpoolError
from tests.helpers.rows import RowRegressor

QUICK: dict[str, Any] = {
    "pooler": "sum", "encoder": "gcn", "epochs": 3, "hidden_channels": 8, "threads": 1,
}  # fmt: skip
SMALL: dict[str, Any] = {**QUICK, "epochs": 40, "hidden_channels": 16, "learning_rate": 0.02}


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    """Molecules; the number is that of their bonds, and the second one that of oxygen atoms."""
    graphs = gp.load("MUTAG", features=None)[:80]
    oxygen = torch.zeros(80).index_add_(0, graphs.node_graph, (graphs.node_label == 2).float())
    target = torch.stack([graphs.edge_counts / 2 + 1000.5, oxygen], dim=1)
    return replace(graphs, y=None, classes=(), target=target, target_names=("bonds", "O"))


@pytest.fixture(scope="module")
def fitted(graphs: gp.GraphSet) -> gp.GraphRegressor:
    return gp.GraphRegressor(**SMALL).fit(graphs, graphs.target[:, 0])


def test_it_learns_what_is_easy_in_units_of_the_target(
    fitted: gp.GraphRegressor, graphs: gp.GraphSet
) -> None:
    y = graphs.target[:, 0].numpy()
    predicted = fitted.predict(graphs)
    assert predicted.shape == (80,)
    assert fitted.score(graphs, y) > 0.9
    assert fitted.score(graphs, y) == pytest.approx(r2_score(y, predicted))
    assert fitted.model_.score(graphs.with_target(graphs.target[:, :1]))["mae"] < 2


def test_several_targets_of_the_set_and_gaps(graphs: gp.GraphSet) -> None:
    y = graphs.target.clone()
    y[::3, 1] = float("nan")
    y[5] = float("nan")
    model = gp.GraphRegressor(**SMALL).fit(graphs.with_target(y, ("bonds", "O")))
    assert model.target_names_ == ("bonds", "O")
    assert model.predict(graphs).shape == (80, 2)
    assert model.score(graphs) > 0.7
    assert model.model_.task.mean[1] == pytest.approx(float(y[:, 1].nanmean()), rel=0.2)


def test_whole_numbers_of_a_set_are_taken_as_numbers() -> None:
    graphs = gp.load("MUTAG", features=None)[:30]
    model = gp.GraphRegressor(**QUICK).fit(graphs)
    assert set(graphs.classes) == {-1, 1}
    assert -2 < model.predict(graphs).mean() < 2


@pytest.mark.parametrize("interval", ["gaussian", "quantile"])
def test_intervals_hold_most_values_and_the_prediction(graphs: gp.GraphSet, interval: str) -> None:
    y = graphs.target[:, 0].numpy()
    model = gp.GraphRegressor(**{**SMALL, "epochs": 80}, interval=interval).fit(graphs, y)
    lower, upper = model.predict_interval(graphs)
    predicted = model.predict(graphs)
    assert ((lower <= predicted) & (predicted <= upper)).all()
    assert 0.6 < ((lower <= y) & (y <= upper)).mean() <= 1
    found = model.model_.score(graphs.with_target(torch.from_numpy(y)[:, None]))
    assert found["coverage"] == pytest.approx(((lower <= y) & (y <= upper)).mean())


def test_without_intervals_that_is_said(fitted: gp.GraphRegressor, graphs: gp.GraphSet) -> None:
    with pytest.raises(ConfigError, match="interval='quantile'"):
        fitted.predict_interval(graphs)


@pytest.mark.parametrize("loss", ["mae", "mse", "huber"])
def test_every_loss_is_that_of_torch(graphs: gp.GraphSet, loss: str) -> None:
    y = graphs.target[:, 0].numpy()
    model = gp.GraphRegressor(**QUICK, loss=loss, validation=0.0).fit(graphs, y)
    task = model.model_.task
    kind = {"mae": "l1_loss", "mse": "mse_loss", "huber": "huber_loss"}[loss]
    ours = model.model_.score(graphs.with_target(torch.from_numpy(y)[:, None]))["loss"]
    scaled = [
        torch.from_numpy((v - task.mean[0]) / task.spread[0]) for v in (model.predict(graphs), y)
    ]
    assert ours == pytest.approx(float(getattr(torch.nn.functional, kind)(*scaled)), rel=1e-5)


def test_weights_and_repetitions_are_the_same_to_the_loss(graphs: gp.GraphSet) -> None:
    y = graphs.target[:, 0].numpy()
    weight = np.where(np.arange(80) < 40, 1.0, 0.0)
    half = gp.GraphRegressor(**QUICK, validation=0.0).fit(graphs[:40], y[:40])
    weighted = gp.GraphRegressor(**QUICK, validation=0.0).fit(graphs, y, weight)
    assert np.array_equal(half.predict(graphs), weighted.predict(graphs))


def test_a_saved_model_predicts_the_same(tmp_path: Path, graphs: gp.GraphSet) -> None:
    model = gp.GraphRegressor(**QUICK, interval="gaussian", loss="mae").fit(graphs)
    back = gp.GraphRegressor.load(model.save(tmp_path / "m.safetensors"))
    assert np.array_equal(model.predict(graphs), back.predict(graphs))
    assert np.array_equal(model.predict_interval(graphs)[1], back.predict_interval(graphs)[1])
    assert back.get_params()["interval"] == "gaussian"
    assert back.target_names_ == model.target_names_
    with pytest.raises(GraphpoolError, match="graph regressor"):
        gp.GraphClassifier.load(tmp_path / "m.safetensors")


def test_the_report_is_one_page(tmp_path: Path, fitted: gp.GraphRegressor, graphs: Any) -> None:
    page = fitted.report(tmp_path / "r.html", graphs, graphs.target[:, 0]).read_text()
    assert "predicted against true" in page
    assert "residuals" in page


def test_searches_of_scikit_learn(graphs: gp.GraphSet) -> None:
    y = graphs.target[:, 0].numpy()
    assert len(cross_val_score(gp.GraphRegressor(**QUICK), graphs, y, cv=2)) == 2
    search = GridSearchCV(gp.GraphRegressor(**QUICK), {"loss": ["mae", "mse"]}, cv=2,
                          scoring="neg_mean_absolute_error").fit(graphs, y)  # fmt: skip
    assert search.best_params_["loss"] in ("mae", "mse")


def test_graphs_of_other_libraries_and_validation_data() -> None:
    graphs = [nx.path_graph(size) for size in range(2, 22)]
    for graph in graphs:
        graph.graph["y"] = len(graph) + 0.25
    y = [len(graph) / 3 for graph in graphs]
    model = gp.GraphRegressor(**QUICK).fit(graphs)
    assert model.predict(graphs[:3]).shape == (3,)
    model.fit(graphs, y, validation_data=(graphs[:5], y[:5]))
    assert model.result_.best_epoch >= 1


def test_one_node_and_one_large_graph(fitted: gp.GraphRegressor) -> None:
    one = nx.empty_graph(1)
    one.nodes[0]["label"] = 0
    large = nx.random_regular_graph(3, 5000, seed=0)
    nx.set_node_attributes(large, 0, "label")
    assert np.isfinite(fitted.predict([one, large])).all()


def test_the_same_number_everywhere_is_predicted(graphs: gp.GraphSet) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gp.GraphRegressor(**SMALL).fit(graphs, np.full(80, 7.5))
    assert np.abs(model.predict(graphs) - 7.5).max() < 1


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (["a"] * 80, "can't be read as an array"),
        (np.zeros(79), "shape"),
        (np.zeros((80, 1, 1)), "shape"),
        (np.full(80, np.nan), "NaN for every graph"),
        (np.full(80, np.inf), "not finite"),
    ],
)
def test_what_are_no_numbers_is_refused(graphs: gp.GraphSet, y: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gp.GraphRegressor(**QUICK).fit(graphs, y)


def test_metrics_of_other_tasks_are_refused(graphs: gp.GraphSet) -> None:
    with pytest.raises(ConfigError, match="no metric of regression"):
        gp.GraphRegressor(**QUICK, scoring="roc_auc").fit(graphs)
    with pytest.raises(ConfigError, match="no metric of classification"):
        gp.GraphClassifier(**QUICK, scoring="mae").fit(gp.load("MUTAG")[:20])
    counts, none = torch.tensor([1, 1]), torch.tensor([0, 0])
    y = torch.tensor([0, 1])
    words = gp.GraphSet.build("w", counts, none, torch.zeros(2, 0), y=y, classes=("a", "b"))
    with pytest.raises(DataError, match="no number; learn classes with GraphClassifier"):
        gp.GraphRegressor(**QUICK).fit(words)


@pytest.mark.slow
def test_all_checks_of_scikit_learn_pass_where_graphs_are_rows() -> None:
    rounded = "networks compute in float32, and sums of other batches differ in the last digits"
    expected = dict.fromkeys(
        ("check_methods_subset_invariance", "check_methods_sample_order_invariance",
         "check_sample_weight_equivalence_on_dense_data"), rounded,
    )  # fmt: skip
    rows = {"features": "given", "epochs": 15, "hidden_channels": 16, "num_layers": 1,
            "learning_rate": 0.05, "batch_size": 100, "validation": 0.0, "threads": 1}  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            RowRegressor("sum", **rows), expected_failed_checks=expected, on_skip=None
        )
    names: dict[str, set[str]] = defaultdict(set)
    for result in results:
        names[result["status"]].add(result["check_name"])
    assert not names["failed"]
    assert len(names["passed"]) >= 45
