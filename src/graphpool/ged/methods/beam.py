"""Beam search: extend only the best partial mappings of each depth."""

from typing import NamedTuple, no_type_check

import numpy as np

from graphpool.errors import ConfigError
from graphpool.ged.expand import expand
from graphpool.ged.heap import Store, make_store, pop, push
from graphpool.ged.kernel import CodeArray, IntArray, inlined, kernel
from graphpool.ged.methods.lower_bounds import label_bound, make_label_counts
from graphpool.ged.node_table import NodeTable, load_node_table, make_node_table
from graphpool.ged.open_labels import OpenLabels, make_open_labels, start, write_mapping
from graphpool.ged.pair import GedProblem, Pair, load_pair, make_pair, mapping_cost, padded_size
from graphpool.ged.result import Answers, Limits


class Workspace(NamedTuple):
    """The arrays of a search in one pair.

    Args:
        image: `[2, width, size]`, mappings of this depth and the next, best first; `so_far`
            `[2, width]` holds their costs.
        store: `[width * size]` candidates, and a heap of the best, the worst of them on top.
    """

    pair: Pair
    left: NodeTable
    right: NodeTable
    open_labels: OpenLabels
    image: CodeArray
    so_far: IntArray
    store: Store


def solve_beam(problem: GedProblem, pairs: IntArray, limits: Limits, width: int) -> Answers:
    """Find an edit path by beam search (Neuhaus, Riesen and Bunke, 2006) of the given width.

    The mappings with the least cost + bound are kept; among equals, the one whose parent came
    first, then the one with the first column. `limits.expanded` makes the beam narrower, down to
    1. Time grows with `width` and at most with the fourth power of the size, so `limits.seconds`
    is not used. The lower bound is the label bound.

    Deviation from the paper: it prunes one open list with mappings of all depths, in which shallow
    ones crowd out deep ones; here mappings compete with those of the same depth only, so that a
    pair never takes more than `width` expansions for each of its nodes.
    """
    if width < 1:
        raise ConfigError(f"the width of the beam is {width}; it must be at least 1")
    size = padded_size(problem, pairs)
    answers = Answers.empty(len(pairs), size)
    most = np.iinfo(np.int64).max if limits.expanded is None else limits.expanded
    work = Workspace(
        make_pair(size),
        make_node_table(size),
        make_node_table(size),
        make_open_labels(problem, size),
        image=np.zeros((2, width, size), dtype=np.int32),
        so_far=np.zeros((2, width), dtype=np.int64),
        store=make_store(width * size, width + 1),
    )
    _search_all(problem, make_label_counts(problem), work, pairs, width, most, answers)
    return answers


@kernel
@no_type_check
def _search_all(
    problem: GedProblem,
    counts: IntArray,
    work: Workspace,
    pairs: IntArray,
    width: int,
    most: int,
    answers: Answers,
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, n, m = load_pair(problem, first, second, work.pair)
        load_node_table(problem.graphs, first, problem.directed, work.left)
        load_node_table(problem.graphs, second, problem.directed, work.right)
        start(problem, work.pair, work.left, work.right, n, m, size, work.open_labels)
        narrow = max(1, min(width, most // max(n, 1)))
        expanded = 0
        alive = 1
        work.so_far[0, 0] = 0
        for depth in range(n):
            expanded += alive
            alive = _deepen(problem, work, depth, alive, narrow)
        mapping = answers.mapping[at]
        for depth in range(n):
            work.open_labels.image[depth] = work.image[n & 1, 0, depth]
        write_mapping(work.open_labels, mapping)
        answers.expanded[at] = expanded
        answers.upper[at] = mapping_cost(problem, work.pair, size, mapping)
        answers.lower[at] = label_bound(problem, counts, first, second)


@inlined
@no_type_check
def _deepen(problem: GedProblem, work: Workspace, depth: int, alive: int, width: int) -> int:
    """Replace the mappings of `depth` rows by the best with one more row; return their number."""
    open_labels, image, costs = work.open_labels, work.image, work.so_far
    parent, column, cost, keys, items = work.store
    current, tried, so_far, estimate = (
        open_labels.image, open_labels.tried, open_labels.so_far, open_labels.estimate
    )  # fmt: skip
    now, after = depth & 1, 1 - (depth & 1)
    count, candidate = 0, 0
    for rank in range(alive):
        for at in range(depth):
            current[at] = image[now, rank, at]
        many = expand(problem, work.pair, depth, costs[now, rank], open_labels)
        for t in range(many):
            # The heap has the worst on top, so both parts of its order are turned round.
            key = -estimate[t]
            if count == width:
                if key <= keys[0]:
                    continue
                count = pop(keys, items, count)
            parent[candidate], column[candidate], cost[candidate] = rank, tried[t], so_far[t]
            count = push(keys, items, count, key, -candidate)
            candidate += 1
    alive = count
    while count > 0:
        candidate = -items[0]
        count = pop(keys, items, count)
        for at in range(depth):
            image[after, count, at] = image[now, parent[candidate], at]
        image[after, count, depth] = column[candidate]
        costs[after, count] = cost[candidate]
    return alive
