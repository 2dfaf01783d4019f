"""Clusters: test graphs whose nodes show how trained networks group them on the first level."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import ConfigError, DataError
from graphpool.experiments.experiment import FOLDER
from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.figures.kind import FigureKind, MeasuredSet, Numbers
from graphpool.experiments.figures.trained import TrainedUnit
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.health import clusters_used, effective_rank
from graphpool.nn.coarsen.outputs import PlaceOutput
from graphpool.report.draw.cluster_grid import Clustered, DrawnGraph, cluster_grid
from graphpool.report.draw.side import set_side
from graphpool.report.draw.svg import count_of
from graphpool.tasks.pages.levels import assignment_of

SPARE = 4  # graphs that are measured for each that is drawn, since all networks must be right
SCALE = 1000  # of stored shares

Array = NDArray[Any]
Item = TypeVar("Item", int, str)


class ClusterKind(FigureKind):
    """A row for each graph, a column for each method."""

    def request(self, figure: FigureEntry, data: str) -> Numbers:
        """Which graphs are asked for."""
        return {"asked": figure.ids.get(data, figure.most_graphs)}

    def measure(self, figure: FigureEntry, trained: TrainedUnit) -> tuple[Numbers, Numbers]:
        """Edges and labels of some test graphs, and shares of their nodes in clusters."""
        graphs, data = trained.graphs, trained.unit.data.name
        wanted = figure.ids.get(data)
        where = f"{FOLDER}/{trained.experiment}.toml: figure {figure.name}"
        chosen = (
            medium_graphs(graphs, trained.split.test)[: SPARE * figure.most_graphs]
            if wanted is None
            else _positions(graphs, trained.split.test, wanted, f"{where}: {data}")
        )
        assert graphs.y is not None
        facts, numbers = {}, {}
        for position in chosen:
            side, name = set_side(graphs, position), graphs.ids[position]
            facts[name] = {
                "class": int(graphs.y[position]),
                "nodes": len(side.labels),
                "labels": list(side.labels) if any(side.labels) else [],
                "edges": " ".join(f"{i}-{j}" for i, j in sorted(side.edges)),
            }
            numbers[name] = _clusters(trained, position, where)
        return {"graphs": facts}, {"accuracy": trained.accuracy, "graphs": numbers}

    def draw(self, figure: FigureEntry, sets: Sequence[MeasuredSet]) -> str | None:
        """Draw the graphs that are asked for; None while one of them is missing."""
        columns = list(dict.fromkeys(title for data in sets for title, _ in data.methods))
        rows = []
        for data in sets:
            asked = figure.ids.get(data.name, figure.most_graphs)
            if any(numbers["asked"] != asked for _, numbers in data.methods):
                return None
            names = asked if isinstance(asked, list) else drawn_graphs(data, asked)
            rows += [_row(data, name) for name in names]
        return cluster_grid(columns, rows, figure.title) if rows else None


def medium_graphs(graphs: GraphSet, tested: Sequence[int]) -> list[int]:
    """Positions of test graphs, those of medium size first, classes in turn.

    Of a class those come first whose number of nodes is nearest to the median of all test graphs,
    and of equally near ones the first in the set.
    """
    assert graphs.y is not None
    positions = np.sort(np.array(tested, dtype=np.int64))
    sizes = graphs.node_counts.cpu().numpy()[positions]
    order = positions[np.argsort(np.abs(sizes - np.median(sizes)), kind="stable")].tolist()
    return in_turn(order, [int(graphs.y[position]) for position in order])


def drawn_graphs(data: MeasuredSet, most: int) -> list[str]:
    """Names of the first graphs that all networks classify correctly, classes in turn.

    Others follow if these are too few.
    """
    names = list(data.facts["graphs"])
    right = [name for name in names if not _wrong(data, name)]
    turns = in_turn(right, [data.facts["graphs"][name]["class"] for name in right])
    return (turns + [name for name in names if name not in right])[:most]


def in_turn(items: Sequence[Item], classes: Sequence[int]) -> list[Item]:
    """Sort items so that the first of every class come first, then the second ones, and so on."""
    seen: Counter[int] = Counter()
    rank = []
    for each in classes:
        rank.append(seen[each])
        seen[each] += 1
    return [items[at] for at in sorted(range(len(items)), key=lambda at: rank[at])]


def _wrong(data: MeasuredSet, name: str) -> list[str]:
    """Titles of the methods that do not classify a graph correctly."""
    true = data.facts["graphs"][name]["class"]
    return [title for title, each in data.methods if each["graphs"][name]["predicted"] != true]


def _positions(
    graphs: GraphSet, tested: Sequence[int], names: Sequence[str], where: str
) -> list[int]:
    known = {graphs.ids[position]: position for position in sorted(tested)}
    for name in names:
        if name not in known:
            raise DataError(
                f"{where} has no test graph {name!r} in the first fold; name some of "
                f"{', '.join(list(known)[:12])} … in ids"
            )
    return [known[name] for name in names]


def _clusters(trained: TrainedUnit, position: int, where: str) -> Numbers:
    """Shares of the nodes of one graph, and how many clusters they make."""
    graph, model = trained.graphs[[position]], trained.model
    level = next(iter(model.levels(graph)), None)
    if level is None or level.assignment is None:
        raise ConfigError(
            f"{where}: {trained.unit.method} assigns no nodes to clusters; leave it out of methods"
        )
    share = assignment_of(level, graph.num_nodes)
    (predicted,) = model.probabilities(graph).argmax(axis=1).tolist()
    return {
        "predicted": predicted,
        "places": isinstance(level, PlaceOutput),
        "clusters": share.shape[1],
        "used": int(clusters_used(level)),
        "effective rank": round(float(effective_rank(level)), 4),
        "shares": " ".join(map(str, np.rint(SCALE * share).astype(int).ravel().tolist())),
    }


def _row(data: MeasuredSet, name: str) -> DrawnGraph:
    """One graph with the clusters of every method."""
    facts = data.facts["graphs"][name]
    nodes = facts["nodes"]
    edges = [tuple(map(int, edge.split("-"))) for edge in facts["edges"].split()]
    adjacency = np.zeros((nodes, nodes))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1.0
    wrong = _wrong(data, name)
    read = f"; wrong: {', '.join(wrong)}" if wrong else ""
    return DrawnGraph(
        title=f"{data.name}, test graph {name}: {nodes} nodes, {len(edges)} edges, "
        f"class {facts['class']}{read}",
        adjacency=adjacency,
        labels=facts["labels"] or [""] * nodes,
        clustered={title: _clustered(numbers["graphs"][name]) for title, numbers in data.methods},
    )


def _clustered(numbers: Numbers) -> Clustered:
    count = numbers["clusters"]
    share = np.array(numbers["shares"].split(), dtype=float).reshape(-1, count) / SCALE
    used = (
        count_of(count, "place")
        if numbers["places"]
        else f"{numbers['used']} of {count} clusters used"
    )
    words = f"{used}, effective rank {numbers['effective rank']:.2f}"
    return Clustered(share, words, numbers["places"])
