"""The rows of a page about an experiment."""

from graphpool.experiments.methods import EVALUATED
from graphpool.experiments.results import ExperimentResult
from graphpool.report.data import Family, ResultRow


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
