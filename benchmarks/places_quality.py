"""How well places meet the true communities, ours and those of NetworkX's Louvain method.

    python benchmarks/places_quality.py --json results/benchmarks/places_quality.json

The adjusted Rand index against the communities that the graphs were made of, its mean over 300
graphs of `ring`, with one and with six bridges.
"""

import argparse
import json
import statistics
from collections.abc import Iterator
from pathlib import Path

import networkx as nx
import numpy as np
from common import measured_here
from sklearn.metrics import adjusted_rand_score

from graphpool.data.synthetic.arrangements.build import communities, make
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule

RESOLUTION = PlaceRule().resolution


def louvain(graphs: GraphSet) -> Iterator[list[int]]:
    """The partition of each graph by NetworkX, which depends on the numbering of nodes."""
    for graph in graphs:
        built = nx.empty_graph(graph.num_nodes)
        built.add_edges_from(graph.edge_index.t().tolist())
        found = nx.community.louvain_communities(built, resolution=RESOLUTION, seed=0)
        owner = {node: number for number, part in enumerate(found) for node in part}
        yield [owner[node] for node in range(graph.num_nodes)]


def measure(bridges: int, count: int) -> dict[str, float]:
    """Mean index of both on one set."""
    graphs = make("ring", graphs=count, bridges=bridges)
    cuts = graphs.node_ptr[1:-1].tolist()
    truth = np.split(communities(graphs).numpy(), cuts)
    found = {"ours": np.split(graphs.places().cluster.numpy(), cuts), "networkx": louvain(graphs)}
    return {
        name: statistics.mean(map(adjusted_rand_score, truth, parts))
        for name, parts in found.items()
    }


def main() -> None:
    """Measure, show, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = {f"ring, bridges={n}": measure(n, given.graphs) for n in (1, 6)}
    print(json.dumps(found, indent=2))
    if given.json:
        write_json(given.json, {**measured_here(), **found})


if __name__ == "__main__":
    main()
