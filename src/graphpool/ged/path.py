"""The edit path of a node mapping as a list of operations."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from graphpool.ged.collection import Collection
from graphpool.ged.pair import GedProblem

Element = int | tuple[int, int]


@dataclass(frozen=True)
class Operation:
    """One edit.

    Args:
        kind: "delete", "insert" or "substitute".
        what: "node" or "edge".
        first: the node, or the edge as a pair of nodes, in the first graph; None if inserted.
        second: the same in the second graph; None if deleted.
        labels: labels of the two, None for no label.
    """

    kind: str
    what: str
    first: Element | None
    second: Element | None
    labels: tuple[Hashable, Hashable]
    cost: float

    def __str__(self) -> str:
        before, after = (_format_label(label) for label in self.labels)
        first, second = _format_element(self.first), _format_element(self.second)
        if self.kind == "delete":
            return f"delete {self.what} {first}{before}"
        if self.kind == "insert":
            return f"insert {self.what} {second}{after}"
        return f"substitute {self.what} {first}{before} by {second}{after}"


def _format_element(element: Element | None) -> str:
    return f"{element[0]}-{element[1]}" if isinstance(element, tuple) else str(element)


def _format_label(label: Hashable) -> str:
    return "" if label is None else f" ({label})"


class _GraphTable:
    """Labels and edges of one graph of a collection."""

    def __init__(self, graphs: Collection, at: int) -> None:
        arrays = graphs.arrays
        node = slice(arrays.node_ptr[at], arrays.node_ptr[at + 1])
        edge = slice(arrays.edge_ptr[at], arrays.edge_ptr[at + 1])
        self.label: list[int] = arrays.node_label[node].tolist()
        ends = zip(arrays.source[edge].tolist(), arrays.target[edge].tolist(), strict=True)
        self.edges: dict[tuple[int, int], int] = {
            (i, j): code
            for (i, j), code in zip(ends, arrays.edge_label[edge].tolist(), strict=True)
            if graphs.directed or i <= j
        }


def edit_path(
    graphs: Collection, problem: GedProblem, first: int, second: int, mapping: Sequence[int]
) -> tuple[Operation, ...]:
    """List the edits of a permutation of the padded nodes: deletions, substitutions, insertions.

    Operations that change nothing are left out. An edge between mapped nodes is deleted and
    inserted if that is cheaper than its substitution.
    """
    one, two = _GraphTable(graphs, first), _GraphTable(graphs, second)
    n, m = len(one.label), len(two.label)
    there = {v: u for v, u in enumerate(mapping[:n]) if 0 <= u < m}
    back = {u: v for v, u in there.items()}
    tables = problem.tables
    none = len(graphs.node_names)

    def node_cost(row: int, column: int) -> float:
        return float(tables.node[row, column]) / tables.scale

    def edge_cost(row: int, column: int) -> float:
        return float(tables.edge[row, column]) / tables.scale

    def named(names: Sequence[Hashable], code: int | None) -> Hashable:
        return None if code is None else names[code]

    removed: list[Operation] = []
    changed: list[Operation] = []
    added: list[Operation] = []

    def edge(kind: str, at: Any, to: Any, before: int, after: int) -> Operation:
        labels = (
            named(graphs.edge_names, before - 1 if before else None),
            named(graphs.edge_names, after - 1 if after else None),
        )
        return Operation(kind, "edge", at, to, labels, edge_cost(before, after))

    met = set()
    for (i, j), before in one.edges.items():
        image = (there.get(i, -1), there.get(j, -1))
        if not graphs.directed and image[0] > image[1]:
            image = (image[1], image[0])
        after = two.edges.get(image, 0)
        if not after:
            removed.append(edge("delete", (i, j), None, before, 0))
            continue
        met.add(image)
        if before == after:
            continue
        apart = edge_cost(before, 0) + edge_cost(0, after)
        if edge_cost(before, after) < apart or apart == 0:
            changed.append(edge("substitute", (i, j), image, before, after))
        else:
            removed.append(edge("delete", (i, j), None, before, 0))
            added.append(edge("insert", None, image, 0, after))
    for v in range(n):
        label = one.label[v]
        if v not in there:
            names: tuple[Hashable, Hashable] = (named(graphs.node_names, label), None)
            removed.append(Operation("delete", "node", v, None, names, node_cost(label, none)))
        elif label != (other := two.label[there[v]]):
            names = (named(graphs.node_names, label), named(graphs.node_names, other))
            cost = node_cost(label, other)
            changed.append(Operation("substitute", "node", v, there[v], names, cost))
    for u in range(m):
        if u not in back:
            label = two.label[u]
            names = (None, named(graphs.node_names, label))
            added.append(Operation("insert", "node", None, u, names, node_cost(none, label)))
    added += [
        edge("insert", None, ends, 0, after) for ends, after in two.edges.items() if ends not in met
    ]
    nodes_first = sorted(added, key=lambda step: step.what != "node")
    return (*removed, *changed, *nodes_first)
