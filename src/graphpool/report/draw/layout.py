"""Positions of the nodes of a graph in a drawing, and of the clusters above them.

Everything is deterministic: the same graph always gets the same picture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from graphpool.report.draw.molecule import draw_molecule
from graphpool.report.pictures import Array, HierarchyExample

WIDTH, HEIGHT = 400.0, 320.0
NARROW = 170.0
MARGIN = 24.0
LONGEST_EDGE = 62.0
LARGEST_MOLECULE = 1.5
ATOM = 12.0  # radius in a molecule where a pointer finds an atom
MOST_FOR_STRESS = 150
BETWEEN = 1.6  # length of an edge between parts, in edges inside them


@dataclass(frozen=True, eq=False)
class LevelLayout:
    """One level, ready to be drawn.

    `share` is how much of the original graph's nodes each node holds, split by first-level
    cluster; at level 0 it is each node's memberships.
    """

    width: float
    height: float  # the same at every level
    position: Array  # [nodes, 2]
    radius: Array  # [nodes]
    share: Array  # [nodes, first clusters]
    molecule: str = ""  # SVG that takes the place of nodes and edges

    @property
    def mass(self) -> Array:
        """Number of original nodes that each node stands for, `[nodes]`."""
        return np.asarray(self.share.sum(axis=1))


def place_levels(example: HierarchyExample) -> list[LevelLayout]:
    """Lay out level 0 by itself; every later node stands amid the nodes that it gathers."""
    first = example.levels[0]
    nodes = first.adjacency.shape[0]
    share = np.ones((nodes, 1)) if first.assignment is None else first.assignment
    share = np.asarray(share, dtype=float)
    placed = [_molecule(example, share) or _graph(first.adjacency, share)]
    for number, level in enumerate(example.levels[:-1]):
        assert level.assignment is not None  # checked by HierarchyExample
        members = np.asarray(level.assignment, dtype=float)
        below = placed[-1]
        share = np.diag(members.sum(axis=0)) if number == 0 else members.T @ below.share
        width = NARROW if members.shape[1] == 1 else WIDTH
        radius = _radii(share.sum(axis=1))
        centre = centroids(below.position, members) + np.array([(width - below.width) / 2, 0])
        placed.append(LevelLayout(width, HEIGHT, spread(centre, radius, width), radius, share))
    return _crop(placed)


def place_graph(adjacency: Array, part: Sequence[int] = ()) -> LevelLayout:
    """Lay out one graph by itself; the nodes of each `part`, if known, are near each other."""
    return _crop([_graph(adjacency, np.ones((len(adjacency), 1)), part)])[0]


def _graph(adjacency: Array, share: Array, part: Sequence[int] = ()) -> LevelLayout:
    width = NARROW if len(adjacency) == 1 else WIDTH
    return LevelLayout(width, HEIGHT, *_base(adjacency, width, part), share)


def _molecule(example: HierarchyExample, share: Array) -> LevelLayout | None:
    """A molecule with its atoms and bonds in the colours of their clusters; None if it is none."""
    first, kept = example.levels[0], share.max(axis=1) > 0
    if not example.smiles:
        return None
    places = None
    if first.assignment is not None:
        places = np.where(kept, share.argmax(axis=1), -1).tolist()
    drawing = draw_molecule(example.smiles, places, strength(share).tolist())
    joined = np.argwhere(np.triu(first.adjacency != 0) | np.triu(first.adjacency.T != 0))
    if drawing is None or not drawing.is_of(len(share), joined.tolist()):
        return None
    width = NARROW if len(share) == 1 else WIDTH
    inner = np.array([drawing.width, drawing.height])
    scale = min(float(((width, HEIGHT) / inner).min()), LARGEST_MOLECULE)
    x, y = corner = (np.array([width, HEIGHT]) - scale * inner) / 2
    body = f'<g transform="translate({x:.1f} {y:.1f}) scale({scale:.3f})">{drawing.body}</g>'
    radius = np.full(len(share), ATOM * scale)
    return LevelLayout(width, HEIGHT, corner + scale * drawing.position, radius, share, body)


def strength(members: Array) -> Array:
    """Return how clearly each node belongs to its strongest cluster: 0 evenly shared, 1 wholly."""
    clusters = members.shape[1]
    total = members.sum(axis=1)
    top = members.max(axis=1) / np.where(total > 0, total, 1.0)
    if clusters == 1:
        return np.asarray(np.where(total > 0, 1.0, 0.0))
    return np.asarray(np.clip((top - 1 / clusters) / (1 - 1 / clusters), 0.0, 1.0))


def _crop(levels: list[LevelLayout]) -> list[LevelLayout]:
    """Give all panels the height that the tallest needs; all are centred on the same line."""
    tallest = max(
        float((np.abs(level.position[:, 1] - HEIGHT / 2) + level.radius).max()) for level in levels
    )
    height = max(2 * tallest + 16.0, 110.0)
    rise = (height - HEIGHT) / 2
    up = [0.0, rise]
    return [
        replace(
            level,
            height=height,
            position=level.position + up,
            molecule=f'<g transform="translate(0 {rise:.1f})">{level.molecule}</g>'
            if level.molecule
            else "",
        )
        for level in levels
    ]


def centroids(position: Array, members: Array) -> Array:
    """Middle of the nodes whose strongest cluster this is, else of all by membership, `[k, 2]`."""
    strongest = np.zeros_like(members)
    kept = members.max(axis=1) > 0
    strongest[kept, members[kept].argmax(axis=1)] = members[kept].max(axis=1)
    weight = np.where(strongest.sum(axis=0) > 0, strongest, members)
    total = weight.sum(axis=0)
    weight = np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1.0 / len(members))
    return np.asarray(weight.T @ position)


def spread(centre: Array, radius: Array, width: float, gap: float = 14.0) -> Array:
    """Stretch points to fill their panel and push circles apart until none overlap."""
    box = np.array([width, HEIGHT])
    middle = box / 2
    if len(centre) == 1:
        return np.asarray(middle[None, :])
    offset = centre - (centre.max(axis=0) + centre.min(axis=0)) / 2
    reach = np.abs(offset).max(axis=0) + 1e-9
    stretch = min(1.8, float(((middle - MARGIN - radius.max()) / reach).min()))
    points = middle + offset * max(stretch, 0.2)
    # Coinciding points need some direction to part in; the golden angle gives all a different one.
    angle = np.arange(len(points)) * 2.399963
    points = points + 1e-3 * np.stack([np.cos(angle), np.sin(angle)], axis=1)
    low = MARGIN + radius[:, None]
    return _push_apart(points, radius, gap, low, np.maximum(box - low, low))


def _push_apart(points: Array, radius: Array, gap: float, low: Any, high: Any) -> Array:
    """Move circles until there is a gap between any two, inside a box if there is room."""
    wanted = radius[:, None] + radius[None, :] + gap
    np.fill_diagonal(wanted, 0.0)
    for _ in range(300):
        apart = points[:, None] - points[None, :]
        distance = np.sqrt((apart**2).sum(axis=2)) + 1e-9
        lack = np.clip(wanted - distance, 0, None)
        if lack.max() < 0.1:
            break
        points = points + 0.3 * (apart * (lack / distance)[:, :, None]).sum(axis=1)
        points = np.clip(points, low, high)
    return np.asarray(points)


def _radii(mass: Array) -> Array:
    """Circles whose area follows their mass; an empty cluster stays visible as a small one."""
    largest = 46.0 if len(mass) == 1 else min(40.0, 92.0 / np.sqrt(len(mass)))
    share = mass / max(float(mass.max()), 1e-12)
    return np.asarray(np.maximum(largest * np.sqrt(share), 6.0 if len(mass) < 30 else 4.0))


def _base(adjacency: Array, width: float, part: Sequence[int]) -> tuple[Array, Array]:
    """Positions and radii of the graph itself."""
    box = np.array([width, HEIGHT])
    nodes = len(adjacency)
    linked = (adjacency != 0) | (adjacency.T != 0)
    np.fill_diagonal(linked, False)
    points = _pack(linked, part)
    low, high = points.min(axis=0), points.max(axis=0)
    size = np.maximum(high - low, 1e-9)
    # One unit is one edge: small graphs stop growing when their edges are long enough.
    scale = min(float(((box - 2 * MARGIN) / size).min()), LONGEST_EDGE)
    points = box / 2 + (points - (low + high) / 2) * scale
    if nodes == 1:
        return points, np.full(1, 13.0)
    distance = np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2))
    np.fill_diagonal(distance, np.inf)
    radius = 0.4 * float(np.quantile(distance.min(axis=1), 0.25))
    radii = np.full(nodes, float(np.clip(radius, 2.5, 14.0)))
    return _push_apart(points, radii, 0.0, MARGIN, box - MARGIN), radii


def _pack(linked: Array, part: Sequence[int]) -> Array:
    """Lay out each component with edges of about unit length, then set them side by side."""
    import networkx as nx

    graph = nx.from_numpy_array(linked)
    found = sorted(
        map(sorted, nx.connected_components(graph)), key=lambda nodes: (-len(nodes), nodes[0])
    )
    for i, j, data in graph.edges(data=True):
        data["length"] = BETWEEN if part and part[i] != part[j] else 1.0
    blocks = [_component(graph.subgraph(block), block) for block in found]
    sizes = [np.maximum(np.ptp(block, axis=0), 0.0) + 1.0 for block in blocks]
    row_width = max(max(size[0] for size in sizes), 1.25 * sum(np.prod(sizes, axis=1)) ** 0.5)
    points = np.zeros((len(linked), 2))
    x = y = height = 0.0
    for nodes, block, size in zip(found, blocks, sizes, strict=True):
        if x > 0 and x + size[0] > row_width:
            x, y, height = 0.0, y + height, 0.0
        points[nodes] = block - block.min(axis=0) + (x, y)
        x, height = x + float(size[0]), max(height, float(size[1]))
    return points


def _component(graph: Any, nodes: list[int]) -> Array:
    """One connected component, its long side horizontal, its edges one unit long on average."""
    import networkx as nx

    if len(nodes) == 1:
        return np.zeros((1, 2))
    if len(nodes) == 2:
        return np.array([[0.0, 0.0], [1.0, 0.0]])
    # A subgraph view lists its nodes in hash order; a fresh graph keeps pictures the same.
    plain = nx.Graph()
    plain.add_nodes_from(nodes)
    plain.add_weighted_edges_from(sorted(graph.edges(data="length")), weight="length")
    if len(nodes) > MOST_FOR_STRESS:
        found = nx.spring_layout(plain, seed=0, iterations=100)
        points = np.array([found[node] for node in nodes])
    else:
        from scipy.sparse.csgraph import shortest_path

        hops = shortest_path(nx.to_scipy_sparse_array(plain, nodelist=nodes, weight="length"))
        circle, spectral = (
            np.array([found[node] for node in nodes])
            for found in (nx.circular_layout(plain), nx.spectral_layout(plain))
        )
        # Alike nodes coincide in a spectral layout and could never part again.
        tries = [less_stress(start, hops) for start in (circle, spectral + 0.03 * circle)]
        points = min(tries, key=lambda tried: stress(tried, hops))
    points = points - points.mean(axis=0)
    _, _, axes = np.linalg.svd(points, full_matrices=False)
    points = oriented(points @ axes.T)
    row = {node: number for number, node in enumerate(nodes)}
    pairs = np.array([(row[a], row[b]) for a, b in plain.edges])
    length = np.sqrt(((points[pairs[:, 0]] - points[pairs[:, 1]]) ** 2).sum(axis=1)).mean()
    return np.asarray(points / max(float(length), 1e-9))


def less_stress(points: Array, hops: Array, steps: int = 300) -> Array:
    """Move points until their distances are about those in the graph.

    Stress majorization (Gansner, Koren & North 2004) with weights 1 / hops²: every step lowers the
    stress of all points at once.
    """
    weight = 1.0 / np.where(hops > 0, hops, np.inf) ** 2
    inverse = np.linalg.pinv(np.diag(weight.sum(axis=1)) - weight)
    pull = weight * hops
    points = points * (hops.max() / max(float(np.ptp(points, axis=0).max()), 1e-9))
    for _ in range(steps):
        apart = np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2))
        ratio = pull / np.where(apart > 1e-9, apart, np.inf)
        moved = inverse @ (np.diag(ratio.sum(axis=1)) - ratio) @ points
        done = float(np.abs(moved - points).max()) < 1e-4
        points = moved
        if done:
            break
    return points


def oriented(points: Array) -> Array:
    """Point each axis to where the farthest point lies, for it has no direction of its own."""
    ends = points[np.abs(points).argmax(axis=0), np.arange(points.shape[1])]
    return np.asarray(points * np.where(ends < 0, -1.0, 1.0))


def stress(points: Array, hops: Array) -> float:
    """Return the error of distances on paper against those in the graph, at the best scale."""
    upper = np.triu_indices(len(points), 1)
    drawn = np.sqrt(((points[:, None] - points[None, :]) ** 2).sum(axis=2))[upper]
    wanted = hops[upper]
    ratio = drawn / wanted
    best = ratio.sum() / max(float((ratio**2).sum()), 1e-12)
    return float(((best * ratio - 1) ** 2).sum())
