"""A grid of graphs whose nodes are pies of their shares in clusters: a column for each method."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from graphpool.report.data import Array
from graphpool.report.draw.hierarchy import backing, graph_edges, pie_slices
from graphpool.report.draw.layout import LevelLayout, place_graph
from graphpool.report.draw.parted import ORDER, part_colours
from graphpool.report.draw.svg import colour, number, text
from graphpool.report.pictures import Side

WIDTH, MARGIN, GAP = 960.0, 16.0, 18.0
HEAD, FOOT = 30.0, 26.0  # of a graph, for its title and for words below it
TALLEST, LARGEST = 210.0, 1.1  # height of a graph, and by how much small ones grow
EDGE = 8.0  # around a graph
WHOLE = 0.995  # a share that fills the pie
OPACITY = 0.75
MANY_EDGES, FAINTEST = 50, 0.35  # more edges are paler, down to this opacity
SOFT = 'font-size="12" fill="var(--soft)"'


@dataclass(frozen=True, eq=False)
class Clustered:
    """How a method groups the nodes of a graph.

    Attributes:
        share: `[nodes, clusters]`; a row of zeros is a node that pooling dropped.
        words: below the graph.
        places: whether the clusters are places, whose numbers mean nothing in other graphs.
    """

    share: Array
    words: str
    places: bool = False


@dataclass(frozen=True, eq=False)
class DrawnGraph:
    """A row: one graph, in the same layout for every method.

    Attributes:
        adjacency: `[nodes, nodes]`; read as undirected.
        labels: of the nodes; the most frequent one is not written.
        clustered: by the title of a column.
    """

    title: str
    adjacency: Array
    labels: Sequence[str]
    clustered: Mapping[str, Clustered]


def cluster_grid(columns: Sequence[str], rows: Sequence[DrawnGraph], title: str = "") -> str:
    """Draw rows of graphs as an SVG document."""
    wide = (WIDTH - 2 * MARGIN - (len(columns) - 1) * GAP) / len(columns)
    y = 40.0 if title else MARGIN
    parts = [_text(MARGIN, 28, title, 'font-size="16" font-weight="600"')] if title else []
    for line in _notes(rows):
        parts.append(_text(MARGIN, y + 12, line, SOFT))
        y += 18
    y += 16
    for column, name in enumerate(columns):
        middle = MARGIN + column * (wide + GAP) + wide / 2
        parts.append(_text(middle, y + 12, name, 'font-weight="600" text-anchor="middle"'))
    y += 22
    for row in rows:
        drawn, tall = _row(row, columns, wide, y)
        parts.append(drawn)
        y += tall
    height = number(y + MARGIN / 2)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height}" '
        f'width="{WIDTH:g}" height="{height}" role="img" '
        f'aria-label="{text(title or "clusters of graphs")}" '
        'font-family="sans-serif" font-size="13" fill="var(--ink)">'
        f'<rect width="100%" height="100%" fill="var(--card)"/>{"".join(parts)}</svg>\n'
    )


def _row(row: DrawnGraph, columns: Sequence[str], wide: float, y: float) -> tuple[str, float]:
    """One graph in all columns, and the height of the row."""
    where = place_graph(row.adjacency)
    reach = where.radius[:, None] + EDGE
    low, high = (where.position - reach).min(axis=0), (where.position + reach).max(axis=0)
    inner = high - low
    scale = min(wide / float(inner[0]), TALLEST / float(inner[1]), LARGEST)
    parts = [
        f'<path d="M{MARGIN:g} {number(y + 3)}H{number(WIDTH - MARGIN)}" stroke="var(--line)" '
        f'fill="none"/>{_text(MARGIN, y + 21, row.title, SOFT)}'
    ]
    base = y + HEAD + scale * float(inner[1])
    for column, name in enumerate(columns):
        if (clustered := row.clustered.get(name)) is None:
            continue
        middle = MARGIN + column * (wide + GAP) + wide / 2
        x = middle - scale * float(low[0] + high[0]) / 2
        parts.append(
            f'<g transform="translate({number(x)} {number(y + HEAD - scale * float(low[1]))}) '
            f'scale({scale:.3f})">{_graph(row, where, clustered)}</g>'
        )
        look = 'font-size="12" text-anchor="middle"'
        parts.append(_text(middle, base + 14, clustered.words, look))
    return "".join(parts), base + FOOT - y


def _notes(rows: Sequence[DrawnGraph]) -> list[str]:
    """What colours and letters are."""
    places = any(each.places for row in rows for each in row.clustered.values())
    notes = [
        "A node is a pie of its shares in the clusters of the first level, and a colour is a "
        "cluster" + (", or a place." if places else ".")
    ]
    if any(any(row.labels) for row in rows):
        notes.append("Letters are labels of nodes; the most frequent label of a graph is left out.")
    return notes


def _graph(row: DrawnGraph, where: LevelLayout, clustered: Clustered) -> str:
    """Edges, pies and labels."""
    tones = _tones(row, clustered)
    usual = Counter(row.labels).most_common(1)[0][0]
    nodes = []
    for node, (x, y) in enumerate(where.position.tolist()):
        radius, share = float(where.radius[node]), clustered.share[node]
        label = row.labels[node]
        nodes.append(_pie(share, tones, x, y, radius, _says(node, label, share)))
        nodes.append("" if label == usual else _label(label, x, y, radius))
    count = int(np.triu(row.adjacency, 1).sum())
    pale = max(FAINTEST, min(1.0, MANY_EDGES / max(count, 1)))
    edges = f'<g opacity="{pale:.2f}">{graph_edges(row.adjacency, where)}</g>'
    return edges + backing(where.position, where.radius) + "".join(nodes)


def _tones(row: DrawnGraph, clustered: Clustered) -> list[int]:
    """The colour of every cluster; places that touch have different ones."""
    count = clustered.share.shape[1]
    if not clustered.places:
        return [ORDER[cluster % len(ORDER)] for cluster in range(count)]
    part = clustered.share.argmax(axis=1).tolist()
    ends = np.argwhere(np.triu(row.adjacency, 1)).tolist()
    edges = {(int(i), int(j)): "" for i, j in ends}
    side = Side("", range(len(part)), row.labels, edges, {}, {}, directed=False, part=part)
    own = dict(zip(part, part_colours(side), strict=True))
    return [own.get(cluster, 0) for cluster in range(count)]


def _pie(share: Array, tones: Sequence[int], x: float, y: float, radius: float, says: str) -> str:
    """A node in the colours of its clusters; an empty circle if pooling dropped it."""
    title, total = f"<title>{text(says)}</title>", float(share.sum())
    circle = f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"'
    if total <= 0:
        return (
            f'{circle} fill="none" stroke="var(--edge)" stroke-dasharray="2.5 2.5">{title}</circle>'
        )
    top = int(share.argmax())
    if share[top] >= WHOLE * total:
        paint = colour(tones[top])
        return (
            f'{circle} fill="{paint}" fill-opacity="{OPACITY:g}" stroke="{paint}">{title}</circle>'
        )
    slices = "".join(
        f'<path d="{path}" fill="{colour(tones[cluster])}" fill-opacity="{OPACITY:g}"/>'
        for cluster, path in pie_slices(share / total, x, y, radius)
    )
    return f'<g>{slices}{circle} fill="none" stroke="var(--edge)"/>{title}</g>'


def _label(label: str, x: float, y: float, radius: float) -> str:
    """A label with a rim in the colour of the card, which keeps it readable on a pie."""
    size = min(1.15 * radius, 2.4 * radius / max(len(label), 1))
    look = (
        f'font-size="{number(size)}" font-weight="600" text-anchor="middle" '
        'stroke="var(--card)" stroke-width="2.4" stroke-linejoin="round" paint-order="stroke"'
    )
    return _text(x, y + 0.36 * size, label, look)


def _says(node: int, label: str, share: Array) -> str:
    name = f"node {node}" + (f", {label}" if label else "")
    if not share.sum() > 0:
        return f"{name}: dropped"
    parts = [f"{100 * each:.0f} %" for each in share.tolist()]
    top = int(share.argmax())
    if share[top] >= WHOLE:
        return f"{name}: cluster {top + 1}"
    return f"{name}: {', '.join(parts)}"


def _text(x: float, y: float, words: str, look: str = "") -> str:
    return f'<text x="{number(x)}" y="{number(y)}" {look}>{text(words)}</text>'
