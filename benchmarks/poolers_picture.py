"""Draw epoch time against peak memory, one point per method, labels beside them."""

import itertools
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from graphpool.files import atomic_write

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INK, SOFT = "#23272c", "#6a7079"
TONES = {"flat": "#2a78b8", "top-k": "#c77700", "group": "#2e8b57"}
OTHER = "#8e4fa8"
SHOWN = ("PROTEINS", "COLLAB")  # on the small graphs of MUTAG fixed costs are all there is
DISC, GAP = 5.0, 2.5  # pixels around a point and a label that stay free, times the scale

Box = tuple[float, float, float, float]


def draw_speed(found: dict[str, Any], path: Path) -> None:
    """A panel for each of the larger sets; if none of them was measured, for those that were."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    found = _poolers(found)
    sets = [name for name in SHOWN if name in found["sets"]] or list(found["sets"])
    figure, panels = pyplot.subplots(
        len(sets), 1, figsize=(8.4, 5.6 * len(sets)), layout="constrained", squeeze=False, dpi=130
    )
    for axes, name in zip(panels[:, 0], sets, strict=True):
        measured = found["sets"][name]
        rows = measured["methods"]
        families = [found["methods"][method]["family"] for method in rows]
        time, memory = ([row[key] for row in rows.values()] for key in ("time", "memory"))
        axes.set(xscale="log", yscale="log", xlim=_limits(time), ylim=_limits(memory))
        for family in dict.fromkeys(families):
            own = [position for position, each in enumerate(families) if each == family]
            axes.scatter(
                [time[i] for i in own], [memory[i] for i in own], s=26, label=family, zorder=3,
                color=TONES.get(family, OTHER), edgecolors="white", linewidths=0.6,
            )  # fmt: skip
        for line in (axes.axhline, axes.axvline):
            line(1, color=SOFT, lw=0.6, ls=":", zorder=1)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(matplotlib.ticker.LogLocator(subs=(1, 2, 5)))
            axis.set_major_formatter("{x:g}×")
            axis.set_minor_formatter(matplotlib.ticker.NullFormatter())
        part = "" if measured["graphs"] == measured["of"] else f", {measured['graphs']:,} graphs"
        axes.set_title(f"{name}{part}", loc="left", fontsize=11, color=INK)
        axes.set_xlabel("time of an epoch, × SumPool")
        axes.set_ylabel("peak memory, × SumPool")
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="lower right")
    figure.canvas.draw()  # the panels get their places
    for axes, name in zip(panels[:, 0], sets, strict=True):
        rows = found["sets"][name]["methods"]
        points = np.array([[row["time"], row["memory"]] for row in rows.values()])
        tones = [TONES.get(found["methods"][method]["family"], OTHER) for method in rows]
        _label(axes, points, list(rows), tones)
    made = BytesIO()
    figure.savefig(made, format="png")
    pyplot.close(figure)
    with atomic_write(path) as handle:
        handle.write(made.getvalue())


def _poolers(found: dict[str, Any]) -> dict[str, Any]:
    """The results without baselines that are no poolers."""
    kept = {name: each for name, each in found["methods"].items() if each["family"] != "rule"}
    sets = {
        data: {
            **row,
            "methods": {name: row["methods"][name] for name in row["methods"] if name in kept},
        }
        for data, row in found["sets"].items()
    }
    return {**found, "methods": kept, "sets": sets}


def _limits(values: list[float]) -> tuple[float, float]:
    """Of a logarithmic axis, with room for labels."""
    low, high = np.log(min(values)), np.log(max(values))
    room = max(0.12 * (high - low), 0.15)
    return float(np.exp(low - room)), float(np.exp(high + room))


def _label(axes: "Axes", points: Any, names: list[str], tones: list[str]) -> None:
    """Each name as near to its point as it fits, with a line to it where that is not beside it.

    Points with many others around them choose first. A place costs what it covers of other labels
    and points, then its distance.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.patheffects import withStroke

    canvas = axes.figure.canvas
    assert isinstance(canvas, FigureCanvasAgg)
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    at = axes.transData.transform(points)
    scale, frame = renderer.points_to_pixels(1.0), axes.get_window_extent(renderer)
    legend = axes.get_legend()
    taken: list[Box] = [_grown((x, y, x, y), DISC * scale / 1.4) for x, y in at]
    if legend is not None:
        taken.append(legend.get_window_extent(renderer).extents)
    near = np.hypot(*(at[:, None] - at[None]).transpose(2, 0, 1))
    lines: list[tuple[Any, Any]] = []
    for number in np.argsort(np.sort(near, axis=1)[:, : min(6, len(at))].sum(1)).tolist():
        text = axes.text(0, 0, names[number], fontsize=8, color=tones[number], zorder=4)
        text.set_path_effects([withStroke(linewidth=2, foreground="white")])
        extent = text.get_window_extent(renderer)
        half = np.array([extent.width, extent.height]) / 2
        best, chosen, placed = np.inf, at[number], taken[number]
        others = taken[:number] + taken[number + 1 :]
        for reach, turn in itertools.product((7, 11, 16, 23, 32, 44, 60, 80), range(24)):
            way = np.array([np.cos(np.pi * turn / 12), np.sin(np.pi * turn / 12)])
            # The label's nearest edge, not its middle, is so far away.
            centre = at[number] + way * (reach * scale + half * np.abs(way))
            box = _grown((*(centre - half), *(centre + half)), GAP * scale)
            if box[0] < frame.x0 or box[1] < frame.y0 or box[2] > frame.x1 or box[3] > frame.y1:
                continue
            cost = 100 * sum(_shared(box, other) for other in taken) + reach * scale
            if cost < best:  # lines take longer to look at
                crossed = sum(_crosses(begin, end, box) for begin, end in lines)
                crossed += sum(_crosses(at[number], centre, other) for other in others)
                cost += 30 * scale**2 * crossed
            if cost < best:
                best, chosen, placed = cost, centre, box
        taken.append(placed)
        text.set(ha="center", va="center_baseline")
        text.set_position(tuple(axes.transData.inverted().transform(chosen)))
        edge = np.clip(at[number], chosen - half, chosen + half)
        if np.hypot(*(edge - at[number])) > 9 * scale:
            ends = axes.transData.inverted().transform([at[number], edge])
            axes.plot(*ends.T, color=tones[number], lw=0.5, alpha=0.7, zorder=2)
            lines.append((at[number], edge))


def _grown(box: Any, by: float) -> Box:
    return box[0] - by, box[1] - by, box[2] + by, box[3] + by


def _shared(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(wide, 0.0) * max(high, 0.0)


def _crosses(begin: Any, end: Any, box: Box) -> bool:
    """Whether a straight line runs through a box."""
    along = begin + np.linspace(0, 1, 12)[:, None] * (end - begin)
    inside = (along > [box[0], box[1]]) & (along < [box[2], box[3]])
    return bool(inside.all(1).any())
