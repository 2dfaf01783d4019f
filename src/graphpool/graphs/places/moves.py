"""Moves of nodes between clusters that raise modularity, independent of the node numbering.

With W the weight of all edge ends and the resolution in sixteenths, modularity as an integer is
16 · W · Σ_c inner_c − resolution · Σ_c mass_c² over the clusters c. Nodes are processed cell by
cell; a cell holds nodes that refinement can't distinguish. The nodes of a cell with the largest
gain move together, so the result never depends on node numbers. Most cells are single nodes, and
for those this is Louvain's method.
"""

from typing import Any, NamedTuple, no_type_check

import numpy as np

from graphpool.graphs.places.colours import mixed
from graphpool.graphs.places.kernel import inner
from graphpool.graphs.places.net import Net
from graphpool.graphs.places.rule import SIXTEENTHS

Array = Any

_SWEEPS = 100


class Parts(NamedTuple):
    """A partition of a net's nodes while it changes; cluster numbers are arbitrary."""

    member: Array  # [nodes], the cluster of each node
    mass: Array  # [nodes], the mass of each cluster
    count: Array  # [nodes], the number of members of each cluster
    look: Array  # [nodes], a hash of each cluster's members
    link: Array  # [nodes], zeros; buffer for sums of weights per cluster
    near: Array  # [nodes], buffer for the neighbouring clusters of a node
    lead: Array  # [nodes], initially the identity; union-find parents for joining clusters
    scale: Array  # [2], factors of weights and of products of masses


