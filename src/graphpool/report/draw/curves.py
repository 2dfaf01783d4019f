"""Learning curves: loss and a metric against the epoch, training beside validation."""

from collections.abc import Sequence

import numpy as np

from graphpool.report.data import Array, Curve
from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import key, number, swatch, text

MOST_POINTS = 250


def learning_curves(curves: Sequence[Curve]) -> str:
    """Two charts side by side, loss and metric; with several runs, each faint and their mean."""
    curves = [curve for curve in curves if len(curve.epochs)]
    if not curves:
        return ""
    loss = _chart(curves, "train_loss", "valid_loss", "Loss", 1.0)
    title = curves[0].metric
    scale = 100.0 if title.endswith("%") else 1.0
    metric = _chart(curves, "train_metric", "valid_metric", title, scale)
    several = len(curves) > 1
    many = f"<span>thin: each of {len(curves)} runs; thick: their mean</span>" if several else ""
    best = "the epochs that were kept" if several else "the epoch that was kept"
    legend = key(
        (swatch("train"), "training"), (swatch("valid"), "validation"), (swatch("best"), best),
        after=many,
    )  # fmt: skip
    return f'<div class="charts">{loss}{metric}</div>{legend}'


def mean_curve(runs: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Mean over the runs that reach an epoch, as far as at least half of them do.

    Further out the mean would jump whenever a run stops early, and mean nothing.
    """
    epochs = np.unique(np.concatenate([epochs for epochs, _ in runs]))
    total, count = np.zeros(len(epochs)), np.zeros(len(epochs))
    for own, values in runs:
        good = np.isfinite(values)
        at = np.searchsorted(epochs, own[good])
        total[at] += values[good]
        count[at] += 1
    kept = 2 * count >= len(runs)
    return epochs[kept], total[kept] / count[kept]


def _chart(curves: Sequence[Curve], train: str, valid: str, title: str, scale: float) -> str:
    runs = {
        kind: [
            (np.asarray(curve.epochs), scale * np.asarray(getattr(curve, name), dtype=float))
            for curve in curves
        ]
        for kind, name in (("train", train), ("valid", valid))
    }
    values = np.concatenate([ys for kind in runs.values() for _, ys in kind])
    low, high, cut = axis_limits(values[np.isfinite(values)], top=100.0 if scale == 100.0 else None)
    first = min(min(curve.epochs) for curve in curves)
    last = max(max(max(curve.epochs) for curve in curves), first + 1)
    chart = Chart(460, 280, 46, 16, 16, (float(first), float(last)), (low, high))
    parts = [chart.grid("epoch", 6, whole=True)]
    several = len(curves) > 1
    for kind, lines in runs.items():
        for line in lines:
            if path := chart.path(*_thin(*line)):
                parts.append(f'<path class="{kind}{" faint" if several else ""}" d="{path}"/>')
    if several:
        for kind, lines in runs.items():
            parts.append(f'<path class="{kind}" d="{chart.path(*_thin(*mean_curve(lines)))}"/>')
    for curve, (xs, ys) in zip(curves, runs["valid"], strict=True):
        for at in np.flatnonzero((xs == curve.best_epoch) & np.isfinite(ys))[:1]:
            x, y = float(chart.across(float(xs[at]))), float(chart.down(float(ys[at])))
            parts.append(
                f'<circle class="best" cx="{number(x)}" cy="{number(y)}" '
                f'r="{3.2 if several else 5}">'
                f"<title>{text(curve.label)}: epoch {curve.best_epoch} was chosen, "
                f"{ys[at]:.4g}</title></circle>"
            )
    note = f'<p class="note">Values above {high:.3g} lie outside the picture.</p>' if cut else ""
    drawn = chart.svg(f"{title} by epoch", parts)
    return f"<figure><figcaption>{title}</figcaption>{drawn}{note}</figure>"


def axis_limits(values: Array, top: float | None) -> tuple[float, float, bool]:
    """Lower and upper end of the axis, and whether a spike had to be cut off."""
    if not len(values):
        return 0.0, 1.0, False
    low, high = float(values.min()), float(values.max())
    usual = float(np.quantile(values, 0.97))
    cut = top is None and low >= 0 and high > 3 * usual > 0
    if cut:
        high = 1.3 * usual
    margin = 0.06 * (high - low) or max(abs(high), 1.0) * 0.1
    low = low - margin if low < 0 or low - margin > 0 else 0.0
    return low, high + margin if top is None else min(high + margin, top), cut


def _thin(xs: Array, ys: Array) -> tuple[Array, Array]:
    """At most `MOST_POINTS` of the points, first and last included."""
    if len(xs) <= MOST_POINTS:
        return xs, ys
    keep = np.linspace(0, len(xs) - 1, MOST_POINTS).round().astype(int)
    return xs[keep], ys[keep]
