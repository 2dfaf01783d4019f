"""One encoder layer, forward and backward on a batch of 32 graphs, against PyG's, one thread.

Width 64 in and out, four heads for GAT. The number is our time over theirs.

    python benchmarks/layers.py --data-root FOLDER [--sets MUTAG PROTEINS ...]
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch

from graphpool.datasets import load
from graphpool.graphs.graphset import GraphSet
from graphpool.nn import GATLayer, GCNLayer, GINLayer

SETS = ("MUTAG", "PROTEINS", "IMDB-BINARY")


def best(function: Callable[[], None], rounds: int = 40) -> float:
    """Seconds of the fastest of several calls, after a few to warm up."""
    times = []
    for _ in range(rounds + 3):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times[3:])


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
        mine = best(lambda ours=ours: ours(x, batch.adjacency).sum().backward())
        other = best(lambda theirs=theirs: theirs(x, batch.edge_index).sum().backward())
        ratios[f"{name}, ours / pyg"] = mine / other
    return ratios


def main() -> None:
    """Print and optionally store the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--data-root", default=None)
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--json", type=Path, default=None)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    results = {}
    for name in arguments.sets:
        results[name] = measure(load(name, root=arguments.data_root))
        print(name, {key: round(value, 2) for key, value in results[name].items()}, flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(results, indent=2) + "\n")


if __name__ == "__main__":
    main()
