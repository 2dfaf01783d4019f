"""Pairs of graphs for the edit-distance benchmark: molecule-like random ones, and real ones."""

from collections.abc import Sequence
from typing import NamedTuple

import networkx as nx
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from graphpool import ged
from graphpool.data.load import load
from graphpool.ged import Collection

Plain = tuple[list[str], list[tuple[int, int]]]
SHARES = {"C": 0.7, "N": 0.15, "O": 0.15}


class Bucket(NamedTuple):
    """Pairs `[pairs, 2]` of graphs of nearly the same size, all from one set."""

    set: str
    graphs: Collection
    pairs: NDArray[np.int64]


def tree_with_rings(draw: Generator, nodes: int) -> Plain:
    """A uniformly random tree with nodes // 8 edges more, and labels as common as in molecules."""
    labels = draw.choice(list(SHARES), size=nodes, p=list(SHARES.values())).tolist()
    code = draw.integers(nodes, size=nodes - 2).tolist()
    made = nx.from_prufer_sequence(code)
    missing = list(nx.non_edges(made))
    chosen = draw.choice(len(missing), size=nodes // 8, replace=False)
    made.add_edges_from(missing[at] for at in chosen)
    return labels, [(int(i), int(j)) for i, j in made.edges]


def random_pairs(nodes: int, pairs: int, seed: int = 0) -> Bucket:
    """Pairs of `tree_with_rings`, each graph in one pair only."""
    draw = np.random.default_rng([seed, nodes])
    graphs = [tree_with_rings(draw, nodes) for _ in range(2 * pairs)]
    return Bucket("random", ged.collect(graphs), np.arange(2 * pairs).reshape(-1, 2))


def molecules(names: Sequence[str], root: str | None) -> dict[str, Collection]:
    """Sets of molecules, with node labels and without edge labels."""
    return {
        name: ged.collect(load(name, root=root, features=None), edge_labels=False) for name in names
    }


def buckets(sets: dict[str, Collection], nodes: int, pairs: int, seed: int = 0) -> list[Bucket]:
    """About `pairs` pairs of graphs of `nodes` - 1 to `nodes` + 1 nodes, as many of each set."""
    made = []
    for number, (name, graphs) in enumerate(sets.items()):
        near = np.flatnonzero(abs(graphs.sizes - nodes) <= 1)
        if len(near) < 2:
            continue
        draw = np.random.default_rng([seed, nodes, number])
        share = pairs // len(sets) + (number < pairs % len(sets))
        chosen = [draw.choice(near, 2, replace=False) for _ in range(share)]
        made.append(Bucket(name, graphs, np.array(chosen, dtype=np.int64).reshape(-1, 2)))
    return made
