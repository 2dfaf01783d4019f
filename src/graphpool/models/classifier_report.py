"""The parts of a report: rows of an experiment; curves, map and hierarchy of a trained model."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.config import ModelConfig
from graphpool.experiments.methods import EVALUATED
from graphpool.experiments.results import ExperimentResult
from graphpool.graphs.adjacency import Adjacency
from graphpool.graphs.graphset import GraphSet, Name
from graphpool.models.classifier import TrainedModel, align_classes
from graphpool.nn.coarsen.health import effective_rank, level_health
from graphpool.nn.coarsen.outputs import PoolOutput
from graphpool.nn.zoo.build import place_rule
from graphpool.report.data import (
    Curve,
    EmbeddingPlot,
    Family,
    HierarchyExample,
    Level,
    LevelHealth,
    ResultRow,
)
from graphpool.tasks.base import device_of, evaluating
from graphpool.training.select_place_rule import place_rules

Array = NDArray[Any]

_ELEMENTS: dict[str, dict[Name, str]] = {
    # The TU archive's README for MUTAG: what its seven node labels stand for.
    "MUTAG": {0: "C", 1: "N", 2: "O", 3: "F", 4: "I", 5: "Cl", 6: "Br"},
}


def result_rows(result: ExperimentResult) -> list[ResultRow]:
    """Every method of an experiment; the first one is what the page is about."""
    rows = []
    for method in result.methods:
        accuracies = result.accuracies(method)
        if not accuracies:
            continue
        family: Family = "ours" if method == result.methods[0] else "baseline"
        if method == "majority":
            family = "rule"
        note = EVALUATED[method].summary
        rows.append(ResultRow(method, family, accuracies, note, result.overlap))
    return rows


def learning_curve(label: str, history: Sequence[Mapping[str, Any]], best_epoch: int) -> Curve:
    """Loss and accuracy of every epoch, from the rows of a run's history."""
    return Curve(
        label=label,
        epochs=[row["epoch"] for row in history],
        train_loss=[row["train"]["loss"] for row in history],
        valid_loss=[row["valid"]["loss"] for row in history],
        train_accuracy=[row["train"]["accuracy"] for row in history],
        valid_accuracy=[row["valid"]["accuracy"] for row in history],
        best_epoch=best_epoch,
    )


def graph_map(model: TrainedModel, graphs: GraphSet, note: str) -> EmbeddingPlot:
    """The vector of every graph, with its class and the model's answer."""
    graphs = align_classes(graphs, model.classes)
    assert graphs.y is not None
    return EmbeddingPlot(
        vectors=model.embed(graphs),
        y=graphs.y.cpu().numpy(),
        class_names=[f"class {name}" for name in model.classes],
        ids=[f"graph {name}" for name in graphs.ids],
        predicted=model.probabilities(graphs).argmax(axis=1),
        note=note,
    )


def hierarchy_example(model: TrainedModel, graphs: GraphSet, position: int) -> HierarchyExample:
    """One graph at every level of its hierarchy."""
    chosen = align_classes(graphs[[position]], model.classes)
    prepared = model.prepare(chosen).to(device_of(model.network))
    network: Any = model.network
    with evaluating(model.network):
        trace = network.trace(prepared.batch())
    health = level_health(trace)
    source, target = chosen.edge_index.long().cpu().numpy()
    nodes = chosen.num_nodes
    adjacency = np.zeros((nodes, nodes))
    adjacency[target, source] = 1.0
    places, levels = place_rule(model.config.model) is not None, []
    for number, level in enumerate((*trace.levels, None), start=1):
        assignment = None if level is None else _one(level, nodes)
        levels.append(
            Level(
                adjacency=adjacency,
                assignment=assignment,
                node_labels=_symbols(chosen) if number == 1 else None,
                health=_named(health, number, "places" if places and number == 1 else "clusters"),
            )
        )
        if level is not None:
            nodes = int(level.counts[0])
            if isinstance(level.adjacency, Adjacency):
                adjacency = level.adjacency.dense().cpu().double().numpy()
            else:
                # A level may be wider than this graph has clusters.
                adjacency = level.adj[0, :nodes, :nodes].cpu().double().numpy()
    answer = int(trace.logits.argmax())
    true = "unknown" if chosen.y is None else str(model.classes[int(chosen.y[0])])
    return HierarchyExample(
        graph=f"{chosen.ids[0]} of {graphs.name}",
        true_class=true,
        predicted_class=str(model.classes[answer]),
        levels=levels,
        places=places,
    )


def typical_graph(model: TrainedModel, graphs: GraphSet) -> int:
    """The graph that is nearest to the mean in size and in the effective rank of its clusters."""
    levels = model.levels(graphs)
    figures = [graphs.node_counts.cpu().double().numpy()]
    if levels and levels[0].assignment is not None:
        figures.append(effective_rank(levels[0]).cpu().numpy())
    distance = np.zeros(len(graphs))
    for values in figures:
        spread = float(values.std()) or 1.0
        distance += np.abs(values - values.mean()) / spread
    return int(distance.argmin())


def health_rows(
    metrics: Mapping[str, float | None], model: ModelConfig | None = None
) -> list[LevelHealth]:
    """One row per level of clusters from metrics named `level1/effective_rank` and so on.

    Args:
        model: the settings behind them, which say whether the first clusters are places.
    """
    by_place = model is not None and bool(place_rules(model))
    found = (re.match(r"level(\d+)/clusters$", name) for name in metrics)
    numbers = {int(each[1]) for each in found if each}
    return [
        LevelHealth(
            level=number,
            clusters=float(metrics[f"level{number}/clusters"] or 0),
            effective_rank=metrics.get(f"level{number}/effective_rank"),
            clusters_in_use=metrics.get(f"level{number}/clusters_used"),
            entropy=metrics.get(f"level{number}/entropy"),
            off_identity=metrics.get(f"level{number}/off_identity"),
            places=number == 1 and by_place,
        )
        for number in sorted(numbers)
    ]


def _one(level: PoolOutput, nodes: int) -> Array:
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


def _named(health: Mapping[str, float], number: int, noun: str) -> dict[str, float]:
    start = f"level{number}/"
    words = {
        "effective_rank": "effective rank",
        "clusters_used": f"{noun} in use",
        "kept": "nodes kept",
    }
    return {
        words[name.removeprefix(start)]: value
        for name, value in health.items()
        if name.startswith(start) and name.removeprefix(start) in words
    }


def _symbols(graphs: GraphSet) -> list[str] | None:
    """A short text for each node: the element where we know it, else the label."""
    if graphs.node_label is None:
        return None
    elements = _ELEMENTS.get(graphs.name, {})
    names = [elements.get(name, str(name)) for name in graphs.node_label_names]
    return [names[code] if code >= 0 else "" for code in graphs.node_label.tolist()]
