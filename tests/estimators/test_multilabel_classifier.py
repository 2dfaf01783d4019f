"""`GraphMultiLabelClassifier`: labels of 0 and 1 about graphs, with gaps and weights."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from sklearn.base import clone, is_classifier
from sklearn.exceptions import SkipTestWarning
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import check_estimator

import graphpool as gp
from graphpool.errors import DataError, GraphpoolError, GraphpoolWarning

QUICK: dict[str, Any] = {
    "pooler": "sum", "encoder": "gcn", "epochs": 3, "hidden_channels": 8, "threads": 1,
}  # fmt: skip
SMALL: dict[str, Any] = {**QUICK, "epochs": 40, "hidden_channels": 16, "learning_rate": 0.02}
NAN = float("nan")


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    """Molecules: whether they are large, and whether they have many oxygen atoms."""
    graphs = gp.load("MUTAG", features=None)[:80]
    oxygen = torch.zeros(80).index_add_(0, graphs.node_graph, (graphs.node_label == 2).float())
    target = torch.stack([(graphs.node_counts > 17).float(), (oxygen > 3).float()], dim=1)
    return replace(graphs, y=None, classes=(), target=target, target_names=("large", "oxygen"))


@pytest.fixture(scope="module")
def fitted(graphs: gp.GraphSet) -> gp.GraphMultiLabelClassifier:
    return gp.GraphMultiLabelClassifier(**SMALL).fit(graphs)


def test_it_learns_what_is_easy(fitted: gp.GraphMultiLabelClassifier, graphs: gp.GraphSet) -> None:
    shares, y = fitted.predict_proba(graphs), graphs.target.numpy()
    assert shares.shape == (80, 2)
    assert ((shares > 0) & (shares < 1)).all()
    assert (fitted.predict(graphs) == (shares > 0.5)).all()
    assert fitted.predict(graphs).dtype == np.int64
    assert fitted.label_names_ == ("large", "oxygen")
    assert fitted.score(graphs) > 0.9
    assert fitted.score(graphs, y) == pytest.approx(roc_auc_score(y, shares))
    assert fitted.model_.score(graphs)["roc_auc"] == pytest.approx(fitted.score(graphs))


def test_gaps_are_left_out(graphs: gp.GraphSet) -> None:
    y = graphs.target.clone()
    y[::3, 1] = NAN
    y[5] = NAN
    model = gp.GraphMultiLabelClassifier(**SMALL).fit(graphs, y)
    known, shares = ~y.isnan().numpy(), model.predict_proba(graphs)
    each = [
        roc_auc_score(y[known[:, column], column], shares[known[:, column], column])
        for column in range(2)
    ]
    assert model.score(graphs, y) == pytest.approx(np.mean(each))
    assert model.score(graphs, y) > 0.8
    with pytest.raises(DataError, match="0 for some graphs and 1 for others"):
        model.score(graphs[:4], torch.zeros(4, 2))
    with pytest.raises(GraphpoolError, match="NaN for every graph"):
        gp.GraphMultiLabelClassifier(**QUICK).fit(graphs, torch.full((80, 2), NAN))


def test_a_label_of_which_nothing_is_known_is_warned_of(graphs: gp.GraphSet) -> None:
    y = graphs.target.clone()
    y[:, 1] = NAN
    with pytest.warns(GraphpoolWarning, match="oxygen is unknown for every graph"):
        gp.GraphMultiLabelClassifier(**QUICK).fit(graphs, y)


def test_a_graph_of_weight_0_is_as_good_as_left_out(graphs: gp.GraphSet) -> None:
    weight = np.ones(80)
    weight[::4] = 0
    kept = weight > 0
    held = (graphs[:20], graphs.target[:20])
    models = [
        gp.GraphMultiLabelClassifier(**QUICK).fit(graphs, None, weight, validation_data=held),
        gp.GraphMultiLabelClassifier(**QUICK).fit(graphs[kept], validation_data=held),
    ]
    one, other = (model.predict_proba(graphs) for model in models)
    assert (one == other).all()


def test_balanced_weights_find_more_of_a_rare_label(graphs: gp.GraphSet) -> None:
    y = graphs.target.clone()
    y[30:, 1] = 0
    found = [
        gp.GraphMultiLabelClassifier(**QUICK, class_weight=weight).fit(graphs, y)
        .predict_proba(graphs)[:, 1].mean()
        for weight in (None, "balanced", {"oxygen": 20})
    ]  # fmt: skip
    assert found[0] < found[1]
    assert found[0] < found[2]


def test_saved_and_loaded_it_is_the_same(
    fitted: gp.GraphMultiLabelClassifier, graphs: gp.GraphSet, tmp_path: Path
) -> None:
    fitted.save(tmp_path / "model.safetensors")
    loaded = gp.GraphMultiLabelClassifier.load(tmp_path / "model.safetensors")
    assert (loaded.predict_proba(graphs) == fitted.predict_proba(graphs)).all()
    assert loaded.label_names_ == fitted.label_names_
    assert loaded.get_params()["hidden_channels"] == 16
    with pytest.raises(GraphpoolError, match="multi-label graph classifier"):
        gp.GraphClassifier.load(tmp_path / "model.safetensors")


def test_scikit_learn_cuts_and_searches(graphs: gp.GraphSet) -> None:
    model, y = gp.GraphMultiLabelClassifier(**QUICK), graphs.target.numpy()
    scores = cross_val_score(model, graphs, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    assert cross_val_score(model, graphs, y, cv=3) == pytest.approx(scores)
    assert cross_val_score(model, graphs, y, cv=3, scoring="roc_auc") == pytest.approx(scores)
    gaps = np.where(np.arange(160).reshape(80, 2) % 7 == 0, NAN, y)
    assert np.isfinite(cross_val_score(model, graphs, gaps, cv=KFold(3))).all()
    search = GridSearchCV(model, {"class_weight": ["", "balanced"]}, cv=2).fit(graphs, y)
    assert search.best_params_["class_weight"] in ("", "balanced")
    assert clone(model).get_params() == model.get_params()


def test_labels_are_named_by_the_columns_of_a_frame(graphs: gp.GraphSet) -> None:
    class Frame:
        """The part of a pandas data frame that is used."""

        columns = ("big", "red")

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return graphs.target.numpy()

    model = gp.GraphMultiLabelClassifier(**QUICK).fit(graphs.with_target(None), Frame())
    assert model.label_names_ == ("big", "red")


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.full((80, 2), 2.0), "labels are 0, 1 or unknown"),
        (np.full((80, 2), 0.5), "GraphRegressor"),
        (np.zeros((79, 2)), "give one number each"),
        (np.full((80, 2), "a"), "y can't be read"),
    ],
)
def test_what_are_no_labels_is_refused(graphs: gp.GraphSet, y: Any, message: str) -> None:
    with pytest.raises(GraphpoolError, match=message):
        gp.GraphMultiLabelClassifier(**QUICK).fit(graphs, y)


def test_a_report_has_curves_and_a_row_for_each_label(
    fitted: gp.GraphMultiLabelClassifier, graphs: gp.GraphSet, tmp_path: Path
) -> None:
    page = fitted.report(tmp_path / "page.html", graphs).read_text("utf-8")
    for words in ("Label by label", "ROC curve", "Precision and recall", "Calibration"):
        assert words in page
    assert page.count("AUC 0.") + page.count("AUC 1.") >= 2


def test_scikit_learn_knows_what_it_is() -> None:
    with pytest.warns(SkipTestWarning, match="two_d_array=False"):
        (result,) = check_estimator(gp.GraphMultiLabelClassifier())
    assert result["status"] == "passed"
    tags = get_tags(gp.GraphMultiLabelClassifier())
    assert tags.classifier_tags.multi_label
    assert tags.target_tags.multi_output
    assert is_classifier(gp.GraphMultiLabelClassifier())


def test_vectors_and_levels(fitted: gp.GraphMultiLabelClassifier, graphs: gp.GraphSet) -> None:
    assert fitted.transform(graphs).shape == (80, len(fitted.get_feature_names_out()))
    assert fitted.levels(graphs) == ()  # sum has none
    fresh = gp.GraphMultiLabelClassifier(**QUICK)
    assert (fresh.fit_transform(graphs) == fresh.transform(graphs)).all()
