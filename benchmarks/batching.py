"""Making the batches of an epoch: `GraphSet.batch` against PyG's `DataLoader`, one thread.

python benchmarks/batching.py --data-root FOLDER [--sets PROTEINS ...]
"""

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import torch

from graphpool.datasets import load
from graphpool.graphs.convert import to_pyg
from graphpool.graphs.graphset import GraphSet

BATCH = 32
SETS = ("MUTAG", "PROTEINS", "IMDB-BINARY", "DD")


def best(function: Callable[[], None], rounds: int) -> float:
    """Seconds of the fastest round, after one to warm up."""
    times = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return min(times[1:])


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
