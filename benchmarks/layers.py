"""One encoder layer, forward and backward on a batch of 32 graphs, against PyG's, one thread.

Width 64 in and out, four heads for GAT. The number is our time over theirs.

    python benchmarks/layers.py --data-root FOLDER [--sets MUTAG PROTEINS ...]
"""

import torch
from common import best, each_set

from graphpool.graphs.graphset import GraphSet
from graphpool.nn import GATLayer, GCNLayer, GINLayer

SETS = ("MUTAG", "PROTEINS", "IMDB-BINARY")


def measure(graphs: GraphSet) -> dict[str, float]:
    """Ratios of our layers to PyG's."""
    from torch_geometric.nn import GATConv, GCNConv, GINConv

    batch = graphs.batch(torch.arange(32))
    x = torch.randn(batch.num_nodes, 64, requires_grad=True)
    gin = GINLayer(64, 64)
    pairs = {
        "gcn": (GCNLayer(64, 64), GCNConv(64, 64)),
        "gat": (GATLayer(64, 64, 4), GATConv(64, 16, 4)),
        "gin": (gin, GINConv(gin.mlp, train_eps=True)),
    }
    ratios = {}
    for name, (ours, theirs) in pairs.items():
        mine = best(lambda ours=ours: ours(x, batch.adjacency).sum().backward(), 40, warm=3)
        other = best(lambda theirs=theirs: theirs(x, batch.edge_index).sum().backward(), 40, warm=3)
        ratios[f"{name}, ours / pyg"] = mine / other
    return ratios


if __name__ == "__main__":
    torch.set_num_threads(1)
    each_set(measure, SETS)
