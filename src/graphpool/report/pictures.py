"""Graphs that a report draws, as plain frozen values: one of them, two, or its hierarchy."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from graphpool.report.predictions import Array as Array


@dataclass(frozen=True, eq=False)
class Level:
    """One level of one graph's hierarchy.

    Args:
        adjacency: `[nodes, nodes]` weights; read as undirected, the diagonal is not drawn.
        assignment: `[nodes, clusters]`, the share of each node in each node of the next level;
            None at the last level. A row of zeros is a node that pooling dropped.
        node_labels: a short text per node (an atom's symbol), if known.
        health: figures of this graph at this level, printed under its picture.
    """

    adjacency: Array
    assignment: Array | None = None
    node_labels: Sequence[str] | None = None
    health: Mapping[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        nodes = self.adjacency.shape[0]
        if self.adjacency.shape != (nodes, nodes) or nodes == 0:
            raise ValueError(f"adjacency of shape {self.adjacency.shape}; [nodes, nodes] is needed")
        if self.assignment is not None and self.assignment.shape[:1] != (nodes,):
            raise ValueError(f"assignment of shape {self.assignment.shape} for {nodes} nodes")
        if self.node_labels is not None and len(self.node_labels) != nodes:
            raise ValueError(f"{len(self.node_labels)} node labels for {nodes} nodes")


@dataclass(frozen=True, eq=False)
class HierarchyExample:
    """One graph at every level, finest first.

    Args:
        places: whether the first clusters are places.
        judged: whether a prediction is right or wrong, as that of a class is.
        smiles: of a molecule, which is drawn as such; its atoms are the nodes in their order.
    """

    graph: str
    true_class: str
    predicted_class: str
    levels: Sequence[Level]
    places: bool = False
    judged: bool = True
    smiles: str = ""

    def __post_init__(self) -> None:
        if not self.levels:
            raise ValueError(f"hierarchy of graph {self.graph} has no levels")
        for number, (fine, coarse) in enumerate(pairwise(self.levels)):
            clusters = coarse.adjacency.shape[0]
            if fine.assignment is None or fine.assignment.shape[1:] != (clusters,):
                raise ValueError(
                    f"hierarchy of graph {self.graph}: level {number} must be assigned to the "
                    f"{clusters} nodes of level {number + 1}"
                )


@dataclass(frozen=True, eq=False)
class Side:
    """One graph, ready to be drawn; as a molecule if it has a SMILES of these nodes and edges."""

    title: str  # its name and size
    slot: Sequence[int]  # for each node its row of the positions
    labels: Sequence[str]  # a short text per node, "" for none
    edges: Mapping[tuple[int, int], str]  # labels; in both directions only if directed
    node_kind: Mapping[int, str]  # the edit of each node that has one
    edge_kind: Mapping[tuple[int, int], str]
    directed: bool
    smiles: str = ""
    part: Sequence[int] = ()  # the part of each node, if parts are shown
    beyond: frozenset[int] = frozenset()  # nodes where a part of a graph was cut off


@dataclass(frozen=True, eq=False)
class PairExample:
    """Two graphs beside each other, with the scores that the model gives them.

    If they are `aligned`, what an edit path changes is marked, and a node stands where the node is
    that it is mapped to.
    """

    title: str
    left: Side
    right: Side
    aligned: bool
    matches: bool  # the truth
    scores: Mapping[str, float]  # of every level, by name, the last of all together
    note: str = ""

    @property
    def predicted(self) -> bool:
        """Whether the model predicts a match."""
        return list(self.scores.values())[-1] > 0.5


@dataclass(frozen=True, eq=False)
class Neighbour:
    """A graph that the model finds near."""

    graph: Side
    predicted: float
    true: float
    rank: int  # by true distance, 1 for the nearest; equally far ones share the best


@dataclass(frozen=True, eq=False)
class QueryExample:
    """A test graph and those that the model finds nearest, nearest first."""

    title: str
    query: Side
    nearest: Sequence[Neighbour]
    note: str = ""


@dataclass(frozen=True, eq=False)
class ExampleGraph:
    """A graph of a grid, and what is said of it.

    Args:
        lines: what stands beneath its name, the first in bold.
        right: whether its predicted class is the true one, if there are such.
    """

    graph: Side
    lines: Sequence[str] = ()
    right: bool | None = None


@dataclass(frozen=True, eq=False)
class ExampleGroup:
    """Graphs in a grid that have something in common; one a row if they are drawn `wide`."""

    title: str
    graphs: Sequence[ExampleGraph]
    note: str = ""
    wide: bool = False
