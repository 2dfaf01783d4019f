"""The page about a set of graphs: what it holds, and examples of it drawn."""

from collections.abc import Sequence

import numpy as np

from graphpool.features import FeaturePipeline
from graphpool.features.summary import features_text
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.statistics import Statistics, statistics
from graphpool.graphs.vocabulary import is_labels
from graphpool.report.data import (
    Array,
    CountPlot,
    FigureRow,
    FigureTable,
    HeroFigure,
    Report,
    ValuePlot,
)
from graphpool.report.draw.comparison_pictures import MOST_EDGES, MOST_NODES
from graphpool.report.draw.molecule import MOST_ATOMS
from graphpool.report.draw.side import node_labels, set_side
from graphpool.report.draw.svg import figure
from graphpool.report.pictures import ExampleGraph, ExampleGroup

MOST_GRAPHS = 12  # of a page with one group
FEW, OF_FEW, OF_MANY = 3, 8, 4  # of a group, where there are a few or many of them
MOST_GROUPS = 8


def set_report(graphs: GraphSet, facts: Statistics | None = None, command: str = "") -> Report:
    """Collect what the page about a set shows.

    Args:
        facts: of `graphpool.graphs.statistics`, if they are known already.
        command: that makes the page.
    """
    facts = facts or statistics(graphs)
    yes_no = graphs.target is not None and is_labels(graphs.target)
    groups = _groups(graphs, yes_no)
    kind = f"{'directed' if facts.directed else 'undirected'}{', weighted' * facts.weighted}"
    hero = [
        HeroFigure("Graphs", figure(facts.graphs), "", kind),
        HeroFigure("Nodes", figure(facts.nodes.mean), "", "of a graph, on average"),
        HeroFigure("Edges", figure(facts.edges.mean), "", "of a graph, on average"),
    ]
    if facts.classes:
        hero.append(HeroFigure("Classes", figure(len(facts.classes)), "", "to tell apart"))
    elif facts.targets:
        what = "yes or no, for each graph" if yes_no else "numbers to predict"
        hero.append(HeroFigure("Targets", figure(len(facts.targets)), "", what))
    dataset: dict[str, str | int | float] = {
        "connected graphs": facts.connected_graphs,
        "isolated nodes": facts.isolated_nodes,
        "self-loops": facts.self_loops,
    }
    if facts.duplicates is not None:
        dataset["graphs that repeat an earlier one"] = facts.duplicates.repeated
    sides = [each.graph for group in groups for each in group.graphs]
    return Report(
        title=graphs.name,
        subtitle="What is in the set, and some of its graphs.",
        command=command,
        hero=hero,
        dataset=dataset,
        counts=_counts(facts),
        spreads=_spreads(graphs, facts, yes_no),
        tables=[_label_table(graphs)] if yes_no else [],
        examples=groups,
        examples_title="Some of its graphs",
        examples_words=_words(facts, groups),
        labels=node_labels(sides),
        environment={
            "features": features_text(FeaturePipeline().fit(graphs).about()),
            **{f"note {at}": note for at, note in enumerate(graphs.notes, start=1)},
        },
    )


def _words(facts: Statistics, groups: Sequence[ExampleGroup]) -> str:
    """Say in which order examples stand, and what was left out."""
    numbers = any(each.lines for group in groups for each in group.graphs)
    words = "From the lowest number to the highest." if numbers else "From small to large."
    kinds = max(len(facts.classes), len(facts.targets))
    return words + (f" Drawn are {MOST_GROUPS} of {kinds} groups." if kinds > MOST_GROUPS else "")


def _counts(facts: Statistics) -> list[CountPlot]:
    listed = (
        ("Classes", facts.classes, "graphs"),
        ("Node labels", facts.node_labels, "nodes"),
        ("Edge labels", facts.edge_labels, "edges"),
    )
    return [
        CountPlot(name, [(str(value), count) for value, count in counts], noun)
        for name, counts, noun in listed
        if counts
    ]


