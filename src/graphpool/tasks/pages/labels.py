"""Results of multi-label classification as lines for a terminal, and the page about a model."""

import math
from collections.abc import Sequence

import numpy as np

from graphpool.evaluation.format import Lines, Table, decimal, percent, plural
from graphpool.features.summary import features_text
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import place_rule
from graphpool.report.data import (
    BinaryPredictions,
    EmbeddingPlot,
    FigureRow,
    FigureTable,
    HeroFigure,
    Report,
)
from graphpool.report.draw.class_curves import MOST_LINES
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

MOST_LABELS = 20  # lines in a terminal
COLUMNS = {
    "roc_auc": "ROC-AUC",
    "average_precision": "avg. precision",
    "f1": "F1",
    "accuracy": "accuracy",
    "ones": "ones",
    "known": "known",
}


def result_lines(document: Document) -> Lines:
    """Describe the metrics beside those of the prevalence, then the labels and the levels."""
    test, labels = document["test"], document["labels"]
    count, rule = document["graphs"]["test"], document["prevalence"]
    lines: Lines = [
        f"Test ROC-AUC       {decimal(test['roc_auc']):>6}  mean over {_defined(labels)}, "
        f"{plural(count, 'graph')}",
        f"Average precision  {decimal(test['average_precision']):>6}  likewise; "
        f"{decimal(rule['average_precision'])} for the prevalence of each label in the training "
        "graphs, whose ROC-AUC is 0.5",
        f"Also: {_also(test)}; accuracy of the prevalence {percent(rule['accuracy'])}",
        Table(
            ("label", *COLUMNS.values()),
            [(name, *_cells(values)) for name, values in list(labels.items())[:MOST_LABELS]],
            right=tuple(COLUMNS.values()),
        ),
    ]
    if len(labels) > MOST_LABELS:
        lines.append(f"… {len(labels)} labels in all")
    few = (
        f"{plural(count, 'test graph')} say little about a method; graphpool evaluate compares "
        "methods on many splits."
    )
    return [*lines, *closing_lines(document, few)]


def score_lines(document: Document) -> Lines:
    """Describe the metrics on a set, and on the part that the model has not seen."""
    rule = document["prevalence"]
    lines: Lines = [
        f"{document['data']}: {_score_text(document)}",
        f"The prevalence of each label in the training graphs: ROC-AUC 0.5, average precision "
        f"{decimal(rule['average_precision'])}, accuracy {percent(rule['accuracy'])}",
    ]
    return [*lines, *seen_lines(document, "result", _score_text)]


def label_page(
    model: TaskModel,
    names: Sequence[str],
    graphs: GraphSet,
    test: GraphSet,
    shares: Array,
    document: Document,
    history: History = (),
) -> Report:
    """Collect what the page about a multi-label classifier shows.

    Args:
        names: of the labels.
        graphs: the whole set.
        test: graphs that are shown, with labels in the order of the names.
        shares: probability of each label, `[test, labels]`.
        document, history: of `graphpool.tasks.base.Task.report`.
    """
    settings, counts, tested = model.config.model, document["graphs"], document["test"]
    pooler, places = settings.pooler, place_rule(settings) is not None
    assert test.target is not None
    true = np.asarray(test.target.cpu())
    health = health_rows(document["health"], places)
    examples = []
    if health:
        at = typical_graph(model, test)
        answers = (_listed(names, true[at] == 1), _listed(names, shares[at] > 0.5))
        examples = [hierarchy_example(model, test, at, answers, places)]
    trained = ""
    if "train" in counts:
        trained = f"{counts['train']} graphs trained it, {counts['valid']} chose the epoch, "
    below = f"mean over {_defined(document['labels'])}"
    rule, scoring = document["prevalence"], model.config.train.scoring
    metric = scoring if scoring in ("roc_auc", "average_precision") else "roc_auc"
    return Report(
        title=f"{pooler} on {graphs.name}",
        subtitle=f"One model on one split: {trained}{counts['test']} tested it.",
        command=document.get("command", ""),
        hero=[
            HeroFigure("ROC-AUC", decimal(tested["roc_auc"]), "", below),
            HeroFigure("Average precision", decimal(tested["average_precision"]), "", below),
            HeroFigure(
                "No learning at all",
                decimal(rule["average_precision"]),
                "",
                "average precision of each label’s prevalence in the training graphs; ROC-AUC 0.5",
            ),
        ],
        verdict="" if tested["roc_auc"] > 0.5 else "The model ranks graphs no better than chance.",
        metrics={
            "macro F1": decimal(tested["f1_macro"]),
            "micro F1": decimal(tested["f1_micro"]),
            "accuracy, of known values": percent(tested["accuracy"]),
            "accuracy of the prevalence": percent(rule["accuracy"]),
        },
        dataset={
            "graphs": len(graphs),
            "labels": len(names),
            "known values": _known_share(graphs),
            "mean nodes": round(model.mean_nodes, 1),
            **split_facts(document),
            **choice_facts(document, settings),
            "features": features_text(model.features.about()),
        },
        tables=[_label_table(document), *choice_tables(document)],
        label_predictions=[
            BinaryPredictions(
                name, true[known, column] == 1, shares[known, column], column % MOST_LINES
            )
            for column, name in enumerate(names)
            for known in [~np.isnan(true[:, column])]
        ],
        **example_parts(label_examples(names, test, shares)),
        curves=[learning_curve(pooler, history, document["best_epoch"], metric, TITLES[metric])]
        if history
        else [],
        embedding=_map(model, test, true, names),
        hierarchy=examples,
        health=health,
        warnings=document["warnings"],
        environment={**document["versions"], "seed": model.config.train.seed},
    )


