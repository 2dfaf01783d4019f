"""Swaps of two edges that leave every node its degree, in many graphs at once."""

import math
from typing import no_type_check

import numpy as np
from numpy.random import Generator

from graphpool.data.synthetic.matching.draws import Flags, Ints, ends
from graphpool.data.synthetic.matching.kernel import Array, compiled, edge_list, mixed, slot_of


def swapped(edges: Flags, wanted: Ints, attempts: int, draw: Generator) -> Flags:
    """The graphs after random swaps: a-b, c-d become a-d, c-b, where that makes a simple graph.

    Attempts that fail count as steps that stay where they are, which makes every graph with these
    degrees as likely in the end.

    Args:
        edges: `[graphs, slots]`.
        wanted: `[graphs]`, swaps after which to stop; -1 for as many as the attempts give.
        attempts: the most per edge.
    """
    nodes = (1 + math.isqrt(1 + 8 * edges.shape[1])) // 2
    low, high = ends(nodes)
    # 53 random bits for each graph; its own sequence grows from them.
    seeds = np.floor(draw.random(len(edges)) * 2.0**53).astype(np.uint64)
    made = edges.copy()
    _swap(made, low, high, wanted, attempts, seeds)
    return made


@compiled
@no_type_check
def _swap(
    edges: Array, low: Array, high: Array, wanted: Array, attempts: int, seeds: Array
) -> None:
    for graph in range(edges.shape[0]):
        flags = edges[graph]
        ends_ = edge_list(flags, low, high)
        state, done, many = mixed(seeds[graph]), 0, np.uint64(len(ends_))
        for _ in range(attempts * len(ends_)):
            if done == wanted[graph]:
                break
            state += np.uint64(0x9E3779B97F4A7C15)
            drawn = mixed(state)
            one = np.int64((drawn >> np.uint64(33)) % many)
            two = np.int64(((drawn >> np.uint64(1)) & np.uint64(0xFFFFFFFF)) % many)
            turn = np.int64(drawn & np.uint64(1))
            a, b = ends_[one, 0], ends_[one, 1]
            c, d = ends_[two, turn], ends_[two, 1 - turn]
            if a in (c, d) or b in (c, d):
                continue
            first, second = slot_of(a, d), slot_of(c, b)
            if flags[first] or flags[second]:
                continue
            flags[slot_of(a, b)] = False
            flags[slot_of(c, d)] = False
            flags[first] = True
            flags[second] = True
            ends_[one, 0], ends_[one, 1] = a, d
            ends_[two, 0], ends_[two, 1] = c, b
            done += 1
