"""A model's answer belongs to the graph and not to the numbering of its nodes: every real graph.

What is asserted, for all graphs of a set: the logits of the model in eval mode, before and after a
random relabelling of the nodes of every graph (features go with their nodes), differ by at most
1e-5 in single precision and 1e-9 in double, relative to the graph's largest logit if that is above
1: sums over hundreds of nodes are large, and so is their rounding. Weights and running statistics
are drawn at random, wider than at the start, so that gates, sharpness and profile have their say.
"""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch
from torch import Tensor, nn

import graphpool as gp
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.canonical import reordered
from graphpool.graphs.graphset import GraphSet
from graphpool.nn import HAP

LIMITS = {torch.float32: 1e-5, torch.float64: 1e-9}
exactness = pytest.mark.parametrize("dtype", LIMITS, ids=["single", "double"])
encoders = pytest.mark.parametrize("encoder", ["gcn", "gin"])


def shuffled(graphs: GraphSet, seed: int = 0) -> GraphSet:
    """The same graphs with nodes numbered at random."""
    draw = np.random.default_rng(seed)
    place = np.concatenate([draw.permutation(count) for count in graphs.node_counts.tolist()])
    return reordered(graphs, torch.from_numpy(place))


def model_of(in_channels: int, encoder: str, dtype: torch.dtype) -> nn.Module:
    torch.manual_seed(0)
    model = HAP(in_channels, out_channels=3, encoder=encoder)
    (first, _) = model.coarsenings
    with torch.no_grad():
        nn.init.constant_(first.assign.sharpness, 0.4)
        nn.init.normal_(first.assign.content.weight)
        nn.init.normal_(first.assign.weigh.weight)
        norm = first.profile.norm
        nn.init.normal_(norm.weight)
        nn.init.normal_(norm.bias)
        norm.running_mean.normal_(std=3)
        norm.running_var.uniform_(1, 30)
    return model.to(dtype).eval()


@torch.no_grad()
def logits(model: nn.Module, graphs: GraphSet, dtype: torch.dtype) -> Tensor:
    """All answers, a few batches at most."""
    made = []
    for index in torch.arange(len(graphs)).split(600):
        batch = graphs.batch(index)
        if dtype == torch.float64:
            edges, weight = batch.edge_index, batch.edge_weight.double()
            adjacency = Adjacency.from_edge_index(edges, batch.num_nodes, weight)
            batch = replace(batch, x=batch.x.double(), adjacency=adjacency)
        made.append(model(batch))
    return torch.cat(made)


def largest_difference(graphs: GraphSet, encoder: str, dtype: torch.dtype) -> float:
    """Of any logit of any graph, relative to the graph's largest logit or 1."""
    assert graphs.x is not None
    model = model_of(graphs.x.shape[1], encoder, dtype)
    before, after = (logits(model, each, dtype) for each in (graphs, shuffled(graphs)))
    # Graphs must differ in their answers, or nothing is shown.
    assert before.std(0).min() > 0.01
    scale = before.abs().amax(1, keepdim=True).clamp(min=1)
    return float(((before - after).abs() / scale).max())


@exactness
@encoders
@pytest.mark.parametrize("name", ["MUTAG", "PTC", "PROTEINS", "IMDB-BINARY"])
def test_every_graph_of_a_real_set(
    name: str, encoder: str, dtype: torch.dtype, data_root: Path
) -> None:
    graphs = gp.load(name, root=data_root)
    assert largest_difference(graphs, encoder, dtype) <= LIMITS[dtype]


def odd_graphs() -> GraphSet:
    """Symmetric and disconnected graphs, loops, one node; features drawn at random."""
    looped = nx.path_graph(6)
    looped.add_edges_from([(0, 0), (3, 3)])
    cycles = nx.disjoint_union_all([nx.cycle_graph(n) for n in (3, 3, 6, 6)])
    made = [
        nx.empty_graph(1), nx.empty_graph(7), looped, cycles, nx.petersen_graph(),
        nx.complete_graph(9), nx.complete_bipartite_graph(4, 7), nx.star_graph(9),
        nx.ring_of_cliques(6, 4), nx.ring_of_cliques(16, 3), nx.balanced_tree(3, 3),
        nx.grid_2d_graph(6, 6), nx.path_graph(40), nx.barbell_graph(6, 0), nx.hypercube_graph(4),
        nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(5)),
        nx.disjoint_union(nx.complete_graph(6), nx.complete_graph(6)),
        nx.disjoint_union(nx.ring_of_cliques(4, 4), nx.ring_of_cliques(4, 4)),
        nx.disjoint_union_all([nx.path_graph(k % 5 + 1) for k in range(30)]),
        nx.disjoint_union(nx.barbell_graph(5, 2), nx.empty_graph(3)),
    ]  # fmt: skip
    return gp.from_networkx([nx.convert_node_labels_to_integers(graph) for graph in made])


@exactness
@encoders
@pytest.mark.parametrize("alike", [True, False], ids=["equal features", "drawn features"])
def test_symmetric_and_disconnected_graphs(alike: bool, encoder: str, dtype: torch.dtype) -> None:
    graphs = odd_graphs()
    draw = torch.Generator().manual_seed(1)
    x = torch.randn(graphs.num_nodes, 4, generator=draw)
    graphs = graphs.with_x(torch.ones_like(x) if alike else x)
    assert largest_difference(graphs, encoder, dtype) <= LIMITS[dtype]
