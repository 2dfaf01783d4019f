"""Some graphs with their parts in colours, as one SVG file for a README, a paper or slides."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphpool.errors import ConfigError, DataError, check_type
from graphpool.files import atomic_write
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places import PlaceRule
from graphpool.report.draw.comparison_pictures import graph_picture
from graphpool.report.draw.parted import cut_edges, parted_sides
from graphpool.report.draw.svg import count_of, number, text
from graphpool.report.pictures import Side
from graphpool.report.style import plain_style

WIDTH, TALLEST = 960.0, 620.0
MARGIN, GAP = 16.0, 20.0
INSIDE = WIDTH - 2 * MARGIN
SMALLEST, MOST_COLUMNS = 0.7, 4
HEAD, FOOT = 44.0, 46.0  # of the picture and of each graph, for words
NARROWEST = 170.0  # the words below a graph need it
MOST_GRAPHS = 24

RULES = {
    "none": "parts by modularity",
    "rings": "rings, and parts by modularity between them",
    "auto": "rings in sparse graphs, parts by modularity elsewhere",
    "recurring": "parts that recur",
}
"""What the units of a rule mean, in a few words."""


def parts_of_graphs(graphs: GraphSet, rule: PlaceRule) -> list[dict[str, Any]]:
    """Return the parts of each graph as plain values for JSON: lists of their nodes."""
    shown = []
    for name, side in zip(graphs.ids, parted_sides(graphs, rule), strict=True):
        members: dict[int, list[int]] = {}
        for node, part in enumerate(side.part):
            members.setdefault(part, []).append(node)
        shown.append(
            {
                "graph": name, "nodes": len(side.labels), "edges": len(side.edges),
                "cut_edges": cut_edges(side), "parts": [members[part] for part in sorted(members)],
            }
        )  # fmt: skip
    return shown


def draw_parts(graphs: GraphSet, rule: PlaceRule, path: str | Path) -> Path:
    """Draw graphs with their parts in colours into FILE.svg, atomically.

    Nodes have the colour of their part, edges between parts are pale. Molecules are drawn as such
    where the set has their SMILES and rdkit is installed. The same graphs give the same bytes.

    Args:
        graphs: a few of a set, such as `graphs[[5, 17]]`; one that `RecurringParts.attach` returned
            for the rule of parts that recur.
        rule: by which parts are found, such as `PlaceRule(units="auto", steps=0)`.
    """
    check_type("graphs", graphs, GraphSet, "a GraphSet")
    check_type("rule", rule, PlaceRule, "PlaceRule(...)")
    path = Path(path)
    if path.suffix.lower() != ".svg":
        raise ConfigError(f"{path}: parts are drawn as SVG; end it with .svg")
    if not 0 < len(graphs) <= MOST_GRAPHS:
        raise ConfigError(
            f"{count_of(len(graphs), 'graph')} to draw; choose 1 to {MOST_GRAPHS}, such as "
            "graphs[[0, 1]]"
        )
    panels = [_Panel(side) for side in parted_sides(graphs, rule)]
    with atomic_write(path) as handle:
        handle.write(
            _picture(panels, f"{graphs.name}, units {rule.units}: {RULES[rule.units]}").encode()
        )
    return path


class _Panel:
    """One graph, its size on paper, and the words below it."""

    def __init__(self, side: Side) -> None:
        drawn = graph_picture(side, {})
        if not drawn:
            why = "is too large to be drawn" if side.labels else "has nothing to draw"
            raise DataError(f"{side.title}: it {why}; choose another graph")
        head, self.body = drawn.removesuffix("</svg>").split(">", 1)
        box = re.search(r'viewBox="([^"]*)"', head)
        assert box is not None
        self.box = box[1]
        self.width, self.height = map(float, self.box.split()[2:])
        graph, _, size = side.title.partition(": ")
        parts = count_of(len(set(side.part)), "part")
        self.words = (f"{graph}: {parts}", f"{size}, {cut_edges(side)} cut")

    def fit(self, scale: float) -> "_Panel":
        """Make it this much smaller, or more if it is still too large."""
        scale = min(scale, INSIDE / self.width, TALLEST / self.height)
        self.width, self.height = scale * self.width, scale * self.height
        self.room = max(self.width, NARROWEST)
        return self

    def svg(self, x: float, y: float, row: float) -> str:
        """The graph in the middle of its room in a row of this height, words below it."""
        middle = x + self.room / 2
        first, second = self.words
        return (
            f'<svg x="{number(middle - self.width / 2)}" '
            f'y="{number(y + (row - self.height) / 2)}" width="{number(self.width)}" '
            f'height="{number(self.height)}" viewBox="{self.box}">{self.body}</svg>'
            f'<text x="{number(middle)}" y="{number(y + row + 20)}" font-size="14" '
            f'text-anchor="middle">{text(first)}</text>'
            f'<text x="{number(middle)}" y="{number(y + row + 37)}" font-size="12" '
            f'fill="var(--soft)" text-anchor="middle">{text(second)}</text>'
        )


def _rows(panels: Sequence[_Panel], columns: int) -> list[list[_Panel]]:
    """As many graphs beside each other as there is room for, at most `columns`."""
    rows: list[list[_Panel]] = []
    left = 0.0
    for panel in panels:
        if not rows or left < panel.room or len(rows[-1]) == columns:
            rows.append([])
            left = INSIDE
        rows[-1].append(panel)
        left -= panel.room + GAP
    return rows


def _picture(panels: Sequence[_Panel], title: str) -> str:
    # Full rows, if the graphs are not too small then.
    columns = -(-len(panels) // -(-len(panels) // MOST_COLUMNS))
    width = (INSIDE - (columns - 1) * GAP) / columns
    scale = max(SMALLEST, min(1.0, width / max(panel.width for panel in panels)))
    drawn, y = [], HEAD
    for row in _rows([panel.fit(scale) for panel in panels], columns):
        height = max(panel.height for panel in row)
        gap = (WIDTH - sum(panel.room for panel in row)) / (len(row) + 1)
        x = gap
        for panel in row:
            drawn.append(panel.svg(x, y, height))
            x += panel.room + gap
        y += height + FOOT + MARGIN
    size = f"{number(WIDTH)} {number(y)}"
    return plain_style(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {size}" width="{number(WIDTH)}" '
        f'height="{number(y)}" role="img" aria-label="{text(title)}" font-family="sans-serif" '
        f'fill="var(--ink)"><rect width="100%" height="100%" fill="#fff"/>'
        f'<text x="{number(WIDTH / 2)}" y="28" font-size="16" font-weight="600" '
        f'text-anchor="middle">{text(title)}</text>{"".join(drawn)}</svg>\n'
    )
