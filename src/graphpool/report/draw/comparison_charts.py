"""Charts about comparers: scores of pairs of either kind, predicted against true distances."""

import numpy as np

from graphpool.report.data import Array, DistancePlot, Scores
from graphpool.report.draw.svg import figure, number, polyline, ticks

WIDTH, HEIGHT = 900, 330
LEFT, RIGHT, TOP, BOTTOM = 58, 20, 18, 46
BINS = 40
COLUMNS, ROWS = 60, 56
FEWEST = 5


def score_chart(scores: Scores) -> str:
    """Two histograms over each other: the shares of either kind of pair by their score."""
    edges = np.linspace(0, 1, BINS + 1)
    shares = {
        kind: np.histogram(values, edges)[0] / max(len(values), 1)
        for kind, values in (("no", scores.others), ("yes", scores.matching))
    }
    top = 1.08 * max(float(share.max()) for share in shares.values())
    parts = [_grid((0.0, 1.0), 100 * top, "score", "%")]
    for kind, share in shares.items():
        xs, ys = np.repeat(edges, 2)[1:-1], np.repeat(share, 2)
        line = polyline(_across(xs, 0.0, 1.0).tolist(), _down(ys, top).tolist())
        base = HEIGHT - BOTTOM
        parts.append(
            f'<path class="hist {kind}" d="M{LEFT} {base}{line.replace("M", "L")}'
            f'L{WIDTH - RIGHT} {base}"/>'
        )
    middle = number(float(_across(np.array(0.5), 0.0, 1.0)))
    parts.append(
        f'<line class="cut" x1="{middle}" x2="{middle}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
    )
    missed, alarms = scores.matching <= 0.5, scores.others > 0.5
    key = (
        f'<p class="key">{_swatch("yes", "pairs that match", len(scores.matching))}'
        f"{_swatch('no', 'pairs that don’t', len(scores.others))}"
        f"<span>{missed.sum()} of the former lie left of the line and are missed, "
        f"{alarms.sum()} of the latter right of it and are taken for matches</span></p>"
    )
    return _figure("Scores of matching and other pairs", HEIGHT, parts) + key


def distance_chart(plot: DistancePlot) -> str:
    """Draw true against predicted distances as counts, with the median of each column."""
    height = 460
    true, predicted = (np.asarray(part, dtype=float) for part in (plot.true, plot.predicted))
    x_edges = _columns(true)
    high = 1.03 * max(float(np.quantile(predicted, 0.9995)), float(true.max()), 1e-9)
    beyond = int((predicted > high).sum())
    y_edges = np.linspace(0, high, ROWS + 1)
    counts = np.histogram2d(true, predicted, (x_edges, y_edges))[0]
    shade = np.sqrt(counts / max(float(counts.max()), 1.0))
    low_x, high_x = float(x_edges[0]), float(x_edges[-1])
    xs, ys = _across(x_edges, low_x, high_x), _down(y_edges, high, height)
    parts = [_grid((low_x, high_x), high, "true distance", "", height)]
    for column, row in np.argwhere(counts > 0).tolist():
        wide, tall = xs[column + 1] - xs[column], ys[row] - ys[row + 1]
        parts.append(
            f'<rect class="cell" x="{xs[column]:.1f}" y="{ys[row + 1]:.1f}" width="{wide:.1f}" '
            f'height="{tall:.1f}" fill-opacity="{0.06 + 0.94 * shade[column, row]:.2f}"/>'
        )
    ends = np.array([max(0.0, low_x), min(high, high_x)])
    for css, across, up in (
        ("equal", ends, ends),
        ("median", *_medians(true, predicted, x_edges)),
    ):
        line = polyline(_across(across, low_x, high_x).tolist(), _down(up, high, height).tolist())
        parts.append(f'<path class="{css}" d="{line}"/>')
    cut = f"<span>{beyond} pairs lie above the picture</span>" if beyond else ""
    key = (
        f'<p class="key">{_swatch("cell", "pairs: the darker, the more", len(true))}'
        '<span class="item"><span class="swatch median"></span>median of a true distance</span>'
        '<span class="item"><span class="swatch equal"></span>predicted as it is</span>'
        f"{cut}</p>"
    )
    return _figure("Predicted against true distance", height, parts, "predicted distance") + key


def _columns(true: Array) -> Array:
    """One column for each whole number, if distances are whole and not too many; else 60."""
    low, high = float(true.min()), float(true.max())
    if bool((true == np.round(true)).all()) and high - low < COLUMNS:
        return np.arange(low - 0.5, high + 1.0)
    return np.linspace(low, max(high, low + 1e-9), COLUMNS + 1)


def _medians(true: Array, predicted: Array, edges: Array) -> tuple[Array, Array]:
    """Middle of every column with a few pairs, and the median of their predictions."""
    column = np.clip(np.searchsorted(edges, true, side="right") - 1, 0, len(edges) - 2)
    kept = [at for at in range(len(edges) - 1) if (column == at).sum() >= FEWEST]
    middle = np.array([(edges[at] + edges[at + 1]) / 2 for at in kept])
    return middle, np.array([np.median(predicted[column == at]) for at in kept])


def _across(values: Array, low: float, high: float) -> Array:
    return np.asarray(LEFT + (WIDTH - LEFT - RIGHT) * (values - low) / (high - low))


def _down(values: Array, high: float, height: int = HEIGHT) -> Array:
    """From 0, at the bottom, to `high`."""
    return np.asarray(TOP + (height - TOP - BOTTOM) * (high - values) / high)


def _grid(x: tuple[float, float], high: float, below: str, unit: str, height: int = HEIGHT) -> str:
    """Lines with numbers, and what the horizontal axis is."""
    parts = []
    for value in ticks(0.0, high):
        at = number(float(_down(np.array(value), high, height)))
        label = f"{value:g}{' ' + unit if unit else ''}"
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at}" y2="{at}"/>')
        parts.append(f'<text class="tick y" x="{LEFT - 8}" y="{at}">{label}</text>')
    for value in ticks(*x, 10):
        at = number(float(_across(np.array(value), *x)))
        parts.append(f'<text class="tick" x="{at}" y="{height - 28}">{value:g}</text>')
    middle = number(LEFT + (WIDTH - LEFT - RIGHT) / 2)
    parts.append(f'<text class="tick" x="{middle}" y="{height - 10}">{below}</text>')
    return "".join(parts)


def _figure(label: str, height: int, parts: list[str], side: str = "") -> str:
    if side:
        at = number(TOP + (height - TOP - BOTTOM) / 2)
        parts.append(f'<text class="tick" transform="translate(16 {at}) rotate(-90)">{side}</text>')
    return (
        f'<figure class="wide"><svg class="curve" role="img" aria-label="{label}" '
        f'viewBox="0 0 {WIDTH} {height}">{"".join(parts)}</svg></figure>'
    )


def _swatch(css: str, name: str, count: int) -> str:
    return (
        f'<span class="item"><span class="swatch box {css}"></span>{name} '
        f'<span class="soft">{figure(count)}</span></span>'
    )
