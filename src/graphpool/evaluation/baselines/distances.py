"""Baselines of learned distances: approximate edit distances, and rules that count.

Every one gives a `[queries, candidates]` matrix of distances, which `ranking_metrics` judges on
the same queries and candidates as a model.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.baselines.wl import wl_counts
from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.duplicates import first_of, identical
from graphpool.ged.methods.registry import METHODS, Method, find_method
from graphpool.ged.pair import GedProblem, make_problem
from graphpool.ged.result import Limits
from graphpool.ged.workers import Workers, count_cores
from graphpool.graphs.graphset import GraphSet

Positions = Sequence[int] | NDArray[Any]
Distances = NDArray[np.float64]
EDIT_METHODS = ("beam1", "beam80", "hungarian", "vj")
WL_ROUNDS = 1  # more rounds order AIDS700nef and LINUX worse


def classical_distances(
    name: str,
    graphs: GraphSet,
    queries: Positions,
    candidates: Positions,
    jobs: int | None = None,
) -> Distances:
    """Distances of a baseline, `[queries, candidates]`.

    Args:
        name: of `RULES`, or of any method of `graphpool.ged`.
        graphs: the set that positions refer to.
        queries, candidates: positions of graphs.
        jobs: threads for edit distances; all cores by default.
    """
    if name in RULES:
        return RULES[name](graphs, queries, candidates)
    if name not in METHODS:
        raise ConfigError(f"there is no baseline {name!r}; {nearest(name, (*METHODS, *RULES))}")
    return edit_distances(graphs, queries, candidates, name, jobs)


def edit_distances(
    graphs: GraphSet,
    queries: Positions,
    candidates: Positions,
    method: str,
    jobs: int | None = None,
) -> Distances:
    """Edit distances of a method of `graphpool.ged`, `[queries, candidates]`.

    Labels of edges don't count, as in the published distances of AIDS700nef.
    Approximate methods depend on the direction and on the order of the nodes: the query is always
    turned into the candidate, and a graph and its copy are compared like any other pair.
    (`graphpool.ged.matrix` knows that equal graphs are at distance 0, which VJ often doesn't
    find. On LINUX, where most queries have copies, that alone would lift its precision at 10
    from 30 to 89 %.)
    """
    chosen = find_method(method)
    collection = collect(graphs, edge_labels=False)
    problem = make_problem(collection, Costs())
    # Copies, with their nodes in the same order, have the same answers: one of each is asked.
    classes = identical(collection)
    query, row = np.unique(classes[np.asarray(queries)], return_inverse=True)
    candidate, column = np.unique(classes[np.asarray(candidates)], return_inverse=True)
    first = first_of(classes)
    grid = np.meshgrid(first[query], first[candidate], indexing="ij")
    pairs = np.stack(grid, axis=-1).reshape(-1, 2)
    bounds = _solve(chosen, problem, pairs, jobs or count_cores())
    answer = bounds[:, 0 if chosen.answer == "lower" else 1] / problem.tables.scale
    return np.asarray(answer.reshape(len(query), len(candidate))[np.ix_(row, column)])


def _solve(
    method: Method, problem: GedProblem, pairs: NDArray[np.int64], jobs: int
) -> NDArray[np.int64]:
    """Lower and upper bounds in whole numbers, `[pairs, 2]`."""
    bounds = np.zeros((len(pairs), 2), dtype=np.int64)
    workers = Workers(method.function, problem, pairs, np.arange(len(pairs)), Limits(), jobs)
    left = len(pairs)
    try:
        while left:
            for piece in workers.wait():
                bounds[piece.position, 0], bounds[piece.position, 1] = piece.lower, piece.upper
                left -= len(piece.position)
    finally:
        workers.stop(patience=0.0)
    return bounds


def label_edge_rule(graphs: GraphSet, queries: Positions, candidates: Positions) -> Distances:
    """|ΔV| + |ΔE| + half the L1 distance of the label counts, `[queries, candidates]`.

    ΔV and ΔE are the differences in nodes and edges. Without labels all nodes have the same one.
    """
    from scipy.sparse import csr_array

    graphs = graphs.to("cpu")
    owner = graphs.node_graph.numpy()
    label = np.zeros_like(owner) if graphs.node_label is None else graphs.node_label.numpy()
    shape = len(graphs), int(label.max(initial=0)) + 1
    labels = csr_array((np.ones(len(owner)), (owner, label)), shape=shape)
    total = _l1(labels, queries, candidates) / 2
    for counts in (graphs.node_counts.numpy(), _edges(graphs)):
        total += np.abs(counts[np.asarray(queries)][:, None] - counts[np.asarray(candidates)])
    return total


def wl_rule(
    graphs: GraphSet, queries: Positions, candidates: Positions, rounds: int = WL_ROUNDS
) -> Distances:
    """L1 distance of the colour counts after 0, 1, …, `rounds` rounds of refinement, summed."""
    parts = (_l1(counts, queries, candidates) for counts in wl_counts(graphs, rounds))
    return np.asarray(sum(parts), dtype=np.float64)


def _l1(counts: Any, queries: Positions, candidates: Positions) -> Distances:
    """L1 distances between rows of sparse counts.

    |a - b| summed is |a| + |b| less twice the sum of min(a, b), and that minimum is the number
    of thresholds that both reach: one sparse product for each threshold.
    """
    rows, columns = counts[np.asarray(queries)].tocsr(), counts[np.asarray(candidates)].tocsr()
    rows.sum_duplicates()
    columns.sum_duplicates()
    shared = np.zeros((rows.shape[0], columns.shape[0]))
    for least in range(1, int(min(rows.max(), columns.max())) + 1):
        shared += ((rows >= least).astype(float) @ (columns >= least).astype(float).T).toarray()
    return np.asarray(rows.sum(axis=1)[:, None] + columns.sum(axis=1) - 2 * shared)


def _edges(graphs: GraphSet) -> NDArray[np.int64]:
    """Edges of each graph, `[graphs]`: an undirected one, which stands twice, counts once."""
    edges = graphs.edge_counts.numpy()
    if not graphs.undirected:
        return edges
    source, target = graphs.edge_index.numpy()
    loops = np.bincount(graphs.edge_graph.numpy()[source == target], minlength=len(graphs))
    return np.asarray((edges + loops) // 2)


RULES: dict[str, Callable[[GraphSet, Positions, Positions], Distances]] = {
    "label-edge": label_edge_rule,
    "wl": wl_rule,
}
