"""Results of classification as lines for a terminal, and the page about a classifier."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphpool.evaluation.format import Lines, decimal, percent, plural
from graphpool.evaluation.metrics import CLASS_METRICS
from graphpool.features.summary import features_text
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import place_rule
from graphpool.report.data import ClassPredictions, EmbeddingPlot, Report, ResultRow
from graphpool.report.pictures import ExampleGroup
from graphpool.tasks.base import Array, Document, History, TaskModel
from graphpool.tasks.epoch_text import split_facts
from graphpool.tasks.pages.examples import example_parts, prediction_examples
from graphpool.tasks.pages.levels import (
    health_rows,
    hierarchy_example,
    learning_curve,
    typical_graph,
)
from graphpool.tasks.pages.lines import closing_lines, seen_lines
from graphpool.tasks.pages.places import choice_tables
from graphpool.tasks.place_text import choice_facts


def result_lines(document: Document) -> Lines:
    """Describe accuracy beside the majority class, then the levels."""
    test, count = document["test"], document["graphs"]["test"]
    low, high = (100 * end for end in test["interval"])
    lines: Lines = [
        f"Test accuracy   {percent(test['accuracy']):>7}  {test['correct']} of "
        f"{plural(count, 'graph')}, 95 % interval {low:.0f} to {high:.0f}",
        f"Balanced        {percent(test['balanced_accuracy']):>7}  mean over the classes",
        f"Majority class  {percent(document['majority']):>7}",
        f"Also: {metrics_text(test)}",
    ]
    few = (
        f"One of {count} test graphs is {100 / count:.1f} points: too few to compare "
        "methods with; graphpool evaluate does."
    )
    return [*lines, *closing_lines(document, few)]


def score_lines(document: Document) -> Lines:
    """Describe the accuracy on a set, and on the part that the model has not seen."""
    lines: Lines = [
        f"{document['data']}: {_score_text(document)}",
        f"Majority class of this set: {percent(document['majority'])}",
    ]
    return [*lines, *seen_lines(document, "accuracy", _score_text)]


def class_page(
    model: TaskModel,
    classes: Sequence[Any],
    graphs: GraphSet,
    test: GraphSet,
    probabilities: Array,
    document: Document,
    history: History = (),
) -> Report:
    """Collect what the page about a classifier shows.

    Args:
        classes: names of the classes.
        graphs: the whole set.
        test: graphs that are shown, with classes counted in `classes`.
        probabilities: `[test, classes]`.
        document, history: of `graphpool.tasks.base.Task.report`.
    """
    settings, counts = model.config.model, document["graphs"]
    pooler, places = settings.pooler, place_rule(settings) is not None
    health = health_rows(document["health"], places)
    examples = []
    if health:
        position = typical_graph(model, test)
        answers = true_and_predicted(classes, test, probabilities, position)
        examples = [hierarchy_example(model, test, position, answers, places)]
    trained = ""
    if "train" in counts:
        trained = (
            f"{plural(counts['train'], 'graph')} trained it, {counts['valid']} chose the epoch, "
        )
    names = [str(name) for name in classes]
    drawn = class_examples(names, test, probabilities)
    note = f"These are the {len(test)} test graphs; the model has not seen them."
    return Report(
        title=f"{pooler} on {graphs.name}",
        subtitle=f"One model on one split: {trained}{counts['test']} tested it.",
        command=document.get("command", ""),
        dataset={
            "graphs": len(graphs),
            "classes": len(classes),
            "mean nodes": round(model.mean_nodes, 1),
            **split_facts(document),
            **choice_facts(document, settings),
            "features": features_text(model.features.about()),
        },
        metrics={
            "balanced accuracy": percent(document["test"]["balanced_accuracy"]),
            **metric_facts(document["test"]),
        },
        results=[
            ResultRow(
                pooler,
                "ours",
                [document["test"]["accuracy"]],
                interval=tuple(document["test"]["interval"]),
            ),
            ResultRow("majority class", "rule", [document["majority"]]),
        ],
        tables=choice_tables(document),
        classes=ClassPredictions(names, _codes(test), probabilities),
        **example_parts(drawn),
        curves=[learning_curve(pooler, history, document["best_epoch"])] if history else [],
        embedding=graph_map(model, classes, test, probabilities.argmax(axis=1), note),
        hierarchy=examples,
        health=health,
        warnings=document["warnings"],
        environment={**document["versions"], "seed": model.config.train.seed},
    )


def class_examples(
    names: Sequence[str], graphs: GraphSet, probabilities: Array
) -> list[ExampleGroup]:
    """Draw the graphs whose class is predicted worst, best and with the least certainty."""
    true, rows = _codes(graphs), np.arange(len(graphs))
    answer, own = probabilities.argmax(axis=1), probabilities[rows, true]

    def say(at: int) -> tuple[list[str], bool]:
        said = f"predicted {names[answer[at]]}, {percent(probabilities[at].max())}"
        return [f"class {names[true[at]]}", said], bool(answer[at] == true[at])

    return prediction_examples(graphs, 1.0 - own, say, 1.0 - probabilities.max(axis=1))


def true_and_predicted(
    classes: Sequence[Any], graphs: GraphSet, probabilities: Array, position: int
) -> tuple[str, str]:
    """Return the true and the most probable class of one graph."""
    answer = str(classes[int(probabilities[position].argmax())])
    return ("unknown" if graphs.y is None else str(classes[int(graphs.y[position])])), answer


def graph_map(
    model: TaskModel, classes: Sequence[Any], graphs: GraphSet, predicted: Array, note: str
) -> EmbeddingPlot:
    """Collect the vector of every graph, with its class and the predicted one."""
    return EmbeddingPlot(
        vectors=model.embed(graphs),
        y=_codes(graphs),
        class_names=[f"class {name}" for name in classes],
        ids=[f"graph {name}" for name in graphs.ids],
        predicted=predicted,
        note=note,
    )


def metric_facts(metrics: Document) -> dict[str, str]:
    """The metrics beside the accuracies that are known, by name, as they are printed."""
    return {
        title.removesuffix(", %"): percent(metrics[name])
        if title.endswith("%")
        else decimal(metrics[name])
        for name, title in CLASS_METRICS.items()
        if name in metrics and "accuracy" not in name
    }


def metrics_text(metrics: Document) -> str:
    """Describe the metrics beside the accuracies that are known."""
    return ", ".join(f"{name} {value}" for name, value in metric_facts(metrics).items())


def _codes(graphs: GraphSet) -> Array:
    """The class of each graph, a position in the classes."""
    assert graphs.y is not None
    return np.asarray(graphs.y.cpu())


def _score_text(document: Document) -> str:
    return (
        f"accuracy {percent(document['accuracy'])}, balanced "
        f"{percent(document['balanced_accuracy'])}, {metrics_text(document)}, on "
        f"{plural(document['graphs'], 'graph')}"
    )
