"""A grid of small maps of graphs: one dot per graph, in the colour of its class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphpool.report.data import Array
from graphpool.report.draw.svg import number, text

WIDE = 210.0  # of a map
GAP, MARGIN = 14.0, 16.0
HEAD, WORDS = 34.0, 36.0  # heights of the title of a row and of a map
PALE = 0.3  # opacity of dots that are not strong


@dataclass(frozen=True, eq=False)
class Map:
    """One map.

    Attributes:
        title: in bold above it.
        numbers: below the title.
        points: `[graphs, 2]` coordinates, between 0 and 1.
        y: `[graphs]` classes, as codes.
        strong: `[graphs]` whether a graph is drawn dark.
    """

    title: str
    numbers: str
    points: Array
    y: Array
    strong: Array


def map_grid(rows: Mapping[str, Sequence[Map]], title: str = "") -> str:
    """Draw rows of maps, by the titles of the rows, as an SVG document."""
    columns = max(len(maps) for maps in rows.values())
    top = 40.0 if title else MARGIN
    high = HEAD + WORDS + WIDE + GAP
    width = 2 * MARGIN + columns * WIDE + (columns - 1) * GAP
    height = top + high * len(rows) + MARGIN
    parts = []
    if title:
        parts.append(
            f'<text x="{MARGIN:g}" y="28" font-size="16" font-weight="600">{text(title)}</text>'
        )
    for at, (name, maps) in enumerate(rows.items()):
        y = top + at * high
        parts.append(f'<text x="{MARGIN:g}" y="{number(y + 22)}">{text(name)}</text>')
        parts += [
            _map(each, MARGIN + column * (WIDE + GAP), y + HEAD) for column, each in enumerate(maps)
        ]
    wide, tall = number(width), number(height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {tall}" width="{wide}" '
        f'height="{tall}" role="img" aria-label="{text(title or "maps of graphs")}" '
        'font-family="sans-serif" font-size="13" fill="var(--ink)">'
        f'<rect width="100%" height="100%" fill="var(--card)"/>{"".join(parts)}</svg>\n'
    )


def _map(each: Map, x: float, y: float) -> str:
    """Title, numbers, frame and dots; strong dots lie above pale ones."""
    parts = [
        f'<text x="{number(x)}" y="{number(y + 12)}" font-weight="600">{text(each.title)}</text>'
        f'<text x="{number(x)}" y="{number(y + 27)}" font-size="11" fill="var(--soft)">'
        f"{text(each.numbers)}</text>"
        f'<rect x="{number(x)}" y="{number(y + WORDS)}" width="{WIDE:g}" height="{WIDE:g}" '
        'fill="none" stroke="var(--line)"/>'
    ]
    # t-SNE has no directions, and only the longer side of a map fills its frame.
    inner = WIDE - 16
    middle = (each.points.min(0) + each.points.max(0)) / 2
    places = [x + WIDE / 2, y + WORDS + WIDE / 2] + inner * (each.points - middle)
    for strong in (False, True):
        for kind in np.unique(each.y).tolist():
            chosen = places[(each.y == kind) & (each.strong == strong)]
            dots = "".join(f"M{number(left)} {number(down)}h0" for left, down in chosen)
            look = 'stroke-width="4.4"' if strong else f'stroke-width="3.4" opacity="{PALE:g}"'
            if dots:
                parts.append(
                    f'<path d="{dots}" stroke="var(--c{kind % 12})" {look} '
                    'stroke-linecap="round" fill="none"/>'
                )
    return "".join(parts)
