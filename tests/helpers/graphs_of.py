"""Random graphs, costs and published sets for the tests of this folder."""

import itertools
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from graphpool.ged import Collection, Costs, collect


def random_graph(
    draw: Generator,
    nodes: int,
    density: float = 0.4,
    labels: str = "CNO",
    edge_labels: str = "",
    directed: bool = False,
    loops: bool = False,
) -> Any:
    """A graph whose pairs of nodes (and nodes with themselves) are edges at random."""
    made = nx.DiGraph() if directed else nx.Graph()
    for node in range(nodes):
        made.add_node(node, **({"label": str(draw.choice(list(labels)))} if labels else {}))
    for i, j in itertools.product(range(nodes), repeat=2):
        if (i == j and not loops) or (j < i and not directed) or draw.random() >= density:
            continue
        made.add_edge(
            i, j, **({"label": str(draw.choice(list(edge_labels)))} if edge_labels else {})
        )
    return made


def shuffled(draw: Generator, graph: Any) -> Any:
    """The same graph with its nodes in another order, numbered in that order."""
    order = draw.permutation(len(graph)).tolist()
    place = {node: number for number, node in enumerate(order)}
    made = graph.__class__()
    made.add_nodes_from((place[node], graph.nodes[node]) for node in order)
    made.add_edges_from((place[i], place[j], values) for i, j, values in graph.edges(data=True))
    return made


def edited(draw: Generator, graph: Any, edits: int, labels: str = "CNO") -> Any:
    """A copy after `edits` random edits, each of cost 1 by default; some may undo others."""
    made = graph.copy()
    for _ in range(edits):
        _edit(draw, made, labels)
    return nx.convert_node_labels_to_integers(made)


def _edit(draw: Generator, graph: Any, labels: str) -> None:
    lonely = [node for node in graph if graph.degree(node) == 0]
    edges = list(graph.edges)
    missing = list(nx.non_edges(graph))
    kind = draw.integers(5)
    if kind == 0 and lonely and len(graph) > 1:
        graph.remove_node(lonely[draw.integers(len(lonely))])
    elif kind == 1 and edges:
        graph.remove_edge(*edges[draw.integers(len(edges))])
    elif kind == 2 and missing:
        graph.add_edge(*missing[draw.integers(len(missing))])
    elif kind == 3:
        graph.add_node(max(graph, default=-1) + 1, label=str(draw.choice(list(labels))))
    elif len(graph):
        node = list(graph)[draw.integers(len(graph))]
        graph.nodes[node]["label"] = str(draw.choice(list(labels)))


def random_costs(draw: Generator, deletes: bool) -> Costs:
    """Costs in quarters, some of them for particular labels in one or both directions.

    Args:
        deletes: whether a substitution may cost more than a deletion and an insertion.
    """
    insert, remove, give, take = (draw.integers(1, 9, 4) / 4).tolist()
    node = [0.0, *np.arange(0.25, insert + remove, 0.25).tolist()]
    top = 3 * (insert + remove) if deletes else 0.0
    edge = np.arange(0.0, 2 * (give + take), 0.25).tolist()

    def substitution() -> float:
        return top if top and draw.random() < 0.4 else float(draw.choice(node))

    return Costs(
        node_insertion=insert,
        node_deletion=remove,
        node_substitution=substitution(),
        edge_insertion=give,
        edge_deletion=take,
        edge_substitution=float(draw.choice(edge)),
        node_labels={pair: substitution() for pair in (("C", "N"), ("N", "C"), ("O", "C"))},
        edge_labels={("a", "b"): float(draw.choice(edge))},
    )


class Published(NamedTuple):
    """A set with the distances of all its pairs.

    Args:
        full: `[graphs, graphs]`, all pairs.
        ged: the same as it was published, -1 where it was not.
    """

    graphs: Collection
    full: NDArray[np.int64]
    ged: NDArray[np.int64]


def published(root: Path, name: str) -> Published:
    """AIDS700nef or LINUX, without edge labels."""
    with np.load(root / f"{name}.npz", allow_pickle=False) as file:
        node_ptr, edge_ptr, edges = file["node_ptr"], file["edge_ptr"], file["edges"]
        label = file["node_label"] if "node_label" in file else np.zeros(node_ptr[-1], dtype=int)
        full, ged = file["ged_full"].astype(np.int64), file["ged"].astype(np.int64)
    graphs = [
        (label[a:b].tolist(), edges[c:d].tolist())
        for a, b, c, d in zip(node_ptr[:-1], node_ptr[1:], edge_ptr[:-1], edge_ptr[1:], strict=True)
    ]
    return Published(collect(graphs), full, ged)
