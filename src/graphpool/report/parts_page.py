"""The page about parts that recur: the most frequent of them drawn, and what makes them."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Any

from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.parts import PartType, RecurringParts
from graphpool.graphs.parts.naming import RING, formula
from graphpool.report.data import FigureRow, FigureTable, HeroFigure, Report
from graphpool.report.draw.comparison_pictures import molecule_drawing
from graphpool.report.draw.fragment import fragment_smiles
from graphpool.report.draw.parted import parted_sides, usual_graphs
from graphpool.report.draw.side import node_labels, set_side
from graphpool.report.draw.svg import count_of, figure
from graphpool.report.pictures import ExampleGraph, ExampleGroup, Side

MOST_PARTS = 20
NO_CUT = (
    "Nothing recurs in these graphs that saves bits: parts are found by rings and modularity "
    "instead."
)


def named_parts(
    graphs: GraphSet, parts: RecurringParts, most: int = MOST_PARTS
) -> list[tuple[PartType, str, Side]]:
    """Return the most frequent parts, each with its name and ready to be drawn.

    The name is a SMILES where the set has those of its graphs and rdkit is there, else a formula.
    """
    position = {name: at for at, name in enumerate(graphs.ids)}
    return [_named(graphs, part, position[part.graph]) for part in parts.vocabulary[:most]]


def parts_document(graphs: GraphSet, parts: RecurringParts) -> dict[str, Any]:
    """Return what the page says as plain values for JSON."""
    content = parts.to_dict()
    return {
        "name": graphs.name,
        **{key: content[key] for key in ("graphs", "nodes", "parts", "largest", "bits")},
        "types": len(parts.vocabulary),
        "recurring_nodes": parts.covered,
        "digest": parts.digest,
        "entries": content["entries"],
        "most_frequent": [
            {
                "name": name, "formula": part.name, "type": f"{part.type:016x}",
                "count": part.count, "nodes": part.nodes, "share_of_nodes": _share(parts, part),
                "graph": part.graph, "example": list(part.example),
            }
            for part, name, _ in named_parts(graphs, parts)
        ],
    }  # fmt: skip


def parts_report(
    graphs: GraphSet, parts: RecurringParts, command: str = "", positions: Sequence[int] = ()
) -> Report:
    """Collect what the page about the parts of a set shows.

    Args:
        graphs: those that the parts were fitted on.
        command: that makes the page.
        positions: of the graphs that are drawn with their parts; by default a few of usual size.
    """
    named = named_parts(graphs, parts)
    frequent = [
        ExampleGraph(
            replace(side, title=f"{name}: {part.name}" if side.smiles else f"{name}: "),
            [
                _count(part.count, "time"),
                f"{count_of(part.nodes, 'node')}, {100 * _share(parts, part):.1f} % of all nodes",
            ],
        )
        for part, name, side in named
    ]
    held = f"{100 * sum(_share(parts, part) for part, _, _ in named):.0f} % of all nodes."
    several = len(named) > 1
    examples = _examples(graphs, parts, positions)
    groups = [
        ExampleGroup(
            f"The {len(named)} most frequent parts" if several else "The most frequent part",
            frequent,
            f"{'Together they hold' if several else 'It holds'} {held}{_cut_words(frequent)}",
        ),
        ExampleGroup("Graphs and their parts", examples, _colour_words(examples), wide=True),
    ]
    types = len(parts.vocabulary)
    return Report(
        title=f"The parts of {graphs.name}",
        subtitle="What its graphs are made of, found from what recurs in them."
        if parts.entries
        else "What its graphs are made of, by rings and modularity.",
        command=command,
        hero=[
            _saving(parts),
            HeroFigure("Parts", figure(parts.parts / max(parts.graphs, 1)), "", "of a graph"),
            HeroFigure("Kinds of parts", figure(types), "", f"among {_count(parts.parts, 'part')}"),
            HeroFigure("Recurring", f"{100 * parts.covered:.1f}", "%", "of nodes, in such parts"),
        ],
        verdict="" if parts.entries else NO_CUT,
        examples=groups,
        examples_title="What recurs" if parts.entries else "The parts",
        examples_words=(
            "Parts were learned from labels of nodes and edges alone, as the division by which "
            "the graphs take the fewest bits; classes and targets were not used."
            if parts.entries
            else "Each graph was divided by its own edges; labels, classes and targets were not "
            "used. Parts of one kind have the same nodes, edges and labels, and are cut off at the "
            "same nodes."
        ),
        examples_first=True,
        labels=node_labels([each.graph for group in groups for each in group.graphs]),
        tables=[_table(parts)],
        environment={"rule": parts.digest, "graphs": parts.graphs, "nodes": parts.nodes},
    )


def _saving(parts: RecurringParts) -> HeroFigure:
    """How much shorter the description is, or that it is not."""
    before, after = (figure(round(bits)) for bits in parts.bits)
    if not parts.entries:
        below = f"{before} bits describe the graphs undivided"
        return HeroFigure("Cuts that save bits", "0", "", below)
    saved = 100 * (1 - parts.bits[1] / parts.bits[0])
    short = f"{saved:.0f}" if saved >= 1 else f"{saved:.1f}"
    return HeroFigure("Description", f"−{short}", "%", f"{before} bits whole, {after} with parts")


def _count(amount: int, noun: str) -> str:
    """`1 time`, `2 times`, with thousands apart."""
    return f"{figure(amount)} {noun}{'s' * (amount != 1)}"


def _cut_words(parts: Sequence[ExampleGraph]) -> str:
    """What stands in the pictures where parts were cut off."""
    marks = [
        mark
        for mark, shown in (
            ("A star", any("*" in each.graph.smiles for each in parts)),
            ("A dashed circle", any(each.graph.beyond for each in parts)),
        )
        if shown
    ]
    return f" {' or '.join(marks).capitalize()} is where a part was cut off." if marks else ""


def _colour_words(shown: Sequence[ExampleGraph]) -> str:
    """What tells the parts of a graph apart in the pictures."""
    molecules = [molecule_drawing(each.graph) is not None for each in shown]
    ways = [
        way
        for way, used in (
            ("Atoms and bonds of a part lie on a band of its colour", any(molecules)),
            ("Nodes have the colour of their part, edges between parts are dashed",
             not all(molecules)),
        )
        if used
    ]  # fmt: skip
    return f"{'. '.join(ways)}; colours mean nothing beyond a graph."


def _share(parts: RecurringParts, part: PartType) -> float:
    return part.count * part.nodes / max(parts.nodes, 1)


def _named(graphs: GraphSet, part: PartType, position: int) -> tuple[PartType, str, Side]:
    side = _inside(set_side(graphs, position), part.example)
    smiles = fragment_smiles(side.smiles, part.example)
    if smiles:
        return part, smiles, _with_stars(side, smiles)
    _, dot, rings = part.name.partition(" · ")
    labels = side.labels[: part.nodes]
    return part, formula(labels) + dot + rings, replace(side, smiles="")


def _inside(side: Side, nodes: Collection[int]) -> Side:
    """A part of a graph as a graph of its own, with a node beyond it at each edge that was cut."""
    number = {node: at for at, node in enumerate(nodes)}
    labels = [side.labels[node] for node in nodes]
    edges = {}
    for (i, j), label in side.edges.items():
        if i in number or j in number:
            ends = []
            for node in (i, j):
                ends.append(number.get(node, len(labels)))
                labels += [""] * (node not in number)
            edges[ends[0], ends[1]] = label
    beyond = frozenset(range(len(nodes), len(labels)))
    return replace(side, slot=range(len(labels)), labels=labels, edges=edges, beyond=beyond)


def _with_stars(side: Side, smiles: str) -> Side:
    """A part of a molecule, drawn by the SMILES that has stars where it was cut off."""
    from graphpool.report.draw.molecule import draw_molecule

    drawing = draw_molecule(smiles)
    if drawing is None:
        return replace(side, smiles="")
    bonds = {(int(i), int(j)): "" for i, j in drawing.bonds}
    atoms = len(drawing.position)
    return replace(
        side, smiles=smiles, slot=range(atoms), labels=[""] * atoms, edges=bonds, beyond=frozenset()
    )


def _examples(
    graphs: GraphSet, parts: RecurringParts, positions: Sequence[int]
) -> list[ExampleGraph]:
    """The chosen graphs, or some of usual size, with their parts."""
    chosen = graphs[list(positions) or usual_graphs(graphs)]
    found = parts.apply(chosen)
    examples, begin = [], 0
    for side in parted_sides(chosen.with_places({parts.rule: found.places}), parts.rule):
        kinds = found.kind[begin : begin + max(side.part) + 1]
        begin += len(kinds)
        known = int((kinds >= 0).sum())
        lines = [count_of(len(kinds), "part"), f"{known} of kinds in the vocabulary"]
        examples.append(ExampleGraph(side, lines))
    return examples


def _table(parts: RecurringParts) -> FigureTable:
    """What is cut and what is kept, in words."""
    before, after = parts.bits
    total = max(before - after, 1.0)
    rows = [
        FigureRow(
            words,
            {"bits saved": figure(round(entry.gain)), "edges": figure(entry.edges)},
            max(entry.gain, 0.0) / total,
            learns=True,
        )
        for entry, words in zip(parts.entries, parts.words, strict=True)
    ]
    words = (
        "The list by which graphs are divided, in the order in which it was learned; the last "
        "entry that matches an edge decides. An end of an edge is written with its neighbours in "
        f"brackets, {RING} marks nodes in rings, and edges on rings of up to 8 nodes are never "
        "cut. Edges are those of the sample that the list was learned from."
    )
    return FigureTable("What is cut", words, ["bits saved", "edges"], rows, first="Entry")
