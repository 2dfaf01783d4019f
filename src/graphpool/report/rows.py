"""Rows of a report's table from the results of an experiment."""

from graphpool.evaluation.results import ExperimentResult
from graphpool.report.data import Family, ResultRow

_TITLES = {
    "hap": "HAP",
    "hap-paper": "HAP as printed",
    "flat": "No coarsening",
    "sum": "SumPool",
    "mean": "MeanPool",
    "max": "MaxPool",
    "structure-free": "No structure",
    "wl": "WL kernel + SVM",
    "majority": "Majority class",
}
_NOTES = {
    "flat": "the same encoder and readout",
    "structure-free": "perceptron on summed node features",
}


def to_rows(result: ExperimentResult, headline: str | None = None) -> list[ResultRow]:
    """One row for each method that has a result.

    Args:
        headline: the method that the report is about; the first one by default.
    """
    headline = result.methods[0] if headline is None else headline
    return [
        ResultRow(
            name=_TITLES.get(method, method),
            family=_family(method, headline),
            accuracies=accuracies,
            note=_NOTES.get(method, ""),
            overlap=result.overlap,
        )
        for method in result.methods
        if (accuracies := result.accuracies(method))
    ]


def _family(method: str, headline: str) -> Family:
    if method == headline:
        return "ours"
    return "rule" if method == "majority" else "baseline"
