"""Graphs with their parts, ready to be drawn, and the colours that tell parts apart."""

from collections import Counter
from dataclasses import replace

import numpy as np

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places import PlaceRule
from graphpool.report.draw.side import set_side
from graphpool.report.pictures import Array, Side

EXAMPLES, LARGEST_EXAMPLE = 3, 120  # graphs that are drawn by default, and their nodes
ORDER = (0, 1, 2, 3, 6, 5, 7, 4, 10, 8, 9, 11)
"""Colours of the palette, those first that are easily told apart."""


def usual_graphs(graphs: GraphSet) -> Array:
    """Return the positions of a few graphs of usual size, small ones first."""
    sizes = graphs.node_counts.cpu().numpy()
    usable = np.flatnonzero((sizes > 1) & (sizes <= LARGEST_EXAMPLE))
    if not len(usable):
        return usable
    usable = usable[np.argsort(sizes[usable], kind="stable")]
    at = np.linspace(0.35, 0.85, EXAMPLES) * (len(usable) - 1)
    return np.asarray(usable[np.unique(at.round().astype(int))])


def parted_sides(graphs: GraphSet, rule: PlaceRule) -> list[Side]:
    """Return each graph with the part of each of its nodes by a rule."""
    cluster = graphs.places(rule).cluster.cpu().numpy()
    ends = graphs.node_ptr.cpu().numpy()
    return [
        replace(set_side(graphs, at), part=cluster[ends[at] : ends[at + 1]].tolist())
        for at in range(len(graphs))
    ]


def cut_edges(side: Side) -> int:
    """Count the edges between two parts."""
    return sum(side.part[i] != side.part[j] for i, j in side.edges)


def part_colours(side: Side) -> list[int]:
    """Return a colour for each node; empty if parts are not shown.

    Parts that touch have different colours, as far as there are enough of them, and so have those
    with a common neighbour if possible; colours are used about equally often.
    """
    near: dict[int, set[int]] = {part: set() for part in side.part}
    for i, j in side.edges if side.part else ():
        near[side.part[i]].add(side.part[j])
        near[side.part[j]].add(side.part[i])
    colours: dict[int, int] = {}
    used: Counter[int] = Counter()
    for part in sorted(near):
        beside = Counter(colours[other] for other in near[part] if other in colours)
        beyond = Counter(
            colours[far] for other in near[part] for far in near[other] if far in colours
        )
        colours[part] = min(
            ORDER,
            key=lambda tone: (beside[tone], beyond[tone] > 0, used[tone], ORDER.index(tone)),
        )
        used[colours[part]] += 1
    return [colours[part] for part in side.part]
