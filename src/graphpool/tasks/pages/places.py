"""What validation graphs chose places from, as a table for pages about models."""

import math
from collections.abc import Mapping
from typing import Any

from graphpool.errors import plural
from graphpool.evaluation.format import decimal, percent
from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.report.data import FigureRow, FigureTable
from graphpool.tasks.base import Document
from graphpool.tasks.place_text import described

_TITLES = {
    "f1_macro": "macro F1", "matthews_corrcoef": "MCC", "roc_auc": "ROC-AUC", "mae": "MAE",
    "rmse": "RMSE", "r2": "R²",
}  # fmt: skip


def choice_tables(document: Document) -> list[FigureTable]:
    """Return a table of all that was tried and which was chosen; none if nothing was chosen.

    Args:
        document: of `graphpool.tasks.base.Task.test`; the bar of a row is the metric that chose,
            and of an error its share of the largest.
    """
    choice = document.get("choice")
    if not choice:
        return []
    pilots = choice["pilots"]
    metrics = list(pilots[0]["metrics"])
    metric, lower = metrics[0], metrics[0] in LOWER_IS_BETTER
    values = [_finite(pilot["metrics"][metric]) for pilot in pilots]
    largest = max(values) if lower else 1.0
    chosen = next(at for at, pilot in enumerate(pilots) if _is(pilot, choice))
    rows = [
        FigureRow(
            described(pilot),
            {
                **{_title(name): _text(name, pilot["metrics"][name]) for name in metrics},
                "places a graph": f"{pilot['places']:.1f}",
                "best epoch": str(pilot["epoch"]),
            },
            min(max(value / (largest or 1.0), 0.0), 1.0),
            main=at == chosen,
            learns=True,
        )
        for at, (pilot, value) in enumerate(zip(pilots, values, strict=True))
    ]
    ties = "" if metric == "loss" else ", and the lowest loss among equals"
    best = f"{'lowest' if lower else 'best'} {_title(metric)}"
    words = (
        f"Each of these ways to find places was tried for {plural(choice['epochs'], 'epoch')} on "
        f"the training graphs. Figures are of validation graphs: the {best} was chosen{ties}. "
        "This model was then trained from the start."
    )
    columns = list(rows[0].figures)
    return [FigureTable("How places were chosen", words, columns, rows, "chosen", "Places")]


def _is(pilot: Mapping[str, Any], choice: Mapping[str, Any]) -> bool:
    keys = ("count", "resolution", "units")
    return all(pilot.get(key) == choice.get(key) for key in keys)


def _title(metric: str) -> str:
    return _TITLES.get(metric, metric.replace("_", " "))


def _text(metric: str, value: float | None) -> str:
    return percent(value) if metric == "accuracy" else decimal(value)


def _finite(value: float | None) -> float:
    """The value, or 0 where it is undefined."""
    return value if value is not None and math.isfinite(value) else 0.0
