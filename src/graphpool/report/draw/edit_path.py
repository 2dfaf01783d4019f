"""Two graphs side by side and the edits that turn one into the other, as SVG or PNG.

Both are drawn from the layout of the larger one, so that a node and its image stand at the same
place. What is deleted is red and only on the left, what is inserted is green and only on the
right, and what changes its label is amber on both sides.
"""

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphpool.errors import ConfigError
from graphpool.files import atomic_write
from graphpool.ged.result import EditDistance
from graphpool.imports import optional_module
from graphpool.report.draw.figure import EDGE, INK, blank_canvas, draw_arrow, draw_text, pale
from graphpool.report.draw.side import shared_layout, two_sides
from graphpool.report.draw.svg import figure as shown
from graphpool.report.pictures import Array, Side

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SOFT = "#6a7079"
TONES = {"delete": "#c2331f", "substitute": "#e08e00", "insert": "#0a8a5f"}
WORDS = {"delete": "deleted", "substitute": "substituted", "insert": "inserted"}
BENDS = (0.0, 0.15, -0.15, 0.3, -0.3, 0.45, -0.45, 0.6, -0.6)
GAP, TOP, BOTTOM = 56.0, 46.0, 44.0


def draw_edit_path(
    first: Any,
    second: Any,
    result: EditDistance,
    path: str | Path,
    names: tuple[str, str] = ("first", "second"),
    edge_labels: bool = True,
    dpi: int = 130,
) -> Path:
    """Draw the edit path of `ged.distance(first, second)` into FILE.svg or FILE.png, atomically.

    Args:
        names: what to call the graphs.
        edge_labels: whether labels of edges count, as in `ged.distance`.
    """
    path = Path(path)
    kind = path.suffix.lower().removeprefix(".")
    if kind not in ("svg", "png"):
        raise ConfigError(f"{path}: a picture is drawn as .svg or .png; choose one of them")
    matplotlib = optional_module("matplotlib", extra="plots")
    drawn = BytesIO()
    made = edit_path_figure(first, second, result, names, edge_labels)
    metadata = {"Date": None} if kind == "svg" else None
    # Text stays text, and equal pictures are equal files.
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "graphpool"}):
        made.savefig(drawn, format=kind, dpi=dpi, facecolor="white", metadata=metadata)
    with atomic_write(path) as handle:
        handle.write(drawn.getvalue())
    return path


def edit_path_figure(
    first: Any,
    second: Any,
    result: EditDistance,
    names: tuple[str, str] = ("first", "second"),
    edge_labels: bool = True,
) -> "Figure":
    """The picture as a matplotlib figure; needs no display."""
    if not np.isfinite(result.upper):
        raise ConfigError(
            f"method {result.method!r} gives a lower bound and no edit path; draw another method's"
        )
    left, right = two_sides(first, second, result, names, edge_labels)
    position, radius, width, height = shared_layout(left, right)
    whole = (2 * width + GAP, height + TOP + BOTTOM)
    drawing, axes = blank_canvas(*whole)
    for side, start in ((left, 0.0), (right, width + GAP)):
        draw_text(axes, start + width / 2, 24.0, side.title, 11.0)
        _draw(axes, side, position + np.array([start, TOP]), radius)
    middle = width + GAP / 2
    draw_arrow(axes, middle - 18, middle + 18, TOP + height / 2)
    _legend(axes, result, whole[0] / 2, whole[1] - 22)
    return drawing


def _draw(axes: "Axes", side: Side, position: Array, radius: float) -> None:
    from matplotlib.patches import Circle

    where = position[np.asarray(side.slot, dtype=np.int64)]
    for (i, j), label in side.edges.items():
        kind = side.edge_kind.get((i, j))
        if i == j:
            _loop(axes, where[i] + 1.5 * radius * _free_direction(where, side, i), radius, kind)
            continue
        x, y = _edge(axes, where, radius, (i, j), kind, side.directed)
        if kind and label:
            box = {"fc": "white", "ec": "none", "pad": 0.8}
            draw_text(axes, x, y, label, 7.0, color=TONES[kind], zorder=3, bbox=box)
    for node, (x, y) in enumerate(where.tolist()):
        kind = side.node_kind.get(node)
        rim = TONES[kind] if kind else EDGE
        fill = pale(rim, 0.3 if kind else 0.12)
        axes.add_patch(Circle((x, y), radius, fc=fill, ec=rim, lw=2.2 if kind else 1.3, zorder=4))
        label = side.labels[node]
        size = min(radius * 0.95, 1.9 * radius / max(len(label), 1), 12.0)
        if label and size >= 4:
            draw_text(axes, x, y, label, size, va="center_baseline", zorder=5)
        if radius < 6:
            continue
        # The number by which the edit path names the node: beside its label, or in its stead.
        if label:
            away = (radius + 6) * _free_direction(where, side, node, beside_loop=True)
            x, y = x + float(away[0]), y + float(away[1])
        small = 6.5 if label else 8.5
        draw_text(axes, x, y, str(node), small, va="center_baseline", color=SOFT, zorder=5)


