"""Lower bounds of the edit distance: by labels alone, and by each node with its edges."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.ged.assignment import Assignment, make_assignment, volgenant_jonker
from graphpool.ged.kernel import compiled
from graphpool.ged.label_bags import Rates, edge_bag, find_rates, node_bag
from graphpool.ged.local_edge_costs import Local, load_local, make_local
from graphpool.ged.node_table import room_size
from graphpool.ged.pair import Pair, Task, load_pair, make_pair
from graphpool.ged.result import Answers, Limits


class Bags(NamedTuple):
    """Room to count labels; all zero between calls.

    Args:
        node: `[labels]`, by how much the first graph has more of each.
        edge, loop: `[labels]` of edges between different nodes, and of self-loops.
    """

    node: NDArray[np.int64]
    edge: NDArray[np.int64]
    loop: NDArray[np.int64]


class BranchRoom(NamedTuple):
    """Room for the branch bound of one pair."""

    pair: Pair
    local: Local
    cost: NDArray[np.int64]
    assignment: Assignment


def make_bags(task: Task) -> Bags:
    """Room for the labels of this task."""
    nodes, edges = len(task.tables.node), len(task.tables.edge)
    return Bags(
        np.zeros(nodes, dtype=np.int64),
        np.zeros(edges, dtype=np.int64),
        np.zeros(edges, dtype=np.int64),
    )


def solve_label(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """The label bound: nodes, edges and self-loops as three bags of labels.

    It takes time linear in the size of a pair, so limits do not matter.
    """
    answers = Answers.empty(len(pairs), room_size(task, pairs))
    _label_all(task, find_rates(task.tables), make_bags(task), pairs, answers.lower)
    return answers


def solve_branch(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """The branch bound (Riesen, Fischer and Bunke, 2014; BRANCH of Blumenthal and Gamper, 2018).

    An assignment problem whose entries are the cost of a node and half of the cheapest way to
    turn its edges into those of the other: each edge belongs to two nodes. It is never below the
    label bound, and takes cubic time, so limits do not matter.
    """
    size = room_size(task, pairs)
    answers = Answers.empty(len(pairs), size)
    room = BranchRoom(
        make_pair(size),
        make_local(size),
        np.zeros((size, size), dtype=np.int64),
        make_assignment(size),
    )
    _branch_all(task, find_rates(task.tables), room, pairs, answers.lower)
    return answers


@compiled
@no_type_check
def _label_all(
    task: Task, rates: Rates, bags: Bags, pairs: NDArray[np.int64], lower: NDArray[np.int64]
) -> None:
    for at in range(pairs.shape[0]):
        lower[at] = label_bound(task, rates, bags, pairs[at, 0], pairs[at, 1])


@compiled
@no_type_check
def label_bound(task: Task, rates: Rates, bags: Bags, first: int, second: int) -> int:
    """The label bound of one pair."""
    graphs = task.graphs
    for v in range(graphs.node_ptr[first], graphs.node_ptr[first + 1]):
        bags.node[graphs.node_label[v]] += 1
    n = graphs.node_ptr[first + 1] - graphs.node_ptr[first]
    m = graphs.node_ptr[second + 1] - graphs.node_ptr[second]
    common = 0
    for u in range(graphs.node_ptr[second], graphs.node_ptr[second + 1]):
        common += bags.node[graphs.node_label[u]] > 0
        bags.node[graphs.node_label[u]] -= 1
    total = node_bag(rates, n, m, common)

    edges, other_edges, loops, other_loops = 0, 0, 0, 0
    common, common_loops = 0, 0
    for e in range(graphs.edge_ptr[first], graphs.edge_ptr[first + 1]):
        code = graphs.edge_label[e]
        if graphs.source[e] == graphs.target[e]:
            bags.loop[code] += 1
            loops += 1
        elif task.directed or graphs.source[e] < graphs.target[e]:
            bags.edge[code] += 1
            edges += 1
    for e in range(graphs.edge_ptr[second], graphs.edge_ptr[second + 1]):
        code = graphs.edge_label[e]
        if graphs.source[e] == graphs.target[e]:
            common_loops += bags.loop[code] > 0
            bags.loop[code] -= 1
            other_loops += 1
        elif task.directed or graphs.source[e] < graphs.target[e]:
            common += bags.edge[code] > 0
            bags.edge[code] -= 1
            other_edges += 1
    total += edge_bag(rates, edges, other_edges, common)
    total += edge_bag(rates, loops, other_loops, common_loops)
    _clear(task, bags, first)
    _clear(task, bags, second)
    return total


@compiled
@no_type_check
def _clear(task: Task, bags: Bags, graph: int) -> None:
    """Set back only what was counted: a collection can have many more labels than a pair."""
    graphs = task.graphs
    for v in range(graphs.node_ptr[graph], graphs.node_ptr[graph + 1]):
        bags.node[graphs.node_label[v]] = 0
    for e in range(graphs.edge_ptr[graph], graphs.edge_ptr[graph + 1]):
        bags.edge[graphs.edge_label[e]] = 0
        bags.loop[graphs.edge_label[e]] = 0


@compiled
@no_type_check
def _branch_all(
    task: Task, rates: Rates, room: BranchRoom, pairs: NDArray[np.int64], lower: NDArray[np.int64]
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, _, _ = load_pair(task, first, second, room.pair)
        load_local(task, rates, first, second, size, room.local)
        lower[at] = branch_bound(task, room.pair, room.local, size, room.cost, room.assignment)


@compiled
@no_type_check
def branch_bound(
    task: Task,
    pair: Pair,
    local: Local,
    size: int,
    cost: NDArray[np.int64],
    assignment: Assignment,
) -> int:
    """The branch bound of a pair of `size` nodes that is laid into `pair` and `local`.

    Args:
        cost: room for a matrix of at least `size` rows and columns.
    """
    for v in range(size):
        for u in range(size):
            cost[v, u] = 2 * pair.node[v, u] + local.edges[v, u]
    doubled = volgenant_jonker(cost, size, assignment)
    unit = task.tables.unit
    return -(-doubled // (2 * unit)) * unit
