"""The estimators in scikit-learn's checks, searches, pipelines and cross-validations."""

import pickle
import warnings
from collections import Counter, defaultdict
from typing import Any

import numpy as np
import pytest
from rows import RowClassifier
from sklearn.base import clone, is_classifier
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    cross_val_predict,
    cross_val_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks, get_tags
from sklearn.utils.estimator_checks import check_estimator

import graphpool as gp
from graphpool import ged
from graphpool.data import Distances, PairSet
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.errors import InputError

QUICK: dict[str, Any] = {"epochs": 2, "hidden_channels": 8, "threads": 1}
ROWS: dict[str, Any] = {
    "features": "given", "epochs": 15, "hidden_channels": 16, "num_layers": 1,
    "learning_rate": 0.05, "batch_size": 100, "validation": 0.0, "threads": 1,
}  # fmt: skip
# Checks that may fail, and why.
_FLOAT32 = "networks compute in float32, and sums of other batches differ in the last digits"
ROUNDED = {
    "check_methods_subset_invariance": _FLOAT32,
    "check_methods_sample_order_invariance": _FLOAT32,
    "check_sample_weight_equivalence_on_dense_data": _FLOAT32,
}
ESTIMATORS = [
    gp.GraphClassifier, gp.GraphMatcher, gp.GraphComparer, gp.GraphRegressor,
    gp.GraphMultiLabelClassifier,
]  # fmt: skip
# Checks of scikit-learn that give an estimator no data.
WITHOUT_DATA = [
    "check_estimator_cloneable", "check_estimator_tags_renamed", "check_valid_tag_types",
    "check_estimator_repr", "check_no_attributes_set_in_init",
    "check_do_not_raise_errors_in_init_or_set_params", "check_mixin_order",
    "check_parameters_default_constructible", "check_get_params_invariance", "check_set_params",
]  # fmt: skip


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    return gp.load("MUTAG")[:60]


@pytest.fixture(scope="module")
def y(graphs: gp.GraphSet) -> Any:
    return graphs.class_labels


@pytest.fixture(scope="module")
def fitted(graphs: gp.GraphSet, y: Any) -> gp.GraphClassifier:
    return gp.GraphClassifier(**QUICK).fit(graphs, y)


@pytest.fixture(scope="module")
def pairs() -> PairSet:
    return matching_pairs("paper", 8, 60, seed=0, verify=False)


# ---------------------------------------------------------------------- scikit-learn's checks


