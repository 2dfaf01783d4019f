"""Edit distances and edit paths by the book: slow, and independent of what they check.

`networkx_distance` lets NetworkX search; `literal_distance` tries every partial injection. Both
read a `Costs` by its own words, not through the tables that the solvers use.
"""

import itertools
import math
from collections.abc import Hashable, Iterable, Iterator
from typing import Any

import networkx as nx

from graphpool.ged import Costs, Operation


def substitution_cost(costs: Costs, kind: str, before: Hashable, after: Hashable) -> float:
    """Cost of turning a label of a "node" or "edge" into another."""
    given = costs.node_labels if kind == "node" else costs.edge_labels
    if before == after:
        return 0.0
    if (before, after) in given:
        return given[before, after]
    if (after, before) in given:
        return given[after, before]
    return costs.node_substitution if kind == "node" else costs.edge_substitution


_NO_EDGE = object()


def edge_cost(costs: Costs, before: Hashable, after: Hashable) -> float:
    """Cost of turning an edge's label into another, `_NO_EDGE` where there is none."""
    if before is _NO_EDGE and after is _NO_EDGE:
        return 0.0
    if before is _NO_EDGE:
        return costs.edge_insertion
    if after is _NO_EDGE:
        return costs.edge_deletion
    return min(
        substitution_cost(costs, "edge", before, after), costs.edge_deletion + costs.edge_insertion
    )


def _edge(graph: Any, i: int | None, j: int | None) -> Hashable:
    return graph.edges[i, j].get("label") if graph.has_edge(i, j) else _NO_EDGE


def mapping_cost(first: Any, second: Any, costs: Costs, mapping: dict[int, int | None]) -> float:
    """Cost of the path of a mapping: every node, then every edge slot between two of them."""
    total = 0.0
    for node, image in mapping.items():
        if image is None:
            total += costs.node_deletion
        else:
            before, after = first.nodes[node].get("label"), second.nodes[image].get("label")
            total += substitution_cost(costs, "node", before, after)
    inserted = set(second) - set(mapping.values())
    total += costs.node_insertion * len(inserted)
    ends = [*mapping.items(), *((None, node) for node in inserted)]
    for at, (v, u) in enumerate(ends):
        for w, x in ends if first.is_directed() else ends[at:]:
            total += edge_cost(costs, _edge(first, v, w), _edge(second, u, x))
    return total


def literal_distance(first: Any, second: Any, costs: Costs) -> float:
    """The least cost over every way to map some nodes of one graph into the other."""
    return min(mapping_cost(first, second, costs, made) for made in _mappings(first, second))


def _mappings(first: Any, second: Any) -> Iterator[dict[int, int | None]]:
    nodes = list(first)
    for kept in range(min(len(first), len(second)) + 1):
        for chosen in itertools.combinations(nodes, kept):
            for images in itertools.permutations(second, kept):
                yield {**dict.fromkeys(nodes), **dict(zip(chosen, images, strict=True))}


def networkx_distance(first: Any, second: Any, costs: Costs) -> float:
    """What NetworkX answers when it is given these costs.

    It lets a self-loop be matched with an edge that is none and leaves those of its first pair
    of nodes out, so self-loops are part of the nodes here. A node substitution must cost less
    than a deletion with an insertion: otherwise NetworkX misses paths.
    """
    sides = []
    for graph in (first, second):
        bare = graph.copy()
        nx.set_node_attributes(bare, {v: {"loop": _edge(graph, v, v)} for v in graph})
        bare.remove_edges_from(nx.selfloop_edges(graph))
        sides.append(bare)
    found = nx.graph_edit_distance(
        *sides,
        node_subst_cost=lambda v, u: (
            substitution_cost(costs, "node", v.get("label"), u.get("label"))
            + edge_cost(costs, v["loop"], u["loop"])
        ),
        node_del_cost=lambda v: costs.node_deletion + edge_cost(costs, v["loop"], _NO_EDGE),
        node_ins_cost=lambda u: costs.node_insertion + edge_cost(costs, _NO_EDGE, u["loop"]),
        edge_subst_cost=lambda e, f: substitution_cost(
            costs, "edge", e.get("label"), f.get("label")
        ),
        edge_del_cost=lambda e: costs.edge_deletion,
        edge_ins_cost=lambda f: costs.edge_insertion,
    )
    assert found is not None
    return float(found)


def isomorphic(first: Any, second: Any) -> bool:
    """Whether two graphs are the same but for the order of their nodes."""

    def same(a: dict[str, Any], b: dict[str, Any]) -> bool:
        return bool(a.get("label") == b.get("label"))

    return bool(nx.is_isomorphic(first, second, node_match=same, edge_match=same))


def applied(first: Any, path: Iterable[Operation], mapping: Iterable[int | None]) -> Any:
    """`first` after the operations one by one, its nodes renamed to those of the second graph.

    Each operation must fit what is there at its turn: only bare nodes are deleted, only what is
    missing is inserted, and labels are as the operation says.
    """
    made = nx.relabel_nodes(first, {node: ("first", node) for node in first})
    name: dict[int, tuple[str, int]] = {
        image: ("first", node) for node, image in enumerate(mapping) if image is not None
    }

    def ends(place: Any) -> tuple[Any, Any]:
        return name[place[0]], name[place[1]]

    for step in path:
        before, after = step.labels
        at: Any = step.first
        if step.kind == "delete" and step.what == "node":
            assert made.degree(("first", at)) == 0
            assert made.nodes["first", at].get("label") == before
            made.remove_node(("first", at))
        elif step.kind == "delete":
            edge = ("first", at[0]), ("first", at[1])
            assert made.edges[edge].get("label") == before
            made.remove_edge(*edge)
        elif step.kind == "insert" and step.what == "node":
            assert step.second not in name
            name[step.second] = ("second", step.second)
            made.add_node(name[step.second], label=after)
        elif step.kind == "insert":
            assert not made.has_edge(*ends(step.second))
            made.add_edge(*ends(step.second), label=after)
        elif step.what == "node":
            assert name[step.second] == ("first", at)
            assert made.nodes["first", at].get("label") == before
            made.nodes["first", at]["label"] = after
        else:
            edge = ("first", at[0]), ("first", at[1])
            assert {*edge} == {*ends(step.second)}
            assert made.edges[edge].get("label") == before
            made.edges[edge]["label"] = after
    return nx.relabel_nodes(made, {old: image for image, old in name.items()})


def same_graph(first: Any, second: Any) -> bool:
    """Whether two graphs have the same nodes, edges and labels under the same names."""

    def nodes(graph: Any) -> dict[Any, Any]:
        return {node: values.get("label") for node, values in graph.nodes(data=True)}

    def edges(graph: Any) -> dict[Any, Any]:
        key = tuple if graph.is_directed() else frozenset
        return {key((i, j)): values.get("label") for i, j, values in graph.edges(data=True)}

    return nodes(first) == nodes(second) and edges(first) == edges(second)


def close(first: float, second: float) -> bool:
    """Whether two sums of costs are equal up to rounding."""
    return math.isclose(first, second, rel_tol=0, abs_tol=1e-9)
