"""Compiled search for places and gathering of them, over all graphs one after the other."""

from typing import Any, no_type_check

import numpy as np

from graphpool.graphs.places.kernel import compiled, inlined, inner
from graphpool.graphs.places.merging import (
    merge_best,
    merge_shared,
    pool_components,
    pool_isolated,
    settle_lone,
)
from graphpool.graphs.places.moves import move_all, parts_of
from graphpool.graphs.places.net import Net, coarse_net, first_net, load, numbered_from_zero
from graphpool.graphs.places.rule import FINEST, SIXTEENTHS

Array = Any

_ROUNDS = 4  # of merging; from the second on, single nodes are moved first
_FINEST = FINEST * SIXTEENTHS
_STARTS = (4, 8, 16)  # quarters of the resolution; starting with small clusters can end better
_SMALL = 2048  # slots; only graphs of at most this many get more than one start
_MANY = 2048  # clusters; more than this are not merged one by one


@inlined
@no_type_check
def merge_levels(net: Net, member: Array, resolution: int) -> Net:
    """Move and merge clusters, level by level, until nothing is gained.

    Updates `member` `[nodes]`, the cluster of each node.
    """
    while len(net.mass) > 1:
        parts = parts_of(net, np.arange(len(net.mass)), resolution)
        if not move_all(net, parts) and not merge_shared(net, parts):
            break
        net = follow(net, member, parts.member)
    return net


@inner
@no_type_check
def follow(net: Net, member: Array, joined: Array) -> Net:
    """Return the net after merging its clusters as in `joined`; updates `member`."""
    count = numbered_from_zero(joined)
    if count == len(net.mass):
        return net
    for node in range(len(member)):
        member[node] = joined[member[node]]
    return coarse_net(net, joined, count)


