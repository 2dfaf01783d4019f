"""Rules that a network for matching must beat: each compares one property of both graphs.

A rule gives each pair a score. `rule_accuracy` finds the best threshold on training pairs, and on
the side on which pairs match, and returns how often that is right on other pairs.
"""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.data.pairs.pairset import PairSet
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.refinement import graph_colours

Floats = NDArray[np.float64]
Rule = Callable[[PairSet], Floats]

_MAX_ENTRIES = 1 << 22  # of the dense matrices whose spectra are computed together


def size_rule(pairs: PairSet) -> Floats:
    """Nodes of the right graph less those of the left, `[pairs]`."""
    return _difference(pairs, pairs.graphs.node_counts.cpu().numpy())


def edge_rule(pairs: PairSet) -> Floats:
    """Edges of the right graph less those of the left, `[pairs]`."""
    return _difference(pairs, pairs.graphs.edge_counts.cpu().numpy())


def degree_rule(pairs: PairSet) -> Floats:
    """Sum of the differences of sorted degrees, `[pairs]`; missing nodes have degree 0."""
    graphs, left, right = _used(pairs)
    degree = np.sort(_rows(graphs, graphs.degree.numpy()), axis=1)
    return np.asarray(np.abs(degree[left] - degree[right]).sum(1))


def wl_rule(pairs: PairSet) -> Floats:
    """0 where colour refinement (1-WL) can't distinguish the graphs, else 1, `[pairs]`."""
    graphs, left, right = _used(pairs)
    colour = graph_colours(graphs)
    return np.asarray(colour[left] != colour[right], dtype=np.float64)


def spectrum_rule(pairs: PairSet) -> Floats:
    """Euclidean distance of the sorted eigenvalues of both adjacencies, `[pairs]`.

    Missing nodes count as nodes without edges: they add eigenvalues of 0. Directed edges are
    symmetrised.
    """
    graphs, left, right = _used(pairs)
    spectrum = np.sort(_rows(graphs, _eigenvalues(graphs)), axis=1)
    return np.asarray(np.linalg.norm(spectrum[left] - spectrum[right], axis=1))


RULES: dict[str, Rule] = {
    "size": size_rule,
    "edges": edge_rule,
    "degrees": degree_rule,
    "wl": wl_rule,
    "spectrum": spectrum_rule,
}


def rule_accuracy(train: PairSet, test: PairSet, rule: Rule) -> float:
    """Return the share of test pairs that the rule gets right.

    The threshold is the best one for the training pairs, and both directions are tried: pairs
    match up to the threshold, or beyond it. Of equally good thresholds the middle one is taken.
    """
    if not len(train) or not len(test):
        raise DataError(
            f"a rule needs pairs to be fitted on and others to be tested on, not {len(train)} "
            f"and {len(test)}"
        )
    threshold, up_to = _fit(rule(train), _matches(train))
    return float((((rule(test) <= threshold) == up_to) == _matches(test)).mean())


def _fit(score: Floats, matches: NDArray[np.bool_]) -> tuple[float, bool]:
    """Return the best threshold, and whether pairs match up to it (else beyond it)."""
    order = np.argsort(score, kind="stable")
    score, matches = score[order], matches[order]
    # Cut k has the k least scores on its lower side; equal scores can't be cut apart.
    below = np.concatenate([[0], np.where(matches, 1, -1).cumsum()])
    right = below + (~matches).sum()  # pairs that are right if the lower side matches
    cut = np.flatnonzero(np.concatenate([[True], score[1:] > score[:-1], [True]]))
    right = right[cut]
    up_to = bool(right.max() >= len(score) - right.min())
    best = np.flatnonzero(right == (right.max() if up_to else right.min()))
    edge = np.concatenate([[-np.inf], score, [np.inf]])
    k = cut[best[len(best) // 2]]
    lower, upper = edge[k], edge[k + 1]
    middle = lower + (upper - lower) / 2 if np.isfinite(upper - lower) else lower
    return float(middle), up_to


def _matches(pairs: PairSet) -> NDArray[np.bool_]:
    return np.asarray(pairs.y.cpu().numpy() > 0.5)


def _difference(pairs: PairSet, count: NDArray[np.int64]) -> Floats:
    left, right = pairs.left.cpu().numpy(), pairs.right.cpu().numpy()
    return np.asarray(count[right] - count[left], dtype=np.float64)


def _used(pairs: PairSet) -> tuple[GraphSet, NDArray[np.int64], NDArray[np.int64]]:
    """Return the graphs that occur, on the CPU, and the positions of each pair among them."""
    sides = torch.stack([pairs.left, pairs.right]).cpu()
    used, position = torch.unique(sides, return_inverse=True)
    left, right = position.numpy()
    return pairs.graphs.select(used).to("cpu"), left, right


def _rows(graphs: GraphSet, values: NDArray[np.generic]) -> Floats:
    """One value per node as one row per graph, `[graphs, most nodes]`, filled up with 0."""
    owner = graphs.node_graph.numpy()
    rows = np.zeros((len(graphs), int(graphs.node_counts.max())))
    rows[owner, np.arange(len(owner)) - graphs.node_ptr.numpy()[owner]] = values
    return rows


def _eigenvalues(graphs: GraphSet) -> Floats:
    """Eigenvalues of the adjacencies of all graphs, concatenated, `[nodes]`."""
    counts, begin = graphs.node_counts.numpy(), graphs.node_ptr.numpy()
    found = np.empty(graphs.num_nodes)
    for nodes in np.unique(counts):
        same = np.flatnonzero(counts == nodes)
        step = max(1, _MAX_ENTRIES // int(nodes) ** 2)
        for first in range(0, len(same), step):
            chosen = same[first : first + step]
            part = graphs.select(chosen)
            dense = np.zeros((len(chosen), nodes, nodes))
            weight = 1.0 if part.edge_weight is None else part.edge_weight.numpy()
            dense[part.edge_graph.numpy(), *part.edge_index.numpy()] = weight
            values = np.linalg.eigvalsh((dense + dense.transpose(0, 2, 1)) / 2)
            found[begin[chosen][:, None] + np.arange(nodes)] = values
    return found
