"""Pictures by matplotlib, and among them the hierarchy of one graph, for a README or a paper."""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphpool.errors import plural
from graphpool.files import atomic_write
from graphpool.imports import optional_module
from graphpool.report.draw.hierarchy import cluster_noun, edge_list
from graphpool.report.draw.layout import LevelLayout, place_levels, strength
from graphpool.report.draw.svg import LIGHT
from graphpool.report.pictures import Array, HierarchyExample, Level

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, EDGE = "#23272c", "#9a9fa6"
ARROW = 34.0


def blank_canvas(width: float, height: float) -> "tuple[Figure, Axes]":
    """A white figure, and axes in which y grows downwards as on the page; needs no display."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    drawing = Figure(figsize=(width / 90, height / 90))
    FigureCanvasAgg(drawing)
    axes = drawing.add_axes((0, 0, 1, 1))
    axes.set(xlim=(0, width), ylim=(height, 0), aspect="equal")
    axes.axis("off")
    return drawing, axes


def draw_arrow(axes: "Axes", start: float, end: float, y: float) -> None:
    """A horizontal arrow between two pictures."""
    arrow = {"arrowstyle": "->", "color": EDGE, "lw": 1.4}
    axes.annotate("", (end, y), (start, y), arrowprops=arrow)


def draw_text(axes: "Axes", x: float, y: float, words: str, size: float, **look: Any) -> None:
    """Words around a point."""
    look = {"ha": "center", "va": "center", "color": INK, **look}
    axes.text(x, y, words, fontsize=size, **look)


def pale(tone: str, amount: float) -> Any:
    """`tone` on white paper at the opacity `amount`, opaque so that it covers edges."""
    from matplotlib.colors import to_rgb

    return 1 - amount * (1 - np.asarray(to_rgb(tone)))


def draw_hierarchy_png(example: HierarchyExample, path: str | Path, dpi: int = 130) -> Path:
    """Draw every level of `example` side by side into a PNG file, atomically."""
    path = Path(path)
    plain = BytesIO()
    hierarchy_figure(example).savefig(plain, format="png", dpi=dpi, facecolor="white")
    image = optional_module("PIL.Image", extra="plots")
    # Flat colours: 256 of them look the same and take a third of the bytes.
    small = image.open(plain).convert("RGB").quantize(256, dither=image.Dither.NONE)
    with atomic_write(path) as handle:
        small.save(handle, format="PNG", optimize=True)
    return path


def hierarchy_figure(example: HierarchyExample) -> "Figure":
    """The picture as a matplotlib figure, the same as on the page; needs no display."""
    optional_module("matplotlib", extra="plots")
    placed = place_levels(example)
    width = sum(level.width for level in placed) + ARROW * (len(placed) - 1)
    height, left = placed[0].height, 0.0
    drawing, axes = blank_canvas(width, height + 40)
    for number, (level, where) in enumerate(zip(example.levels, placed, strict=True)):
        if number:
            draw_arrow(axes, left - ARROW + 4, left - 4, height / 2)
        _draw(axes, level, where, left, number)
        title = _title(number, where, level, example)
        draw_text(axes, left + where.width / 2, height + 18, title, 10.0)
        left += where.width + ARROW
    return drawing


def _title(number: int, where: LevelLayout, level: Level, example: HierarchyExample) -> str:
    nodes = len(where.position)
    if number == 0:
        return (
            f"graph: {plural(nodes, 'node')}, {plural(len(edge_list(level.adjacency)[0]), 'edge')}"
        )
    noun = cluster_noun(example, number)
    return f"level {number}: {nodes} {noun}s" if nodes > 1 else "whole graph"


def _draw(axes: "Axes", level: Level, where: LevelLayout, left: float, number: int) -> None:
    position = where.position + np.array([left, 0])
    pairs, weight = edge_list(level.adjacency)
    heavy = float(weight.max(initial=1e-12))
    order = np.argsort(weight, kind="stable")
    for (a, b), value in zip(pairs[order].tolist(), weight[order].tolist(), strict=True):
        thick = 1.3 if number == 0 else 0.6 + 5 * value / heavy
        axes.plot(
            *position[[a, b]].T, color=EDGE, lw=thick, zorder=1, solid_capstyle="round",
            alpha=1.0 if number == 0 else 0.4 + 0.5 * value / heavy,
        )  # fmt: skip
    clear = strength(where.share) if number == 0 else np.full(len(position), 1.0)
    for node, (x, y) in enumerate(position.tolist()):
        radius = float(where.radius[node])
        share = where.share[node]
        caption = str(node + 1) if number and len(position) > 1 else ""
        if number == 0 and level.node_labels is not None:
            caption = level.node_labels[node]
        if share.sum() < 0.05:
            _disc(axes, x, y, radius, "white", EDGE, dashed=True)
        elif number < 2:
            plain = number == 0 and level.assignment is None
            tone = EDGE if plain else LIGHT[int(share.argmax()) % len(LIGHT)]
            _disc(axes, x, y, radius, pale(tone, 0.08 + 0.62 * float(clear[node])), tone)
        else:
            _wedges(axes, x, y, radius, share / share.sum())
            caption = ""
        size = min(radius * 0.95, 12.0)
        if caption and size >= 4:
            draw_text(axes, x, y, caption, size, va="center_baseline", zorder=4)


def _disc(
    axes: "Axes", x: float, y: float, radius: float, fill: object, rim: str, dashed: bool = False
) -> None:
    from matplotlib.patches import Circle

    style = (0, (2, 2)) if dashed else "-"
    axes.add_patch(Circle((x, y), radius, fc=fill, ec=rim, lw=1.3, ls=style, zorder=3))


def _wedges(axes: "Axes", x: float, y: float, radius: float, parts: Array) -> None:
    from matplotlib.patches import Wedge

    angle = -90.0
    for cluster, part in enumerate(parts.tolist()):
        if part > 1e-3:
            end = angle + 360 * part
            fill = pale(LIGHT[cluster % len(LIGHT)], 0.7)
            axes.add_patch(Wedge((x, y), radius, angle, end, fc=fill, ec="white", lw=1, zorder=3))
            angle = end
