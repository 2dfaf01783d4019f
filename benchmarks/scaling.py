"""How HAP's cost grows with the size of a graph: forward and backward time, peak memory.

One random graph of N nodes and 10 N undirected edges, 16 features, width 64, clusters 8 and 1.
Each size runs in a process of its own, so that its peak memory is its own.

    python benchmarks/scaling.py [--sizes 1000 3000 10000 30000 100000]
"""

import argparse
import json
import resource
import subprocess
import sys
from pathlib import Path

from common import best, measured_here, slope

from graphpool.files import write_json

SIZES = (1_000, 3_000, 10_000, 30_000, 100_000)


def one(nodes: int, rounds: int) -> dict[str, float]:
    """Seconds of the best of several passes, and the process's peak memory in GiB."""
    import torch

    from graphpool.graphs.graphset import GraphSet
    from graphpool.nn import HAP

    torch.set_num_threads(1)
    torch.manual_seed(0)
    edges = torch.randint(nodes, (2, 10 * nodes))
    graphs = GraphSet.build(
        "random", torch.tensor([nodes]), torch.tensor([edges.shape[1]]), edges, undirected=True
    ).with_x(torch.randn(nodes, 16))
    batch = graphs.batch()
    model = HAP(16, 64, (8, 1), 2)
    seconds = best(lambda: model(batch).sum().backward(), rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return {"seconds": seconds, "peak_gib": peak}


def main() -> None:
    """Print and optionally store times, memory and slope."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--one", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, default=None)
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(one(arguments.one, arguments.rounds)))
        return
    rows = {}
    for size in arguments.sizes:
        command = [sys.executable, __file__, "--one", str(size), "--rounds", str(arguments.rounds)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows[size] = json.loads(done.stdout)
        shown = rows[size]["seconds"] / rows[arguments.sizes[0]]["seconds"]
        print(f"{size:>7} nodes: {shown:8.2f} times, peak {rows[size]['peak_gib']:.2f} GiB")
    result = {
        "slope": slope(list(rows), [row["seconds"] for row in rows.values()]),
        "times the smallest": {
            str(size): row["seconds"] / rows[arguments.sizes[0]]["seconds"]
            for size, row in rows.items()
        },
        "peak GiB": {str(size): row["peak_gib"] for size, row in rows.items()},
    }
    print(f"log-log slope {result['slope']:.3f}")
    if arguments.json:
        write_json(arguments.json, {**measured_here(), **result})


if __name__ == "__main__":
    main()
