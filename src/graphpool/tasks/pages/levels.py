"""Curves of a training, and the levels of a trained hierarchy, for pages about models."""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.evaluation.format import percent
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.coarsen.health import effective_rank, level_health
from graphpool.nn.coarsen.outputs import PlaceOutput, PoolOutput
from graphpool.report.data import Curve, LevelHealth
from graphpool.report.draw.side import ELEMENTS
from graphpool.report.pictures import HierarchyExample, Level
from graphpool.tasks.base import TaskModel
from graphpool.tasks.place_text import counts_text
from graphpool.training.health_warnings import by_level
from graphpool.training.objective import evaluating

Array = NDArray[Any]


def learning_curve(
    label: str,
    history: Sequence[Mapping[str, Any]],
    best_epoch: int,
    metric: str = "accuracy",
    title: str = "Accuracy, %",
) -> Curve:
    """Collect loss and a metric of every epoch from the rows of a run's history."""
    return Curve(
        label=label,
        epochs=[row["epoch"] for row in history],
        train_loss=[row["train"]["loss"] for row in history],
        valid_loss=[row["valid"]["loss"] for row in history],
        # A metric that is no mean over graphs, such as ROC-AUC, is not measured while training.
        train_metric=[row["train"].get(metric, math.nan) for row in history],
        valid_metric=[row["valid"][metric] for row in history],
        best_epoch=best_epoch,
        metric=title,
    )


def hierarchy_example(
    model: TaskModel,
    graphs: GraphSet,
    position: int,
    answers: tuple[str, str],
    places: bool,
    judged: bool = True,
) -> HierarchyExample:
    """Collect one graph at every level of its hierarchy.

    Args:
        answers: the true and the predicted one.
        judged: whether the prediction is right or wrong.
        places: whether the first clusters are places.
    """
    chosen = graphs[[position]]
    with evaluating(model.network):
        trace = model.network.trace(model.prepare(chosen).batch())
    health = by_level(level_health(trace))
    source, target = chosen.edge_index.long().cpu().numpy()
    nodes = chosen.num_nodes
    adjacency = np.zeros((nodes, nodes))
    adjacency[target, source] = 1.0
    levels = []
    for number, level in enumerate((*trace.levels, None), start=1):
        assignment = None if level is None else assignment_of(level, nodes)
        levels.append(
            Level(
                adjacency=adjacency,
                assignment=assignment,
                node_labels=_symbols(chosen) if number == 1 else None,
                health=_named(
                    health.get(number, {}), "places" if places and number == 1 else "clusters"
                ),
            )
        )
        if level is not None:
            nodes = int(level.counts[0])
            if isinstance(level.adjacency, Adjacency):
                adjacency = level.adjacency.dense().cpu().double().numpy()
            else:
                # A level may be wider than this graph has clusters.
                adjacency = level.adj[0, :nodes, :nodes].cpu().double().numpy()
    return HierarchyExample(
        graph=f"{chosen.ids[0]} of {graphs.name}",
        true_class=answers[0],
        predicted_class=answers[1],
        levels=levels,
        places=places,
        judged=judged,
        smiles=chosen.columns.get("smiles", ("",))[0],
    )


def typical_graph(model: TaskModel, graphs: GraphSet) -> int:
    """Return the graph nearest to the mean in size and in the effective rank of its clusters.

    The number of places counts in place of the rank where places are hard.
    """
    with evaluating(model.network):
        levels = model.network.levels(model.prepare(graphs).batch())
    figures = [graphs.node_counts.cpu().double().numpy()]
    if levels and isinstance(levels[0], PlaceOutput):
        figures.append(levels[0].counts.cpu().double().numpy())
    elif levels and levels[0].assignment is not None:
        figures.append(effective_rank(levels[0]).cpu().numpy())
    distance = np.zeros(len(graphs))
    for values in figures:
        spread = float(values.std()) or 1.0
        distance += np.abs(values - values.mean()) / spread
    return int(distance.argmin())


def health_rows(metrics: Mapping[str, float | None], places: bool = False) -> list[LevelHealth]:
    """Make a row per level of clusters from metrics named `level1/effective_rank` and so on.

    Args:
        places: whether the first clusters are places.
    """
    return [
        LevelHealth(
            level=number,
            clusters=float(values["clusters"] or 0),
            effective_rank=values.get("effective_rank"),
            clusters_in_use=values.get("clusters_used"),
            entropy=values.get("entropy"),
            off_identity=values.get("off_identity"),
            places=number == 1 and places,
        )
        for number, values in by_level(metrics).items()
        if "clusters" in values
    ]


def assignment_of(level: PoolOutput, nodes: int) -> Array:
    """The assignment of a single graph, `[nodes, clusters]`, from a ragged or a dense level.

    A node that is kept becomes itself; the rows of the others are zeros.
    """
    if level.selection is not None:
        index = level.selection.index.cpu().numpy()
        share = np.zeros((nodes, len(index)))
        share[index, np.arange(len(index))] = 1.0
        return share
    assert level.assignment is not None, "group poolers have an assignment"
    rows = level.assignment.flatten(0, -2)[:nodes, : int(level.counts[0])]
    return np.asarray(rows.cpu().double().numpy())


def _named(health: Mapping[str, float], noun: str) -> dict[str, float]:
    """The figures of a level that a page shows, by their titles."""
    words = {
        "effective_rank": "effective rank",
        "clusters_used": f"{noun} in use",
        "kept": "nodes kept",
    }
    return {words[name]: value for name, value in health.items() if name in words}


def _symbols(graphs: GraphSet) -> list[str] | None:
    """A short text for each node: the element where we know it, else the label."""
    if graphs.node_label is None:
        return None
    elements = ELEMENTS.get(graphs.name, {})
    names = [elements.get(str(name), str(name)) for name in graphs.node_label_names]
    return [names[code] if code >= 0 else "" for code in graphs.node_label.tolist()]


def health_lines(health: Mapping[str, float], places: dict[str, int | float] | None) -> list[str]:
    """One line for each level that keeps nodes or has more than one cluster, on test graphs.

    Args:
        places: of the whole set, whose first level has them for clusters.
    """
    lines = []
    for number, values in by_level(health).items():
        if (kept := values.get("kept")) is not None:
            lines.append(f"Level {number}: {kept:.1f} nodes of a test graph are kept")
            continue
        own = defaultdict(lambda: math.nan, values)
        called = f"{own['clusters']:.0f} clusters"
        if places and number == 1:
            called = counts_text(places)
        if "effective_rank" not in values:  # hard places
            lines.append(f"Level {number}: {called}")
            continue
        lines.append(
            f"Level {number}: {called}; test graphs use {own['clusters_used']:.1f}, effective rank "
            f"{own['effective_rank']:.2f}, entropy {own['entropy']:.2f}, "
            f"{percent(own['off_identity'])} of the coarse weight between clusters"
        )
    return lines
