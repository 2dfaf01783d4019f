"""Results of regression as lines for a terminal, and the page about a regressor."""

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from graphpool.evaluation.format import NONE, Lines, Table, percent, plural
from graphpool.evaluation.regression import NUMBER_METRICS
from graphpool.features.summary import features_text
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import place_rule
from graphpool.report.data import (
    EmbeddingPlot,
    FigureRow,
    FigureTable,
    HeroFigure,
    NumberPlot,
    Report,
)
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

MOST_TARGETS = 20  # lines in a terminal
GROUPS = 5  # of graphs in a map, from the lowest to the highest number


def result_lines(document: Document) -> Lines:
    """Describe the errors beside those of the mean, then the levels."""
    test, mean, count = document["test"], document["mean"], document["graphs"]["test"]
    several = len(document["targets"]) > 1
    what = f", mean over {plural(len(document['targets']), 'target')}" if several else ""
    lines: Lines = [
        f"Test MAE   {figure(test['mae']):>9}  {plural(count, 'graph')}{what}",
        f"RMSE       {figure(test['rmse']):>9}  R² {figure(test['r2'])}, Spearman "
        f"{figure(test['spearman'])}",
        f"Mean value {figure(mean['mae']):>9}  MAE of always predicting the mean of the training "
        f"graphs; RMSE {figure(mean['rmse'])}",
    ]
    if "coverage" in test:
        lines.append(
            f"Intervals  {percent(test['coverage']):>9}  of the values lie in theirs, which should "
            f"hold 90 %; mean width {figure(test['width'])}; {_calibration(document)}"
        )
    if several:
        columns = ("target", *NUMBER_METRICS.values())
        rows = [
            (name, *(figure(values[metric]) for metric in NUMBER_METRICS))
            for name, values in list(document["targets"].items())[:MOST_TARGETS]
        ]
        lines.append(Table(columns, rows, right=columns[1:]))
    few = (
        f"{plural(count, 'test graph')} say little about a method; graphpool evaluate compares "
        "methods on many splits."
    )
    return [*lines, *closing_lines(document, few)]


def score_lines(document: Document) -> Lines:
    """Describe the errors on a set, and on the part that the model has not seen."""
    mean = document["mean"]
    lines: Lines = [
        f"{document['data']}: {_score_text(document)}",
        f"The mean of the training graphs: MAE {figure(mean['mae'])}, RMSE {figure(mean['rmse'])}",
    ]
    return [*lines, *seen_lines(document, "error", _score_text)]


def number_page(
    model: TaskModel,
    names: Sequence[str],
    graphs: GraphSet,
    test: GraphSet,
    values: tuple[Array, Array | None, Array | None],
    document: Document,
    history: History = (),
) -> Report:
    """Collect what the page about a regressor shows.

    Args:
        names: of the targets.
        graphs: the whole set.
        test: graphs that are shown, with targets in the order of the names.
        values: predicted numbers and the ends of their intervals, `[test, targets]` each.
        document, history: of `graphpool.tasks.base.Task.report`.
    """
    settings, counts, tested = model.config.model, document["graphs"], document["test"]
    pooler, places = settings.pooler, place_rule(settings) is not None
    assert test.target is not None
    true = np.asarray(test.target.cpu().double())
    health = health_rows(document["health"], places)
    examples = []
    if health:
        at = typical_graph(model, test)
        answers = (_listed(true[at]), _listed(values[0][at]))
        examples = [hierarchy_example(model, test, at, answers, places, judged=False)]
    trained = ""
    if "train" in counts:
        trained = f"{counts['train']} graphs trained it, {counts['valid']} chose the epoch, "
    several = len(names) > 1
    below = f"mean over {len(names)} targets" if several else f"of {names[0]}"
    metrics = {"R²": figure(tested["r2"]), "Spearman": figure(tested["spearman"])}
    if "coverage" in tested:
        metrics |= {
            "values inside their interval (90 % wanted)": percent(tested["coverage"]),
            "mean width of the intervals": figure(tested["width"]),
            "intervals": _calibration(document),
        }
    mean = document["mean"]
    return Report(
        title=f"{pooler} on {graphs.name}",
        subtitle=f"One model on one split: {trained}{counts['test']} tested it.",
        command=document.get("command", ""),
        hero=[
            HeroFigure("Mean absolute error", figure(tested["mae"]), "", below),
            HeroFigure("Root of the mean squared error", figure(tested["rmse"]), "", below),
            HeroFigure(
                "No learning at all",
                figure(mean["mae"]),
                "",
                f"mean absolute error of the training graphs’ mean; RMSE {figure(mean['rmse'])}",
            ),
        ],
        verdict=""
        if tested["mae"] < mean["mae"]
        else "The model is no better than always predicting the mean of the training graphs.",
        metrics=metrics,
        dataset={
            "graphs": len(graphs),
            "targets": ", ".join(names[:5]) + (f" and {len(names) - 5} more" * (len(names) > 5)),
            "mean nodes": round(model.mean_nodes, 1),
            **split_facts(document),
            **choice_facts(document, settings),
            "features": features_text(model.features.about()),
        },
        tables=[*([_target_table(document)] if several else []), *choice_tables(document)],
        numbers=[
            NumberPlot(
                name,
                true[:, column],
                values[0][:, column],
                None if values[1] is None else values[1][:, column],
                None if values[2] is None else values[2][:, column],
                test.ids,
            )
            for column, name in enumerate(names)
        ],
        **example_parts(number_examples(names, test, values)),
        curves=[learning_curve(pooler, history, document["best_epoch"], "mae", "MAE")]
        if history
        else [],
        embedding=_map(model, test, true[:, 0], names[0]),
        hierarchy=examples,
        health=health,
        warnings=document["warnings"],
        environment={**document["versions"], "seed": model.config.train.seed},
    )


