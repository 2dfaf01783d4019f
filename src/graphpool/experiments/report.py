"""The page about methods side by side on one set."""

from graphpool.config import RunConfig, from_dict
from graphpool.errors import plural
from graphpool.evaluation.statistics import Summary
from graphpool.experiments.methods import methods_of, model_of
from graphpool.experiments.results import ExperimentResult, result_document
from graphpool.experiments.tables import metric_text
from graphpool.features.summary import features_text
from graphpool.report.data import Family, Report, ResultRow
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
        dataset={"graphs": result.facts.graphs, "classes": len(result.facts.classes)},
        results=result_rows(result),
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


def _cell(value: dict[str, float | None] | None, metric: str) -> str:
    """Return a mean and its deviation, as the printed table has it."""
    if value is None or value["mean"] is None:
        return metric_text(None)
    return metric_text(Summary(value["mean"], value["deviation"], None, None, 0), metric)
