"""Graphs that were compared, as SVG: pairs side by side, and a query before its neighbours."""

from collections.abc import Mapping

import numpy as np

from graphpool.report.draw.hierarchy import backing, circle, inside, rim_line
from graphpool.report.draw.side import shared_layout
from graphpool.report.draw.svg import bar, colour, figure, key, number, swatch, text, verdict_badge
from graphpool.report.pictures import Array, Neighbour, PairExample, QueryExample, Side

Tones = Mapping[str, int]
ROOM = 14.0
THIN = 5.0
MANY_EDGES = 200


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
    return _panel(side, shared_layout(side, side), tones)


def _panel(side: Side, where: tuple[Array, float, float, float], tones: Tones) -> str:
    """One graph, cut to what a layout that may be shared needs, with its name beneath."""
    position, radius, _, _ = where
    name, _, size = side.title.partition(": ")
    caption = f'<p>{text(name)}<br><span class="soft">{text(size)}</span></p>'
    if not len(position):
        return f'<div class="level">{caption}</div>'
    points = position[np.asarray(side.slot, dtype=np.int64)]
    low, high = position.min(axis=0) - radius - ROOM, position.max(axis=0) + radius + ROOM
    wide, tall = (high - low).tolist()
    nodes = "".join(
        _node(side, at, x, y, radius, tones) for at, (x, y) in enumerate(points.tolist())
    )
    under = backing(points, np.full(len(points), radius))
    return (
        f'<div class="level"><svg role="img" aria-label="{text(side.title)}" '
        f'viewBox="{number(low[0])} {number(low[1])} {number(wide)} {number(tall)}" '
        f'style="max-width:{1.15 * wide:.0f}px">{_edges(side, points, radius)}{under}{nodes}</svg>'
        f"{caption}</div>"
    )


def _edges(side: Side, points: Array, radius: float) -> str:
    lines = []
    # What was changed is drawn last, above the rest.
    for i, j in sorted(side.edges, key=lambda ends: ends in side.edge_kind):
        if i == j:
            continue
        kind = side.edge_kind.get((i, j))
        css = f' class="{kind}"' if kind else ""
        lines.append(f"<line{css} {rim_line(points[i], points[j], radius, radius)}/>")
    thick = min(1.8, 0.6 + 0.11 * radius)
    # Of very many lines none would be seen.
    pale = max(0.25, min(1.0, MANY_EDGES / max(len(lines), 1)))
    return (
        f'<g class="edges" style="stroke-width:{thick:.1f};opacity:{pale:.2f}">{"".join(lines)}</g>'
    )


def _node(side: Side, at: int, x: float, y: float, radius: float, tones: Tones) -> str:
    label, kind = side.labels[at], side.node_kind.get(at)
    says = f"node {at}" + (f", {label}" if label else "") + (f", {kind}d" if kind else "")
    tone = colour(tones[label]) if label in tones else "var(--edge)"
    css = f"node {kind}" if kind else "node"
    look = f' style="--k:{tone};fill-opacity:.55"'
    caption = label if radius > THIN else ""
    return circle(css, x, y, radius, look, says) + inside(caption, x, y, radius)
