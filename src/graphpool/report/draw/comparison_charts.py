"""Charts about comparers: scores of pairs of either kind, predicted against true distances."""

import numpy as np

from graphpool.errors import plural
from graphpool.report.data import Array, DistancePlot, Scores
from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import counted, key, number, swatch

WIDTH, HEIGHT = 900, 330
LEFT, RIGHT, TOP = 58, 20, 18
BINS = 40
COLUMNS, ROWS = 60, 56
FEWEST = 5


def score_chart(scores: Scores) -> str:
    """Two histograms over each other: the shares of either kind of pair by their score."""
    edges = np.linspace(0, 1, BINS + 1)
    shares = {
        kind: 100 * np.histogram(values, edges)[0] / max(len(values), 1)
        for kind, values in (("no", scores.others), ("yes", scores.matching))
    }
    top = 1.08 * max(float(share.max()) for share in shares.values())
    chart = Chart(WIDTH, HEIGHT, LEFT, RIGHT, TOP, (0.0, 1.0), (0.0, top))
    parts = [chart.grid("score", 10, " %")]
    for kind, share in shares.items():
        line = chart.path(np.repeat(edges, 2)[1:-1], np.repeat(share, 2))
        parts.append(
            f'<path class="hist {kind}" d="M{LEFT} {chart.base}{line.replace("M", "L")}'
            f'L{WIDTH - RIGHT} {chart.base}"/>'
        )
    middle = number(float(chart.across(0.5)))
    parts.append(f'<line class="cut" x1="{middle}" x2="{middle}" y1="{TOP}" y2="{chart.base}"/>')
    missed, alarms = scores.matching <= 0.5, scores.others > 0.5
    legend = key(
        (swatch("box yes"), counted("pairs that match", len(scores.matching))),
        (swatch("box no"), counted("pairs that don’t", len(scores.others))),
        after=f"<span>{missed.sum()} of the former lie left of the line and are missed, "
        f"{alarms.sum()} of the latter right of it and are taken for matches</span>",
    )
    drawn = chart.svg("Scores of matching and other pairs", parts)
    return f'<figure class="wide">{drawn}</figure>{legend}'


def distance_chart(plot: DistancePlot) -> str:
    """Draw true against predicted distances as counts, with the median of each column."""
    true, predicted = (np.asarray(part, dtype=float) for part in (plot.true, plot.predicted))
    x_edges = _columns(true)
    high = 1.03 * max(float(np.quantile(predicted, 0.9995)), float(true.max()), 1e-9)
    beyond = int((predicted > high).sum())
    y_edges = np.linspace(0, high, ROWS + 1)
    counts = np.histogram2d(true, predicted, (x_edges, y_edges))[0]
    shade = np.sqrt(counts / max(float(counts.max()), 1.0))
    low_x, high_x = float(x_edges[0]), float(x_edges[-1])
    chart = Chart(WIDTH, 460, LEFT, RIGHT, TOP, (low_x, high_x), (0.0, high))
    xs, ys = chart.across(x_edges), chart.down(y_edges)
    parts = [chart.grid("true distance", 10)]
    for column, row in np.argwhere(counts > 0).tolist():
        wide, tall = xs[column + 1] - xs[column], ys[row] - ys[row + 1]
        parts.append(
            f'<rect class="cell" x="{xs[column]:.1f}" y="{ys[row + 1]:.1f}" width="{wide:.1f}" '
            f'height="{tall:.1f}" fill-opacity="{0.06 + 0.94 * shade[column, row]:.2f}"/>'
        )
    ends = np.array([max(0.0, low_x), min(high, high_x)])
    parts.append(f'<path class="equal" d="{chart.path(ends, ends)}"/>')
    medians = chart.path(*_medians(true, predicted, x_edges))
    parts.append(f'<path class="median" d="{medians}"/>')
    middle = number((TOP + chart.base) / 2)
    parts.append(
        f'<text class="tick" transform="translate(16 {middle}) rotate(-90)">'
        "predicted distance</text>"
    )
    legend = key(
        (swatch("box cell"), counted("pairs: the darker, the more", len(true))),
        (swatch("median"), "median of a true distance"),
        (swatch("equal"), "predicted as it is"),
        after=f"<span>{plural(beyond, 'pair')} above the picture</span>" if beyond else "",
    )
    drawn = chart.svg("Predicted against true distance", parts)
    return f'<figure class="wide">{drawn}</figure>{legend}'


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
