"""ROC and precision-recall curves of a classifier, one line per class."""

from collections.abc import Callable, Iterator

import numpy as np

from graphpool.report.data import Array, ClassPredictions
from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import colour, key, swatch, text

MOST_LINES = 6
MOST_POINTS = 400

# True classes and probabilities of one class to x, y and the area under the line.
CurveOf = Callable[[Array, Array], tuple[Array, Array, float]]


def roc_chart(classes: ClassPredictions) -> str:
    """True against false positives as the threshold falls; the area is the ROC-AUC."""

    def curve(truth: Array, share: Array) -> tuple[Array, Array, float]:
        from sklearn.metrics import auc, roc_curve

        false, true, _ = roc_curve(truth, share)
        return false, true, float(auc(false, true))

    return _chart(classes, curve, "ROC curve", "false positives, %", "AUC")


def precision_recall_chart(classes: ClassPredictions) -> str:
    """Precision against recall as the threshold falls; the area is the average precision."""

    def curve(truth: Array, share: Array) -> tuple[Array, Array, float]:
        from sklearn.metrics import average_precision_score, precision_recall_curve

        precision, recall, _ = precision_recall_curve(truth, share)
        precision, recall = precision[:-1], recall[:-1]  # the last point is scikit-learn's own
        # The precision that a recall is reached with holds until the next threshold: steps.
        xs, ys = np.repeat(recall[::-1], 2)[1:], np.repeat(precision[::-1], 2)[:-1]
        return xs, ys, float(average_precision_score(truth, share))

    return _chart(classes, curve, "Precision and recall", "recall, %", "AP")


def drawn_classes(classes: ClassPredictions) -> Iterator[tuple[int, Array]]:
    """Classes that get a line, with the truth of each graph: the positive one of two, or the most
    frequent of several; none that all graphs have, or no graph."""
    counts = np.bincount(classes.y, minlength=len(classes.names))
    order = [1] if len(classes.names) == 2 else np.argsort(-counts, kind="stable").tolist()
    drawn = [kind for kind in order if 0 < counts[kind] < len(classes.y)]
    for kind in sorted(drawn[:MOST_LINES]):
        yield kind, classes.y == kind


def _chart(classes: ClassPredictions, curve: CurveOf, title: str, x_name: str, area: str) -> str:
    chart = Chart(460, 340, 46, 16, 16, (0.0, 100.0), (0.0, 100.0))
    parts, items = [chart.grid(x_name, 5)], []
    if area == "AUC":
        ends = np.array([0.0, 100.0])
        parts.append(f'<path class="equal" d="{chart.path(ends, ends)}"/>')
    for kind, truth in drawn_classes(classes):
        xs, ys, size = curve(truth, classes.probabilities[:, kind])
        if len(xs) > MOST_POINTS:
            chosen = np.linspace(0, len(xs) - 1, MOST_POINTS).round().astype(int)
            xs, ys = xs[chosen], ys[chosen]
        look = f' style="--k:{colour(kind)}"'
        parts.append(f'<path class="line"{look} d="{chart.path(100 * xs, 100 * ys)}"/>')
        name = f"class {text(classes.names[kind])}"
        items.append((swatch("line", look), f'{name} <span class="soft">{area} {size:.3f}</span>'))
    if not items:
        return ""
    left = len(classes.names) - len(items)
    after = f"<span>the {MOST_LINES} most frequent classes</span>"
    legend = key(*items, after=after if left and len(classes.names) > 2 else "")
    drawn = chart.svg(title, parts)
    return f"<figure><figcaption>{title}</figcaption>{drawn}{legend}</figure>"