def test_all_checks_of_scikit_learn_pass_where_graphs_are_rows() -> None:
    """67 checks with scikit-learn 1.9: 62 pass, 2 differ in rounding, 3 need what is not there."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(
            RowClassifier("sum", **ROWS), expected_failed_checks=ROUNDED, on_skip=None
        )
    names: dict[str, set[str]] = defaultdict(set)
    for result in results:
        names[result["status"]].add(result["check_name"])
    assert names["xfail"] <= set(ROUNDED)
    # Without pandas, and unless SCIPY_ARRAY_API is set before SciPy is imported.
    assert names["skipped"] <= {
        "check_array_api_input",
        "check_classifier_data_not_an_array",
        "check_sample_weights_pandas_series",
    }
    counts = Counter(result["status"] for result in results)
    assert counts["passed"] >= 60
    assert counts["passed"] + counts["xfail"] + counts["skipped"] == len(results)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_check_estimator_passes_and_says_that_input_is_graphs(estimator: Any) -> None:
    """One check runs, which passes; scikit-learn has no data of graphs for the others."""
    with pytest.warns(SkipTestWarning, match="two_d_array=False"):
        (result,) = check_estimator(estimator())
    assert (result["check_name"], result["status"]) == ("check_estimator_cloneable", "passed")


@pytest.mark.parametrize("check", WITHOUT_DATA)
@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_checks_without_data_pass(estimator: Any, check: str) -> None:
    run = getattr(estimator_checks, check, None)
    if run is None:
        pytest.skip(f"this version of scikit-learn has no {check}")
    run(estimator.__name__, estimator())


def test_tags_are_what_the_estimators_do() -> None:
    every = [get_tags(estimator()) for estimator in ESTIMATORS]
    classifier, matcher, comparer, regressor, labels = every
    assert classifier.transformer_tags is not None
    assert classifier.classifier_tags.multi_class
    assert not matcher.classifier_tags.multi_class
    assert comparer.estimator_type is None
    assert regressor.estimator_type == "regressor"
    assert labels.classifier_tags.multi_label
    assert not labels.classifier_tags.multi_class
    for tags in (regressor, labels):
        assert tags.transformer_tags is not None
        assert tags.target_tags.multi_output
    for tags in every:
        assert not any((tags.input_tags.two_d_array, tags.non_deterministic, tags.no_validation))
        assert tags.requires_fit
        assert not tags.target_tags.required
    assert is_classifier(gp.GraphMatcher())


# ---------------------------------------------------------------------- classifier


def test_log_probabilities_are_logarithms(fitted: gp.GraphClassifier, graphs: gp.GraphSet) -> None:
    np.testing.assert_allclose(
        np.exp(fitted.predict_log_proba(graphs)), fitted.predict_proba(graphs)
    )


def test_fit_transform_is_fit_and_transform(
    fitted: gp.GraphClassifier, graphs: gp.GraphSet, y: Any
) -> None:
    vectors = clone(fitted).fit_transform(graphs, y)
    np.testing.assert_array_equal(vectors, fitted.transform(graphs))
    assert fitted.get_feature_names_out()[0] == "graphclassifier0"
    assert len(fitted.get_feature_names_out()) == vectors.shape[1]
    assert fitted.n_features_in_ == fitted.model_.features.channels
    assert fitted.set_output(transform="default") is fitted


def test_score_takes_weights(fitted: gp.GraphClassifier, graphs: gp.GraphSet, y: Any) -> None:
    correct = fitted.predict(graphs) == y
    weight = np.arange(1, 61)
    expected = (correct * weight).sum() / weight.sum()
    assert fitted.score(graphs, y, sample_weight=weight) == pytest.approx(expected)


def test_a_column_of_labels_is_taken_with_a_warning(graphs: gp.GraphSet, y: Any) -> None:
    from sklearn.exceptions import DataConversionWarning

    with pytest.warns(DataConversionWarning):
        gp.GraphClassifier(**{**QUICK, "epochs": 1}).fit(graphs, y[:, None])


def test_a_set_is_cut_as_an_array(graphs: gp.GraphSet, y: Any) -> None:
    scores = cross_val_score(gp.GraphClassifier(**QUICK), graphs, y, cv=2, error_score="raise")
    assert scores.shape == (2,)
    shares = cross_val_predict(gp.GraphClassifier(**QUICK), graphs, y, cv=2, method="predict_proba")
    assert shares.shape == (60, 2)
    np.testing.assert_allclose(shares.sum(1), 1)


def test_a_search_over_settings(graphs: gp.GraphSet, y: Any) -> None:
    search = GridSearchCV(
        gp.GraphClassifier(**QUICK), {"pooler": ["sum", "mean"]}, cv=2, error_score="raise",
        scoring="balanced_accuracy",
    )  # fmt: skip
    search.fit(graphs, y)
    assert search.best_params_["pooler"] in ("sum", "mean")
    assert search.predict(graphs).shape == (60,)


def test_it_is_a_step_of_a_pipeline(graphs: gp.GraphSet, y: Any) -> None:
    last = make_pipeline(gp.GraphClassifier(**QUICK)).fit(graphs, y)
    assert last.predict_log_proba(graphs).shape == (60, 2)
    first = make_pipeline(gp.GraphClassifier(**QUICK), StandardScaler(), LogisticRegression())
    first.set_params(graphclassifier__epochs=1).fit(graphs, y)
    assert set(first.predict(graphs).tolist()) <= {-1, 1}


@pytest.mark.parametrize("pooler", ["hap", "gmt"])
def test_it_can_be_pickled_in_memory(pooler: str, graphs: gp.GraphSet, y: Any) -> None:
    model = gp.GraphClassifier(pooler, **{**QUICK, "epochs": 1}).fit(graphs, y)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.predict_proba(graphs), model.predict_proba(graphs))


@pytest.mark.slow
def test_folds_can_run_in_processes(graphs: gp.GraphSet, y: Any, pairs: PairSet) -> None:
    arguments = {"cv": 2, "error_score": "raise"}
    one = cross_val_score(gp.GraphClassifier(**QUICK), graphs, y, **arguments)
    two = cross_val_score(gp.GraphClassifier(**QUICK), graphs, y, n_jobs=2, **arguments)
    np.testing.assert_array_equal(one, two)
    matcher = gp.GraphMatcher(**QUICK)
    assert cross_val_score(matcher, pairs, n_jobs=2, **arguments).shape == (2,)


# ---------------------------------------------------------------------- pairs


def test_pairs_are_cut_as_an_array(pairs: PairSet) -> None:
    matcher = gp.GraphMatcher(**QUICK)
    alone = cross_val_score(matcher, pairs, cv=3, error_score="raise")
    given = cross_val_score(matcher, pairs, pairs.y.numpy(), cv=3, error_score="raise")
    assert alone.shape == given.shape == (3,)
    groups = np.arange(60) % 3
    areas = cross_val_score(
        matcher, pairs, pairs.y.numpy(), groups=groups, cv=GroupKFold(3), scoring="roc_auc",
        error_score="raise",
    )  # fmt: skip
    assert np.isfinite(areas).all()


def test_a_search_over_a_matcher(pairs: PairSet) -> None:
    search = GridSearchCV(
        gp.GraphMatcher(**QUICK), {"hidden_channels": [4, 8]}, cv=2, error_score="raise"
    ).fit(pairs, pairs.y.numpy())
    assert search.predict(pairs).shape == (60,)
    assert search.best_estimator_.predict_log_proba(pairs).shape == (60, 2)


# ---------------------------------------------------------------------- distances


@pytest.fixture(scope="module")
def small() -> gp.GraphSet:
    return matching_pairs("paper", (5, 6), 15, seed=0).graphs


@pytest.fixture(scope="module")
def distances(small: gp.GraphSet) -> Distances:
    return Distances("small", small.ids, ged.matrix(small, edge_labels=False).values)


def test_queries_of_each_fold_are_ranked_among_its_training_graphs(
    small: gp.GraphSet, distances: Distances
) -> None:
    comparer = gp.GraphComparer(**QUICK, triplets=200)
    scores = cross_val_score(comparer, small, distances, cv=2, error_score="raise")
    half = len(small) // 2
    first, second = np.arange(half), np.arange(half, len(small))
    for score, train, test in zip(scores, (second, first), (first, second), strict=True):
        model = clone(comparer).fit(small[train], distances.values[np.ix_(train, train)])
        expected = model.score(small[test], distances.values[np.ix_(test, train)])
        assert score == pytest.approx(expected)
    # Without distances they are computed, for every fold.
    computed = cross_val_score(comparer, small, cv=2, error_score="raise")
    np.testing.assert_allclose(computed, scores)


def test_a_search_over_a_comparer(small: gp.GraphSet, distances: Distances) -> None:
    search = GridSearchCV(
        gp.GraphComparer(**QUICK, triplets=100), {"pooler": ["sum", "hap"]}, cv=2,
        error_score="raise",
    ).fit(small, distances)  # fmt: skip
    assert search.best_estimator_.kneighbors(small, 2)[1].shape == (len(small), 2)


def test_a_plain_matrix_can_not_be_cut_and_the_error_says_what_can(
    small: gp.GraphSet, distances: Distances
) -> None:
    with pytest.raises(InputError, match=r"In a cross-validation give graphpool\.data\.Distances"):
        cross_val_score(
            gp.GraphComparer(**QUICK), small, distances.values, cv=2, error_score="raise"
        )


def test_rows_of_distances_can_be_cut_again(distances: Distances) -> None:
    rows = distances[np.arange(10)][np.arange(10) > 6]
    assert (len(rows), rows.shape) == (3, (3, len(distances)))
    assert rows.rows.tolist() == [7, 8, 9]