def label_examples(names: Sequence[str], graphs: GraphSet, shares: Array) -> list[ExampleGroup]:
    """Draw the graphs whose labels are predicted worst, best and with the least certainty.

    Errors are the mean distance of the probabilities from the known labels.
    """
    assert graphs.target is not None
    true = np.asarray(graphs.target.cpu())
    known = ~np.isnan(true)
    count = np.maximum(known.sum(axis=1), 1)
    error = np.where(known, np.abs(shares - true), 0.0).sum(axis=1) / count
    error[~known.any(axis=1)] = np.nan
    wrong = known & ((shares > 0.5) != (true == 1))

    def say(at: int) -> tuple[list[str], bool]:
        said = f"predicted {_listed(names, shares[at] > 0.5)}"
        return [_listed(names, true[at] == 1), said], not bool(wrong[at].any())

    doubt = np.where(known, 0.5 - np.abs(shares - 0.5), 0.0).sum(axis=1) / count
    return prediction_examples(graphs, error, say, doubt)


TITLES = {"roc_auc": "ROC-AUC, %", "average_precision": "Average precision, %"}


def _label_table(document: Document) -> FigureTable:
    """A row for each label; the bar is its ROC-AUC."""
    rows = [
        FigureRow(
            name,
            dict(zip(COLUMNS.values(), _cells(values), strict=True)),
            values["roc_auc"] if math.isfinite(values["roc_auc"]) else 0.0,
            learns=True,
        )
        for name, values in document["labels"].items()
    ]
    words = (
        "Each label by itself, over the test graphs for which it is known; the bar is ROC-AUC. "
        "Where all of them are 0, or all are 1, it is undefined, and the means leave it out."
    )
    return FigureTable("Label by label", words, list(COLUMNS.values()), rows, first="Label")


def _map(model: TaskModel, graphs: GraphSet, true: Array, names: Sequence[str]) -> EmbeddingPlot:
    """The vector of every graph, coloured by the label that most of them have."""
    column = int((true == 1).sum(axis=0).argmax())
    known = np.flatnonzero(~np.isnan(true[:, column]))
    shown = graphs[known]
    return EmbeddingPlot(
        vectors=model.embed(shown),
        y=true[known, column].astype(int),
        class_names=[f"{names[column]} is 0", f"{names[column]} is 1"],
        ids=[f"graph {identity}" for identity in shown.ids],
        note=f"These are {len(shown)} test graphs, which the model has not seen; the colour is the "
        "label that most of them have.",
    )


def _cells(values: Document) -> list[str]:
    counts = ("ones", "known")
    return [str(int(values[key])) if key in counts else decimal(values[key]) for key in COLUMNS]


def _defined(labels: Document) -> str:
    """`12 labels`, or `11 of 12 labels` if not all have both zeros and ones."""
    count = sum(math.isfinite(values["roc_auc"]) for values in labels.values())
    return f"{f'{count} of ' * (count < len(labels))}{plural(len(labels), 'label')}"


def _known_share(graphs: GraphSet) -> str:
    assert graphs.target is not None
    return percent(float((~graphs.target.isnan()).double().mean()))


def _listed(names: Sequence[str], chosen: Array) -> str:
    found = [name for name, there in zip(names, chosen, strict=True) if there]
    return ", ".join(found[:3]) + (", …" * (len(found) > 3)) or "none"


def _also(metrics: Document) -> str:
    return (
        f"macro F1 {decimal(metrics['f1_macro'])}, micro F1 {decimal(metrics['f1_micro'])}, "
        f"accuracy {percent(metrics['accuracy'])} of the known values"
    )


def _score_text(document: Document) -> str:
    return (
        f"ROC-AUC {decimal(document['roc_auc'])}, average precision "
        f"{decimal(document['average_precision'])}, {_also(document)}, on "
        f"{plural(document['graphs'], 'graph')}"
    )
