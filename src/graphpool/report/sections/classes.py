"""Predictions class by class: confusion matrix, precision and recall, ROC, PR and calibration."""

from collections.abc import Sequence

import numpy as np

from graphpool.report.data import Array, ClassPredictions, FigureRow, FigureTable, Report
from graphpool.report.draw.class_curves import (
    MOST_LINES,
    calibration_chart,
    drawn_classes,
    precision_recall_chart,
    roc_chart,
)
from graphpool.report.draw.svg import text
from graphpool.report.sections.comparison import figure_table
from graphpool.report.sections.parts import section

MOST_CLASSES = 20  # of a confusion matrix
CALIBRATION = (
    "Calibration: test graphs are cut by their probability into parts of about the same size, a "
    "dot each. On the dashed line a probability means what it says; below it, the model predicts "
    "more than is true."
)
COLUMNS = ("recall, %", "precision, %", "F1, %", "graphs")


def classes_section(report: Report) -> str:
    """The confusion matrix, a row per class, and a curve per class."""
    classes = report.classes
    if classes is None or not len(classes.y):
        return ""
    words = (
        "Rows are true classes, columns predicted ones. Recall is the share of a class’s test "
        "graphs that were found, precision the share of predictions of a class that were right."
    )
    body = _confusion_table(classes) + figure_table(_class_table(classes))
    lines, count = drawn_classes(classes), len(classes.names)
    few = f"the {MOST_LINES} most frequent classes" if count > max(len(lines), 2) else ""
    charts = "".join(
        f'<div class="charts">{row}</div>'
        for row in (
            roc_chart(lines, few) + precision_recall_chart(lines, few),
            calibration_chart(lines, few),
        )
        if row
    )
    about = f'<p class="note">{CALIBRATION}</p>' if charts else ""
    return section("Class by class", words, body + charts + about)


def _confusion_table(classes: ClassPredictions) -> str:
    if len(classes.names) > MOST_CLASSES:
        return f'<p class="note">No matrix is drawn for {len(classes.names)} classes.</p>'
    counts = classes.confusion
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in classes.names)
    body = "".join(
        f'<tr><th scope="row">{text(name)}</th>{_cells(row, at)}</tr>'
        for at, (name, row) in enumerate(zip(classes.names, counts, strict=True))
    )
    return (
        '<div class="scroll"><table class="confusion"><thead><tr><th scope="col">true \\ predicted'
        f"</th>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cells(row: Array, at: int) -> str:
    """One row of counts, tinted by their share of the row."""
    total = max(int(row.sum()), 1)
    return "".join(
        f'<td class="{"hit" if column == at else ""}" style="--share:{count / total:.3f}">'
        f'<b>{count}</b><span class="note">{100 * count / total:.0f} %</span></td>'
        for column, count in enumerate(row.tolist())
    )


def _class_table(classes: ClassPredictions) -> FigureTable:
    counts = classes.confusion
    hits, actual, predicted = counts.diagonal(), counts.sum(axis=1), counts.sum(axis=0)
    recall, precision, f1 = (
        _shares(part, whole)
        for part, whole in ((hits, actual), (hits, predicted), (2 * hits, actual + predicted))
    )
    rows = [
        FigureRow(
            str(name),
            dict(zip(COLUMNS, (*map(_percent, values), str(count)), strict=True)),
            0.0 if np.isnan(values[0]) else float(values[0]),
            learns=True,
        )
        for name, count, *values in zip(
            classes.names, actual.tolist(), recall, precision, f1, strict=True
        )
    ]
    return FigureTable("", "", COLUMNS, rows, first="Class")


def _shares(part: Array, whole: Array) -> Sequence[float]:
    """Quotients, NaN where there is nothing to divide by."""
    return [float(a) / float(b) if b else float("nan") for a, b in zip(part, whole, strict=True)]


def _percent(share: float) -> str:
    return "–" if np.isnan(share) else f"{100 * share:.1f}"
