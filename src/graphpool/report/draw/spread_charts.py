"""Histograms of numbers, and bars of counts."""

import numpy as np

from graphpool.report.data import CountPlot, ValuePlot
from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import bar, counted, figure, key, number, swatch, text

BINS = 30
MOST_BARS = 12


def value_chart(plot: ValuePlot) -> str:
    """A histogram; whole numbers of a small range have a bar each."""
    known = plot.values[np.isfinite(plot.values)].astype(float)
    if not len(known):
        return ""
    low, high = float(known.min()), float(known.max())
    if plot.whole and high - low < BINS:
        edges = np.arange(low - 0.5, high + 1.0)
    elif plot.whole:
        # Bars as wide as a whole number, so that none holds more of them than another.
        wide = np.ceil((high - low + 1) / BINS)
        edges = low - 0.5 + wide * np.arange(np.ceil((high - low + 1) / wide) + 1)
    else:
        edges = np.linspace(low, high if high > low else low + 1.0, BINS + 1)
    counts = np.histogram(known, edges)[0]
    chart = Chart(460, 300, 58, 16, 16, (edges[0], edges[-1]), (0.0, 1.08 * float(counts.max())))
    line = chart.path(np.repeat(edges, 2)[1:-1], np.repeat(counts, 2))
    left, right = (number(float(chart.across(end))) for end in (edges[0], edges[-1]))
    middle = float(np.median(known))
    at = number(float(chart.across(middle)))
    parts = [
        chart.grid(text(plot.name), 6, whole=plot.whole),
        f'<path class="hist yes" d="M{left} {chart.base}{line.replace("M", "L")}L{right} '
        f'{chart.base}Z"/>',
        f'<line class="cut" x1="{at}" x2="{at}" y1="{chart.top}" y2="{chart.base}"/>',
    ]
    unknown = len(plot.values) - len(known)
    after = f"<span>median {figure(middle)}; {figure(low)} to {figure(high)}</span>"
    after += f"<span>unknown for {figure(unknown)}</span>" if unknown else ""
    legend = key((swatch("box yes"), counted("graphs", len(known))), after=after)
    title = text(plot.name[:1].upper() + plot.name[1:])
    return f"<figure><figcaption>{title}</figcaption>{chart.svg(title, parts)}{legend}</figure>"


def count_chart(plot: CountPlot) -> str:
    """A bar for each name, the most frequent first."""
    order = sorted(plot.counts, key=lambda item: -item[1])
    total = max(sum(count for _, count in order), 1)
    most = max(count for _, count in order) or 1
    rows = "".join(
        f'<div class="meter"><p><span>{text(name)}</span> <span><b>{figure(count)}</b> '
        f'<span class="soft">{100 * count / total:.1f} %</span></span></p>{bar(count / most)}</div>'
        for name, count in order[:MOST_BARS]
    )
    left = order[MOST_BARS:]
    more = f"; {len(left)} more with {figure(sum(n for _, n in left))}" if left else ""
    note = f"{len(order)} different, {figure(total)} {text(plot.noun)} in all{more}"
    return (
        f'<figure class="counts"><figcaption>{text(plot.name)}</figcaption>{rows}'
        f'<p class="note">{note}</p></figure>'
    )
