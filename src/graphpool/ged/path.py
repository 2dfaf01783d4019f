"""The edit path of a node mapping as a list of operations."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from graphpool.ged.collection import Collection
from graphpool.ged.costs import Tables

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


def _load(graphs: Collection, at: int) -> tuple[list[int], dict[tuple[int, int], int]]:
    """Return the label codes of the nodes and of the edges of one graph of a collection."""
    arrays = graphs.arrays
    nodes = slice(arrays.node_ptr[at], arrays.node_ptr[at + 1])
    edges = slice(arrays.edge_ptr[at], arrays.edge_ptr[at + 1])
    columns = (arrays.source[edges], arrays.target[edges], arrays.edge_label[edges])
    rows = zip(*(column.tolist() for column in columns), strict=True)
    codes = {(i, j): code for i, j, code in rows if graphs.directed or i <= j}
    return arrays.node_label[nodes].tolist(), codes


def edit_path(
    graphs: Collection, tables: Tables, first: int, second: int, mapping: Sequence[int]
) -> tuple[Operation, ...]:
    """List the edits of a permutation of the padded nodes: deletions, substitutions, insertions.

    Operations that change nothing are left out. An edge between mapped nodes is deleted and
    inserted if that is cheaper than its substitution.
    """
    labels, edges = _load(graphs, first)
    other_labels, other_edges = _load(graphs, second)
    image_of = {v: u for v, u in enumerate(mapping[: len(labels)]) if 0 <= u < len(other_labels)}
    node_names, edge_names = (*graphs.node_names, None), (None, *graphs.edge_names)

    def edit_node(v: int | None, u: int | None) -> Operation:
        before = -1 if v is None else labels[v]
        after = -1 if u is None else other_labels[u]
        names = node_names[before], node_names[after]
        return _operation("node", v, u, names, float(tables.node[before, after]) / tables.scale)

    def edit_edge(one: tuple[int, int] | None, two: tuple[int, int] | None) -> Operation:
        before = 0 if one is None else edges[one]
        after = 0 if two is None else other_edges[two]
        names = edge_names[before], edge_names[after]
        return _operation("edge", one, two, names, float(tables.edge[before, after]) / tables.scale)

    removed: list[Operation] = []
    changed: list[Operation] = []
    new_edges: list[Operation] = []
    met = set()
    for ends, code in edges.items():
        image = (image_of.get(ends[0], -1), image_of.get(ends[1], -1))
        if not graphs.directed and image[0] > image[1]:
            image = (image[1], image[0])
        if image not in other_edges:
            removed.append(edit_edge(ends, None))
            continue
        met.add(image)
        if code == other_edges[image]:
            continue
        change, deletion, insertion = (
            edit_edge(ends, image), edit_edge(ends, None), edit_edge(None, image)
        )  # fmt: skip
        apart = deletion.cost + insertion.cost
        if change.cost < apart or apart == 0:
            changed.append(change)
        else:
            removed.append(deletion)
            new_edges.append(insertion)
    removed += [edit_node(v, None) for v in range(len(labels)) if v not in image_of]
    changed += [edit_node(v, u) for v, u in image_of.items() if labels[v] != other_labels[u]]
    new_nodes = sorted(set(range(len(other_labels))) - set(image_of.values()))
    return (
        *removed,
        *changed,
        *(edit_node(None, u) for u in new_nodes),
        *new_edges,
        *(edit_edge(None, ends) for ends in other_edges if ends not in met),
    )


def _operation(
    what: str,
    first: Element | None,
    second: Element | None,
    labels: tuple[Hashable, Hashable],
    cost: float,
) -> Operation:
    kind = "insert" if first is None else "delete" if second is None else "substitute"
    return Operation(kind, what, first, second, labels, cost)
