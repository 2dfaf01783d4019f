"""The data sets of the paper: what its table prints, and what the files hold.

    python benchmarks/paper_sets.py --data-root FOLDER

Graphs, classes, nodes and edges of every set, and the share of graphs that are isomorphic to
another graph of the set (labels of nodes count, those of edges don't). For the generated pairs,
what the paper's description gives: pairs of |V| = 20, 30, 40 and 50. It writes
results/benchmarks/paper_sets.json; then `graphpool experiments pages` writes the table.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from common import measured_here

from graphpool.data.load import load, pairs
from graphpool.files import write_json
from graphpool.ged.collection import collect
from graphpool.ged.duplicates import isomorphic
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.statistics import statistics

ROOT = Path(__file__).resolve().parents[1]
SOURCE = "Liu et al. 2021, table of the statistics of data sets"
# Set of ours → name and numbers in the paper, as they are printed.
PRINTED: dict[str, dict[str, Any]] = {
    "MUTAG": {"name": "MUTAG", "graphs": "188", "classes": "2", "mean": "17.9", "largest": "28"},
    "PTC": {"name": "PTC", "graphs": "344", "classes": "2", "mean": "25.5", "largest": "109"},
    "PROTEINS": {
        "name": "PROTEINS", "graphs": "1113", "classes": "2", "mean": "39.1", "largest": "620",
    },
    "IMDB-BINARY": {
        "name": "IMDB-B", "graphs": "1000", "classes": "2", "mean": "19.8", "largest": "136",
    },
    "IMDB-MULTI": {
        "name": "IMDB-M", "graphs": "1500", "classes": "3", "mean": "13.0", "largest": "89",
    },
    "COLLAB": {
        "name": "COLLAB", "graphs": "5000", "classes": "3", "mean": "74", "largest": "492",
    },
    "AIDS700nef": {"name": "AIDS", "mean": "8.9", "largest": "10"},
    "LINUX": {"name": "LINUX", "mean": "7.7", "largest": "10"},
}  # fmt: skip
PAIRS = "matching-paper-20-30-40-50"
PRINTED_PAIRS = {"name": "Synthetic data", "classes": "2", "mean": "105.7", "largest": "300"}


def sizes(graphs: GraphSet) -> dict[str, Any]:
    """Numbers of graphs, nodes and edges."""
    facts = statistics(graphs, duplicates=False)
    return {
        "graphs": facts.graphs,
        "mean": facts.nodes.mean,
        "largest": int(facts.nodes.max),
        "mean edges": facts.edges.mean,
    }


def twins(graphs: GraphSet) -> dict[str, Any]:
    """How many graphs are isomorphic to another one, and how many different graphs there are."""
    classes = isomorphic(collect(graphs, edge_labels=False))
    count = np.bincount(classes)
    return {"twins": float((count[classes] > 1).mean()), "distinct": int((count > 0).sum())}


def main() -> None:
    """Measure one set after the other; print and store as they come."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-root", default=None, help="folder of data files")
    parser.add_argument("--sets", nargs="+", default=list(PRINTED), choices=PRINTED)
    parser.add_argument("--pairs", type=int, default=8750, help="to generate; 0: none")
    results = ROOT / "results" / "benchmarks" / "paper_sets.json"
    parser.add_argument("--json", type=Path, default=results)
    given = parser.parse_args()
    written: dict[str, Any] = {**measured_here(), "source": SOURCE, "sets": {}}
    for name in given.sets:
        graphs = load(name, root=given.data_root)
        row = {**sizes(graphs), **twins(graphs)}
        if graphs.y is not None:
            row["classes"] = len(graphs.classes)
        written["sets"][name] = {"measured": row, "printed": PRINTED[name]}
        print(f"{name}: {row}", flush=True)
        write_json(given.json, written)
    if given.pairs:
        made = pairs(PAIRS, given.pairs, cache=False)
        row = {**sizes(made.graphs), "pairs": given.pairs, "classes": 2}
        del row["graphs"]  # each pair has two of its own
        written["pairs"] = {"name": PAIRS, "measured": row, "printed": PRINTED_PAIRS}
        print(f"{PAIRS}: {row}", flush=True)
        write_json(given.json, written)


if __name__ == "__main__":
    main()
