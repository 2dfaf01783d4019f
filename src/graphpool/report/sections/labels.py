"""Predictions label by label: ROC and PR curves, and the calibration of all labels together."""

import numpy as np

from graphpool.report.data import BinaryPredictions, Report
from graphpool.report.draw.class_curves import (
    MOST_LINES,
    calibration_chart,
    precision_recall_chart,
    roc_chart,
)
from graphpool.report.sections.classes import CALIBRATION
from graphpool.report.sections.parts import section

MOST_LABELS = 24


def labels_section(report: Report) -> str:
    """Two charts for every few labels, and one chart of calibration."""
    labels = report.label_predictions
    drawn = [label for label in labels if label.mixed][:MOST_LABELS]
    if not drawn:
        return ""
    words = (
        "Every line is a label, over the test graphs for which it is known. The ROC curve of a "
        "guess is the dashed line; precision starts high only if the most probable graphs have "
        f"the label. {CALIBRATION}"
    )
    if len(drawn) < len(labels):
        words += f" Drawn are {len(drawn)} of {len(labels)} labels"
        words += ", the first of those that are 0 for some test graphs and 1 for others."
    groups = [drawn[at : at + MOST_LINES] for at in range(0, len(drawn), MOST_LINES)]
    rows = [roc_chart(group) + precision_recall_chart(group) for group in groups]
    together = BinaryPredictions(
        "all labels",
        np.concatenate([label.truth for label in labels]),
        np.concatenate([label.probability for label in labels]),
    )
    rows.append(calibration_chart([together]))
    charts = "".join(f'<div class="charts">{row}</div>' for row in rows)
    return section("Curves of the labels", words, charts)