def _free_direction(where: Array, side: Side, node: int, beside_loop: bool = False) -> Array:
    """The middle of the widest angle without an edge at `node`, as a vector of length 1.

    A self-loop is drawn there; with `beside_loop` its place counts as taken.
    """
    ends = [sum(edge) - node for edge in side.edges if node in edge and edge[0] != edge[1]]
    along = where[ends] - where[node]
    if beside_loop and (node, node) in side.edges:
        along = np.concatenate([along, _free_direction(where, side, node)[None]])
    if not len(along):
        return np.array([0.0, -1.0])
    angle = np.sort(np.arctan2(along[:, 1], along[:, 0]))
    width = np.diff(angle, append=angle[0] + 2 * np.pi)
    middle = angle[width.argmax()] + width.max() / 2
    return np.array([np.cos(middle), np.sin(middle)])


def _look(kind: str | None) -> tuple[str, float, int]:
    """Colour, width and layer of an edge."""
    return (TONES[kind], 2.8, 3) if kind else (EDGE, 1.5, 2)


def _loop(axes: "Axes", centre: Array, radius: float, kind: str | None) -> None:
    from matplotlib.patches import Circle

    tone, thick, order = _look(kind)
    x, y = centre.tolist()
    axes.add_patch(Circle((x, y), 0.8 * radius, fc="none", ec=tone, lw=thick, zorder=order))


def _edge(
    axes: "Axes",
    where: Array,
    radius: float,
    ends: tuple[int, int],
    kind: str | None,
    directed: bool,
) -> tuple[float, float]:
    """Draw an edge, around nodes that are in its way; returns its middle."""
    from matplotlib.patches import FancyArrowPatch

    tone, thick, order = _look(kind)
    start, end = where[ends[0]], where[ends[1]]
    bend = _bend(where, radius, ends) or (0.12 if directed else 0.0)
    axes.add_patch(
        FancyArrowPatch(
            start, end, arrowstyle="-|>" if directed else "-", mutation_scale=9, color=tone,
            lw=thick, zorder=order, connectionstyle=f"arc3,rad={bend}", capstyle="round",
            shrinkA=0, shrinkB=radius * 0.8 + 1 if directed else 0,
        )
    )  # fmt: skip
    along = end - start
    # Half of what the curve's control point stands aside, as for every parabola.
    x, y = (start + end) / 2 + bend / 2 * np.array([-along[1], along[0]])
    return float(x), float(y)


def _bend(where: Array, radius: float, ends: tuple[int, int]) -> float:
    """Return how far to bend an edge, as a share of its length, to meet few other nodes."""
    start, end = where[ends[0]], where[ends[1]]
    others = np.delete(where, list(ends), axis=0)
    across = np.array([start[1] - end[1], end[0] - start[0]])
    step = np.linspace(0, 1, 40)[:, None]

    def met(bend: float) -> int:
        curve = (1 - step) * start + step * end + 2 * bend * step * (1 - step) * across
        apart = np.sqrt(((curve[:, None] - others) ** 2).sum(axis=2))
        return int((apart < 1.3 * radius).any(axis=0).sum())

    return min(BENDS, key=lambda bend: (met(bend), abs(bend)))


def _legend(axes: "Axes", result: EditDistance, middle: float, y: float) -> None:
    """The distance, then the number of edits of each kind in its colour."""
    if result.optimal:
        parts = [(f"edit distance {shown(result.distance)}", INK)]
    else:
        between = f"{shown(result.lower)} to {shown(result.upper)}"
        parts = [(f"edit distance {between}, path of {shown(result.upper)}", INK)]
    for kind, tone in TONES.items():
        if count := sum(step.kind == kind for step in result.path):
            parts.append((f"■ {count} {WORDS[kind]}", tone))
    # About the width of a letter at this size.
    widths = [6.6 * len(text) + 22 for text, _ in parts]
    x = middle - sum(widths) / 2
    for (text, tone), width in zip(parts, widths, strict=True):
        draw_text(axes, x + width / 2, y, text, 10.0, color=tone)
        x += width
