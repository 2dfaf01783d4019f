"""How a graph, its clusters and its coarse graph are drawn side by side."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from graphpool.files import atomic_write
from graphpool.report.data import Array
from graphpool.report.draw.hierarchy import edge_list
from graphpool.report.draw.svg import LIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, SOFT, EDGE = "#23272c", "#6a7079", "#9a9fa6"
WIDEST = 9.0  # points
FAINT = 0.02  # lines below this share of the widest are not drawn


@dataclass(frozen=True, eq=False)
class Clustered:
    """A graph and what a coarsening made of it.

    Args:
        adjacency: `[nodes, nodes]`.
        share: `[nodes, clusters]`, rows sum to 1.
        coarse: `[clusters, clusters]`, as the next encoder sees it.
    """

    adjacency: Array
    share: Array
    coarse: Array


def on_a_circle(community: Array, adjacency: Array) -> tuple[Array, Array]:
    """Positions of nodes whose communities stand on a circle, and of the communities.

    They go around as their bridges do; each is laid out by itself and turned so that its bridges
    are short. The circle has radius 1.
    """
    import networkx

    count = int(community.max()) + 1
    member = np.eye(count)[community]
    joined = member.T @ adjacency @ member
    np.fill_diagonal(joined, 0)
    around = [0]
    while len(around) < count:
        near = [int(c) for c in np.flatnonzero(joined[around[-1]]) if c not in around]
        around.append(near[0])
    angle = np.empty(count)
    angle[around] = np.pi / 2 - 2 * np.pi * np.arange(count) / count
    centre = np.stack([np.cos(angle), np.sin(angle)], 1)
    position, turned = centre[community], np.linspace(0, 2 * np.pi, 24, endpoint=False)
    inside = {}
    for part in range(count):
        nodes = np.flatnonzero(community == part)
        graph = networkx.from_numpy_array(adjacency[np.ix_(nodes, nodes)])
        own = networkx.kamada_kawai_layout(graph)
        points = np.array([own[node] for node in range(len(nodes))])
        points -= (points.max(0) + points.min(0)) / 2
        inside[part] = nodes, points / np.hypot(*points.T).max() * 0.285
    bridges = np.argwhere(np.triu(adjacency) * (community[:, None] != community))
    for _ in range(3):
        for part, (nodes, points) in inside.items():
            best = np.inf
            for turn in turned:
                for mirror in (1.0, -1.0):
                    c, s = np.cos(turn), np.sin(turn)
                    trial = position.copy()
                    trial[nodes] = centre[part] + points * [mirror, 1.0] @ [[c, -s], [s, c]]
                    apart = trial[bridges[:, 0]] - trial[bridges[:, 1]]
                    length = float((apart**2).sum())
                    if length < best - 1e-9:
                        best, kept = length, trial
            position = kept
    return position, centre


def draw_nodes(axes: "Axes", shown: Clustered, position: Array, radius: float) -> None:
    """The graph, each node a pie of its shares in the clusters."""
    pairs, _ = edge_list(shown.adjacency)
    for a, b in pairs.tolist():
        axes.plot(*position[[a, b]].T, color=EDGE, lw=1.1, zorder=1)
    for node, (x, y) in enumerate(position.tolist()):
        pie(axes, x, y, radius, shown.share[node])


def draw_coarse(
    axes: "Axes", shown: Clustered, position: Array, largest: float, words: Sequence[str] = ()
) -> None:
    """The coarse graph: areas follow the nodes of a cluster, widths the weights between them.

    A loop is the weight inside a cluster. The width of a line is the weight against all that the
    cluster with most of it has.

    Args:
        position: `[clusters, 2]`.
        largest: radius of a cluster of all nodes.
        words: on the clusters; with them, weights stand beside the lines.
    """
    from matplotlib.patches import Circle

    mass, weight = shown.share.sum(0), (shown.coarse + shown.coarse.T) / 2
    width, middle = WIDEST * weight / weight.sum(1).max(), position.mean(0)
    radius = np.maximum(largest * np.sqrt(mass / mass.sum()), 0.12 * largest)
    for a, b in zip(*np.nonzero(np.triu(width, 1) > FAINT * WIDEST), strict=True):
        axes.plot(*position[[a, b]].T, color=EDGE, lw=0.4 + width[a, b], zorder=1)
        if words:
            number(axes, position[[a, b]].mean(0), weight[a, b])
    for j, (x, y) in enumerate(position.tolist()):
        if width[j, j] > FAINT * WIDEST:
            way = position[j] - middle
            # Outwards; upwards where clusters stand in a row, or in the middle.
            flat = abs(position[:, 1] - middle[1]).max() < 1e-6 or np.hypot(*way) < 1e-6
            way = np.array([0.0, 1.0]) if flat else way / np.hypot(*way)
            reach = 0.18 * largest + 0.25 * radius[j]
            at = position[j] + way * (radius[j] + 0.5 * reach)
            thick = 0.4 + width[j, j]
            axes.add_patch(Circle(tuple(at), reach, fill=False, ec=EDGE, lw=thick, zorder=1))
            if words:
                number(axes, at + way * reach, weight[j, j])
        if mass[j] < 0.5:
            axes.add_patch(Circle((x, y), radius[j], fc="white", ec=SOFT, lw=1, ls=":", zorder=3))
        else:
            pie(axes, x, y, float(radius[j]), np.eye(len(mass))[j])
        if words:
            axes.text(x, y, words[j], ha="center", va="center", fontsize=11, color="white",
                      weight="bold", zorder=5)  # fmt: skip


def number(axes: "Axes", at: Array, value: float) -> None:
    """A weight, on paper of its own."""
    axes.text(at[0], at[1], f"{value:.2g}", ha="center", va="center", fontsize=9, color=INK,
              zorder=6, bbox={"fc": "white", "ec": "none", "pad": 1.2})  # fmt: skip


def pie(axes: "Axes", x: float, y: float, radius: float, share: Array) -> None:
    """A disc whose sectors are shares in clusters, from the top clockwise."""
    from matplotlib.patches import Circle, Wedge

    end = 90.0
    for cluster, part in enumerate(share.tolist()):
        tone = LIGHT[cluster % len(LIGHT)]
        if part > 0.99:
            axes.add_patch(Circle((x, y), radius, fc=tone, ec="white", lw=0.6, zorder=3))
            return
        if part > 0.01:
            axes.add_patch(
                Wedge((x, y), radius, end - 360 * part, end, fc=tone, ec="none", zorder=3)
            )
        end -= 360 * part
    axes.add_patch(Circle((x, y), radius, fill=False, ec="white", lw=0.6, zorder=4))


def save(figure: "Figure", path: Path) -> None:
    """Write a PNG, in 256 colours: they look the same and take a third of the bytes."""
    from PIL import Image

    plain = BytesIO()
    figure.savefig(plain, format="png", dpi=150, facecolor="white")
    small = Image.open(plain).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    with atomic_write(path) as handle:
        small.save(handle, format="PNG", optimize=True)
