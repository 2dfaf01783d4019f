"""Some graphs with their parts in colours, as one SVG file for a README, a paper or slides."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphpool.errors import ConfigError, DataError, check_type
from graphpool.files import atomic_write
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places import PlaceRule
from graphpool.report.draw.comparison_pictures import MOST_EDGES, MOST_NODES, graph_picture
from graphpool.report.draw.critical_difference import text_width
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
TITLE, CAPTION, SIZE = 16, 14, 12  # of letters: of the picture, and of the lines below a graph
MOST_GRAPHS = 24
GRAPH = "graph "  # before its id

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
    where the set has their SMILES and rdkit is installed. Ids that are too long for the room of
    their graph have a gap in the middle. The same graphs give the same bytes.

    Args:
        graphs: 1 to 24 of a set, such as `graphs[[5, 17]]`, each of at most 300 nodes and 1,200
            edges, or a molecule of at most 500 atoms; a set that `RecurringParts.attach` returned
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
    about = f", units {rule.units}: {RULES[rule.units]}"
    bold = 1.1 * TITLE  # these letters are wider
    name = shortened_middle(graphs.name, INSIDE - text_width(about, bold), bold)
    with atomic_write(path) as handle:
        handle.write(_picture(panels, name + about).encode())
    return path


class _Panel:
    """One graph, its size on paper, and the words below it."""

    def __init__(self, side: Side) -> None:
        drawn = graph_picture(side, {})
        if not drawn:
            limit = f"more than {MOST_NODES} nodes or {MOST_EDGES:,} edges"
            why = f"is too large to be drawn ({limit})" if side.labels else "has nothing to draw"
            raise DataError(f"{side.title}: it {why}; choose another graph")
        head, self.body = drawn.removesuffix("</svg>").split(">", 1)
        box = re.search(r'viewBox="([^"]*)"', head)
        assert box is not None
        self.box = box[1]
        self.width, self.height = map(float, self.box.split()[2:])
        name, _, size = side.title.rpartition(": ")  # an id may have a colon, too
        self.id = name.removeprefix(GRAPH)
        self.parts = f": {count_of(len(set(side.part)), 'part')}"
        self.size = f"{size}, {cut_edges(side)} cut"

    def fit(self, scale: float, column: float) -> "_Panel":
        """Make it this much smaller, or more if it is still too large.

        Words that are wider than the graph get the room of a column, if they need it.
        """
        scale = min(scale, INSIDE / self.width, TALLEST / self.height)
        self.width, self.height = scale * self.width, scale * self.height
        words = max(text_width(GRAPH + self.id + self.parts, CAPTION), text_width(self.size, SIZE))
        self.room = max(self.width, NARROWEST, min(words, column))
        return self

    def svg(self, x: float, y: float, row: float) -> str:
        """The graph in the middle of its room in a row of this height, words below it."""
        middle = x + self.room / 2
        left = self.room - text_width(GRAPH + self.parts, CAPTION)
        name = shortened_middle(self.id, left, CAPTION)
        full = f"<title>{text(GRAPH + self.id)}</title>" if name != self.id else ""
        return (
            f'<svg x="{number(middle - self.width / 2)}" '
            f'y="{number(y + (row - self.height) / 2)}" width="{number(self.width)}" '
            f'height="{number(self.height)}" viewBox="{self.box}">{self.body}</svg>'
            f'<text x="{number(middle)}" y="{number(y + row + 20)}" font-size="{CAPTION}" '
            f'text-anchor="middle">{full}{text(GRAPH + name + self.parts)}</text>'
            f'<text x="{number(middle)}" y="{number(y + row + 37)}" font-size="{SIZE}" '
            f'fill="var(--soft)" text-anchor="middle">{text(self.size)}</text>'
        )


def shortened_middle(words: str, room: float, size: float) -> str:
    """Return words with as much of their middle left out as they are wider than their room.

    Ids often begin alike and differ at the end.
    """
    if text_width(words, size) <= room:
        return words
    least = text_width("i", size)
    for kept in range(min(len(words) - 1, int(max(room, 0.0) / least)), 2, -1):
        short = f"{words[: -(-kept // 2)]}…{words[len(words) - kept // 2 :]}"
        if text_width(short, size) <= room:
            return short
    return f"{words[:1]}…{words[-1:]}"


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
    for row in _rows([panel.fit(scale, width) for panel in panels], columns):
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
        f'<text x="{number(WIDTH / 2)}" y="28" font-size="{TITLE}" font-weight="600" '
        f'text-anchor="middle">{text(title)}</text>{"".join(drawn)}</svg>\n'
    )
