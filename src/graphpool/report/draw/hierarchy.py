"""One graph at every level of its hierarchy, side by side, as SVG.

Level 0 is coloured by each node's strongest cluster, the paler the more the node is shared; a
cluster keeps its colour, and everything above shows as a pie which clusters it is made of.
"""

import math
from collections.abc import Iterator

import numpy as np

from graphpool.report.draw.layout import LevelLayout, place_levels, strength
from graphpool.report.draw.svg import (
    colour,
    count_of,
    figure,
    number,
    round_path,
    text,
    verdict_badge,
)
from graphpool.report.pictures import Array, HierarchyExample, Level

FAINTEST_EDGE = 0.03


def draw_hierarchy(example: HierarchyExample) -> str:
    """All levels of one graph in one figure, with a caption under each."""
    panels = [_panel(example, *placed) for placed in enumerate(place_levels(example))]
    arrow = '<span class="arrow" aria-hidden="true"></span>'
    right = example.true_class == example.predicted_class
    verdict = verdict_badge(right) if example.judged else ""
    return (
        f'<figure class="hierarchy"><figcaption>Graph {text(example.graph)}: '
        f"{text(example.true_class)}, predicted {text(example.predicted_class)} {verdict}"
        f'</figcaption><div class="levels">{arrow.join(panels)}</div></figure>'
    )


def edge_list(adjacency: Array) -> tuple[Array, Array]:
    """Undirected edges `[edges, 2]` and their weights; the diagonal and faint weights left out.

    Weights are judged against the largest of the whole matrix, so that a coarse graph which is
    all diagonal shows no edges: that is what the model sees.
    """
    both = (np.abs(adjacency) + np.abs(adjacency.T)) / 2
    upper = np.triu(both, 1)
    threshold = FAINTEST_EDGE * float(both.max(initial=0.0))
    pairs = np.argwhere((upper > 0) & (upper >= threshold))
    return pairs, upper[pairs[:, 0], pairs[:, 1]]


def cluster_noun(example: HierarchyExample, level: int = 1) -> str:
    """Return the name of a cluster that is a node of this level."""
    return "place" if example.places and level == 1 else "cluster"


def _panel(example: HierarchyExample, number_: int, where: LevelLayout) -> str:
    level, nodes = example.levels[number_], len(where.position)
    own, first = cluster_noun(example, number_), cluster_noun(example)
    drawn = [
        _edges(level.adjacency, where, own if number_ else ""),
        backing(where.position, where.radius),
    ]
    if number_ == 0 and where.molecule:
        name, drawn = "The molecule", [where.molecule]
        drawn += [_atom(level, where, node, first) for node in range(nodes)]
    elif number_ == 0:
        name = "The graph"
        drawn += [_fine(level, where, node, first) for node in range(nodes)]
    else:
        last = number_ == len(example.levels) - 1
        name = "One vector" if last and nodes == 1 else f"Level {number_}"
        drawn += [_coarse(where, node, number_, own, first) for node in range(nodes)]
    # Width by share, from nothing: every panel then has the same scale.
    grow = f"flex:{number(where.width)} 1 0;max-width:{1.25 * where.width:.0f}px"
    return (
        f'<div class="level{" one" if nodes == 1 else ""}" style="{grow}"><svg role="img" '
        f'aria-label="{name}, {count_of(nodes, "node")}" preserveAspectRatio="xMidYMid slice" '
        f'viewBox="0 0 {number(where.width)} {number(where.height)}">'
        f"{''.join(drawn)}</svg>"
        f"<p><b>{name}</b><br>{_caption(level, where, number_, own)}</p></div>"
    )


def _caption(level: Level, where: LevelLayout, number_: int, noun: str) -> str:
    nodes = len(where.position)
    pairs, _ = edge_list(level.adjacency)
    if number_ == 0:
        words = f"{count_of(nodes, 'node')}, {count_of(len(pairs), 'edge')}"
    elif nodes == 1:
        words = f"of all {count_of(round(float(where.mass.sum())), 'node')}"
    else:
        words = f"{nodes} {noun}s, {count_of(len(pairs), 'link')}"
    extra = "".join(
        f'<br><span class="soft">{text(name.replace("_", " "))} {text(figure(value))}</span>'
        for name, value in level.health.items()
    )
    return words + extra


def rim_line(start: Array, end: Array, start_radius: float, end_radius: float) -> str:
    """Ends of a line between two circles: at their rims, so that pale circles stay clean."""
    along = end - start
    length = float(np.hypot(*along)) or 1.0
    x1, y1 = start + along * (start_radius / length)
    x2, y2 = end - along * (end_radius / length)
    return f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'


def graph_edges(adjacency: Array, where: LevelLayout) -> str:
    """Lines between the nodes of a graph."""
    return _edges(adjacency, where, "")


