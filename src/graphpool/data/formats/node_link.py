"""Graphs as the JSON objects that `networkx.node_link_data` makes.

    {"directed": false, "graph": {"y": "toxic"}, "nodes": [{"id": 0, "atom": "C"}, {"id": 1, ...}],
     "edges": [{"source": 0, "target": 1, "bond": "single"}]}

Attributes are understood as `from_networkx` understands them.
"""

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphpool.data.bad_rows import BadRows
from graphpool.data.formats.base import check_names
from graphpool.data.interop.networkx import Keys, convert
from graphpool.errors import DataError, nearest, shortened
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import current_limits

if TYPE_CHECKING:
    import networkx as nx

_KEYS = {"directed", "multigraph", "graph", "nodes", "edges", "links"}


def is_node_link(value: Any) -> bool:
    """Whether a JSON object lists nodes, where a graph of our own has their number."""
    return isinstance(value, dict) and isinstance(value.get("nodes"), list)


def node_link_set(
    path: Path, objects: Iterable[tuple[int | None, Any]], name: str, bad: BadRows
) -> GraphSet:
    """Make a set of objects, one for each graph, and the line of each.

    Args:
        bad: what becomes of objects that are no graphs.
    """
    graphs: list[nx.Graph] = []
    nodes = edges = 0
    for line, value in objects:
        try:
            graph = _graph(path, line, len(graphs) + len(bad.rows), value)
        except DataError as error:
            bad.add_error(path, line, error, json.dumps(value, ensure_ascii=False))
            continue
        graphs.append(graph)
        bad.good = len(graphs)
        nodes, edges = nodes + len(graph), edges + graph.number_of_edges()
        current_limits().check_counts(path, len(graphs), nodes, edges)
    if not graphs:
        raise bad.nothing_left(path, "give one graph per line")
    try:
        made = check_names(path, convert(graphs, Keys(), name)[0])
        return replace(made, notes=(*made.notes, *bad.notes(len(graphs) + len(bad.rows))))
    except DataError as error:
        if str(path) in str(error):
            raise
        raise DataError.at(path, str(error)) from None


def _graph(path: Path, line: int | None, position: int, value: Any) -> "nx.Graph":
    """Make one graph; unlike in NetworkX, every node of an edge must be listed."""
    import networkx as nx

    def wrong(problem: str, hint: str = "") -> DataError:
        return DataError.at(path, f"graph {position}: {problem}", line=line, hint=hint)

    if not is_node_link(value):
        raise wrong("it has no list of nodes, unlike the first graph")
    for key in value:
        if key not in _KEYS:
            raise wrong(f"unknown key {shortened(key, 80)!r}", nearest(key, _KEYS))
    links = value.get("edges", value.get("links", []))
    about = value.get("graph", {})
    if not isinstance(links, list) or not isinstance(about, dict):
        raise wrong("edges must be a list and graph an object")
    directed, several = value.get("directed", False), value.get("multigraph", False)
    if not isinstance(directed, bool) or not isinstance(several, bool):
        raise wrong("directed and multigraph must be true or false")
    kinds = {
        (False, False): nx.Graph, (True, False): nx.DiGraph,
        (False, True): nx.MultiGraph, (True, True): nx.MultiDiGraph,
    }  # fmt: skip
    graph = kinds[directed, several]()
    graph.graph.update(about)
    if not isinstance(about.get("name", ""), str):
        raise wrong("its name is not a word")
    for node in value["nodes"]:
        identity = node.get("id") if isinstance(node, dict) else None
        if not isinstance(identity, (str, int, float)) or identity in graph:
            raise wrong("every node must be an object with an id of its own")
        graph.add_node(identity)
        graph.nodes[identity].update((key, item) for key, item in node.items() if key != "id")
    for edge in links:
        ends = [edge.get(key) for key in ("source", "target")] if isinstance(edge, dict) else []
        if not ends or not all(isinstance(end, (str, int, float)) for end in ends):
            raise wrong("every edge must be an object with source and target")
        for end in ends:
            if end not in graph:
                shown = shortened(str(end), 80)
                raise wrong(f"an edge leads to node {shown!r}, which does not exist")
        own = {key: item for key, item in edge.items() if key not in ("source", "target", "key")}
        if several:
            graph.add_edges_from([(*ends, own)])
        else:
            graph.add_edge(*ends)
            graph.edges[tuple(ends)].update(own)
    if not len(graph):
        raise wrong("a graph needs at least one node", "leave this graph out")
    return graph
