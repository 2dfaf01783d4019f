"""`distance`: the edit distance of two graphs."""

import time
from typing import Any

import numpy as np

from graphpool.ged.collection import collect
from graphpool.ged.costs import Costs
from graphpool.ged.ignored import warn_not_counted
from graphpool.ged.methods.registry import find_method
from graphpool.ged.pair import make_problem
from graphpool.ged.path import Operation, edit_path
from graphpool.ged.result import EditDistance, Limits


def distance(
    first: Any,
    second: Any,
    method: str = "exact",
    costs: Costs | None = None,
    time_limit: float | None = None,
    max_nodes_expanded: int | None = None,
    node_label: str = "label",
    edge_label: str = "label",
    edge_labels: bool = True,
) -> EditDistance:
    """Compute the edit distance of two graphs, with bounds, node mapping and edit path.

    It counts edges and labels; a `FeatureWarning` names attributes and weights that it ignores.

    Args:
        first, second: a `GraphSet` item, a NetworkX graph, or (labels, edges), where `labels` is
            one label per node or the number of nodes.
        method: a name in `METHODS`.
        costs: cost of each edit; 1 each by default.
        time_limit: seconds after which "exact" and "astar" return the bounds found so far; the
            other methods take polynomial time and need no limit.
        max_nodes_expanded: number of partial mappings after which they do so.
        node_label, edge_label: attributes that hold the labels in NetworkX graphs.
        edge_labels: whether labels of edges count.
    """
    chosen = find_method(method)
    warn_not_counted([first, second], node_label, edge_label)
    graphs = collect([first, second], node_label, edge_label, edge_labels)
    problem = make_problem(graphs, Costs() if costs is None else costs)
    started = time.perf_counter()
    pairs = np.array([[0, 1]], dtype=np.int64)
    answers = chosen.solve(problem, pairs, Limits(time_limit, max_nodes_expanded))
    seconds = time.perf_counter() - started
    tables = problem.tables
    lower, upper = int(answers.lower[0]) / tables.scale, float("inf")
    mapping: tuple[int | None, ...] = ()
    path: tuple[Operation, ...] = ()
    if chosen.answer != "lower":
        upper = int(answers.upper[0]) / tables.scale
        permutation = answers.mapping[0].tolist()
        n, m = graphs.sizes.tolist()
        mapping = tuple(u if u < m else None for u in permutation[:n])
        path = edit_path(graphs, tables, 0, 1, permutation)
    return EditDistance(
        distance=lower if chosen.answer == "lower" else upper,
        lower=lower,
        upper=upper,
        optimal=lower == upper,
        mapping=mapping,
        path=path,
        method=method,
        expanded=int(answers.expanded[0]),
        seconds=seconds,
    )