@inlined
@no_type_check
def cluster(first: Net, resolution: int, starts: int) -> tuple[Net, Array]:
    """Cluster by modularity; returns the clusters' net and the cluster of each node, `[nodes]`.

    Of the results from the first `starts` of `_STARTS` the best is taken, the first one on ties.
    """
    found, label, best = first, np.arange(len(first.mass)), np.int64(0)
    for start in range(starts):
        net, member = first, np.arange(len(first.mass))
        for trial in range(_ROUNDS):
            stage = resolution
            if trial == 0:
                stage = max(1, min(_FINEST, resolution * _STARTS[start] // 4))
            elif trial > 1 or start == 0:
                if not move_all(first, parts_of(first, member, resolution)):
                    break
                net = coarse_net(first, member, numbered_from_zero(member))
            net = merge_levels(net, member, stage)
        total, between, squares = 0, 0, 0
        for mass in net.mass:
            total += mass
            squares += mass * mass
        for weight in net.weight:
            between += weight
        quality = SIXTEENTHS * total * (total - between) - resolution * squares
        if start == 0 or quality > best:
            found, label, best = net, member, quality
    return found, label


@inlined
@no_type_check
def reduce(net: Net, member: Array, resolution: int, most: int) -> Net:
    """Merge clusters until at most `most` are left; updates `member`.

    Isolated single nodes become one cluster first, then neighbours are merged, and finally
    clusters without neighbours are pooled.
    """
    if len(net.mass) > most:
        net = follow(net, member, pool_isolated(net))
    while len(net.mass) > most and len(net.col):
        every = len(net.mass) > _MANY and len(net.mass) > 2 * most
        net = follow(net, member, merge_best(net, resolution, every))
    if len(net.mass) > most:
        net = follow(net, member, pool_components(net, most))
    return net


@compiled
@no_type_check
def find_places(
    row_ptr: Array, col: Array, weight: Array, node_ptr: Array, both: bool,
    resolution: int, wanted: Array, most: Array, label: Array, counts: Array,
) -> None:  # fmt: skip
    """Find the clusters of every graph; writes `label` `[nodes]` and `counts` `[graphs]`.

    Args:
        row_ptr, col, weight: A of all graphs; `col` counts from each graph's first node.
        both: whether A is symmetric.
        resolution: resolution of modularity, in sixteenths.
        wanted: `[graphs]`, how many clusters each graph should get; 0 lets modularity decide.
        most: `[graphs]`, the largest number of clusters of each graph.
    """
    for graph in range(len(node_ptr) - 1):
        begin, end = node_ptr[graph], node_ptr[graph + 1]
        first = first_net(*load(row_ptr, col, weight, begin, end, both))
        aim, fineness = min(wanted[graph], end - begin), resolution
        starts = len(_STARTS) if len(first.col) <= _SMALL else 1
        while True:
            net, member = cluster(first, fineness, starts)
            if len(net.mass) >= aim or fineness >= _FINEST:
                break
            fineness = min(2 * fineness, _FINEST)
        if aim == 0:
            net = follow(net, member, settle_lone(net, resolution))
        reduce(net, member, fineness, aim if aim else most[graph])
        counts[graph] = numbered_from_zero(member)
        for node in range(begin, end):
            label[node] = member[node - begin]


@compiled
@no_type_check
def merge_places(
    row_ptr: Array, col: Array, weight: Array, node_ptr: Array, both: bool,
    resolution: int, limits: Array, label: Array, counts: Array,
) -> None:  # fmt: skip
    """Merge the clusters of each graph until at most `limits` `[graphs]` are left.

    The graphs are given as in `find_places`, and their clusters by `label` and `counts`, which
    are updated.
    """
    for graph in range(len(node_ptr) - 1):
        if counts[graph] <= limits[graph]:
            continue
        begin, end = node_ptr[graph], node_ptr[graph + 1]
        first = first_net(*load(row_ptr, col, weight, begin, end, both))
        member = label[begin:end].copy()
        reduce(coarse_net(first, member, counts[graph]), member, resolution, limits[graph])
        counts[graph] = numbered_from_zero(member)
        for node in range(begin, end):
            label[node] = member[node - begin]


@compiled
@no_type_check
def walk(
    row_ptr: Array, col: Array, weight: Array, node_ptr: Array, both: bool,
    steps: int, label: Array, counts: Array, share: Array,
) -> None:  # fmt: skip
    """Write ((I + D⁻¹A)/2)^steps times the 0/1 membership to `share`, `[nodes, width]` zeros."""
    for graph in range(len(node_ptr) - 1):
        begin, end, width = node_ptr[graph], node_ptr[graph + 1], counts[graph]
        here = np.zeros((end - begin, width))
        for node in range(begin, end):
            here[node - begin, label[node]] = 1.0
        if steps > 0:
            ptr, near, amount = load(row_ptr, col, weight, begin, end, both)
            there = np.empty_like(here)
            for _ in range(steps):
                for node in range(end - begin):
                    total = 0.0
                    for slot in range(ptr[node], ptr[node + 1]):
                        total += amount[slot]
                    for j in range(width):
                        there[node, j] = here[node, j] if total == 0.0 else 0.5 * here[node, j]
                    for slot in range(ptr[node], ptr[node + 1]):
                        part, other = 0.5 * amount[slot] / total, near[slot]
                        for j in range(width):
                            there[node, j] += part * here[other, j]
                here, there = there, here
        for node in range(begin, end):
            for j in range(width):
                share[node, j] = here[node - begin, j]


@compiled
@no_type_check
def gather_columns(
    share: Array, log: Array, node: Array, ptr: Array, counts: Array, out: Array
) -> None:
    """Gather shares and logarithms `[nodes, clusters]` of nodes into `[2, clusters, nodes]`.

    Only the clusters that a graph has are written.
    """
    for graph in range(counts.shape[0]):
        # A node's columns are adjacent in memory, so a graph's rows stay in the CPU cache.
        for j in range(counts[graph]):
            shares, logs = out[0, j], out[1, j]
            for i in range(ptr[graph], ptr[graph + 1]):
                at = node[i]
                shares[i] = share[at, j]
                logs[i] = log[at, j]
