"""How long exact edit distances take: whole sets, against NetworkX, and by the size of graphs.

Four parts, all with unit costs, node labels counted and edge labels not:

    sets       all pairs of AIDS700nef and LINUX
    networkx   the same pairs of 8 to 10 atoms of AIDS700nef by NetworkX and by us
    random     molecule-like random pairs of 12 to 24 nodes, with a limit of 10 s a pair
    molecules  molecules of the TU sets of 10 to 30 atoms, with the same limit

    python benchmarks/ged.py --data-root FOLDER [--parts sets networkx] [--pairs 50] [--quick]

What is compiled is compiled before the clock starts. Every part runs on one thread, except where
it says 2 jobs. With --json, a picture of the last part is drawn beside that file.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
from common import best
from ged_pairs import Bucket, buckets, molecules, random_pairs
from ged_picture import draw_sizes
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from graphpool import ged
from graphpool.experiments.machine import machine, provenance
from graphpool.files import write_json
from graphpool.ged import METHODS, Collection, Costs, Limits, make_problem
from graphpool.ged.exact import load_search

MOLECULES = ("MUTAG", "PTC_MR", "AIDS", "NCI109", "Mutagenicity")
RANDOM = {12: 200, 16: 100, 20: 50, 24: 30}
SIZES = tuple(range(10, 31, 2))
NETWORKX_LIMIT = 60.0


def solved(
    graphs: Collection, pairs: NDArray[np.int64], limit: float | None = None
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Seconds of each pair by itself, and whether its distance was proved."""
    problem, solve = make_problem(graphs, Costs()), METHODS["exact"].solve
    seconds, proved = [], []
    for at in range(len(pairs)):
        start = time.perf_counter()
        found = solve(problem, pairs[at : at + 1], Limits(limit))
        seconds.append(time.perf_counter() - start)
        proved.append(found.lower[0] == found.upper[0])
    return np.array(seconds), np.array(proved)


def whole_sets(given: argparse.Namespace) -> dict[str, Any]:
    """All pairs: with 2 jobs, and on one thread with isomorphic graphs solved once or each."""
    made = {}
    for name in ("AIDS700nef", "LINUX"):
        graphs = molecules([name], given.data_root)[name]
        if given.quick:
            graphs = first_graphs(graphs, 40)
        pairs = np.column_stack(np.triu_indices(len(graphs), 1)).astype(np.int64)
        problem, solve = make_problem(graphs, Costs()), METHODS["exact"].solve
        two, one, plain = (
            best(call, rounds=1 if given.quick else 2, warm=0)
            for call in (
                lambda graphs=graphs: ged.matrix(graphs, jobs=2),
                lambda graphs=graphs: ged.matrix(graphs, jobs=1),
                lambda problem=problem, pairs=pairs, solve=solve: solve(problem, pairs, Limits()),
            )
        )
        made[name] = {
            "pairs": len(pairs),
            "seconds, 2 jobs": two,
            "µs a pair, duplicates once": 1e6 * one / len(pairs),
            "µs a pair, every pair": 1e6 * plain / len(pairs),
            "1 job / 2 jobs": one / two,
        }
    return made


def first_graphs(graphs: Collection, count: int) -> Collection:
    """A collection of the first graphs only."""
    arrays = graphs.arrays
    nodes, edges = arrays.node_ptr[count], arrays.edge_ptr[count]
    cut = arrays._replace(
        node_ptr=arrays.node_ptr[: count + 1],
        node_label=arrays.node_label[:nodes],
        edge_ptr=arrays.edge_ptr[: count + 1],
        **{name: getattr(arrays, name)[:edges] for name in ("source", "target", "edge_label")},
    )
    return Collection(
        cut, graphs.ids[:count], graphs.node_names, graphs.edge_names, graphs.directed
    )


def as_networkx(graphs: Collection, at: int) -> Any:
    """One graph of an undirected collection."""
    arrays, made = graphs.arrays, nx.Graph()
    nodes = slice(arrays.node_ptr[at], arrays.node_ptr[at + 1])
    edges = slice(arrays.edge_ptr[at], arrays.edge_ptr[at + 1])
    for node, label in enumerate(arrays.node_label[nodes].tolist()):
        made.add_node(node, label=label)
    made.add_edges_from(
        zip(arrays.source[edges].tolist(), arrays.target[edges].tolist(), strict=True)
    )
    return made


def against_networkx(given: argparse.Namespace) -> dict[str, Any]:
    """The same pairs by both: many in one call of ours, and one call for each."""
    graphs = molecules(["AIDS700nef"], given.data_root)["AIDS700nef"]
    limit = 0.5 if given.quick else NETWORKX_LIMIT
    draw = np.random.default_rng(0)
    near = np.flatnonzero((graphs.sizes >= 8) & (graphs.sizes <= 10))
    count = 2 if given.quick else 20
    pairs = np.array([draw.choice(near, 2, replace=False) for _ in range(count)], dtype=np.int64)
    sides = [(as_networkx(graphs, i), as_networkx(graphs, j)) for i, j in pairs.tolist()]
    problem, solve = make_problem(graphs, Costs()), METHODS["exact"].solve
    batch = best(lambda: solve(problem, pairs, Limits()), rounds=20)
    calls = best(lambda: [ged.distance(*side) for side in sides], rounds=5)
    ours = solve(problem, pairs, Limits()).upper.tolist()
    seconds, capped = 0.0, 0
    for side, distance in zip(sides, ours, strict=True):
        start = time.perf_counter()
        theirs = nx.graph_edit_distance(
            *side, node_match=lambda v, u: v["label"] == u["label"], timeout=limit
        )
        took = time.perf_counter() - start
        seconds += took
        late = took >= limit
        capped += late
        if theirs is None or theirs < distance or (theirs != distance and not late):
            raise AssertionError(f"NetworkX finds {theirs}, we {distance}")
    return {
        "pairs": count,
        "networkx, seconds": seconds,
        "networkx stopped after its limit": capped,
        "limit of networkx, seconds a pair": limit,
        "ours in one call, seconds": batch,
        "ours in a call a pair, seconds": calls,
        "networkx / ours in one call": seconds / batch,
        "networkx / ours in a call a pair": seconds / calls,
    }


