"""Learn which types of edges to cut: the list by which the graphs take the fewest bits.

    L = Σ_types (D + log2 K) - Σ_parts log2(N_type / K) + Σ_parts log2 max(1, ports)
    D = Σ_nodes -log2 p(label) + Σ_inner edges (-log2 p(edge label) + log2 max(2, size))

K is the number of parts, N_type of those of one type: a type is written once in full, and every
part by its type's number and its edges to others. Bits are counted in whole units of 2^-16, so that
sums don't depend on an order.
"""

import heapq
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from graphpool.graphs.hashing import Array, numbered
from graphpool.graphs.parts.colours import DEPTHS, ColouredGraphs
from graphpool.graphs.parts.loops import components, describe

UNIT = 1 << 16  # of a bit
RAREST, FEWEST = 0.001, 10  # share and number of free edges that a type must have to be an entry
LEAST = 0.001  # share of the description that an entry must save
MOST = 64  # entries of a list
STARTS, FINALISTS = 6, 2  # beginnings of the search that are tried, and with all graphs


class Move(NamedTuple):
    """Cut, or keep, all edges of a type at a depth."""

    depth: int
    type: int  # 64-bit hash
    cut: bool


class Entry(NamedTuple):
    """A move of the list, the bits that it saves, and how many free edges it matches."""

    depth: int
    type: int
    cut: bool
    gain: float
    edges: int


def bits_of(share: Array) -> Array:
    """Return log2 in units, `[values]`."""
    return np.round(np.log2(share) * UNIT).astype(np.int64)


def rarity(values: Array) -> Array:
    """Return -log2 of the share that each value has among all, `[values]`, in units."""
    codes, count = numbered(values)
    return -bits_of(np.bincount(codes, minlength=count) / max(len(values), 1))[codes]


class Description:
    """The graphs divided into parts, and the bits that this takes; changes are tried and made."""

    def __init__(self, graphs: ColouredGraphs) -> None:
        nodes, most = len(graphs.label), int(np.diff(graphs.node_ptr).max(initial=1))
        self.graphs, self.cut = graphs, np.zeros(graphs.edges, dtype=np.bool_)
        self.costs = (
            graphs.colours[1],
            rarity(graphs.label),
            rarity(graphs.edge_label),
            bits_of(np.maximum(np.arange(most + 1), 2)),
        )
        self.part = np.zeros(nodes, dtype=np.int64)
        self.counts = np.zeros(len(graphs.node_ptr) - 1, dtype=np.int64)
        # Of each part: type, bits, ports, size; and the same of a division that is tried.
        self.now, self.tried = self._empty(nodes), self._empty(nodes)
        everything = np.arange(len(self.counts))
        self._divide(everything, self.cut, self.now)
        self.owner = np.repeat(everything, np.diff(graphs.node_ptr))
        self._count()

    @staticmethod
    def _empty(nodes: int) -> tuple[Array, ...]:
        kinds = (np.uint64, np.int64, np.int64, np.int64)
        return tuple(np.zeros(nodes, dtype=kind) for kind in kinds)

    def _divide(self, chosen: Array, cut: Array, about: tuple[Array, ...]) -> None:
        graphs = self.graphs
        components(
            graphs.row_ptr, graphs.col, graphs.edge, cut, graphs.node_ptr, chosen, self.part,
            self.counts,
        )  # fmt: skip
        describe(
            *graphs.slots, graphs.node_ptr, chosen, self.part, self.counts, *self.costs, *about
        )

    def _at(self, chosen: Array) -> Array:
        """Return where the parts of the chosen graphs are described."""
        counts = self.counts[chosen]
        first = np.repeat(self.graphs.node_ptr[chosen] - (np.cumsum(counts) - counts), counts)
        return first + np.arange(len(first))

    def _count(self) -> None:
        at = self._at(np.arange(len(self.counts)))
        self.types, first, self.often = np.unique(
            self.now[0][at], return_index=True, return_counts=True
        )
        bits, ports = (values[at][first] for values in self.now[1:3])
        self.parts = len(at)
        self.units = int(self._spent(bits, ports, self.often).sum()) + _shared(
            len(self.types), self.parts
        )

    @staticmethod
    def _spent(bits: Array, ports: Array, often: Array) -> Array:
        """Return what parts of some types take, less what depends on the number of parts."""
        each = bits_of(np.maximum(ports, 1))
        return np.where(often > 0, bits + often * each - _entropy(often), 0)

    @property
    def bits(self) -> float:
        """L, the length of the description."""
        return self.units / UNIT

    def gain(self, edges: Array, cut: bool) -> int:
        """Return by how many units L falls if `edges` are cut, or kept."""
        changed = edges[self.cut[edges] != cut]
        if not len(changed):
            return 0
        chosen = np.unique(self.owner[self.graphs.ends[0, changed]])
        before = self._at(chosen)
        counts = self.counts[chosen]
        self.cut[changed] = cut
        self._divide(chosen, self.cut, self.tried)
        self.cut[changed] = not cut
        after = self._at(chosen)
        self.counts[chosen] = counts
        types = np.concatenate([self.now[0][before], self.tried[0][after]])
        bits = np.concatenate([self.now[1][before], self.tried[1][after]])
        ports = np.concatenate([self.now[2][before], self.tried[2][after]])
        sign = np.repeat([-1, 1], [len(before), len(after)])
        distinct, first, codes = np.unique(types, return_index=True, return_inverse=True)
        net = np.zeros(len(distinct), dtype=np.int64)
        np.add.at(net, codes.reshape(-1), sign)
        place = np.minimum(np.searchsorted(self.types, distinct), len(self.types) - 1)
        often = np.where(self.types[place] == distinct, self.often[place], 0)
        bits, ports = bits[first], ports[first]
        fewer = self._spent(bits, ports, often) - self._spent(bits, ports, often + net)
        kinds = len(self.types) + int(((often + net) > 0).sum()) - int((often > 0).sum())
        parts = self.parts + len(after) - len(before)
        return int(fewer.sum()) + _shared(len(self.types), self.parts) - _shared(kinds, parts)

    def change(self, edges: Array, cut: bool) -> None:
        """Cut `edges`, or keep them."""
        self.cut[edges] = cut
        self._divide(np.arange(len(self.counts)), self.cut, self.now)
        self._count()


