"""What the structural step costs: places of one large graph against its size, and of whole sets.

Four kinds of graphs of N nodes: communities of 100 with 3 N edges, a fifth of them anywhere; a
square grid; a random recursive tree; preferential attachment with 3 edges a node. Each size runs
in a process of its own, so that its peak memory is its own; compiling is not counted.

    python benchmarks/places.py [--sizes 1000 3000 10000 30000 100000] [--data-root FOLDER]
"""

import argparse
import json
import math
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
from common import best, measured_here, slope
from scaling import SIZES

from graphpool.files import write_json

KINDS = ("communities", "grid", "tree", "attachment")
SETS = ("MUTAG", "PTC", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI", "COLLAB")


def edges_of(kind: str, nodes: int) -> np.ndarray:
    """Edges of a random graph, `[2, edges]`."""
    draw = np.random.default_rng(0)
    if kind == "grid":
        side = math.isqrt(nodes)
        node = np.arange(side * side).reshape(side, side)
        across, down = np.stack([node[:, 1:], node[:, :-1]]), np.stack([node[1:], node[:-1]])
        return np.concatenate([across.reshape(2, -1), down.reshape(2, -1)], axis=1)
    if kind == "tree":
        node = np.arange(1, nodes)
        return np.stack([node, draw.integers(0, node)])
    if kind == "attachment":
        ends = np.arange(6 * nodes)
        # An end of every edge is new; the other is a random end of the edges before it.
        ends[0::2] = np.arange(3 * nodes) // 3
        for edge in range(3 * nodes):
            ends[2 * edge + 1] = ends[draw.integers(0, 2 * edge + 1)]
        return ends.reshape(-1, 2).T
    source, inside = draw.integers(nodes, size=3 * nodes), draw.random(3 * nodes) < 0.8
    near = np.minimum(source // 100 * 100 + draw.integers(100, size=3 * nodes), nodes - 1)
    return np.stack([source, np.where(inside, near, draw.integers(nodes, size=3 * nodes))])


def search_again(graphs: Any, rule: Any = None) -> None:
    """Find the places of graphs as if they had never been found."""
    from graphpool.graphs.places.cache import CACHE

    graphs._places.clear()
    CACHE.clear()
    graphs.places(rule)


def one(kind: str, nodes: int, rounds: int) -> dict[str, float]:
    """Seconds of the best of several searches, the process's peak memory in GiB, clusters."""
    import torch

    from graphpool.graphs.graphset import GraphSet

    torch.set_num_threads(1)
    edges = torch.from_numpy(edges_of(kind, nodes))
    count = int(edges.max()) + 1
    graphs = GraphSet.build(
        kind, torch.tensor([count]), torch.tensor([edges.shape[1]]), edges, undirected=True
    )
    places = graphs.places()

    seconds = best(lambda: search_again(graphs), rounds, warm=0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": seconds, "peak_gib": peak / 2**20, "k": int(places.counts)}


def growth(kind: str, sizes: list[int], rounds: int) -> dict[str, Any]:
    """Seconds and memory at each size, and the slope of log time against log size."""
    rows = {}
    for size in sizes:
        command = [sys.executable, __file__, "--one", kind, str(size), "--rounds", str(rounds)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        rows[size] = json.loads(done.stdout)
        shown = rows[size]
        print(
            f"{kind:>12} {size:>7} nodes: {shown['seconds']:7.3f} s, {shown['k']:>2} clusters, "
            f"peak {shown['peak_gib']:.2f} GiB",
            flush=True,
        )
    return {
        "slope": slope(sizes, [row["seconds"] for row in rows.values()]),
        "seconds": {str(size): row["seconds"] for size, row in rows.items()},
        "peak GiB": {str(size): row["peak_gib"] for size, row in rows.items()},
        "clusters": {str(size): row["k"] for size, row in rows.items()},
    }


def whole_set(name: str, root: str | None, rounds: int) -> dict[str, float]:
    """Seconds for all graphs of a set."""
    from graphpool.data.load import load

    graphs = load(name, root=root, features=None)
    places = graphs.places()

    row = {
        "graphs": len(graphs),
        "edges": graphs.num_edges,
        "seconds": best(lambda: search_again(graphs), rounds, warm=0),
        "clusters a graph": float(places.counts.double().mean()),
    }
    print(f"{name:>12} {row['seconds']:7.3f} s for {len(graphs)} graphs", flush=True)
    return row


def main() -> None:
    """Print and optionally store everything."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", nargs="+", type=int, default=list(SIZES))
    parser.add_argument("--sets", nargs="*", default=list(SETS))
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--data-root", default=None)
    parser.add_argument("--one", nargs=2, default=None, help=argparse.SUPPRESS)
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(one(given.one[0], int(given.one[1]), given.rounds)))
        return
    one(KINDS[0], 100, 1)  # compiles, and keeps the result for the processes that measure
    result: dict[str, Any] = {"growth": {}, "sets": {}}
    for kind in given.kinds:
        result["growth"][kind] = growth(kind, given.sizes, given.rounds)
        print(f"{kind:>12} log-log slope {result['growth'][kind]['slope']:.3f}", flush=True)
    for name in given.sets:
        result["sets"][name] = whole_set(name, given.data_root, given.rounds)
    if given.json:
        write_json(given.json, {**measured_here(), **result})


if __name__ == "__main__":
    main()
