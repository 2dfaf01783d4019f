"""The canonical order is the same for a graph however its nodes are numbered."""

from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor

import graphpool as gp
from graphpool.graphs import GraphSet, canonical_order, reordered


def shuffled(graphs: GraphSet, seed: int) -> GraphSet:
    """The same graphs with nodes numbered at random."""
    draw = np.random.default_rng(seed)
    place = np.concatenate([draw.permutation(count) for count in graphs.node_counts.tolist()])
    return reordered(graphs, torch.from_numpy(place))


def canonical(graphs: GraphSet) -> list[tuple[object, ...]]:
    """Each graph in its canonical order, as something that can be compared."""
    made = reordered(graphs, canonical_order(graphs))
    parts = []
    for graph in made:
        tensors = (graph.edge_index, graph.node_label, graph.edge_label, graph.edge_weight)
        parts.append(tuple(None if part is None else part.tolist() for part in tensors))
    return parts


def of_networkx(graphs: list[nx.Graph]) -> GraphSet:
    return gp.from_networkx(graphs)


def test_places_are_a_permutation_of_each_graph() -> None:
    graphs = of_networkx([nx.path_graph(4), nx.cycle_graph(5), nx.empty_graph(1)])
    place = canonical_order(graphs)
    found = [sorted(part.tolist()) for part in place.split(graphs.node_counts.tolist())]
    assert found == [[0, 1, 2, 3], [0, 1, 2, 3, 4], [0]]


@pytest.mark.parametrize("name", ["MUTAG", "PTC", "PROTEINS", "IMDB-BINARY", "EXP", "LINUX"])
def test_numbering_does_not_matter(name: str, data_root: Path) -> None:
    graphs = gp.load(name, root=data_root, features=None)[:400]
    assert canonical(graphs) == canonical(shuffled(graphs, 1))


@pytest.mark.parametrize("directed", [False, True])
def test_numbering_of_random_symmetric_graphs_does_not_matter(directed: bool) -> None:
    made = [nx.disjoint_union(nx.cycle_graph(n), nx.cycle_graph(6 - n % 2)) for n in range(3, 9)]
    made += [nx.petersen_graph(), nx.hypercube_graph(3), nx.complete_graph(7), nx.star_graph(6)]
    made += [nx.circular_ladder_graph(5), nx.disjoint_union(nx.cycle_graph(6), nx.path_graph(3))]
    if directed:
        made = [nx.DiGraph(list(nx.convert_node_labels_to_integers(g).edges)) for g in made]
    graphs = of_networkx(made)
    for seed in range(4):
        assert canonical(graphs) == canonical(shuffled(graphs, seed))


def test_labels_and_weights_count() -> None:
    draw = np.random.default_rng(0)
    graphs = []
    for _ in range(20):
        graph = nx.cycle_graph(8)
        nx.set_node_attributes(graph, {v: "CN"[draw.integers(2)] for v in graph}, "label")
        nx.set_edge_attributes(
            graph, {e: float(draw.integers(1, 3)) for e in graph.edges}, "weight"
        )
        graphs.append(graph)
    packed = of_networkx(graphs)
    assert packed.node_label is not None
    assert packed.edge_weight is not None
    assert canonical(packed) == canonical(shuffled(packed, 2))


def test_the_other_graphs_of_the_set_do_not_matter() -> None:
    graphs = of_networkx([nx.petersen_graph(), nx.path_graph(30), nx.cycle_graph(9)])
    alone = [canonical_order(graphs[[number]]) for number in range(3)]
    assert torch.equal(canonical_order(graphs), torch.cat(alone))


def test_equal_colours_without_a_symmetry_are_told_apart() -> None:
    """Two triangles and a hexagon: all nodes look alike to refinement, and are not."""
    graph = nx.disjoint_union(nx.disjoint_union(nx.cycle_graph(3), nx.cycle_graph(3)),
                              nx.cycle_graph(6))  # fmt: skip
    graphs = of_networkx([graph])

    def in_triangles(packed: GraphSet, truth: Tensor) -> list[int]:
        return sorted(canonical_order(packed)[truth].tolist())

    first = in_triangles(graphs, torch.arange(6))
    for seed in range(5):
        place = torch.from_numpy(np.random.default_rng(seed).permutation(12))
        assert in_triangles(reordered(graphs, place), place[:6]) == first
