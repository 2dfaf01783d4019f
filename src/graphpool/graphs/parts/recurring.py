"""`RecurringParts`: which parts a set of graphs is made of, learned from what recurs in it.

A part is a piece that occurs again and again: a residue in peptides, a ring or a group in
molecules. What to cut is learned from labels of nodes and edges, without classes or targets, as
the division by which the training graphs take the fewest bits (see `learn`).

An edge is cut or kept as the last entry of the list says that matches its type; no entry matches
edges of types that are not in it, which are kept. Parts are the components that are left. A part
of more than `largest` nodes, which only unusual graphs have, is divided into places by rings and
modularity; so is every graph if nothing recurs and the list is empty. Directions and labels count;
weights, self-loops and attributes don't.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import torch

from graphpool.errors import DataError, check_type, check_whole
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.hashing import Array
from graphpool.graphs.parts.colours import DEPTHS, ColouredGraphs
from graphpool.graphs.parts.fallback import divide_large
from graphpool.graphs.parts.learn import Description, Entry, best_list
from graphpool.graphs.parts.loops import components, describe
from graphpool.graphs.parts.naming import entry_words, part_name
from graphpool.graphs.places.find import Places
from graphpool.graphs.places.rule import PlaceRule

SAMPLE, FEW = 120_000, 30_000  # nodes of the graphs that are learned from, first and last
EDGES = 2  # for each of these nodes, at most
LARGEST = 32  # nodes of a part
MOST_TYPES = 20_000  # of a vocabulary


@dataclass(frozen=True)
class PartType:
    """A part that recurs.

    Args:
        type: 64-bit hash of its nodes, its edges and where it was cut off.
        count: how often it occurs in the training graphs.
        nodes: how many it has.
        name: a formula of its labels, such as `C6 · 1 ring`.
        graph: the id of a training graph that has it, and `example` its nodes there.
    """

    type: int
    count: int
    nodes: int
    name: str
    graph: str
    example: tuple[int, ...]


class PartsFound(NamedTuple):
    """The parts of some graphs: `places`, and of each part its `kind` and `type`.

    `kind` `[parts]` int64 is the position in the vocabulary, -1 for a type that is not in it;
    `type` `[parts]` uint64 the hash. Parts are in the order of graphs and of clusters.
    """

    places: Places
    kind: Array
    type: Array


@dataclass(frozen=True, eq=False)
class RecurringParts:
    """A list of types of edges to cut or to keep, and the parts that it makes.

    Args:
        entries: the list; the last one that matches an edge decides.
        words: what each entry means, in words.
        vocabulary: types of parts in the training graphs, the most frequent first.
        largest: nodes of a part; larger ones are divided by rings and modularity.
        graphs, nodes, parts: their numbers in the training graphs.
        bits: the description length of the sample that the list was learned from: undivided,
            and with its parts.
    """

    entries: tuple[Entry, ...]
    words: tuple[str, ...]
    vocabulary: tuple[PartType, ...]
    largest: int = LARGEST
    graphs: int = 0
    nodes: int = 0
    parts: int = 0
    bits: tuple[float, float] = (0.0, 0.0)

    @classmethod
    def fit(cls, graphs: GraphSet, *, largest: int = LARGEST, sample: int = SAMPLE
            ) -> "RecurringParts":  # fmt: skip
        """Learn the parts of training graphs.

        Args:
            graphs: with labels of nodes, of edges or of both; without any, structure alone counts.
            largest: nodes of a part.
            sample: the list is learned from evenly spaced graphs of about this many nodes in all;
                parts are then counted in all graphs.
        """
        check_type("graphs", graphs, GraphSet, "a GraphSet")
        check_whole("largest", largest, 1)
        check_whole("sample", sample, 1)
        if not len(graphs):
            raise DataError(f"{graphs.name} has no graphs; parts are learned from some")
        graphs = graphs.to("cpu")
        chosen = spaced(graphs, sample)
        learned = ColouredGraphs.of(chosen)
        few = spaced(chosen, min(FEW, sample))
        whole = Description(learned).bits
        entries, description = best_list(
            learned, learned if few is chosen else ColouredGraphs.of(few)
        )
        words = tuple(entry_words(entry, learned, chosen) for entry in entries)
        parts = cls(tuple(entries), words, (), largest)
        found = parts.apply(graphs)
        return cls(
            parts.entries, words, _vocabulary(graphs, found), largest,
            len(graphs), graphs.num_nodes, len(found.type), (whole, description.bits),
        )  # fmt: skip

    def apply(self, graphs: GraphSet) -> PartsFound:
        """Find the parts of any graphs."""
        check_type("graphs", graphs, GraphSet, "a GraphSet")
        coloured = ColouredGraphs.of(graphs)
        everything = np.arange(len(graphs))
        part = np.zeros(graphs.num_nodes, dtype=np.int64)
        counts = np.zeros(len(graphs), dtype=np.int64)
        slots, node_ptr = coloured.slots, coloured.node_ptr
        components(*slots[:3], self.cuts(coloured), node_ptr, everything, part, counts)
        divide_large(coloured, part, counts, self.largest if self.entries else 0)
        types = np.zeros(graphs.num_nodes, dtype=np.uint64)
        bits, ports, size = (np.zeros(graphs.num_nodes, dtype=np.int64) for _ in range(3))
        none = np.zeros(max(graphs.num_nodes, coloured.edges) + 1, dtype=np.int64)
        describe(
            *slots, node_ptr, everything, part, counts, coloured.colours[1], none, none, none,
            types, bits, ports, size,
        )  # fmt: skip
        position = np.arange(graphs.num_nodes) - np.repeat(node_ptr[:-1], np.diff(node_ptr))
        types = types[position < np.repeat(counts, np.diff(node_ptr))]
        places = Places(torch.from_numpy(part), torch.from_numpy(counts))
        return PartsFound(places.to(graphs.device), self._kinds(types), types)

    def cuts(self, graphs: ColouredGraphs) -> Array:
        """Return which edges the list cuts, `[edges]`."""
        cut = np.zeros(graphs.edges, dtype=np.bool_)
        for entry in self.entries:
            matches = graphs.types[DEPTHS.index(entry.depth)] == np.uint64(entry.type)
            cut[matches & graphs.free] = entry.cut
        return cut

    def attach(self, graphs: GraphSet) -> GraphSet:
        """Return the same graphs, which answer `places(parts.rule)` with these parts."""
        if self.rule in graphs._places:
            return graphs
        return graphs.with_places({self.rule: self.apply(graphs).places})

    @property
    def rule(self) -> PlaceRule:
        """The rule under which these parts are places of graphs."""
        return PlaceRule(units="recurring", learned=self.digest)

    @cached_property
    def digest(self) -> str:
        """A digest of what decides about parts: the list and the largest size."""
        content = [self.largest, *([*entry[:2], bool(entry.cut)] for entry in self.entries)]
        return hashlib.sha256(json.dumps(content).encode()).hexdigest()[:16]

    @cached_property
    def covered(self) -> float:
        """The share of the training graphs' nodes in parts whose type occurs at least twice."""
        recurring = sum(each.count * each.nodes for each in self.vocabulary if each.count > 1)
        return recurring / max(self.nodes, 1)

    def to_dict(self, most: int | None = None) -> dict[str, Any]:
        """Return plain values for JSON, from which `from_dict` makes the same parts.

        Args:
            most: types of parts to keep, the most frequent; all by default.
        """
        return {
            "largest": self.largest,
            "graphs": self.graphs,
            "nodes": self.nodes,
            "parts": self.parts,
            "bits": list(self.bits),
            "entries": [
                {**entry._asdict(), "type": f"{entry.type:016x}", "words": words}
                for entry, words in zip(self.entries, self.words, strict=True)
            ],
            "vocabulary": [
                {**vars(each), "type": f"{each.type:016x}", "example": list(each.example)}
                for each in self.vocabulary[:most]
            ],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "RecurringParts":
        """Return the parts that `to_dict` wrote; anything else is an error."""
        from graphpool.graphs.parts.document import read_parts

        return read_parts(data)

    @cached_property
    def _sorted(self) -> tuple[Array, Array]:
        types = np.array([each.type for each in self.vocabulary], dtype=np.uint64)
        order = np.argsort(types, kind="stable")
        return types[order], order

    def _kinds(self, types: Array) -> Array:
        known, order = self._sorted
        if not len(known):
            return np.full(len(types), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(known, types), len(known) - 1)
        return np.where(known[at] == types, order[at], -1).astype(np.int64)


def spaced(graphs: GraphSet, nodes: int) -> GraphSet:
    """Return evenly spaced graphs with about this many nodes in all, and few edges for a node."""
    share = min(nodes / graphs.num_nodes, 2 * EDGES * nodes / max(graphs.num_edges, 1))
    if share >= 1:
        return graphs
    count = max(1, int(share * len(graphs)))
    return graphs[np.linspace(0, len(graphs) - 1, count).round().astype(np.int64)]


def _vocabulary(graphs: GraphSet, found: PartsFound) -> tuple[PartType, ...]:
    """Count the types of parts, the most frequent first, then by hash."""
    types, first, often = np.unique(found.type, return_index=True, return_counts=True)
    chosen = np.lexsort((types, -often))[:MOST_TYPES]
    counts = found.places.counts.numpy()
    owner = np.repeat(np.arange(len(graphs)), counts)
    begin = np.cumsum(counts) - counts
    cluster, node_ptr = found.places.cluster.numpy(), graphs.node_ptr.numpy()
    vocabulary = []
    for at in chosen.tolist():
        graph = int(owner[first[at]])
        inside = cluster[node_ptr[graph] : node_ptr[graph + 1]] == first[at] - begin[graph]
        nodes = tuple(np.flatnonzero(inside).tolist())
        name = part_name(graphs, graph, nodes)
        vocabulary.append(
            PartType(int(types[at]), int(often[at]), len(nodes), name, graphs.ids[graph], nodes)
        )
    return tuple(vocabulary)
