"""Merging of whole clusters: to resolve ties, and to reduce their number."""

from typing import Any, no_type_check

import numpy as np

from graphpool.graphs.places.colours import mixed, sort
from graphpool.graphs.places.kernel import inner
from graphpool.graphs.places.moves import Parts, gather, leader, parts_of, put, put_and_weigh
from graphpool.graphs.places.net import Net

Array = Any

_LOWEST = np.iinfo(np.int64).min


@inner
@no_type_check
def best_merge(net: Net, parts: Parts, node: int) -> tuple[int, int, int]:
    """Find the best merge of a node that is a cluster by itself.

    Returns the largest gain, which may be negative, the look of the clusters that reach it (the
    greatest, if looks differ), and the number of those clusters; they come first in `near`.
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


@inner
@no_type_check
def merge_shared(net: Net, parts: Parts) -> bool:
    """Merge each cluster with all clusters that tie as its best merge, if modularity rises.

    At the beginning every node is a cluster of its own; a node takes part if it is still alone
    when its cell is processed. The merges of a cell are made together or, if modularity wouldn't
    rise, not at all. Returns whether any were made.
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
            # Each joined cluster passes on the members it had when its cell was processed.
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


@inner
@no_type_check
def settle_lone(net: Net, resolution: int) -> Array:
    """Join single nodes to other clusters; returns the new clusters, `[clusters]`.

    Modularity leaves many nodes of a clique, a cycle or around a hub alone, because symmetric
    nodes can't be merged one without the other. Each of them joins the cluster that costs the
    least modularity. Single nodes that tie with each other all join together; a node whose best
    clusters tie otherwise stays alone.
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


@inner
@no_type_check
def merge_best(net: Net, resolution: int, every: bool) -> Array:
    """Merge the best pair of neighbouring clusters; returns the new clusters, `[clusters]`.

    Pairs of equal gain are ranked by their colours; pairs that still tie are all merged. With
    `every`, all pairs that are the best for both sides are merged, which is faster if there are
    very many clusters.
    """
    count = len(net.mass)
    parts = parts_of(net, np.arange(count), resolution)
    gains, looks = np.full(count, _LOWEST), np.zeros(count, dtype=np.uint64)
    for merging in (False, True):
        top, most = _LOWEST, np.uint64(0)
        for node in range(count):
            if gains[node] > top or (gains[node] == top and looks[node] > most):
                top, most = gains[node], looks[node]
        for node in range(count):
            for slot in range(net.ptr[node], net.ptr[node + 1]):
                other = np.int64(net.col[slot])
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


@inner
@no_type_check
def pool_components(net: Net, most: int) -> Array:
    """Pool clusters without neighbours; returns the new clusters, `[clusters]`.

    Clusters of the same colour are pooled, smallest first; if that is not enough, the smallest
    are pooled until `most` are left.
    """
    count = len(net.mass)
    cells = len(net.cells) - 1
    size = np.empty(cells, dtype=np.uint64)
    for cell in range(cells):
        size[cell] = net.size[net.order[net.cells[cell]]]
    # Cells are sorted by colour, and the stable sort keeps that order among equal sizes.
    rank = np.arange(cells)
    sort(rank, size, np.int64(0), cells)
    member, left = np.arange(count), count
    for cell in rank:
        begin, end = net.cells[cell], net.cells[cell + 1]
        if left <= most:
            return member
        left -= end - begin - 1
        for at in range(begin, end):
            member[net.order[at]] = net.order[begin]
    pool = net.order[net.cells[rank[0]]]
    for i in range(1, cells):
        if left <= most:
            break
        cell = rank[i]
        for at in range(net.cells[cell], net.cells[cell + 1]):
            member[net.order[at]] = pool
        left -= 1
    return member


@inner
@no_type_check
def pool_isolated(net: Net) -> Array:
    """Pool all single nodes without edges; returns the new clusters, `[clusters]`."""
    member, pool = np.arange(len(net.mass)), -1
    for node in range(len(net.mass)):
        if net.size[node] == 1 and net.ptr[node] == net.ptr[node + 1]:
            pool = node if pool < 0 else pool
            member[node] = pool
    return member