def number_examples(
    names: Sequence[str], graphs: GraphSet, values: tuple[Array, Array | None, Array | None]
) -> list[ExampleGroup]:
    """Draw the graphs with the largest and smallest errors, and those with the widest intervals.

    Errors and widths of several targets are means over those that are known, in deviations.
    """
    assert graphs.target is not None
    true, (answer, lower, upper) = np.asarray(graphs.target.cpu().double()), values
    known = np.isfinite(true)
    scale = np.array([column[fine].std() if fine.any() else 1.0
                      for column, fine in zip(true.T, known.T, strict=True)])  # fmt: skip
    scale[scale == 0] = 1.0

    def mean(parts: Array) -> Array:
        total = np.where(known, parts / scale, 0.0).sum(axis=1)
        count = known.sum(axis=1)
        return np.where(count > 0, total / np.maximum(count, 1), np.nan)

    def say(at: int) -> tuple[list[str], None]:
        if len(names) > 1:
            return [_listed(true[at]), f"predicted {_listed(answer[at])}"], None
        inside = ""
        if lower is not None and upper is not None:
            inside = f" ({figure(float(lower[at, 0]))} to {figure(float(upper[at, 0]))})"
        first = f"{names[0]} {figure(float(true[at, 0]))}"
        return [first, f"predicted {figure(float(answer[at, 0]))}{inside}"], None

    doubt = None if lower is None or upper is None else mean(upper - lower)
    error = mean(np.abs(answer - true))
    return prediction_examples(graphs, error, say, doubt, "Widest intervals")


def figure(value: float | None) -> str:
    """A number with four significant digits."""
    if value is None or not math.isfinite(value):
        return NONE
    return f"{value:.4g}" if abs(value) < 1e4 else f"{value:.4e}"


def _target_table(document: Document) -> FigureTable:
    """A row for each target; the bar is its R²."""
    titles = {"r2": "R²", "mae": "MAE", "rmse": "RMSE", "spearman": "Spearman"}
    if "coverage" in document["test"]:
        titles["coverage"] = "in interval"
    rows = [
        FigureRow(
            name,
            {
                title: percent(values[key]) if key == "coverage" else figure(values[key])
                for key, title in titles.items()
            },
            min(max(values["r2"], 0.0), 1.0) if math.isfinite(values["r2"]) else 0.0,
            main=True,
        )
        for name, values in document["targets"].items()
    ]
    words = "Each target by itself; the bar is R², the share of the variance that is explained."
    return FigureTable("Target by target", words, list(titles.values()), rows, first="Target")


def _map(model: TaskModel, graphs: GraphSet, true: Array, name: str) -> EmbeddingPlot | None:
    """The vector of every graph, coloured by a fifth of the range of one number."""
    known = ~np.isnan(true)
    shown, values = graphs[np.flatnonzero(known)], true[known]
    if not len(shown):
        return None
    ends = np.unique(np.quantile(values, np.linspace(0, 1, GROUPS + 1)))
    group = np.clip(np.searchsorted(ends, values, side="right") - 1, 0, max(len(ends) - 2, 0))
    names = [f"{name} {low:.3g} to {high:.3g}" for low, high in pairwise(ends)]
    return EmbeddingPlot(
        vectors=model.embed(shown),
        y=group,
        class_names=names or [f"{name} {ends[0]:.3g}"],
        ids=[f"graph {identity}" for identity in shown.ids],
        note=f"These are {len(shown)} test graphs, which the model has not seen.",
    )


def _calibration(document: Document) -> str:
    """Say whether validation graphs corrected the intervals, and what that changed."""
    share = document.get("as_learned")
    if share is None:
        return "not calibrated: there were no validation graphs"
    return f"calibrated on the validation graphs, {percent(share)} as learned"


def _listed(values: Array) -> str:
    return ", ".join(figure(float(value)) for value in values[:3]) + (", …" * (len(values) > 3))


def _score_text(document: Document) -> str:
    inside = (
        f", {percent(document['coverage'])} in their interval" if "coverage" in document else ""
    )
    return (
        f"MAE {figure(document['mae'])}, RMSE {figure(document['rmse'])}, R² "
        f"{figure(document['r2'])}, Spearman {figure(document['spearman'])}{inside}, on "
        f"{plural(document['graphs'], 'graph')}"
    )
