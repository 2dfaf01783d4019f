"""Predicted against true numbers, and how large the errors are."""

import numpy as np

from graphpool.report.data import Array, NumberPlot
from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import counted, key, number, swatch, text

MOST_POINTS = 2000
BINS = 30


def true_chart(plot: NumberPlot) -> str:
    """A dot for every graph, with its interval if it has one; on the line the two are equal."""
    known = np.flatnonzero(np.isfinite(plot.true))
    shown = known
    if len(shown) > MOST_POINTS:
        shown = known[np.linspace(0, len(known) - 1, MOST_POINTS).round().astype(int)]
    true, value = plot.true[shown], plot.predicted[shown]
    axis = _axis(np.concatenate([true, value]))
    chart = Chart(460, 420, 58, 16, 16, axis, axis)
    parts = [chart.grid("true", 6), chart.vertical("predicted")]
    ends = np.array(axis)
    parts.append(f'<path class="equal" d="{chart.path(ends, ends)}"/>')
    xs, ys = chart.across(true), chart.down(value)
    missed = ""
    if plot.lower is not None and plot.upper is not None:
        low, high = plot.lower[shown], plot.upper[shown]
        out = (true < low) | (true > high)
        whiskers = {"inside": ~out, "outside": out}
        for kind, chosen in whiskers.items():
            lines = "".join(
                f"M{number(x)} {number(a)}V{number(b)}"
                for x, a, b in zip(xs[chosen], chart.down(low[chosen]), chart.down(high[chosen]),
                                   strict=True)
            )  # fmt: skip
            parts.append(f'<path class="whisker {kind}" d="{lines}"/>')
        missed = (
            f"<span>bars: 90 % intervals; orange ones miss the true number ({out.sum()})</span>"
        )
    parts += [
        f'<circle class="dot" cx="{number(x)}" cy="{number(y)}" r="2.6">'
        f"<title>{text(plot.ids[at])}: true {plot.true[at]:.4g}, predicted "
        f"{plot.predicted[at]:.4g}</title></circle>"
        for at, x, y in zip(shown.tolist(), xs.tolist(), ys.tolist(), strict=True)
    ]
    fewer = f"<span>{len(shown)} of them are drawn</span>" if len(shown) < len(known) else ""
    legend = key(
        (swatch("box cell"), counted("test graphs", len(known))),
        (swatch("equal"), "predicted as it is"),
        after=missed + fewer,
    )
    title = f"{text(plot.name)}: predicted against true"
    return f"<figure><figcaption>{title}</figcaption>{chart.svg(title, parts)}{legend}</figure>"


def residual_chart(plot: NumberPlot) -> str:
    """A histogram of predicted minus true."""
    residual = (plot.predicted - plot.true)[np.isfinite(plot.true)]
    if not len(residual):
        return ""
    far = max(float(np.abs(residual).max()), 1e-12)
    edges = np.linspace(-far, far, BINS + 1)
    counts = np.histogram(residual, edges)[0]
    top = 1.08 * max(float(counts.max()), 1.0)
    chart = Chart(460, 420, 58, 16, 16, (-far, far), (0.0, top))
    line = chart.path(np.repeat(edges, 2)[1:-1], np.repeat(counts, 2))
    left, right = (number(float(chart.across(end))) for end in (-far, far))
    middle = number(float(chart.across(0.0)))
    parts = [
        chart.grid("predicted − true", 6),
        chart.vertical("graphs"),
        f'<path class="hist yes" d="M{left} {chart.base}{line.replace("M", "L")}L{right} '
        f'{chart.base}"/>',
        f'<line class="cut" x1="{middle}" x2="{middle}" y1="{chart.top}" y2="{chart.base}"/>',
    ]
    mean, half = float(residual.mean()), float(np.median(np.abs(residual)))
    legend = key(
        (swatch("box yes"), counted("test graphs", len(residual))),
        after=f"<span>mean {mean:+.3g}; half of the errors are below {half:.3g}</span>",
    )
    title = f"{text(plot.name)}: residuals"
    return f"<figure><figcaption>{title}</figcaption>{chart.svg(title, parts)}{legend}</figure>"


def _axis(values: Array) -> tuple[float, float]:
    low, high = float(values.min()), float(values.max())
    margin = 0.05 * (high - low) or max(abs(high), 1.0) * 0.1
    return low - margin, high + margin
