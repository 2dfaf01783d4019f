"""A grid of learning curves: a chart for each quantity, a line for each method.

Every value is drawn, in a pale line. The dark line above it is the mean of the epochs around it,
and the legend says so; of a few epochs there is one dark line through the values themselves.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphpool.report.data import Array
from graphpool.report.draw.chart import BOTTOM, Chart
from graphpool.report.draw.critical_difference import text_width
from graphpool.report.draw.curves import axis_limits
from graphpool.report.draw.svg import MARKERS, colour, number, text

WIDTH, TALL = 960, 236
MARGIN, GAP = 16, 10
HEAD = 44  # of a row, for its title and those of its charts
LEFT, TOP = 34, 8  # of a chart
STEP = 13.0  # from one direct label to the next
SMALL = 11  # letters of numbers and labels
WINDOW = 9  # epochs of a mean
PALE = 0.3  # opacity of the lines through all values
# Blue, vermilion, green and purple are told apart best beside each other.
TONES = (0, 5, 2, 3, 1, 7, 6, 4, 8, 9, 10, 11)


@dataclass(frozen=True, eq=False)
class MethodCurve:
    """The values of one method.

    Attributes:
        label: the name of the method.
        values: of every epoch from 1 on.
        chosen: the epoch that was kept.
    """

    label: str
    values: Array
    chosen: int


@dataclass(frozen=True, eq=False)
class Panel:
    """One chart.

    Attributes:
        title: the quantity.
        curves: of the methods, in their order.
        percent: whether values end at 100; others have a logarithmic axis if all are above 0.
    """

    title: str
    curves: Sequence[MethodCurve]
    percent: bool = False

    @property
    def values(self) -> Array:
        """All values that are finite."""
        values = np.concatenate([curve.values for curve in self.curves])
        return np.asarray(values[np.isfinite(values)])


def curve_grid(rows: Mapping[str, Sequence[Panel]], title: str = "", note: str = "") -> str:
    """Draw rows of charts, by the titles of the rows, as an SVG document.

    Args:
        note: a sentence behind what the legend says of lines and marks.
    """
    labels = list(
        dict.fromkeys(
            curve.label for panels in rows.values() for panel in panels for curve in panel.curves
        )
    )
    top = 40 if title else MARGIN
    parts = [_text(MARGIN, 28, title, 'font-size="16" font-weight="600"')] if title else []
    longest = max(len(c.values) for panels in rows.values() for p in panels for c in p.curves)
    parts.append(_legend(labels, top + 12, longest, note))
    top += 52
    columns = max(len(panels) for panels in rows.values())
    wide = (WIDTH - 2 * MARGIN - (columns - 1) * GAP) // columns
    for at, (name, panels) in enumerate(rows.items()):
        y = top + at * (HEAD + TALL)
        parts.append(_text(MARGIN, y + 16, name, 'font-weight="600"'))
        for column, panel in enumerate(panels):
            parts.append(_panel(panel, labels, MARGIN + column * (wide + GAP), y, wide))
    height = top + len(rows) * (HEAD + TALL) + MARGIN // 2
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
        f'width="{WIDTH}" height="{height}" role="img" '
        f'aria-label="{text(title or "learning curves")}" '
        'font-family="sans-serif" font-size="13" fill="var(--ink)">'
        "<style>.grid{stroke:var(--line)}"
        f".tick{{font-size:{SMALL}px;fill:var(--soft);text-anchor:middle}}"
        ".tick.y{text-anchor:end;dominant-baseline:central}</style>"
        f'<rect width="100%" height="100%" fill="var(--card)"/>{"".join(parts)}</svg>\n'
    )


def running_mean(values: Array) -> Array:
    """Mean of each value and its neighbours, `WINDOW` in all; fewer at both ends.

    Values that are not finite are left out. Of fewer than two windows nothing is averaged.
    """
    if len(values) < 2 * WINDOW:
        return values
    finite, window = np.isfinite(values), np.ones(WINDOW)
    total = np.convolve(np.where(finite, values, 0.0), window, mode="same")
    count = np.convolve(finite.astype(float), window, mode="same")
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1.0), np.nan))


def _legend(labels: Sequence[str], y: float, epochs: int, more: str) -> str:
    """The line and the mark of every method, side by side, and what lines and marks are."""
    parts, x = [], float(MARGIN)
    for at, label in enumerate(labels):
        line = f"M{number(x)} {number(y - 4)}h26"
        parts.append(_line(line, at) + _mark(at, x + 13, y - 4) + _text(x + 32, y, label))
        x += 32 + text_width(label) + 16
    note = "Mark: the epoch that was kept."
    if epochs >= 2 * WINDOW:
        note = f"Pale: each epoch; dark: mean of the {WINDOW} epochs around it. {note}"
    look = f'font-size="{SMALL + 1}" fill="var(--soft)"'
    return "".join(parts) + _text(MARGIN, y + 20, f"{note} {more}".strip(), look)


def _panel(panel: Panel, labels: Sequence[str], x: float, y: float, wide: int) -> str:
    """One chart with the names of the methods at the ends of their lines."""
    right = 10 + round(max(text_width(label, SMALL) for label in labels))
    last = max(max(len(curve.values) for curve in panel.curves), 2)
    chart, cut = _chart(panel, wide, right, float(last))
    parts = [chart.grid("epoch", 5, whole=True)]
    dark, marks, ends = [], [], []
    for curve in panel.curves:
        at, epochs = labels.index(curve.label), np.arange(1, len(curve.values) + 1)
        means = running_mean(curve.values)
        if means is not curve.values:
            parts.append(_line(chart.path(epochs, curve.values), at, pale=True))
        dark.append(_line(chart.path(epochs, means), at))
        if len(finite := means[np.isfinite(means)]):
            ends.append((float(chart.down(float(finite[-1]))), at, curve.label))
        for kept in epochs[(epochs == curve.chosen) & np.isfinite(curve.values)].tolist():
            value = float(curve.values[kept - 1])
            says = f"{curve.label}: epoch {kept} was kept, {value:.4g}"
            marks.append(_mark(at, float(chart.across(kept)), float(chart.down(value)), says))
    parts += dark
    parts += marks
    edge = wide - right
    for down, (_, at, label) in zip(
        _apart([end for end, _, _ in sorted(ends)]), sorted(ends), strict=True
    ):
        look = f'font-size="{SMALL}" style="fill:{colour(TONES[at % len(TONES)])}"'
        parts.append(_text(edge + 5, down + 4, label, look))
    notes = (["logarithmic"] if chart.log else []) + (["spikes cut off"] if cut else [])
    name = panel.title + (f" ({', '.join(notes)})" if notes else "")
    head = _text(x + LEFT, y + 36, name, f'font-size="{SMALL + 1}"')
    return f'{head}<g transform="translate({number(x)} {number(y + HEAD)})">{"".join(parts)}</g>'


def _chart(panel: Panel, wide: int, right: int, last: float) -> tuple[Chart, bool]:
    """Axes that hold all values, and whether spikes are cut off."""
    values = panel.values
    if not panel.percent and len(values) and values.min() > 0:
        limits = float(values.min()) / 1.1, float(values.max()) * 1.1
        return Chart(wide, TALL, LEFT, right, TOP, (1.0, last), limits, log=True), False
    low, high, cut = axis_limits(values, top=100.0 if panel.percent else None)
    return Chart(wide, TALL, LEFT, right, TOP, (1.0, last), (low, high)), cut


def _apart(wanted: Sequence[float]) -> list[float]:
    """Heights of labels near those that are wanted, sorted, none nearer than `STEP` to the next."""
    groups: list[list[float]] = []  # first height and wanted heights of labels that touch
    for height in wanted:
        groups.append([height])
        while len(groups) > 1 and _end(groups[-2]) + STEP > _begin(groups[-1]):
            groups[-2:] = [[*groups[-2], *groups[-1]]]
    limit = TALL - BOTTOM
    heights: list[float] = []
    for group in groups:
        first = max(min(_begin(group), limit - (len(group) - 1) * STEP), TOP)
        heights += [first + STEP * at for at in range(len(group))]
    return heights


def _begin(group: Sequence[float]) -> float:
    return sum(group) / len(group) - STEP * (len(group) - 1) / 2


def _end(group: Sequence[float]) -> float:
    return _begin(group) + STEP * (len(group) - 1)


def _line(path: str, at: int, pale: bool = False) -> str:
    look = f'stroke-width="1" opacity="{PALE:g}"' if pale else 'stroke-width="2"'
    return (
        f'<path d="{path}" fill="none" stroke="{colour(TONES[at % len(TONES)])}" {look} '
        'stroke-linejoin="round" stroke-linecap="round"/>'
    )


def _mark(at: int, x: float, y: float, says: str = "") -> str:
    """The shape of a method, filled like the card so that lines don't hide it."""
    title = f"<title>{text(says)}</title>" if says else ""
    return (
        f'<path d="{MARKERS[at % len(MARKERS)]}" transform="translate({number(x)} {number(y)})" '
        f'fill="var(--card)" stroke="{colour(TONES[at % len(TONES)])}" stroke-width="2">'
        f"{title}</path>"
    )


def _text(x: float, y: float, words: str, look: str = "") -> str:
    return f'<text x="{number(x)}" y="{number(y)}" {look}>{text(words)}</text>'
