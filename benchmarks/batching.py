"""Making the batches of an epoch: `GraphSet.batch` against PyG's `DataLoader`, one thread.

python benchmarks/batching.py --data-root FOLDER [--sets PROTEINS ...]
"""

import torch
from common import best, each_set

from graphpool.data.interop import to_pyg
from graphpool.graphs.graphset import GraphSet

BATCH = 32
SETS = ("MUTAG", "PROTEINS", "IMDB-BINARY", "DD")


def measure(graphs: GraphSet, rounds: int = 9) -> dict[str, float]:
    """How many times faster our batches are made."""
    from torch_geometric.loader import DataLoader

    loader = DataLoader(to_pyg(graphs), BATCH, shuffle=True)

    def ours() -> None:
        for chunk in torch.randperm(len(graphs)).split(BATCH):
            graphs.batch(chunk)

    def theirs() -> None:
        for _ in loader:
            pass

    return {"pyg / ours": best(theirs, rounds) / best(ours, rounds)}


if __name__ == "__main__":
    torch.set_num_threads(1)
    each_set(measure, SETS)
