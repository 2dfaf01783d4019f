"""The page about methods side by side on one set."""

from graphpool.config import RunConfig, from_dict
from graphpool.errors import plural
from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.evaluation.statistics import Summary
from graphpool.experiments.methods import methods_of, model_of
from graphpool.experiments.results import ExperimentResult, one_split, result_document
from graphpool.experiments.tables import answer_of, gain_text, metric_text
from graphpool.features.summary import features_text
from graphpool.report.data import Family, FigureRow, FigureTable, HeroFigure, Report, ResultRow
from graphpool.report.methods import methods_report
from graphpool.tasks import find_task
from graphpool.tasks.pages.levels import health_rows


def methods_page(result: ExperimentResult) -> Report:
    """Collect what the page shows: the first method beside the others, or a table a test."""
    task = find_task(result.task)
    if result.protocol is None:
        document = result_document(result, "")
        return methods_report(document, task.columns, _cell, task.test_title, result.command)
    assert result.facts is not None
    first = result.methods[0]
    config = from_dict(RunConfig, result.config, "config")
    trained = first in task.methods()
    return Report(
        title=f"{first} on {result.data}",
        subtitle=f"{result.protocol.summary}; {plural(len(result.seeds), 'seed')}.",
        command=result.command,
        dataset={
            "graphs": result.facts.graphs,
            **({"classes": len(result.facts.classes)} if result.facts.classes else {}),
            **(
                {f"{answer_of(result)}s": ", ".join(result.facts.targets)}
                if result.facts.targets
                else {}
            ),
        },
        results=result_rows(result) if result.main == "accuracy" else (),
        hero=() if result.main == "accuracy" else _hero(result),
        tables=() if result.main == "accuracy" else [_table(result)],
        health=health_rows(
            result.health(first),
            trained and bool(task.place_rules(model_of(first, config.model))),
        ),
        warnings=result.failure_lines,
        environment={
            "features": features_text(result.features),
            **result.versions,
            **result.machine,
        },
    )


def result_rows(result: ExperimentResult) -> list[ResultRow]:
    """Return a row for every method; the first one is what the page is about."""
    summaries, baselines = methods_of(result.task), find_task(result.task).baselines()
    rows = []
    for method in result.methods:
        accuracies = result.accuracies(method)
        if not accuracies:
            continue
        family: Family = "ours" if method == result.methods[0] else "baseline"
        if method in baselines and baselines[method].kind == "rule":
            family = "rule"
        rows.append(ResultRow(method, family, accuracies, summaries[method], result.overlap))
    return rows


def _table(result: ExperimentResult) -> FigureTable:
    """Every metric of every method; the bar is the main one, errors as a share of the largest."""
    columns, first = find_task(result.task).columns, result.methods[0]
    means = {name: each.mean for name in result.methods if (each := result.summary(name))}
    largest = max(means.values(), default=0.0) or 1.0
    rows = []
    errors = result.main in LOWER_IS_BETTER
    for method in sorted(means, key=lambda name: means[name], reverse=not errors):
        figures = {
            title: metric_text(result.summary(method, name), name, digits=1)
            for name, title in columns.items()
        }
        gain = None if method == first else result.difference(first, method)
        figures[f"{first} gains"] = gain_text(gain, result.main)
        share = min(max(means[method] / (largest if errors else 1.0), 0.0), 1.0)
        learns = method in find_task(result.task).methods()
        rows.append(FigureRow(method, figures, share, main=method == first, learns=learns))
    over = "seeds on one split" if one_split(result.units) else "splits"
    words = (
        f"Mean over {over} ± standard deviation between them, the {'smallest error' * errors}"
        f"{'best' * (not errors)} first. A gain whose interval holds 0 is no ranking."
    )
    return FigureTable(
        "Results beside baselines", words, [*columns.values(), f"{first} gains"], rows
    )


def _hero(result: ExperimentResult) -> list[HeroFigure]:
    """The first method, and the rule that learns nothing."""
    title, baselines = (
        find_task(result.task).columns[result.main],
        find_task(result.task).baselines(),
    )
    rules = [
        name for name in result.methods if name in baselines and baselines[name].kind == "rule"
    ]
    over = "over seeds, on one split" if one_split(result.units) else "over all splits"
    return [
        HeroFigure(
            f"{title.removesuffix(', %')} of {name}",
            metric_text(summary, result.main),
            "%" if title.endswith("%") else "",
            over,
        )
        for name in (result.methods[0], *rules)
        if (summary := result.summary(name)) is not None
    ]


def _cell(value: dict[str, float | None] | None, metric: str) -> str:
    """Return a mean and its deviation, as the printed table has it."""
    if value is None or value["mean"] is None:
        return metric_text(None, metric)
    return metric_text(Summary(value["mean"], value["deviation"], None, None, 0), metric)
