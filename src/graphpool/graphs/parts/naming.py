"""Words for parts and for types of edges, from the names of labels."""

from collections import Counter
from collections.abc import Collection, Sequence

import numpy as np

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.parts.colours import DEPTHS, ColouredGraphs
from graphpool.graphs.parts.learn import Entry
from graphpool.graphs.vocabulary import Name

# Bonds as in SMILES; edges with other labels are written with the label.
_BONDS = {"single": "-", "double": "=", "triple": "#", "aromatic": ":"}
RING = "°"  # behind the label of a node in a ring


def part_name(graphs: GraphSet, graph: int, nodes: Collection[int]) -> str:
    """Return a formula of some nodes of a graph, such as `C6 · 1 ring`."""
    begin = int(graphs.node_ptr[graph])
    members = set(nodes)
    low, high = int(graphs.edge_ptr[graph]), int(graphs.edge_ptr[graph + 1])
    source, target = graphs.edge_index[:, low:high].tolist()
    edges = {
        frozenset(ends)
        for ends in zip(source, target, strict=True)
        if members.issuperset(ends) and len(set(ends)) == 2
    }
    rings = len(edges) - len(members) + 1
    labels = [label_at(graphs, begin + node) for node in sorted(members)]
    ring = f" · {rings} ring{'s' * (rings > 1)}" if rings > 0 else ""
    return formula(labels) + ring


def formula(labels: Sequence[str]) -> str:
    """Return labels with their counts: `C4NO` for elements, `2 call, 1 loop` for words."""
    counts = Counter(labels)
    if set(counts) <= {""}:
        return f"{len(labels)} node{'s' * (len(labels) != 1)}"
    if all(len(name) <= 2 and name[:1].isupper() for name in counts):
        # Carbon first, as chemists write it, then by name.
        order = sorted(counts, key=lambda name: (name != "C", name))
        return "".join(f"{name}{counts[name] if counts[name] > 1 else ''}" for name in order)
    order = sorted(counts, key=lambda name: (-counts[name], name))
    return ", ".join(f"{counts[name]} × {name or 'none'}" for name in order[:6])


def label_at(graphs: GraphSet, node: int) -> str:
    """Return the label of a node by its position in the set, "" for none."""
    return _name(graphs.node_label, graphs.node_label_names, node)


def _name(codes: object, names: Sequence[Name], at: int) -> str:
    if codes is None:
        return ""
    code = int(codes[at])  # type: ignore[index]
    return "" if code < 0 else str(names[code]) if names else str(code)


def entry_words(entry: Entry, graphs: ColouredGraphs, given: GraphSet) -> str:
    """Say what an entry cuts or keeps, by an example of its edges.

    An end is a label, `°` if it is in a ring, and with depth its neighbours in brackets.
    """
    matches = graphs.free & (graphs.types[DEPTHS.index(entry.depth)] == np.uint64(entry.type))
    verb = "cut" if entry.cut else "keep"
    if not matches.any():
        return f"{verb} a type that the graphs don't have"
    u, v = graphs.ends[:, int(np.argmax(matches))].tolist()
    bond = _bond(graphs, given, u, v)
    if entry.depth < 0:
        kinds = ["ring" if graphs.in_ring[node] else "chain" for node in (u, v)]
        what = " to ".join(sorted(kinds, reverse=True))
        words = {mark: f"{name} bonds" for name, mark in _BONDS.items()}
        if given.edge_label is None or bond not in words:
            label = bond.strip("-[]")
            words[bond] = f"edges labelled {label}" if label else "edges"
        return f"{verb} {words[bond]} from {what}"
    ends = sorted(_around(graphs, given, node, {u, v}, entry.depth) for node in (u, v))
    return f"{verb} {ends[0]} {bond} {ends[1]}"


def _around(
    graphs: ColouredGraphs, given: GraphSet, node: int, behind: Collection[int], depth: int
) -> str:
    """Write a node and its neighbours, but those behind, to a depth."""
    word = (label_at(given, node) or "node") + RING * bool(graphs.in_ring[node])
    if depth <= 0:
        return word
    near = graphs.col[graphs.row_ptr[node] : graphs.row_ptr[node + 1]].tolist()
    branches = sorted(
        _bond(graphs, given, node, other).replace("-", "")
        + _around(graphs, given, other, {node}, depth - 1)
        for other in near
        if other not in behind
    )
    return f"{word}({', '.join(branches)})" if branches else f"{word}()"


def _bond(graphs: ColouredGraphs, given: GraphSet, u: int, v: int) -> str:
    """Return a sign for the label of an edge; the signs of both ways if they differ."""
    source, target = given.flat_edges
    found = dict.fromkeys(
        _name(given.edge_label, given.edge_label_names, int(at))
        for way in ((u, v), (v, u))
        for at in ((source == way[0]) & (target == way[1])).nonzero()[:1]
    )
    words = [_BONDS.get(name, f"-[{name}]-" if name else "-") for name in found]
    return "/".join(words)
