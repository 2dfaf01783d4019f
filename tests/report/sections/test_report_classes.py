"""Predictions class by class: the matrix, the rows, and the curves against scikit-learn."""

import re
from dataclasses import replace

import numpy as np
import pytest
from sklearn.metrics import precision_recall_fscore_support, roc_auc_score

from graphpool.report.data import ClassPredictions, LevelHealth, Report, ResultRow
from graphpool.report.page import render
from graphpool.report.sections.accuracies import results_section
from graphpool.report.sections.classes import classes_section
from graphpool.report.sections.health import verdict


def predictions(classes: int, graphs: int = 60, seed: int = 0) -> ClassPredictions:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, classes, graphs)
    shares = rng.dirichlet(np.ones(classes), graphs) + 0.5 * np.eye(classes)[y]
    shares /= shares.sum(axis=1, keepdims=True)
    return ClassPredictions([f"k{kind}" for kind in range(classes)], y, shares)


def words(page: str) -> str:
    return re.sub(r"<[^>]*>", " ", page)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_rows_are_those_of_scikit_learn(classes: int) -> None:
    data = predictions(classes)
    found = re.findall(r'data-name="(?:recall|precision|F1), %">([^<]*)<', section(data))
    predicted = data.probabilities.argmax(axis=1)
    precision, recall, f1, _ = precision_recall_fscore_support(data.y, predicted)
    expected = [
        f"{100 * value:.1f}" for row in zip(recall, precision, f1, strict=True) for value in row
    ]
    assert found == expected


def test_the_matrix_counts_true_classes_in_rows() -> None:
    shares = np.array([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.4, 0.6]])
    data = ClassPredictions(["no", "yes"], np.array([0, 0, 0, 1]), shares)
    assert data.confusion.tolist() == [[1, 2], [0, 1]]
    assert re.findall(r"<b>(\d+)</b>", section(data)) == ["1", "2", "0", "1"]


def test_the_area_is_that_of_scikit_learn() -> None:
    data = predictions(2)
    area = roc_auc_score(data.y, data.probabilities[:, 1])
    assert f"AUC {area:.3f}" in words(section(data))


def test_one_class_has_no_curve_and_no_precision() -> None:
    data = ClassPredictions(["a", "b"], np.zeros(3, dtype=int), np.tile([0.8, 0.2], (3, 1)))
    page = section(data)
    assert "ROC" not in page
    assert "–" in page  # nothing was predicted to be b


def test_names_are_escaped() -> None:
    data = replace(predictions(2), names=["<b>", "&"])
    page = section(data)
    assert '<th scope="row"><b>' not in page
    assert "&lt;b&gt;" in page


def section(data: ClassPredictions) -> str:
    return classes_section(Report("x", classes=data))


def test_one_split_has_an_interval_of_test_graphs_and_no_word_of_students_t() -> None:
    rows = [ResultRow("hap", "ours", [0.8], interval=(0.7, 0.9)), ResultRow("m", "rule", [0.6])]
    page = words(results_section(Report("x", results=rows)))
    assert "70.0 – 90.0" in page
    assert "Student" not in page
    assert "over splits" not in page
    several = [replace(row, accuracies=[0.8, 0.7], interval=None) for row in rows]
    assert "Student" in words(results_section(Report("x", results=several)))


def test_no_level_is_healthy_if_the_model_has_learned_nothing() -> None:
    level = LevelHealth(1, 5.0, effective_rank=4.9, clusters_in_use=5.0, off_identity=1.0)
    assert verdict(level)[0] == "good"
    assert verdict(level, learned=False)[0] == "weak"
    rows = [ResultRow("hap", "ours", [0.6]), ResultRow("majority", "rule", [0.6])]
    page = render(Report("x", results=rows, health=[level]))
    assert "Healthy" not in page
    assert "Healthy" in render(Report("x", results=rows[:1], health=[level]))
