"""Curves and calibration of labels: what is drawn, and that areas are those of scikit-learn."""

import re

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from graphpool.report.data import BinaryPredictions, Report
from graphpool.report.draw.chart import Chart
from graphpool.report.draw.class_curves import calibration_chart, precision_recall_chart
from graphpool.report.page import render
from graphpool.report.sections.labels import MOST_LABELS, labels_section

CHART = Chart(460, 340, 58, 16, 16, (0.0, 100.0), (0.0, 100.0))


def label(name: str, graphs: int = 200, seed: int = 0) -> BinaryPredictions:
    """Probabilities that are right: each is how often it is true."""
    stream = np.random.default_rng(seed)
    share = stream.random(graphs)
    return BinaryPredictions(name, stream.random(graphs) < share, share)


def points(drawn: str) -> tuple[np.ndarray, np.ndarray]:
    """Values of the first line of a chart, as fractions."""
    (path,) = re.findall(r'<path class="line"[^>]* d="([^"]+)"', drawn)[:1]
    pairs = np.array([each.split() for each in re.split("[ML]", path)[1:]], dtype=float)
    across = (pairs[:, 0] - CHART.left) / (CHART.width - CHART.left - CHART.right)
    return across, 1 - (pairs[:, 1] - CHART.top) / (CHART.base - CHART.top)


def test_the_area_of_precision_over_recall_is_the_average_precision() -> None:
    data = label("toxic", seed=3)
    xs, ys = points(precision_recall_chart([data]))
    area = float((np.diff(xs) * ys[1:]).sum())
    expected = average_precision_score(data.truth, data.probability)
    assert area == pytest.approx(expected, abs=0.005)
    assert f"AP {expected:.3f}" in precision_recall_chart([data])


def test_probabilities_that_are_right_lie_on_the_diagonal() -> None:
    data = label("toxic", graphs=5000)
    xs, ys = points(calibration_chart([data]))
    assert len(xs) == 10
    assert np.abs(xs - ys).max() < 0.07
    sure = BinaryPredictions("sure", data.truth, np.where(data.probability > 0.5, 0.999, 0.001))
    xs, ys = points(calibration_chart([sure]))
    assert np.abs(xs - ys).max() > 0.2
    brier = np.mean((data.probability - data.truth) ** 2)
    assert f"Brier {brier:.3f}" in calibration_chart([data])


def test_labels_of_one_kind_are_not_drawn_and_names_are_escaped() -> None:
    nothing = BinaryPredictions("none", np.zeros(5, dtype=bool), np.full(5, 0.2))
    assert labels_section(Report("t", label_predictions=[nothing])) == ""
    page = labels_section(Report("t", label_predictions=[nothing, label("<b>")]))
    assert "&lt;b&gt;" in page
    assert "Drawn are 1 of 2 labels" in page


def test_many_labels_are_drawn_in_groups() -> None:
    labels = [label(f"l{at}", 40, at) for at in range(MOST_LABELS + 6)]
    page = render(Report("t", label_predictions=labels))
    assert page.count("<figcaption>ROC curve") == MOST_LABELS // 6
    assert page.count("<figcaption>Calibration") == 1
    assert f"l{MOST_LABELS - 1} " in page
    assert f"l{MOST_LABELS} " not in page


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="as many true values"):
        BinaryPredictions("a", np.zeros(3, dtype=bool), np.zeros(2))
