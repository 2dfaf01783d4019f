"""Statistics of a set: sizes, classes, labels, components and duplicate graphs."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.errors import check_type
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.graphs.refinement import gathered, refined_colours

MOST_ROUNDS = 32  # of colour refinement; molecules need about 10, a path of n nodes n / 2


@dataclass(frozen=True)
class Spread:
    """Smallest, mean and largest value over the graphs."""

    min: float
    mean: float
    max: float

    @classmethod
    def of(cls, values: NDArray[Any]) -> "Spread":
        """Compute the spread of one value per graph; zeros if there are none."""
        if not len(values):
            return cls(0.0, 0.0, 0.0)
        return cls(float(values.min()), float(values.mean()), float(values.max()))


@dataclass(frozen=True)
class TargetSpread:
    """Values of one number to predict, over the graphs where it is known.

    Args:
        std: standard deviation.
        missing: graphs where it is unknown.
        kinds: number of different values.
    """

    name: str
    min: float | None
    mean: float | None
    max: float | None
    std: float | None
    missing: int
    kinds: int

    @classmethod
    def of(cls, name: str, values: NDArray[Any]) -> "TargetSpread":
        """Compute the spread of one target, `[graphs]`."""
        known = values[~np.isnan(values)].astype(np.float64)
        missing = len(values) - len(known)
        if not len(known):
            return cls(name, None, None, None, None, missing, 0)
        facts = (float(known.min()), float(known.mean()), float(known.max()), float(known.std()))
        return cls(name, *facts, missing, len(np.unique(known)))


@dataclass(frozen=True)
class Duplicates:
    """Graphs that colour refinement (1-WL) can't distinguish.

    Labels and weights count, and so do attributes of nodes and edges, and features.
    Isomorphic graphs are always 1-WL-equal; 1-WL-equal graphs are nearly always, but not always,
    isomorphic.

    Args:
        distinct: number of different graphs.
        repeated: graphs that are 1-WL-equal to an earlier one.
        groups: number of graphs that occur more than once.
        mixed: of those, the number that occur with different classes.
        ceiling: the highest accuracy on this set of any model at most as expressive as 1-WL.
        attributes: whether the set has attributes or features, which were counted.
        rounds: of refinement, after which graphs that differ only farther away count as equal;
            None if the colours became stable.
    """

    distinct: int
    repeated: int
    groups: int
    mixed: int | None
    ceiling: float | None
    attributes: bool = False
    rounds: int | None = None


@dataclass(frozen=True)
class Statistics:
    """Statistics of a set.

    Args:
        edges: per graph; an undirected edge counts once, self-loops not at all.
        density: per graph, edges / possible edges; 0 for a graph of one node.
        self_loops: nodes with an edge to themselves.
        isolated_nodes: nodes without edges to other nodes.
        components: connected components of all graphs together (weak ones if directed).
        classes: number of graphs of each class, in the order of the codes.
        targets: values of each number to predict.
        node_labels, edge_labels: how often each label occurs, in the order of the codes; an
            undirected edge counts once.
    """

    name: str
    graphs: int
    directed: bool
    weighted: bool
    total_nodes: int
    total_edges: int
    nodes: Spread
    edges: Spread
    density: Spread
    self_loops: int
    isolated_nodes: int
    graphs_without_edges: int
    components: int
    connected_graphs: int
    classes: tuple[tuple[Name, int], ...]
    node_labels: tuple[tuple[Name, int], ...]
    edge_labels: tuple[tuple[Name, int], ...]
    node_attributes: int
    edge_attributes: int
    graph_attributes: int
    duplicates: Duplicates | None
    targets: tuple[TargetSpread, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for JSON."""
        return asdict(self)


