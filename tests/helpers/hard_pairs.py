"""Pairs of graphs that colour refinement can't tell apart, and relabelled graphs."""

import networkx as nx
import numpy as np


def plain(graph: nx.Graph) -> nx.Graph:
    """The same graph with nodes 0, 1, … in place of any names."""
    return shuffled(graph)


def shuffled(graph: nx.Graph, seed: int | None = None) -> nx.Graph:
    """A graph with nodes 0, 1, …, in a random order if there is a seed."""
    order = np.arange(len(graph))
    if seed is not None:
        np.random.default_rng(seed).shuffle(order)
    number = dict(zip(graph, order.tolist(), strict=True))
    made = nx.empty_graph(len(graph))
    made.add_edges_from((number[one], number[other]) for one, other in graph.edges)
    return made


def shrikhande() -> nx.Graph:
    """The strongly regular graph with the parameters of the 4 x 4 rook's graph."""
    steps = ((0, 1), (1, 0), (1, 1))
    cells = [(i, j) for i in range(4) for j in range(4)]
    return plain(nx.Graph(((i, j), ((i + a) % 4, (j + b) % 4)) for i, j in cells for a, b in steps))


def rook() -> nx.Graph:
    """The 4 x 4 rook's graph."""
    return plain(nx.line_graph(nx.complete_bipartite_graph(4, 4)))


def decalin() -> nx.Graph:
    """Two rings of six that share an edge."""
    return nx.Graph([*nx.cycle_graph(10).edges, (0, 5)])


def bicyclopentyl() -> nx.Graph:
    """Two rings of five that an edge joins."""
    rings = nx.disjoint_union(nx.cycle_graph(5), nx.cycle_graph(5))
    rings.add_edge(0, 5)
    return rings


def triangles() -> nx.Graph:
    """Two triangles."""
    return nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3))


def csl(skip: int) -> nx.Graph:
    """The circular skip link graph of 41 nodes."""
    return nx.circulant_graph(41, [1, skip])