def _entropy(often: Array) -> Array:
    """Return n log2 n, `[values]`, in units."""
    return np.round(often * np.log2(np.maximum(often, 1)) * UNIT).astype(np.int64)


def _shared(types: int, parts: int) -> int:
    """Return what depends on the number of parts: types · log2 K + K log2 K, in units."""
    return types * int(bits_of(np.array(max(parts, 1)))) + int(_entropy(np.array(parts)))


Search = tuple[list[Entry], Description]  # what a search finds


def learn(
    graphs: ColouredGraphs, prefix: Sequence[Move] = (), least: float = LEAST, most: int = MOST
) -> Search:
    """Choose entries greedily behind those of `prefix`, each the one that saves most bits.

    Gains are computed lazily: those of an earlier step stand until an entry has the largest of
    them, and all are computed anew before the search ends.

    Args:
        least: the share of the description that an entry must save.
        most: entries, at most.
    """
    description = Description(graphs)
    entries: list[Entry] = []

    def add(move: Move, edges: Array) -> None:
        before = description.units
        description.change(edges, move.cut)
        entries.append(Entry(*move, (before - description.units) / UNIT, len(edges)))

    for move in prefix:
        types = graphs.types[DEPTHS.index(move.depth)]
        add(move, np.flatnonzero(graphs.free & (types == np.uint64(move.type))))
    edges_of = {(depth, kind): edges for depth, kind, edges in candidates(graphs)}
    moves = [Move(*key, cut) for key in edges_of for cut in (True, False)]
    # Ties: the shallow type first, cuts first, then by hash.
    heap: list[tuple[int, int, bool, int, int]] = []
    swept = -1  # the step at which all gains were computed
    while moves and len(entries) < most:
        step = len(entries)
        if not heap or (heap[0][-1] == step and -heap[0][0] <= least * description.units):
            if swept == step:
                break
            swept = step
            heap = [
                (-description.gain(edges_of[move[:2]], move.cut), move.depth, not move.cut,
                 move.type, step)
                for move in moves
            ]  # fmt: skip
            heapq.heapify(heap)
            continue
        gain, depth, keeps, kind, at = heap[0]
        edges = edges_of[depth, kind]
        if at == step:
            add(Move(depth, kind, not keeps), edges)
        else:
            gain = -description.gain(edges, not keeps)
            heapq.heapreplace(heap, (gain, depth, keeps, kind, step))
    return entries, description


def best_list(graphs: ColouredGraphs, few: ColouredGraphs, least: float = LEAST) -> Search:
    """Learn from several beginnings, and return the list with the shortest description.

    The greedy search can end in a division that is good but not the best: in peptides the bond on
    either side of the amide bond saves more at first. It is therefore begun with each of the types
    that save most, and with rings cut off from the rest: on `few` graphs, and from the best of
    these beginnings on all.
    """
    start, moves = Description(few), list[tuple[int, Move]]()
    rings: list[Move] = []
    for depth, kind, edges in candidates(few):
        move = Move(depth, kind, True)
        moves.append((-start.gain(edges, True), move))
        if depth == -1 and few.in_ring[few.ends[:, edges[0]]].any():
            rings.append(move)
    first = [[move] for gain, move in sorted(moves)[:STARTS] if gain < 0]
    prefixes = [*(first or [[]]), *([rings] if rings else [])]
    best: dict[int, tuple[list[Move], Search]] = {}  # by their lengths, each once
    for prefix in prefixes:
        search = learn(few, prefix, least)
        best.setdefault(search[1].units, (prefix, search))
    finalists = [best[units] for units in sorted(best)[:FINALISTS]]
    if few is graphs:
        entries, description = finalists[0][1]
    else:
        searches = [learn(graphs, prefix, least) for prefix, _ in finalists]
        entries, description = min(searches, key=lambda search: search[1].units)
    whole = Description(graphs)
    # Entries of a beginning need not save anything.
    return (entries, description) if description.units < (1 - least) * whole.units else ([], whole)


def candidates(graphs: ColouredGraphs) -> Iterator[tuple[int, int, Array]]:
    """Yield depth, type and edges of every type that enough free edges have."""
    free = np.flatnonzero(graphs.free)
    for depth, types in zip(DEPTHS, graphs.types, strict=True):
        order = free[np.argsort(types[free], kind="stable")]
        kinds, first, often = np.unique(types[order], return_index=True, return_counts=True)
        for kind, begin, count in zip(kinds.tolist(), first, often, strict=True):
            if count >= max(FEWEST, RAREST * len(free)):
                yield depth, kind, order[begin : begin + count]
