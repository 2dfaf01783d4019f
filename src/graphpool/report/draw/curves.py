"""Learning curves: loss and accuracy against the epoch, training beside validation."""

from collections.abc import Sequence

import numpy as np

from graphpool.report.data import Array, Curve
from graphpool.report.draw.svg import number, polyline, text, ticks

WIDTH, HEIGHT = 460, 280
LEFT, RIGHT, TOP, BOTTOM = 46, 16, 16, 46
MOST_POINTS = 250


def learning_curves(curves: Sequence[Curve]) -> str:
    """Two charts side by side, loss and accuracy; with several runs, each faint and their mean."""
    curves = [curve for curve in curves if len(curve.epochs)]
    if not curves:
        return ""
    loss = _chart(curves, "train_loss", "valid_loss", "Loss", 1.0)
    accuracy = _chart(curves, "train_accuracy", "valid_accuracy", "Accuracy, %", 100.0)
    return f'<div class="charts">{loss}{accuracy}</div>{_legend(len(curves))}'


def mean_curve(runs: Sequence[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Mean over the runs that reach an epoch, as far as at least half of them do.

    Further out the mean would jump whenever a run stops early, and mean nothing.
    """
    epochs = np.unique(np.concatenate([epochs for epochs, _ in runs]))
    total, count = np.zeros(len(epochs)), np.zeros(len(epochs))
    for own, values in runs:
        good = np.isfinite(values)
        place = np.searchsorted(epochs, own[good])
        total[place] += values[good]
        count[place] += 1
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
    low, high, cut = _limits(values[np.isfinite(values)], top=100.0 if scale == 100.0 else None)
    first = min(min(curve.epochs) for curve in curves)
    last = max(max(max(curve.epochs) for curve in curves), first + 1)

    def across(epoch: Array) -> Array:
        return LEFT + (WIDTH - LEFT - RIGHT) * (epoch - first) / (last - first)

    def down(value: Array) -> Array:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - np.clip(value, low, high)) / (high - low)

    parts = [_grid(low, high, first, last)]
    several = len(curves) > 1
    for kind, lines in runs.items():
        for xs, ys in lines:
            path = _thin(across(xs), down(ys))
            if path:
                parts.append(f'<path class="{kind}{" faint" if several else ""}" d="{path}"/>')
    if several:
        for kind, lines in runs.items():
            xs, ys = mean_curve(lines)
            parts.append(f'<path class="{kind}" d="{_thin(across(xs), down(ys))}"/>')
    for curve, (xs, ys) in zip(curves, runs["valid"], strict=True):
        chosen = np.flatnonzero((xs == curve.best_epoch) & np.isfinite(ys))[:1]
        if len(chosen):
            x, y = across(xs[chosen]).item(), down(ys[chosen]).item()
            size = 3.2 if several else 5
            parts.append(
                f'<circle class="best" cx="{number(x)}" cy="{number(y)}" r="{size}">'
                f"<title>{text(curve.label)}: epoch {curve.best_epoch} was chosen, "
                f"{ys[chosen[0]]:.4g}</title></circle>"
            )
    note = f'<p class="note">Values above {high:.3g} lie outside the picture.</p>' if cut else ""
    return (
        f'<figure><figcaption>{title}</figcaption><svg class="curve" role="img" '
        f'aria-label="{title} by epoch" viewBox="0 0 {WIDTH} {HEIGHT}">{"".join(parts)}</svg>'
        f"{note}</figure>"
    )


def _limits(values: Array, top: float | None) -> tuple[float, float, bool]:
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


def _thin(xs: Array, ys: Array) -> str:
    """Path data of at most `MOST_POINTS` points, first and last included."""
    if len(xs) > MOST_POINTS:
        keep = np.linspace(0, len(xs) - 1, MOST_POINTS).round().astype(int)
        xs, ys = xs[keep], ys[keep]
    return polyline(xs.tolist(), ys.tolist())


def _grid(low: float, high: float, first: int, last: int) -> str:
    inner_width, inner_height = WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM
    parts = []
    for value in ticks(low, high):
        y = number(TOP + inner_height * (high - value) / (high - low))
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y}" y2="{y}"/>')
        parts.append(f'<text class="tick y" x="{LEFT - 8}" y="{y}">{value:g}</text>')
    for epoch in ticks(float(first), float(last), 6):
        if epoch == int(epoch):
            x = number(LEFT + inner_width * (epoch - first) / (last - first))
            parts.append(f'<text class="tick" x="{x}" y="{HEIGHT - 28}">{epoch:g}</text>')
    middle = LEFT + inner_width / 2
    parts.append(f'<text class="tick" x="{number(middle)}" y="{HEIGHT - 11}">epoch</text>')
    return "".join(parts)


def _legend(runs: int) -> str:
    many = f"<span>thin: each of {runs} runs; thick: their mean</span>" if runs > 1 else ""
    dot = "the epochs that were kept" if runs > 1 else "the epoch that was kept"
    return (
        '<p class="key"><span class="item"><span class="swatch train"></span>training</span>'
        '<span class="item"><span class="swatch valid"></span>validation</span>'
        f'<span class="item"><span class="swatch best"></span>{dot}</span>{many}</p>'
    )
