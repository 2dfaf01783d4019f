"""Draw time and memory of a training step against the nodes of a graph, on logarithmic axes."""

import math
from typing import Any

import numpy as np

from graphpool.report.draw.chart import Chart
from graphpool.report.draw.svg import LIGHT, number, text

INK, SOFT, GRID = "#23272c", "#6a7079", "#e3e5e8"
WIDTH, HEIGHT, NAMES = 430, 420, 140
UNITS = ((1.0, "s", 1.0), (1e-3, "ms", 1e3), (1e-6, "µs", 1e6))


def draw_complexity(found: dict[str, Any]) -> str:
    """A panel for seconds and one for MiB, with the names of methods at the ends of their lines."""
    panels = (
        ("time of a training step", "seconds", _time),
        ("peak memory of a training step", "MiB", lambda value: f"{value:g} MiB"),
    )
    parts = [
        f'<g transform="translate({at * (WIDTH + NAMES)} 0)">{_panel(found, *panel)}</g>'
        for at, panel in enumerate(panels)
    ]
    width = len(panels) * (WIDTH + NAMES)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {HEIGHT}" width="{width}" '
        f'height="{HEIGHT}" role="img" aria-label="Time and memory against the nodes of a graph" '
        f'font-family="sans-serif" font-size="12" fill="{INK}">'
        f'<rect width="100%" height="100%" fill="#fff"/>{"".join(parts)}</svg>\n'
    )


def _panel(found: dict[str, Any], title: str, key: str, form: Any) -> str:
    rows = found["methods"]
    sizes = np.log10(found["sizes"])
    values = {name: np.log10(list(row[key].values())) for name, row in rows.items()}
    low = min(float(line.min()) for line in values.values())
    high = max(float(line.max()) for line in values.values())
    chart = Chart(
        WIDTH, HEIGHT, 62, 8, 40, (float(sizes[0]), float(sizes[-1])), (low - 0.1, high + 0.1)
    )
    parts = [f'<text x="62" y="22" font-size="14" font-weight="600">{title}</text>']
    for power in range(math.ceil(low - 0.1), math.floor(high + 0.1) + 1):
        y = number(float(chart.down(float(power))))
        parts.append(
            f'<line x1="{chart.left}" x2="{WIDTH - chart.right}" y1="{y}" y2="{y}" '
            f'stroke="{GRID}"/><text x="{chart.left - 8}" y="{y}" dy="4" text-anchor="end" '
            f'fill="{SOFT}">{text(form(10.0**power))}</text>'
        )
    for size, at in zip(found["sizes"], sizes.tolist(), strict=True):
        x = number(float(chart.across(at)))
        parts.append(
            f'<text x="{x}" y="{chart.base + 18}" text-anchor="middle" fill="{SOFT}" '
            f'font-size="11">{size:,}</text>'
        )
    middle = number((chart.left + WIDTH - chart.right) / 2)
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 8}" text-anchor="middle" fill="{SOFT}">nodes</text>'
    )
    ends = _apart([float(chart.down(line[-1])) for line in values.values()])
    for tone, (name, line), y in zip(LIGHT, values.items(), ends, strict=False):
        end = WIDTH - chart.right
        parts.append(
            f'<path d="{chart.path(sizes, line)}" fill="none" stroke="{tone}" stroke-width="2" '
            'stroke-linejoin="round"/>'
            f'<path d="M{end} {number(float(chart.down(line[-1])))}L{end + 8} {number(y)}" '
            f'stroke="{tone}" fill="none"/>'
            f'<text x="{end + 11}" y="{number(y)}" dy="4" fill="{tone}">{text(name)}</text>'
        )
    return "".join(parts)


def _apart(heights: list[float], gap: float = 14.0) -> list[float]:
    """Heights of labels near those of their lines, none closer to the next than `gap`."""
    order = np.argsort(heights)
    placed = [heights[at] for at in order]
    for _ in range(200):
        for at in range(len(placed) - 1):
            lack = gap - (placed[at + 1] - placed[at])
            if lack > 0:
                placed[at] -= lack / 2
                placed[at + 1] += lack / 2
    result = [0.0] * len(heights)
    for at, height in zip(order.tolist(), placed, strict=True):
        result[at] = height
    return result


def _time(seconds: float) -> str:
    return next(f"{seconds * times:g} {unit}" for least, unit, times in UNITS if seconds >= least)
