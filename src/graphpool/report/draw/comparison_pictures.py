"""Graphs that were compared, as SVG: pairs side by side, and a query before its neighbours."""

from collections.abc import Mapping

import numpy as np

from graphpool.report.draw.hierarchy import backing, circle, inside, rim_line
from graphpool.report.draw.molecule import MoleculeDrawing, draw_molecule, drawing_svg
from graphpool.report.draw.parted import part_colours
from graphpool.report.draw.side import shared_layout
from graphpool.report.draw.svg import bar, colour, figure, key, number, swatch, text, verdict_badge
from graphpool.report.pictures import Array, Neighbour, PairExample, QueryExample, Side

Tones = Mapping[str, int]
ROOM = 14.0
THIN = 5.0
MANY_EDGES = 200
# A larger graph would take too long, too many bytes, and nothing could be seen of it.
MOST_NODES = 300
MOST_EDGES = 1200


def pair_figure(example: PairExample, tones: Tones) -> str:
    """Both graphs, and the score of every level beneath."""
    if example.aligned:
        where = shared_layout(example.left, example.right)
        panels = [_panel(side, where, tones) for side in (example.left, example.right)]
    else:
        panels = [_alone(side, tones) for side in (example.left, example.right)]
    verdict = verdict_badge(example.predicted == example.matches)
    truth = "they match" if example.matches else "no match"
    levels = "".join(_score(name, value) for name, value in example.scores.items())
    note = f' <span class="soft">{text(example.note)}</span>' if example.note else ""
    return (
        f'<figure class="hierarchy compared"><figcaption>{text(example.title)}: {truth} {verdict}'
        f'{note}</figcaption><div class="levels">{"".join(panels)}</div>'
        f'<div class="scores">{levels}</div></figure>'
    )


def query_figure(example: QueryExample, tones: Tones) -> str:
    """The query, and beside it the graphs that the model finds nearest."""
    near = "".join(_neighbour(each, tones) for each in example.nearest)
    note = f' <span class="soft">{text(example.note)}</span>' if example.note else ""
    return (
        f'<figure class="hierarchy compared"><figcaption>{text(example.title)}{note}</figcaption>'
        f'<div class="near"><div class="query">{_alone(example.query, tones)}</div>{near}</div>'
        "</figure>"
    )


def label_key(tones: Tones) -> str:
    """Render the key of colours and node labels."""
    items = [
        (swatch("box", f' style="--k:{colour(tone)}"'), text(label))
        for label, tone in tones.items()
    ]
    return key(*items) if items else ""


def _neighbour(each: Neighbour, tones: Tones) -> str:
    ranked = "nearest in truth" if each.rank == 1 else f"number {each.rank} in truth"
    return (
        f"<div>{_alone(each.graph, tones)}<p><b>{each.predicted:.2f}</b> predicted<br>"
        f'<b>{figure(each.true)}</b> true<br><span class="soft">{ranked}</span></p></div>'
    )


def _score(name: str, value: float) -> str:
    return (
        f'<div class="meter"><p><span>{text(name)}</span> <b>{value:.3f}</b></p>'
        f"{bar(value, 'bar half')}</div>"
    )


def _alone(side: Side, tones: Tones) -> str:
    picture = graph_picture(side, tones) or too_large(side)
    return f'<div class="level">{picture}{_caption(side)}</div>'


def graph_picture(side: Side, tones: Tones) -> str:
    """One graph as SVG: a molecule if it is one, else circles and lines; empty if too large."""
    if (drawing := molecule_drawing(side)) is not None:
        return drawing_svg(drawing, f"{side.title}, {side.smiles}")
    if len(side.labels) > MOST_NODES or len(side.edges) > MOST_EDGES:
        return ""
    return _graph(side, shared_layout(side, side), tones)


def molecule_drawing(side: Side) -> MoleculeDrawing | None:
    """Return the drawing of a graph that is drawn as a molecule, else None."""
    drawing = draw_molecule(side.smiles, part_colours(side) or None) if side.smiles else None
    if drawing is None or not drawing.is_of(len(side.labels), side.edges):
        return None
    return drawing


def too_large(side: Side) -> str:
    """What stands where a graph is not drawn."""
    return '<p class="note">too large to be drawn</p>' if side.labels else ""


def _panel(side: Side, where: tuple[Array, float, float, float], tones: Tones) -> str:
    """One graph, cut to what a layout that may be shared needs, with its name beneath."""
    return f'<div class="level">{_graph(side, where, tones)}{_caption(side)}</div>'


def _caption(side: Side) -> str:
    name, _, size = side.title.partition(": ")
    return f'<p>{text(name)}<br><span class="soft">{text(size)}</span></p>'


def _graph(side: Side, where: tuple[Array, float, float, float], tones: Tones) -> str:
    position, radius, _, _ = where
    if not len(position):
        return ""
    points = position[np.asarray(side.slot, dtype=np.int64)]
    low, high = position.min(axis=0) - radius - ROOM, position.max(axis=0) + radius + ROOM
    wide, tall = (high - low).tolist()
    own = part_colours(side) or [tones.get(label, -1) for label in side.labels]
    nodes = "".join(
        _node(side, at, x, y, radius, own[at]) for at, (x, y) in enumerate(points.tolist())
    )
    under = backing(points, np.full(len(points), radius))
    return (
        f'<svg role="img" aria-label="{text(side.title)}" '
        f'viewBox="{number(low[0])} {number(low[1])} {number(wide)} {number(tall)}" '
        f'style="max-width:{1.15 * wide:.0f}px">{_edges(side, points, radius)}{under}{nodes}</svg>'
    )


def _edges(side: Side, points: Array, radius: float) -> str:
    lines = []
    # What was changed is drawn last, above the rest.
    for i, j in sorted(side.edges, key=lambda ends: ends in side.edge_kind):
        if i == j:
            continue
        kind = side.edge_kind.get((i, j))
        between = "between" if side.part and side.part[i] != side.part[j] else ""
        css = f' class="{kind or between}"' if kind or between else ""
        lines.append(f"<line{css} {rim_line(points[i], points[j], radius, radius)}/>")
    thick = min(1.8, 0.6 + 0.11 * radius)
    # Of very many lines none would be seen.
    pale = max(0.25, min(1.0, MANY_EDGES / max(len(lines), 1)))
    return (
        f'<g class="edges" style="stroke-width:{thick:.1f};opacity:{pale:.2f}">{"".join(lines)}</g>'
    )


def _node(side: Side, at: int, x: float, y: float, radius: float, tone: int) -> str:
    if at in side.beyond:
        return circle("node dropped", x, y, radius, "", "cut off here")
    label, kind = side.labels[at], side.node_kind.get(at)
    says = f"node {at}" + (f", {label}" if label else "") + (f", {kind}d" if kind else "")
    css = f"node {kind}" if kind else "node"
    fill = colour(tone) if tone >= 0 else "var(--edge)"
    look = f' style="--k:{fill};fill-opacity:.55"'
    caption = label if radius > THIN else ""
    return circle(css, x, y, radius, look, says) + inside(caption, x, y, radius)