def by_random_size(given: argparse.Namespace) -> dict[str, Any]:
    """Milliseconds for a pair of molecule-like random graphs."""
    made = {}
    for nodes, pairs in ({12: 3} if given.quick else RANDOM).items():
        bucket = random_pairs(nodes, pairs)
        seconds, proved = solved(bucket.graphs, bucket.pairs, given.time_limit)
        made[str(nodes)] = {
            "pairs": pairs,
            "mean ms": 1e3 * seconds.mean(),
            "median ms": 1e3 * np.median(seconds),
            "95th percentile ms": 1e3 * np.percentile(seconds, 95),
            "max ms": 1e3 * seconds.max(),
            "share solved": proved.mean(),
            "limit s": given.time_limit,
        }
        print(nodes, json.dumps(plain(made[str(nodes)])), flush=True)
    return made


def by_molecule_size(given: argparse.Namespace) -> list[dict[str, Any]]:
    """Seconds for a pair of molecules of the same size, within a limit."""
    sets = molecules(["MUTAG"] if given.quick else MOLECULES, given.data_root)
    rows = []
    for nodes in (12, 14) if given.quick else SIZES:
        row = bucket_row(nodes, buckets(sets, nodes, given.pairs), given.time_limit)
        rows.append(row)
        print(
            json.dumps({key: row[key] for key in row if not isinstance(row[key], list)}), flush=True
        )
    return rows


def bucket_row(nodes: int, found: Iterable[Bucket], limit: float) -> dict[str, Any]:
    """What one size takes; a pair that was given up counts with the time it had."""
    seconds, proved, of = [], [], {}
    for bucket in found:
        took, done = solved(bucket.graphs, bucket.pairs, limit)
        seconds.append(took)
        proved.append(done)
        of[bucket.set] = f"{int(done.sum())} of {len(done)}"
    all_seconds, all_proved = np.concatenate(seconds), np.concatenate(proved)
    return {
        "nodes": nodes,
        "pairs": len(all_seconds),
        "limit s": limit,
        "median s": float(np.median(all_seconds)),
        "95th percentile s": float(np.percentile(all_seconds, 95)),
        "share solved": float(all_proved.mean()),
        "solved of each set": of,
        "seconds": sorted(all_seconds[all_proved].tolist()),
        "given up": sorted(all_seconds[~all_proved].tolist()),
    }


PARTS: dict[str, Callable[[argparse.Namespace], Any]] = {
    "sets": whole_sets,
    "networkx": against_networkx,
    "random": by_random_size,
    "molecules": by_molecule_size,
}


def plain(value: Any) -> Any:
    """NumPy's numbers as Python's, to four digits that mean something."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, (float, np.floating)):
        return float(f"{float(value):.4g}")
    return value


def versions() -> dict[str, str]:
    """Versions of what decides the times, and a short hash of the edit-distance code."""
    digest = hashlib.sha256()
    for path in sorted(Path(ged.__file__).parent.glob("**/*.py")):
        digest.update(path.read_bytes())
    found = {name: metadata.version(name) for name in ("numba", "numpy", "networkx")}
    return {**provenance(), **found, "ged": digest.hexdigest()[:16]}


def yardstick() -> float:
    """Seconds of a small job that everyone has, to compare machines by."""
    costs = np.random.default_rng(0).integers(0, 100, (20, 20)).astype(float)
    return best(lambda: [linear_sum_assignment(costs) for _ in range(1000)], rounds=5) / 1000


def main() -> None:
    """Run the parts that were asked for; print and store as they come."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-root", default=None, help="folder of data files")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--pairs", type=int, default=20, help="molecules: pairs of each size")
    parser.add_argument(
        "--time-limit", type=float, default=10.0, help="random, molecules: seconds a pair"
    )
    parser.add_argument("--quick", action="store_true", help="a little of each part, as a test")
    parser.add_argument("--json", type=Path, default=None, help="where to store the numbers")
    given = parser.parse_args()
    if given.quick:
        given.pairs, given.time_limit = min(given.pairs, 2), min(given.time_limit, 0.5)
    # Compiled, or loaded from the cache; with a limit also what only hard pairs need.
    load_search()
    results: dict[str, Any] = {
        "machine": machine(),
        "versions": versions(),
        "yardstick": {"SciPy's assignment of 20 rows, µs": 1e6 * yardstick()},
    }
    if given.json and given.json.exists():
        earlier = json.loads(given.json.read_text(encoding="utf-8"))
        if all(earlier.get(key) == results[key] for key in ("machine", "versions")):
            results = earlier | results  # parts measured before, by the same code
    for name in given.parts:
        print(f"-- {name}", flush=True)
        results[name] = plain(PARTS[name](given))
        if name != "molecules":
            print(json.dumps(results[name], indent=2), flush=True)
        if given.json:
            write_json(given.json, results)
    if given.json and "molecules" in results:
        draw_sizes(results["molecules"], given.json.with_suffix(".png"))


if __name__ == "__main__":
    main()
