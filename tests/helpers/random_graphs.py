"""Random graphs for the tests of this folder, as plain lists and as a `GraphSet`."""

from dataclasses import dataclass

import numpy as np
import torch

from graphpool.graphs.graphset import GraphSet


@dataclass
class Plain:
    """One graph as a dict from (source, target) to its edge's label, attributes and weight."""

    nodes: int
    edges: dict[tuple[int, int], tuple[int, list[float], float]]
    labels: list[int]
    attributes: list[list[float]]
    y: int


def random_graphs(seed: int, graphs: int = 6, directed: bool = False) -> list[Plain]:
    """Graphs of 1 to 9 nodes with self-loops; some have a single node, some no edges."""
    draw = np.random.default_rng(seed)
    made = []
    for position in range(graphs):
        nodes = 1 if position % 5 == 0 else int(draw.integers(2, 10))
        density = 0.0 if position % 5 == 1 else 0.4
        edges = {}
        for source in range(nodes):
            for target in range(nodes):
                if (directed or source <= target) and draw.random() < density:
                    value = int(draw.integers(3)), draw.random(2).tolist(), 0.5 + draw.random()
                    edges[source, target] = value
                    if not directed:
                        edges[target, source] = value
        labels, attributes = draw.integers(0, 4, nodes).tolist(), draw.random((nodes, 3)).tolist()
        made.append(Plain(nodes, edges, labels, attributes, int(draw.integers(2))))
    return made


def packed(plain: list[Plain], seed: int = 0, name: str = "random") -> GraphSet:
    """The same graphs as a set with every field, its edges given in random order."""
    draw = np.random.default_rng(seed)
    shuffled = [
        [list(graph.edges.items())[place] for place in draw.permutation(len(graph.edges))]
        for graph in plain
    ]
    pairs = [pair for edges in shuffled for pair, _ in edges]
    values = [value for edges in shuffled for _, value in edges]
    attributes = torch.tensor([row for graph in plain for row in graph.attributes])
    return GraphSet.build(
        name,
        torch.tensor([graph.nodes for graph in plain]),
        torch.tensor([len(graph.edges) for graph in plain]),
        torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).t(),
        edge_label=torch.tensor([value[0] for value in values], dtype=torch.long),
        edge_attr=torch.tensor([value[1] for value in values]).reshape(-1, 2),
        edge_weight=torch.tensor([value[2] for value in values]),
        node_label=torch.tensor([label for graph in plain for label in graph.labels]),
        node_attr=attributes,
        graph_attr=torch.arange(2.0 * len(plain)).reshape(-1, 2),
        x=attributes * 2,
        y=torch.tensor([graph.y for graph in plain]),
        classes=("no", "yes"),
        node_label_names=("C", "N", "O", "F"),
        edge_label_names=(1, 2, 4),
    )