def _edges(adjacency: Array, where: LevelLayout, noun: str) -> str:
    """Lines between nodes; `noun` is what a coarse level joins, empty for the graph itself."""
    pairs, weight = edge_list(adjacency)
    if not len(pairs):
        return ""
    heavy = float(weight.max())
    parts = []
    order = np.argsort(weight, kind="stable")
    for (a, b), value in zip(pairs[order].tolist(), weight[order].tolist(), strict=True):
        start, end = where.position[[a, b]]
        radii = where.radius[[a, b]]
        if np.hypot(*(end - start)) <= radii.sum():
            continue
        path = rim_line(start, end, *radii)
        if noun:
            part = value / heavy
            look = f'style="stroke-width:{0.8 + 7 * part:.1f};opacity:{0.35 + 0.45 * part:.2f}"'
            says = f"<title>{noun}s {a + 1} and {b + 1}: weight {value:.3g}</title>"
            parts.append(f"<line {path} {look}>{says}</line>")
        else:
            parts.append(f"<line {path}/>")
    thin = min(1.6, 0.5 + 0.11 * float(where.radius.min()))
    return f'<g class="edges" style="stroke-width:{thin:.1f}">{"".join(parts)}</g>'


def backing(position: Array, radius: Array) -> str:
    """The circles once more in the colour of the card, so that no edge shines through them."""
    rounds = "".join(
        round_path(x, y, r) for (x, y), r in zip(position.tolist(), radius.tolist(), strict=True)
    )
    return f'<path class="backing" d="{rounds}"/>'


def _atom(level: Level, where: LevelLayout, node: int, noun: str) -> str:
    """What a pointer finds at an atom of a molecule that is drawn already."""
    (x, y), radius = where.position[node], float(where.radius[node])
    label = "" if level.node_labels is None else f", {level.node_labels[node]}"
    members, says = where.share[node], f"node {node}{label}"
    if level.assignment is not None:
        cluster = int(members.argmax())
        own = f"{noun} {cluster + 1}, {100 * members[cluster]:.0f} %"
        says += f": {own}" if members.max() > 0 else ": dropped"
    return circle("node rim", x, y, radius, "", says)


def _fine(level: Level, where: LevelLayout, node: int, noun: str) -> str:
    """A node of the graph itself."""
    x, y = where.position[node]
    radius = float(where.radius[node])
    label = "" if level.node_labels is None else str(level.node_labels[node])
    says = f"node {node}" + (f", {label}" if label else "")
    if level.assignment is None:
        css, look, caption = "node plain", "", label
    else:
        members = where.share[node]
        cluster = int(members.argmax())
        clear = float(strength(members[None, :])[0])
        if members.max() > 0:
            css, caption = "node", label or str(cluster + 1)
            look = f' style="--k:{colour(cluster)};fill-opacity:{0.08 + 0.62 * clear:.2f}"'
            says += f": {noun} {cluster + 1}, {100 * members[cluster]:.0f} %"
        else:
            css, look, caption = "node dropped", "", label
            says += ": dropped"
    return circle(css, x, y, radius, look, says) + inside(caption, x, y, radius)


def _coarse(where: LevelLayout, node: int, number_: int, noun: str, first: str) -> str:
    """A cluster: in its own colour on level 1, above that a pie of what it gathers."""
    x, y = where.position[node]
    radius = float(where.radius[node])
    share, mass = where.share[node], float(where.mass[node])
    says = f"{noun} {node + 1}: holds {mass:.1f} nodes"
    if mass < 0.05:
        return circle("node dropped", x, y, radius, "", says)
    if number_ == 1 or int((share > 1e-3 * mass).sum()) == 1:
        own = node if number_ == 1 else int(share.argmax())
        look = f' style="--k:{colour(own)};fill-opacity:0.7"'
        caption = str(node + 1) if len(where.position) > 1 else ""
        return circle("node", x, y, radius, look, says) + inside(caption, x, y, radius)
    return _pie(share / mass, x, y, radius, first) + circle("node rim", x, y, radius, "", says)


def _pie(parts: Array, x: float, y: float, radius: float, noun: str) -> str:
    return "".join(
        f'<path class="slice" style="--k:{colour(cluster)}" d="{path}">'
        f"<title>{noun} {cluster + 1}: {100 * parts[cluster]:.0f} %</title></path>"
        for cluster, path in pie_slices(parts, x, y, radius)
    )


def pie_slices(parts: Array, x: float, y: float, radius: float) -> Iterator[tuple[int, str]]:
    """Number and path data of every slice of a pie whose parts sum to 1; tiny ones are left out."""
    angle = -math.pi / 2
    for cluster, part in enumerate(parts.tolist()):
        if part <= 1e-3:
            continue
        end = angle + 2 * math.pi * min(part, 0.9999)
        from_, to = (
            f"{number(x + radius * math.cos(turn))} {number(y + radius * math.sin(turn))}"
            for turn in (angle, end)
        )
        r, large = number(radius), int(part > 0.5)
        yield cluster, f"M{number(x)} {number(y)}L{from_}A{r} {r} 0 {large} 1 {to}Z"
        angle = end


def circle(css: str, x: float, y: float, radius: float, look: str, says: str) -> str:
    """A node of this CSS class, `look` being further attributes, that `says` something."""
    rim = min(1.8, 0.6 + 0.1 * radius)
    return (
        f'<circle class="{css}" cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" '
        f'stroke-width="{number(rim)}"{look}>'
        f"<title>{text(says)}</title></circle>"
    )


def inside(caption: str, x: float, y: float, radius: float) -> str:
    """A caption inside its circle, if it can be read there."""
    size = min(radius * 1.15, 2.4 * radius / max(len(caption), 1), 17.0)
    if not caption or size < 5:
        return ""
    return (
        f'<text class="label" x="{number(x)}" y="{number(y)}" '
        f'style="font-size:{number(size)}px">{text(caption)}</text>'
    )