@inner
@no_type_check
def parts_of(net: Net, member: Array, resolution: int) -> Parts:
    """Build the partition given by `member`; `resolution` is in sixteenths."""
    nodes = len(member)
    mass, count = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    look = np.zeros(nodes, dtype=np.uint64)
    for node in range(nodes):
        mass[member[node]] += net.mass[node]
        count[member[node]] += 1
        look[member[node]] += mixed(net.colour[node])
    link, near = np.zeros(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    scale = np.zeros(2, dtype=np.int64)
    scale[1] = resolution
    for node in range(len(net.mass)):
        scale[0] += SIXTEENTHS * net.mass[node]
    return Parts(member, mass, count, look, link, near, np.arange(nodes), scale)


@inner
@no_type_check
def gather(net: Net, parts: Parts, node: int) -> int:
    """Sum the weights from a node to its neighbouring clusters.

    Writes the sums to `link` and the clusters to `near`; returns the number of clusters.
    """
    number = 0
    for slot in range(net.ptr[node], net.ptr[node + 1]):
        cluster = parts.member[net.col[slot]]
        if parts.link[cluster] == 0:
            parts.near[number] = cluster
            number += 1
        parts.link[cluster] += net.weight[slot]
    return number


@inner
@no_type_check
def best_move(net: Net, parts: Parts, node: int) -> tuple[int, int]:
    """Return the largest gain of moving a node, and the cluster to move it to.

    Clusters of equal gain are ranked by their look; the target is -1 if they still tie or if
    nothing is gained.
    """
    number = gather(net, parts, node)
    own, mass = parts.member[node], net.mass[node]
    inner, rest = parts.link[own], parts.mass[own] - mass
    best, target, tied = 0, -1, False
    for i in range(number):
        cluster = parts.near[i]
        weight = parts.link[cluster] - inner
        parts.link[cluster] = 0
        if cluster == own:
            continue
        gain = parts.scale[0] * weight - parts.scale[1] * mass * (parts.mass[cluster] - rest)
        if gain > best or (gain == best > 0 and parts.look[cluster] > parts.look[target]):
            best, target, tied = gain, cluster, False
        elif gain == best > 0 and parts.look[cluster] == parts.look[target]:
            tied = True
    return best, (-1 if tied else target)


@inner
@no_type_check
def put(net: Net, parts: Parts, node: int, cluster: int) -> None:
    """Move a node to a cluster."""
    own, tint = parts.member[node], mixed(net.colour[node])
    parts.mass[own] -= net.mass[node]
    parts.count[own] -= 1
    parts.look[own] -= tint
    parts.mass[cluster] += net.mass[node]
    parts.count[cluster] += 1
    parts.look[cluster] += tint
    parts.member[node] = cluster


@inner
@no_type_check
def put_and_weigh(net: Net, parts: Parts, node: int, cluster: int) -> int:
    """Move a node and return the gain; gains of successive moves add up to the total gain."""
    own, mass, weight = parts.member[node], net.mass[node], 0
    for slot in range(net.ptr[node], net.ptr[node + 1]):
        other = parts.member[net.col[slot]]
        if other == cluster:
            weight += net.weight[slot]
        elif other == own:
            weight -= net.weight[slot]
    apart = parts.mass[cluster] - parts.mass[own] + mass
    put(net, parts, node, cluster)
    return parts.scale[0] * weight - parts.scale[1] * mass * apart


@inner
@no_type_check
def leader(lead: Array, cluster: int) -> int:
    """Return the representative of the clusters joined with this one (union-find)."""
    while lead[cluster] != cluster:
        lead[cluster] = lead[lead[cluster]]
        cluster = lead[cluster]
    return cluster


@inner
@no_type_check
def move_together(net: Net, parts: Parts, movers: Array, targets: Array) -> bool:
    """Move nodes of one cell together; undo it and return False if modularity doesn't rise.

    Single nodes that target each other become one cluster instead of swapping clusters. A node
    whose target is a single node that itself moves follows it to its new cluster.
    """
    old = np.empty(len(movers), dtype=np.int64)
    for i in range(len(movers)):
        old[i] = parts.member[movers[i]]
    for i in range(len(movers)):
        if parts.count[old[i]] == 1:
            end = leader(parts.lead, targets[i])
            if end != old[i]:
                parts.lead[old[i]] = end
    gained = 0
    for i in range(len(movers)):
        goal = leader(parts.lead, targets[i])
        if goal != old[i]:
            gained += put_and_weigh(net, parts, movers[i], goal)
    for i in range(len(movers)):
        parts.lead[old[i]], parts.lead[targets[i]] = old[i], targets[i]
    if gained > 0:
        return True
    for i in range(len(movers)):
        if parts.member[movers[i]] != old[i]:
            put(net, parts, movers[i], old[i])
    return False


@inner
@no_type_check
def move_all(net: Net, parts: Parts) -> bool:
    """Move nodes between clusters until nothing is gained; returns whether any were moved."""
    nodes = len(parts.member)
    waiting = np.ones(nodes, dtype=np.bool_)
    goals, movers = np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64)
    ever, everyone, moved = False, True, False
    for _ in range(_SWEEPS):
        again = False
        for cell in range(len(net.cells) - 1):
            best, number = 0, 0
            for at in range(net.cells[cell], net.cells[cell + 1]):
                node = net.order[at]
                if not waiting[node]:
                    continue
                waiting[node] = False
                gain, goal = best_move(net, parts, node)
                if goal < 0:
                    continue
                if gain < best:
                    # Another node of its cell gains more: try again in the next sweep.
                    waiting[node], again = True, True
                    continue
                if gain > best:
                    again = again or number > 0
                    for i in range(number):
                        waiting[movers[i]] = True
                    best, number = gain, 0
                movers[number], goals[number] = node, goal
                number += 1
            if number == 1:
                put(net, parts, movers[0], goals[0])
            elif number == 0 or not move_together(net, parts, movers[:number], goals[:number]):
                continue
            ever, again, moved = True, True, True
            for i in range(number):
                for slot in range(net.ptr[movers[i]], net.ptr[movers[i] + 1]):
                    waiting[net.col[slot]] = True
        if again:
            everyone = False
        elif everyone or not moved:
            break
        else:
            # Distant moves change the masses of clusters, so check all nodes once more.
            everyone, moved = True, False
            for node in range(nodes):
                waiting[node] = True
    return ever