def _spreads(graphs: GraphSet, facts: Statistics, yes_no: bool) -> list[ValuePlot]:
    spreads = [
        ValuePlot("nodes of a graph", graphs.node_counts.cpu().numpy(), whole=True),
        ValuePlot("edges of a graph", _edge_counts(graphs, facts.directed), whole=True),
    ]
    if graphs.target is not None and not yes_no:
        values = graphs.target.cpu().double().numpy()
        spreads += [ValuePlot(name, values[:, at]) for at, name in enumerate(graphs.target_names)]
    return spreads


def _edge_counts(graphs: GraphSet, directed: bool) -> Array:
    """Edges of each graph, an undirected one counted once."""
    source, target = graphs.edge_index.cpu().numpy()
    once = np.ones(len(source), dtype=bool) if directed else source <= target
    owner = graphs.edge_graph.cpu().numpy()[once]
    return np.asarray(np.bincount(owner, minlength=len(graphs)))


def _label_table(graphs: GraphSet) -> FigureTable:
    """How many graphs have each label of a set with several."""
    assert graphs.target is not None
    values = graphs.target.cpu().numpy()
    rows = []
    for at, name in enumerate(graphs.target_names):
        yes, no = (int((values[:, at] == value).sum()) for value in (1, 0))
        share = yes / max(yes + no, 1)
        counts = {"yes, %": f"{100 * share:.1f}", "yes": figure(yes), "no": figure(no),
                  "unknown": figure(len(values) - yes - no)}  # fmt: skip
        rows.append(FigureRow(name, counts, share, learns=True))
    words = "How many graphs have each label; the bar is the share among those where it is known."
    return FigureTable("Labels", words, ["yes, %", "yes", "no", "unknown"], rows, first="Label")


def _groups(graphs: GraphSet, yes_no: bool) -> list[ExampleGroup]:
    """Graphs of each class or with each label, over the range of a target, or of all sizes."""
    sizes = graphs.node_counts.cpu().double().numpy()
    most = MOST_ATOMS if "smiles" in graphs.columns else MOST_NODES
    # Both directions of an edge are counted here.
    drawable = (sizes <= most) & (graphs.edge_counts.cpu().numpy() <= 2 * MOST_EDGES)
    if not drawable.any():
        drawable[:] = True
    chosen: dict[str, tuple[Array, Array]] = {}  # those that belong to a group, and their order
    if graphs.y is not None:
        codes = graphs.y.cpu().numpy()
        often = np.bincount(codes[codes >= 0], minlength=len(graphs.classes))
        for code in np.argsort(-often, kind="stable")[:MOST_GROUPS].tolist():
            chosen[f"Class {graphs.classes[code]}"] = codes == code, sizes
    elif graphs.target is not None:
        values = graphs.target.cpu().double().numpy()
        for at, name in enumerate(graphs.target_names[:MOST_GROUPS]):
            if yes_no:
                chosen[f"{name}: yes"] = values[:, at] == 1, sizes
            else:
                chosen[name] = np.isfinite(values[:, at]), values[:, at]
    else:
        chosen["All graphs"] = np.ones(len(graphs), dtype=bool), sizes
    each = MOST_GRAPHS if len(chosen) == 1 else OF_FEW if len(chosen) <= FEW else OF_MANY
    groups = []
    for title, (members, order) in chosen.items():
        found = np.flatnonzero(members & drawable)
        found = found[np.argsort(order[found], kind="stable")]
        if len(found) > each:
            found = found[np.linspace(0, len(found) - 1, each).round().astype(int)]
        left = int((members & ~drawable).sum())
        be = "is" if left == 1 else "are"
        note = f"{figure(left)} of its graphs {be} too large to be drawn." if left else ""
        numbers = graphs.target is not None and order is not sizes
        shown = [
            ExampleGraph(set_side(graphs, one), [f"{title} {order[one]:.4g}"] if numbers else [])
            for one in found.tolist()
        ]
        groups.append(ExampleGroup(title, shown, note))
    return groups
