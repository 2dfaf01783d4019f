"""Parts that recur, written out literally: loops, NetworkX, and colours as nested tuples."""

from collections import Counter
from itertools import pairwise
from math import log2
from typing import Any

import networkx as nx
import numpy as np
import torch

from graphpool.graphs import GraphSet

Colour = Any


# Like residues: N, C, C and O, and at the first C nothing, a chain of three or a ring of five.
_UNITS = (
    ([1, 0, 0, 2], []),
    ([1, 0, 0, 2, 0, 0, 3], [(1, 4, 0), (4, 5, 0), (5, 6, 0)]),
    ([1, 0, 0, 2, 0, 0, 0, 0, 0],
     [(1, 4, 0), (4, 5, 0), (5, 6, 0), (6, 7, 0), (7, 8, 0), (8, 4, 0)]),
)  # fmt: skip


def chains(
    seed: int, graphs: int = 30, shift: int = 0, words: tuple[str, ...] = ("C", "N", "O", "S")
) -> GraphSet:
    """Chains of three kinds of units that follow each other at random, as residues do.

    Codes of labels are shifted by `shift`. Where each unit begins is the column `units`.
    """
    draw = np.random.default_rng(seed)
    sizes, counts, ends, kinds, labels = [], [], [], [], []
    begins = []
    for _ in range(graphs):
        nodes: list[int] = []
        edges: list[tuple[int, int, int]] = []
        starts: list[int] = []
        for unit in draw.integers(3, size=draw.integers(2, 7)).tolist():
            first = len(nodes)
            inside, branch = _UNITS[unit]
            nodes += inside
            inner = [(0, 1, 0), (1, 2, 0), (2, 3, 1), *branch]
            edges += [(first + i, first + j, label) for i, j, label in inner]
            edges += [(starts[-1] + 2, first, 0)] if starts else []
            starts.append(first)
        sizes.append(len(nodes))
        counts.append(len(edges))
        ends += [(i, j) for i, j, _ in edges]
        kinds += [label for _, _, label in edges]
        labels += nodes
        begins.append(" ".join(map(str, starts)))
    size = len(words)
    names = tuple(words[(at - shift) % size] for at in range(size))
    return GraphSet.build(
        "chains",
        torch.tensor(sizes),
        torch.tensor(counts),
        torch.tensor(ends).t(),
        undirected=True,
        edge_label=torch.tensor(kinds),
        edge_label_names=("single", "double"),
        node_label=(torch.tensor(labels) + shift) % size,
        node_label_names=names,
        columns={"units": tuple(begins)},
    )


def as_networkx(graphs: GraphSet) -> list[nx.Graph]:
    """The graphs with names of labels; nodes are numbered through the set."""
    made = []
    for at in range(len(graphs)):
        low, high = graphs.node_ptr[at : at + 2].tolist()
        graph = nx.Graph()
        for node in range(low, high):
            code = -1 if graphs.node_label is None else int(graphs.node_label[node])
            graph.add_node(node, label=str(graphs.node_label_names[code]) if code >= 0 else "")
        for edge in range(int(graphs.edge_ptr[at]), int(graphs.edge_ptr[at + 1])):
            i, j = (low + graphs.edge_index[:, edge]).tolist()
            code = -1 if graphs.edge_label is None else int(graphs.edge_label[edge])
            if i != j:
                name = str(graphs.edge_label_names[code]) if code >= 0 else ""
                graph.add_edge(i, j, label=name)
        made.append(graph)
    return made


def is_free(graph: nx.Graph, i: int, j: int) -> bool:
    """Whether an edge is on no cycle of at most 8 nodes."""
    rest = graph.copy()
    rest.remove_edge(i, j)
    return not nx.has_path(rest, i, j) or nx.shortest_path_length(rest, i, j) > 7


def colour(graph: nx.Graph, free: set[frozenset[int]], node: int, depth: int) -> Colour:
    """c_k of the design."""
    ring = any(frozenset((node, other)) not in free for other in graph[node])
    if depth < 0:
        return ring
    if depth == 0:
        return graph.nodes[node]["label"], ring
    near = sorted(
        (repr(colour(graph, free, other, depth - 1)), graph.edges[node, other]["label"])
        for other in graph[node]
    )
    return colour(graph, free, node, depth - 1), tuple(near)


def edge_type(graph: nx.Graph, free: set[frozenset[int]], i: int, j: int, depth: int) -> Colour:
    """The colours of both ends, in any order, and the label."""
    ends = sorted(repr(colour(graph, free, node, depth)) for node in (i, j))
    return depth, tuple(ends), graph.edges[i, j]["label"]


def part_type(graph: nx.Graph, free: set[frozenset[int]], part: set[int]) -> Colour:
    """Four rounds of refinement inside a part, from labels and the labels of its cut edges."""
    now: dict[int, Colour] = {}
    for node in part:
        outside = sorted(graph.edges[node, to]["label"] for to in graph[node] if to not in part)
        now[node] = repr((colour(graph, free, node, 0), outside))
    for _ in range(4):
        now = {
            node: str(
                hash(
                    (
                        now[node],
                        tuple(
                            sorted(
                                (now[to], graph.edges[node, to]["label"])
                                for to in graph[node]
                                if to in part
                            )
                        ),
                    )
                )
            )
            for node in part
        }
    return tuple(sorted(now.values()))


def parts_of(graph: nx.Graph, cut: set[frozenset[int]]) -> list[set[int]]:
    """The components that are left."""
    rest = graph.copy()
    rest.remove_edges_from([tuple(ends) for ends in cut])
    return list(nx.connected_components(rest))


def length(graphs: list[nx.Graph], cuts: list[set[frozenset[int]]]) -> float:
    """L of the design, as a sum over types and parts."""
    labels = Counter(graph.nodes[node]["label"] for graph in graphs for node in graph)
    bonds = Counter(graph.edges[edge]["label"] for graph in graphs for edge in graph.edges)
    parts, written = [], {}
    for graph, cut in zip(graphs, cuts, strict=True):
        free = {frozenset(edge) for edge in graph.edges if is_free(graph, *edge)}
        for part in parts_of(graph, cut):
            inside = graph.subgraph(part)
            kind = part_type(graph, free, part)
            ports = sum(to not in part for node in part for to in graph[node])
            parts.append((kind, ports))
            written[kind] = sum(
                -log2(labels[graph.nodes[node]["label"]] / labels.total()) for node in part
            ) + sum(
                -log2(bonds[graph.edges[edge]["label"]] / bonds.total()) + log2(max(2, len(part)))
                for edge in inside.edges
            )
    often, total = Counter(kind for kind, _ in parts), len(parts)
    return (
        sum(bits + log2(total) for bits in written.values())
        + sum(-log2(often[kind] / total) for kind, _ in parts)
        + sum(log2(max(1, ports)) for _, ports in parts)
    )


def ring(nodes: int, tail: int) -> nx.Graph:
    """A cycle with a path hung on it."""
    graph = nx.cycle_graph(nodes)
    graph.add_edges_from(pairwise([0, *range(nodes, nodes + tail)]))
    return graph
