"""Beam search: the best partial mappings of each depth, and no others, are carried on."""

from typing import NamedTuple, no_type_check

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError
from graphpool.ged.expand import expand
from graphpool.ged.heap import pop, push
from graphpool.ged.kernel import inlined, kernel
from graphpool.ged.label_bags import Rates, find_rates
from graphpool.ged.methods.lower_bounds import Bags, label_bound, make_bags
from graphpool.ged.node_table import Side, load_side, make_side, room_size
from graphpool.ged.open_labels import Remaining, make_remaining, start, write_mapping
from graphpool.ged.pair import Pair, Task, load_pair, make_pair, mapping_cost
from graphpool.ged.result import Answers, Limits


class Beam(NamedTuple):
    """Room for the search in one pair.

    Args:
        image: `[2, width, size]` mappings of this depth and the next, best first; `so_far`
            `[2, width]` what they cost.
        parent, column, cost: `[width * size]` how each candidate was made, and its cost.
        keys, items: a heap of the best candidates, the worst of them on top.
    """

    pair: Pair
    left: Side
    right: Side
    remaining: Remaining
    image: NDArray[np.int32]
    so_far: NDArray[np.int64]
    parent: NDArray[np.int32]
    column: NDArray[np.int32]
    cost: NDArray[np.int64]
    keys: NDArray[np.int64]
    items: NDArray[np.int32]


def _make_beam(task: Task, size: int, width: int) -> Beam:
    return Beam(
        make_pair(size),
        make_side(size),
        make_side(size),
        make_remaining(task, size),
        np.zeros((2, width, size), dtype=np.int32),
        np.zeros((2, width), dtype=np.int64),
        np.zeros(width * size, dtype=np.int32),
        np.zeros(width * size, dtype=np.int32),
        np.zeros(width * size, dtype=np.int64),
        np.zeros(width + 1, dtype=np.int64),
        np.zeros(width + 1, dtype=np.int32),
    )


def solve_beam(task: Task, pairs: NDArray[np.int64], limits: Limits, width: int) -> Answers:
    """Beam search (Neuhaus, Riesen and Bunke, 2006) that keeps `width` mappings.

    Those with the least cost + bound stay; among equals, the one whose parent stood before, then
    the one with the first column. `limits.expanded` makes the beam narrower, down to 1. Time
    grows with `width` and no faster than the fourth power of the size, so `limits.seconds` does
    not matter. The lower bound beside it is the label bound.

    Deviation from the paper: it cuts one open list of mappings of all depths, in which shallow
    ones crowd out deep ones; here mappings compete with those of the same depth only, so that
    a pair never takes more than `width` expansions for each of its nodes.
    """
    if width < 1:
        raise ConfigError(f"beam of width {width}; give 1 or more")
    size = room_size(task, pairs)
    answers = Answers.empty(len(pairs), size)
    most = np.iinfo(np.int64).max if limits.expanded is None else limits.expanded
    rates, bags = find_rates(task.tables), make_bags(task)
    room = _make_beam(task, size, width)
    _search_all(task, rates, bags, room, pairs, width, most, answers)
    return answers


def solve_1(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Beam search that keeps one mapping, so that each node's choice is final."""
    return solve_beam(task, pairs, limits, 1)


def solve_80(task: Task, pairs: NDArray[np.int64], limits: Limits) -> Answers:
    """Beam search that keeps 80 mappings."""
    return solve_beam(task, pairs, limits, 80)


@kernel
@no_type_check
def _search_all(
    task: Task,
    rates: Rates,
    bags: Bags,
    room: Beam,
    pairs: NDArray[np.int64],
    width: int,
    most: int,
    answers: Answers,
) -> None:
    for at in range(pairs.shape[0]):
        first, second = pairs[at, 0], pairs[at, 1]
        size, n, m = load_pair(task, first, second, room.pair)
        load_side(task.graphs, first, task.directed, room.left)
        load_side(task.graphs, second, task.directed, room.right)
        start(task, room.pair, room.left, room.right, n, m, size, room.remaining)
        narrow = max(1, min(width, most // max(n, 1)))
        expanded = 0
        kept = 1
        room.so_far[0, 0] = 0
        for depth in range(n):
            expanded += kept
            kept = _deepen(task, rates, room, depth, n, m, size, kept, narrow)
        mapping = answers.mapping[at]
        for depth in range(n):
            room.remaining.image[depth] = room.image[n & 1, 0, depth]
        write_mapping(room.remaining, n, size, mapping)
        answers.expanded[at] = expanded
        answers.upper[at] = mapping_cost(task, room.pair, size, mapping)
        answers.lower[at] = label_bound(task, rates, bags, first, second)


@inlined
@no_type_check
def _deepen(
    task: Task,
    rates: Rates,
    room: Beam,
    depth: int,
    n: int,
    m: int,
    size: int,
    kept: int,
    width: int,
) -> int:
    """Replace the mappings of `depth` rows by the best ones of one row more; returns how many."""
    remaining, pair, right = room.remaining, room.pair, room.right
    image, costs, keys, items = room.image, room.so_far, room.keys, room.items
    parent, column, cost = room.parent, room.column, room.cost
    current, tried, so_far, in_all = (
        remaining.image, remaining.tried, remaining.so_far, remaining.in_all
    )  # fmt: skip
    now, after = depth & 1, 1 - (depth & 1)
    count, made = 0, 0
    for rank in range(kept):
        for at in range(depth):
            current[at] = image[now, rank, at]
        many = expand(task, rates, pair, right, depth, costs[now, rank], n, m, size, remaining)
        for t in range(many):
            # The heap has the worst on top, so both parts of its order are turned round.
            key = -in_all[t]
            if count == width:
                if key <= keys[0]:
                    continue
                count = pop(keys, items, count)
            parent[made], column[made], cost[made] = rank, tried[t], so_far[t]
            count = push(keys, items, count, key, -made)
            made += 1
    kept = count
    while count > 0:
        made = -items[0]
        count = pop(keys, items, count)
        for at in range(depth):
            image[after, count, at] = image[now, parent[made], at]
        image[after, count, depth] = column[made]
        costs[after, count] = cost[made]
    return kept
