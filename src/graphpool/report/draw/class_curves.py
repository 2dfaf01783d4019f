"""ROC, precision-recall and calibration curves, one line per class or label."""

from collections.abc import Callable, Sequence

import numpy as np

from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import colour, key, number, swatch, text
from graphpool.report.predictions import Array, BinaryPredictions, ClassPredictions

MOST_LINES = 6
MOST_POINTS = 400
BINS = 10  # of a calibration curve
BIN_GRAPHS = 10  # in each of them, at least

# Truth and probabilities of one class to x, y and the figure in the key.
CurveOf = Callable[[Array, Array], tuple[Array, Array, float]]


def roc_chart(lines: Sequence[BinaryPredictions], after: str = "") -> str:
    """True against false positives as the threshold falls; the area is the ROC-AUC.

    Args:
        after: words below the picture.
    """

    def curve(truth: Array, share: Array) -> tuple[Array, Array, float]:
        from sklearn.metrics import auc, roc_curve

        false, true, _ = roc_curve(truth, share)
        return false, true, float(auc(false, true))

    names = ("false positives, %", "found, %")
    return _chart(lines, curve, "ROC curve", names, "AUC", after, diagonal=True)


def precision_recall_chart(lines: Sequence[BinaryPredictions], after: str = "") -> str:
    """Precision against recall as the threshold falls; the area is the average precision."""

    def curve(truth: Array, share: Array) -> tuple[Array, Array, float]:
        from sklearn.metrics import average_precision_score, precision_recall_curve

        precision, recall, _ = (values[::-1] for values in precision_recall_curve(truth, share))
        # Steps, whose area is the average precision: each recall with the precision that it is
        # first reached with.
        gained = np.flatnonzero(np.diff(recall) > 0) + 1
        xs = np.concatenate([[0.0], np.repeat(recall[gained], 2)[:-1]])
        ys = np.repeat(precision[gained], 2)
        return xs, ys, float(average_precision_score(truth, share))

    names = ("recall, %", "precision, %")
    return _chart(lines, curve, "Precision and recall", names, "AP", after)


def calibration_chart(lines: Sequence[BinaryPredictions], after: str = "") -> str:
    """How often it is true, against how probable the model takes it to be.

    Graphs are cut by their probability into parts of about the same size, a dot each. The figure
    in the key is the Brier score, the mean squared error of the probabilities.
    """

    def curve(truth: Array, share: Array) -> tuple[Array, Array, float]:
        from sklearn.calibration import calibration_curve

        bins = min(max(len(truth) // BIN_GRAPHS, 2), BINS)
        true, predicted = calibration_curve(truth, share, n_bins=bins, strategy="quantile")
        return predicted, true, float(np.mean((share - truth) ** 2))

    names = ("predicted probability, %", "true, %")
    return _chart(lines, curve, "Calibration", names, "Brier", after, diagonal=True, dots=True)


def drawn_classes(classes: ClassPredictions) -> list[BinaryPredictions]:
    """Return the classes that get a line: the positive one of two, or the most frequent of several;
    none that all graphs have, or no graph."""
    counts = np.bincount(classes.y, minlength=len(classes.names))
    order = [1] if len(classes.names) == 2 else np.argsort(-counts, kind="stable").tolist()
    drawn = [kind for kind in order if 0 < counts[kind] < len(classes.y)]
    return [
        BinaryPredictions(
            f"class {classes.names[kind]}",
            classes.y == kind,
            classes.probabilities[:, kind],
            kind,
        )
        for kind in sorted(drawn[:MOST_LINES])
    ]


def _chart(
    lines: Sequence[BinaryPredictions],
    curve: CurveOf,
    title: str,
    names: tuple[str, str],
    figure: str,
    after: str,
    diagonal: bool = False,
    dots: bool = False,
) -> str:
    chart = Chart(460, 340, 58, 16, 16, (0.0, 100.0), (0.0, 100.0))
    parts, items = [chart.grid(names[0], 5), chart.vertical(names[1])], []
    if diagonal:
        ends = np.array([0.0, 100.0])
        parts.append(f'<path class="equal" d="{chart.path(ends, ends)}"/>')
    for line in lines:
        if not line.mixed:
            continue
        xs, ys, size = curve(line.truth, line.probability)
        if len(xs) > MOST_POINTS:
            chosen = np.linspace(0, len(xs) - 1, MOST_POINTS).round().astype(int)
            xs, ys = xs[chosen], ys[chosen]
        look = f' style="--k:{colour(line.colour)}"'
        parts.append(f'<path class="line"{look} d="{chart.path(100 * xs, 100 * ys)}"/>')
        if dots:
            parts += [
                f'<circle class="point"{look} cx="{number(float(chart.across(100 * x)))}" '
                f'cy="{number(float(chart.down(100 * y)))}" r="3"><title>{text(line.name)}: '
                f"predicted {100 * x:.1f} %, true {100 * y:.1f} %</title></circle>"
                for x, y in zip(xs, ys, strict=True)
            ]
        words = f'{text(line.name)} <span class="soft">{figure} {size:.3f}</span>'
        items.append((swatch("line", look), words))
    if not items:
        return ""
    legend = key(*items, after=f"<span>{after}</span>" if after else "")
    drawn = chart.svg(title, parts)
    return f"<figure><figcaption>{title}</figcaption>{drawn}{legend}</figure>"
