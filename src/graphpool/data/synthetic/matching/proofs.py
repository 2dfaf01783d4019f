"""Proofs that two graphs are farther apart than one edit, however their nodes are numbered.

Each proof bounds what one edit can change. If a hash does not depend on the numbering of nodes, two
graphs whose hashes differ are different; equal hashes prove nothing. So an answer of true is
certain, and one of false means "not proved".
"""

from typing import no_type_check

import numpy as np

from graphpool.data.synthetic.matching.draws import Flags, Ints, ends
from graphpool.data.synthetic.matching.kernel import Array, compiled, edge_list, mixed

_ROUNDS = 4  # of refinement; random graphs differ after two or three
_DEPTH = np.uint64(0xD1B54A32D192ED03)


def degrees(edges: Flags, nodes: int) -> Ints:
    """Degree of each node, `[graphs, nodes]`, of graphs `[graphs, slots]`."""
    low, high = ends(nodes)
    row, slot = np.nonzero(edges)
    size = len(edges) * nodes
    found = np.bincount(row * nodes + low[slot], minlength=size)
    found += np.bincount(row * nodes + high[slot], minlength=size)
    return found.reshape(-1, nodes)


def beyond_one_swap(left: Flags, right: Flags, nodes: int) -> Flags:
    """Whether no swap of two edges makes `right` of `left`, `[pairs]`; true is certain.

    A swap leaves the degrees of all nodes and all but two edges. So if an edge is named by the
    degrees of its ends, at most two names change; here more must.
    """
    cells = nodes * nodes
    low, high = ends(nodes)
    names = np.zeros((len(left), cells), dtype=np.int64)
    for edges, sign in ((left, 1), (right, -1)):
        degree = degrees(edges, nodes)
        row, slot = np.nonzero(edges)
        one, other = degree[row, low[slot]], degree[row, high[slot]]
        name = np.minimum(one, other) * nodes + np.maximum(one, other)
        names += sign * np.bincount(row * cells + name, minlength=len(left) * cells).reshape(
            names.shape
        )
    return np.asarray(np.maximum(names, 0).sum(1) > 2)


def beyond_one_rewiring(left: Flags, right: Flags, nodes: int) -> Flags:
    """Whether no rewiring of one edge makes `right` of `left`, `[pairs]`; true is certain.

    A rewiring changes the sorted degrees by 4 at most, added up: where they differ by more, that
    is all. Else, `right` is one rewiring from `left` (or isomorphic to it) only if `left` without
    some edge is isomorphic to `right` without some edge. All these graphs are compared by a hash:
    first one of their degrees, and where that is shared, one of refined colours.
    """
    mine, theirs = (np.sort(degrees(edges, nodes), axis=1) for edges in (left, right))
    proved = np.abs(mine - theirs).sum(1) > 4
    close = np.flatnonzero(~proved)
    if len(close):
        low, high = ends(nodes)
        proved[close] = _no_card_in_common(left[close], right[close], low, high, nodes)
    return np.asarray(proved)


@compiled
@no_type_check
def _no_card_in_common(left: Array, right: Array, low: Array, high: Array, nodes: int) -> Array:
    """Whether no graph less an edge of `left` looks like one of `right`, `[pairs]`."""
    proved = np.zeros(left.shape[0], np.bool_)
    for pair in range(left.shape[0]):
        one, other = edge_list(left[pair], low, high), edge_list(right[pair], low, high)
        mine, theirs = _degree_hashes(one, nodes), _degree_hashes(other, nodes)
        shared, reverse = _found_in(mine, theirs), _found_in(theirs, mine)
        if not shared.any():
            proved[pair] = True
            continue
        mine, theirs = _colour_hashes(one, shared, nodes), _colour_hashes(other, reverse, nodes)
        proved[pair] = not _found_in(mine, theirs).any()
    return proved


@compiled
@no_type_check
def _degrees_of(edges: Array, nodes: int) -> Array:
    degree = np.zeros(nodes, np.int64)
    for edge in range(len(edges)):
        degree[edges[edge, 0]] += 1
        degree[edges[edge, 1]] += 1
    return degree


@compiled
@no_type_check
def _degree_hashes(edges: Array, nodes: int) -> Array:
    """A hash of the degrees that are left without each edge, `[edges]`."""
    degree = _degrees_of(edges, nodes)
    total = np.uint64(0)
    for node in range(nodes):
        total += mixed(np.uint64(degree[node]))
    hashes = np.empty(len(edges), np.uint64)
    for edge in range(len(edges)):
        a, b = degree[edges[edge, 0]], degree[edges[edge, 1]]
        hashes[edge] = total - mixed(np.uint64(a)) - mixed(np.uint64(b))
        hashes[edge] += mixed(np.uint64(a - 1)) + mixed(np.uint64(b - 1))
    return hashes


@compiled
@no_type_check
def _colour_hashes(edges: Array, chosen: Array, nodes: int) -> Array:
    """A hash of the refined colours that are left without each chosen edge, `[chosen]`."""
    where = np.flatnonzero(chosen)
    hashes = np.empty(len(where), np.uint64)
    degree = _degrees_of(edges, nodes)
    colour, fresh = np.empty(nodes, np.uint64), np.empty(nodes, np.uint64)
    for number in range(len(where)):
        without = where[number]
        for node in range(nodes):
            colour[node] = mixed(np.uint64(degree[node]))
        for side in range(2):
            node = edges[without, side]
            colour[node] = mixed(np.uint64(degree[node] - 1))
        for _ in range(_ROUNDS):
            for node in range(nodes):
                fresh[node] = mixed(colour[node] ^ _DEPTH)
            for edge in range(len(edges)):
                if edge != without:
                    a, b = edges[edge, 0], edges[edge, 1]
                    fresh[a] += colour[b]
                    fresh[b] += colour[a]
            for node in range(nodes):
                colour[node] = mixed(fresh[node])
        hashes[number] = colour.sum()
    return hashes


@compiled
@no_type_check
def _found_in(values: Array, others: Array) -> Array:
    """Which values are among the others, `[values]`."""
    ordered = np.sort(others)
    at = np.searchsorted(ordered, values)
    found = np.zeros(len(values), np.bool_)
    for number in range(len(values)):
        found[number] = at[number] < len(ordered) and ordered[at[number]] == values[number]
    return found
