"""Layers with features of edges, forward and backward on a batch, against PyG's, one thread.

A batch of 128 molecules or the like, whose labels of edges are one-hot; width 64 in and out, four
heads. GatedGCN stands against PyG's ResGatedGraphConv, which gates in the same way, keeps no state
of edges and does not divide by the sum of gates. The number is our time over theirs.

    python benchmarks/edge_layers.py --data-root FOLDER [--sets MUTAG PTC_MR ...]
"""

import torch
from common import best, each_set
from torch import nn

from graphpool.graphs.graphset import GraphSet
from graphpool.nn.encoders import GatedLayer, GATv2Layer, GINELayer

SETS = ("MUTAG", "PTC_MR", "Mutagenicity")


def measure(graphs: GraphSet) -> dict[str, float]:
    """Ratios of our layers to PyG's."""
    from torch_geometric.nn import GATv2Conv, GINEConv, ResGatedGraphConv

    assert graphs.edge_label is not None, "sets with labels of edges"
    kinds = int(graphs.edge_label.max()) + 1
    graphs = graphs.with_edge_x(nn.functional.one_hot(graphs.edge_label.long(), kinds).float())
    batch = graphs.batch(torch.arange(128))
    assert batch.edges is not None, "the set has features of edges"
    rows = batch.edges.rows()[batch.adjacency.present]
    x = torch.randn(batch.num_nodes, 64, requires_grad=True)
    gine = GINELayer(64, 64, kinds)
    perceptron = nn.Sequential(gine.first, nn.ReLU(), gine.second)
    pairs = {
        "gine": (gine, GINEConv(perceptron, train_eps=True, edge_dim=kinds)),
        "gatv2": (GATv2Layer(64, 64, kinds, 4), GATv2Conv(64, 16, 4, edge_dim=kinds)),
        "gated": (GatedLayer(64, 64, kinds), ResGatedGraphConv(64, 64, edge_dim=kinds)),
    }
    ratios, given = {}, (batch.adjacency, None, batch.segments, batch.edges)
    for name, (ours, theirs) in pairs.items():
        mine = best(lambda ours=ours: ours(x, *given).sum().backward(), 40, warm=3)
        other = best(
            lambda theirs=theirs: theirs(x, batch.edge_index, rows).sum().backward(), 40, warm=3
        )
        ratios[f"{name}, ours / pyg"] = mine / other
    return ratios


if __name__ == "__main__":
    torch.set_num_threads(1)
    each_set(measure, SETS)