def statistics(graphs: GraphSet, duplicates: bool = True) -> Statistics:
    """Compute the statistics of a set; `duplicates` costs a few more passes over the edges."""
    check_type("graphs", graphs, GraphSet, "a GraphSet")
    graphs = graphs.to("cpu")
    source, target = graphs.flat_edges
    directed = not graphs.undirected
    once = source != target if directed else source < target
    owner = graphs.edge_graph
    edges = torch.bincount(owner[once], minlength=len(graphs)).numpy()
    nodes = graphs.node_counts.numpy()
    possible = nodes * (nodes - 1) / (1 if directed else 2)
    touched = torch.zeros(graphs.num_nodes, dtype=torch.bool)
    touched[source[source != target]] = True
    touched[target[source != target]] = True
    component = _components(graphs.num_nodes, source, target)
    # No component lies in two graphs.
    _, first = np.unique(component, return_index=True)
    per_graph = np.bincount(graphs.node_graph.numpy()[first], minlength=len(graphs))
    return Statistics(
        name=graphs.name,
        graphs=len(graphs),
        directed=directed,
        weighted=graphs.edge_weight is not None,
        total_nodes=graphs.num_nodes,
        total_edges=int(edges.sum()),
        nodes=Spread.of(nodes),
        edges=Spread.of(edges),
        density=Spread.of(np.divide(edges, possible, out=np.zeros(len(nodes)), where=possible > 0)),
        self_loops=int((source == target).sum()),
        isolated_nodes=graphs.num_nodes - int(touched.sum()),
        graphs_without_edges=int((edges == 0).sum()),
        components=int(per_graph.sum()),
        connected_graphs=int((per_graph == 1).sum()),
        classes=_counts(graphs.y, graphs.classes),
        node_labels=_counts(graphs.node_label, graphs.node_label_names),
        edge_labels=_counts(
            None if graphs.edge_label is None else graphs.edge_label[once | (source == target)],
            graphs.edge_label_names,
        ),
        node_attributes=_channels(graphs.node_attr),
        edge_attributes=_channels(graphs.edge_attr),
        graph_attributes=_channels(graphs.graph_attr),
        duplicates=_duplicates(graphs) if duplicates else None,
        targets=tuple(
            TargetSpread.of(name, graphs.target[:, column].numpy())  # type: ignore[index]
            for column, name in enumerate(graphs.target_names)
        ),
    )


def _counts(codes: Tensor | None, names: tuple[Name, ...]) -> tuple[tuple[Name, int], ...]:
    if codes is None:
        return ()
    counts = torch.bincount(codes[codes >= 0].long(), minlength=len(names)).tolist()
    return tuple(zip(names or range(len(counts)), counts, strict=True))


def _channels(values: Tensor | None) -> int:
    return 0 if values is None else values.shape[1]


def _components(nodes: int, source: Tensor, target: Tensor) -> NDArray[Any]:
    """Return the number of the connected component of each node."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(source.shape[0], dtype=np.int8)
    flat = coo_array((ones, (source.numpy(), target.numpy())), shape=(nodes, nodes)).tocsr()
    return np.asarray(connected_components(flat, directed=True, connection="weak")[1])


def _duplicates(graphs: GraphSet) -> Duplicates:
    used = (graphs.node_attr, graphs.edge_attr, None if graphs.x_from else graphs.x)
    nodes, rounds = refined_colours(graphs, attributes=True, most=MOST_ROUNDS)
    colours = gathered(graphs, nodes)
    distinct, size = np.unique(colours, return_counts=True)
    mixed = ceiling = None
    # With a limit on rounds, graphs that more of them would distinguish count as equal.
    if graphs.y is not None and len(graphs) and rounds is None:
        table = np.zeros((len(distinct), int(graphs.y.max()) + 1), dtype=np.int64)
        np.add.at(table, (np.searchsorted(distinct, colours), graphs.y.numpy()), 1)
        mixed = int(((table > 0).sum(1) > 1).sum())
        ceiling = float(table.max(1).sum() / len(graphs))
    return Duplicates(
        distinct=len(distinct),
        repeated=len(graphs) - len(distinct),
        groups=int((size > 1).sum()),
        mixed=mixed,
        ceiling=ceiling,
        attributes=any(values is not None for values in used),
        rounds=rounds,
    )
