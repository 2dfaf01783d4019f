"""Merging of whole clusters: where ties are shared, and where there are too many clusters."""

from typing import Any, no_type_check

import numpy as np

from graphpool.graphs.places.colours import mixed, sort
from graphpool.graphs.places.kernel import compiled
from graphpool.graphs.places.moves import Parts, gather, leader, parts_of, put, put_and_weigh
from graphpool.graphs.places.net import Net

Array = Any

_LOWEST = np.iinfo(np.int64).min


@compiled
@no_type_check
def best_merge(net: Net, parts: Parts, node: int) -> tuple[int, int, int]:
    """Of a node that is a cluster alone: the largest gain of a merge, which may be negative.

    Returns it with the look of the clusters that offer it (the greatest, if looks differ), and
    how many clusters do; they are then the first in `near`.
    """
    number = gather(net, parts, node)
    best, look, ties = _LOWEST, np.uint64(0), 0
    for i in range(number):
        cluster = parts.near[i]
        gain = parts.scale[0] * parts.link[cluster]
        gain -= parts.scale[1] * net.mass[node] * parts.mass[cluster]
        parts.link[cluster] = 0
        if gain > best or (gain == best and parts.look[cluster] > look):
            best, look, ties = gain, parts.look[cluster], 0
        if gain == best and parts.look[cluster] == look:
            parts.near[ties] = cluster
            ties += 1
    return best, look, ties


@compiled
@no_type_check
def merge_shared(net: Net, parts: Parts) -> bool:
    """Merge clusters that can't decide between others with all of those, where it pays.

    At the beginning every node is a cluster of its own, and what still is when its cell's turn
    comes takes part. The merges of a cell are made together or, if modularity wouldn't rise, not
    at all. Returns whether any were.
    """
    nodes = len(parts.member)
    after, head = np.arange(nodes), np.arange(nodes)  # members of each cluster, in a ring
    gains, joined = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    given = np.empty((nodes, 2), dtype=np.int64)
    ever = False
    for cell in range(len(net.cells) - 1):
        begin, end = net.cells[cell], net.cells[cell + 1]
        best = 0
        for at in range(begin, end):
            node = net.order[at]
            gains[at] = _LOWEST
            if parts.count[parts.member[node]] == 1 and net.ptr[node] < net.ptr[node + 1]:
                gains[at] = best_merge(net, parts, node)[0]
                best = max(best, gains[at])
        if best <= 0:
            continue
        merges = 0
        for at in range(begin, end):
            if gains[at] < best:
                continue
            node = net.order[at]
            _, _, ties = best_merge(net, parts, node)
            for i in range(ties):
                one = leader(parts.lead, parts.member[node])
                other = leader(parts.lead, parts.near[i])
                if one != other:
                    parts.lead[one] = other
                    joined[merges] = one
                    merges += 1
        gained, moves = 0, 0
        for i in range(merges):
            # All who were joined hand over what they had when their turn came.
            cluster, goal = joined[i], leader(parts.lead, joined[i])
            node = head[cluster]
            while True:
                gained += put_and_weigh(net, parts, node, goal)
                given[moves, 0], given[moves, 1] = node, cluster
                moves += 1
                node = after[node]
                if node == head[cluster]:
                    break
        if gained > 0:
            ever = True
            for i in range(merges):
                one, other = head[joined[i]], head[leader(parts.lead, joined[i])]
                after[one], after[other] = after[other], after[one]
        else:
            for i in range(moves):
                put(net, parts, given[i, 0], given[i, 1])
        for i in range(merges):
            parts.lead[joined[i]] = joined[i]
    return ever


@compiled
@no_type_check
def settle_lone(net: Net, resolution: int) -> Array:
    """Clusters, `[clusters]`, after single nodes have joined others.

    Modularity leaves many nodes of a clique, of a cycle or around a hub alone where a symmetry
    forbids to take some of them and not others. Each joins the cluster with which least is lost;
    single nodes that are tied with each other join all at once, and one that stands between
    several clusters equally stays alone.
    """
    count = len(net.mass)
    parts = parts_of(net, np.arange(count), resolution)
    for node in range(count):
        if net.size[node] > 1 or net.ptr[node] == net.ptr[node + 1]:
            continue
        _, _, ties = best_merge(net, parts, node)
        lone = True
        for i in range(ties):
            lone = lone and net.size[parts.near[i]] == 1
        for i in range(ties if lone or ties == 1 else 0):
            one, other = leader(parts.lead, node), leader(parts.lead, parts.near[i])
            parts.lead[one] = other
    for node in range(count):
        parts.member[node] = leader(parts.lead, node)
    return parts.member


@compiled
@no_type_check
def merge_best(net: Net, resolution: int, every: bool) -> Array:
    """Clusters, `[clusters]`, after the pair of neighbours that loses least was merged.

    Pairs of equal gain are told apart by their colours; those that can't be are all merged. With
    `every`, all pairs are that are best for both: a faster way where there are very many.
    """
    count = len(net.mass)
    parts = parts_of(net, np.arange(count), resolution)
    gains, looks = np.full(count, _LOWEST), np.zeros(count, dtype=np.uint64)
    for merging in (False, True):
        top = gains.max()
        most = looks[gains == top].max()
        for node in range(count):
            for slot in range(net.ptr[node], net.ptr[node + 1]):
                other = net.col[slot]
                gain = parts.scale[0] * net.weight[slot]
                gain -= resolution * net.mass[node] * net.mass[other]
                look = mixed(net.colour[node]) + mixed(net.colour[other])
                if merging:
                    best = gain == gains[node] == gains[other] and look == looks[node]
                    if best and look == looks[other] and (every or (gain == top and look == most)):
                        one, two = leader(parts.lead, node), leader(parts.lead, other)
                        parts.lead[one] = two
                elif gain > gains[node] or (gain == gains[node] and look > looks[node]):
                    gains[node], looks[node] = gain, look
    for node in range(count):
        parts.member[node] = leader(parts.lead, node)
    return parts.member


@compiled
@no_type_check
def pool_components(net: Net, most: int) -> Array:
    """Clusters, `[clusters]`, after some that have no neighbours were put together.

    Those of one colour become one, smallest first; if that is not enough, the smallest are
    pooled until `most` are left.
    """
    count = len(net.mass)
    cells = len(net.cells) - 1
    size = np.empty(cells, dtype=np.uint64)
    for cell in range(cells):
        size[cell] = net.size[net.order[net.cells[cell]]]
    # Cells come sorted by colour, and that order stays among equal sizes.
    rank = np.arange(cells)
    sort(rank, size, 0, cells)
    member, left = np.arange(count), count
    for cell in rank:
        begin, end = net.cells[cell], net.cells[cell + 1]
        if left <= most:
            return member
        left -= end - begin - 1
        member[net.order[begin:end]] = net.order[begin]
    pool = net.order[net.cells[rank[0]]]
    for i in range(1, cells):
        if left <= most:
            break
        cell = rank[i]
        member[net.order[net.cells[cell] : net.cells[cell + 1]]] = pool
        left -= 1
    return member


@compiled
@no_type_check
def pool_isolated(net: Net) -> Array:
    """Clusters, `[clusters]`, after all single nodes without edges became one."""
    member, pool = np.arange(len(net.mass)), -1
    for node in range(len(net.mass)):
        if net.size[node] == 1 and net.ptr[node] == net.ptr[node + 1]:
            pool = node if pool < 0 else pool
            member[node] = pool
    return member
