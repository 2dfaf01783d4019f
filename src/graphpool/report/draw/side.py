"""Graphs as they are drawn: one alone, or two whose nodes stand where an edit path maps them."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from graphpool.errors import FeatureWarning, collect_warnings
from graphpool.ged.collection import Collection, collect
from graphpool.ged.result import EditDistance
from graphpool.graphs.graph import Graph
from graphpool.graphs.graphset import GraphSet
from graphpool.report.draw.layout import place_graph
from graphpool.report.draw.svg import count_of
from graphpool.report.pictures import Array, Side

ELEMENTS: dict[str, dict[str, str]] = {
    # The TU archive's README for MUTAG: what its seven node labels stand for.
    "MUTAG": {"0": "C", "1": "N", "2": "O", "3": "F", "4": "I", "5": "Cl", "6": "Br"},
}
"""Short texts for node labels, by the name of the set."""


def one_side(graph: Any, name: str) -> Side:
    """A graph by itself, each node in a slot of its own."""
    graphs = collect([graph], edge_labels=False)
    side = _side(graphs, 0, range(int(graphs.sizes[0])), name, {}, {})
    smiles = graph.columns.get("smiles", "") if isinstance(graph, Graph) else ""
    return replace(side, smiles=smiles)


def set_side(graphs: GraphSet, position: int) -> Side:
    """A graph of a set by itself, with elements where the labels of the set stand for some."""
    with collect_warnings(FeatureWarning):  # attributes are not drawn
        side = one_side(graphs[position], f"graph {graphs.ids[position]}")
    elements = ELEMENTS.get(graphs.name, {})
    return replace(side, labels=[elements.get(label, label) for label in side.labels])


def node_labels(sides: Iterable[Side]) -> list[str]:
    """Labels of the nodes that are drawn, the most frequent first."""
    found = Counter(label for side in sides for label in side.labels if label)
    return [label for label, _ in sorted(found.items(), key=lambda item: (-item[1], item[0]))]


def two_sides(
    first: Any, second: Any, result: EditDistance, names: tuple[str, str], edge_labels: bool
) -> tuple[Side, Side]:
    """Both graphs; nodes of the second stand where the first has the node mapped to them."""
    graphs = collect([first, second], edge_labels=edge_labels)
    n, m = graphs.sizes.tolist()
    back = {u: v for v, u in enumerate(result.mapping) if u is not None}
    added = iter(range(n, n + m))
    slots = (range(n), [back[u] if u in back else next(added) for u in range(m)])
    made = []
    for at, slot in enumerate(slots):
        node_kind: dict[int, str] = {}
        edge_kind: dict[tuple[int, int], str] = {}
        for step in result.path:
            spot = step.second if at else step.first
            if isinstance(spot, tuple):
                edge_kind[spot] = step.kind
            elif spot is not None:
                node_kind[spot] = step.kind
        made.append(_side(graphs, at, slot, names[at], node_kind, edge_kind))
    return made[0], made[1]


def shared_layout(left: Side, right: Side) -> tuple[Array, float, float, float]:
    """Positions `[nodes of both, 2]`, the radius of a node, width and height of a panel."""
    size = max([*left.slot, *right.slot], default=-1) + 1
    if size == 0:
        return np.zeros((0, 2)), 13.0, 170.0, 110.0
    base, other = (left, right) if len(left.slot) >= len(right.slot) else (right, left)
    own = set(base.slot)
    links = [(base.slot[i], base.slot[j]) for i, j in base.edges]
    # Nodes that only the other one has are hung on their neighbours.
    hung = [(other.slot[i], other.slot[j]) for i, j in other.edges]
    links += [ends for ends in hung if not own.issuperset(ends)]
    joined = np.zeros((size, size))
    for i, j in links:
        joined[i, j] = joined[j, i] = 1.0
    placed = place_graph(joined, base.part)
    return placed.position, float(placed.radius.min()), placed.width, placed.height


def _side(
    graphs: Collection,
    at: int,
    slot: Sequence[int],
    name: str,
    node_kind: Mapping[int, str],
    edge_kind: Mapping[tuple[int, int], str],
) -> Side:
    arrays = graphs.arrays
    node = slice(arrays.node_ptr[at], arrays.node_ptr[at + 1])
    edge = slice(arrays.edge_ptr[at], arrays.edge_ptr[at + 1])
    labels = [_word(graphs.node_names[code]) for code in arrays.node_label[node].tolist()]
    ends = np.stack([arrays.source[edge], arrays.target[edge]], axis=1).tolist()
    edges = {
        (i, j): _word(graphs.edge_names[code - 1])
        for (i, j), code in zip(ends, arrays.edge_label[edge].tolist(), strict=True)
        if graphs.directed or i <= j
    }
    title = f"{name}: {count_of(len(labels), 'node')}, {count_of(len(edges), 'edge')}"
    return Side(title, list(slot), labels, edges, node_kind, edge_kind, graphs.directed)


def _word(label: Hashable) -> str:
    return "" if label is None else str(label)
