"""The page about methods that compare graphs, side by side."""

from collections.abc import Callable, Mapping
from typing import Any

from graphpool.evaluation.baselines.pairs import RULE_NAMES
from graphpool.evaluation.format import plural
from graphpool.report.data import FigureRow, FigureTable, HeroFigure, Report

_WORDS = (
    "Mean over seeds ± standard deviation between them; the bar is the first figure. A network "
    "has learned something only where it is above the rules."
)


def methods_report(
    document: Mapping[str, Any],
    columns: Mapping[str, str],
    cell: Callable[[Any, str], str],
    test_title: str,
    command: str,
) -> Report:
    """Collect what the page about methods side by side shows.

    Args:
        document: what `results.json` holds.
        columns: title of every figure.
        cell: prints a figure, given its mean and deviation and which one it is.
        test_title: title of a test, with `{}` for its name; empty if there is one test.
    """
    methods = document["methods"]
    tests = dict.fromkeys(name for one in methods.values() for name in one["tested"])
    networks = [name for name, one in methods.items() if one["kind"] == "network"]
    tables: list[FigureTable] = []
    for test in tests:
        rows = []
        for name, one in methods.items():
            figures = one["tested"].get(test)
            if figures is None or figures["accuracy"]["mean"] is None:
                continue
            shown = {title: cell(figures.get(key), key) for key, title in columns.items()}
            learns, main = one["kind"] == "network", networks[:1] == [name]
            note = "" if learns else one["kind"]
            share = figures["accuracy"]["mean"]
            rows.append(FigureRow(RULE_NAMES.get(name, name), shown, share, main, note, learns))
        rows.sort(key=lambda row: -row.share)
        title = test_title.format(test) if test_title else "Methods and rules"
        tables.append(FigureTable(title, _WORDS, list(columns.values()), rows))
    seeds = max((one["seeds"] for one in methods.values()), default=0)
    first = list(tables[0].rows) if tables else []
    made = document["results"][0] if document["results"] else {}
    return Report(
        title=f"{document['task'].capitalize()} on {document['data']}",
        subtitle=f"{plural(len(networks), 'network')} from {plural(seeds, 'seed')}, beside "
        "what learns nothing.",
        command=command,
        hero=_hero(first, next(iter(columns.values()))),
        tables=tables,
        warnings=[f"{unit}: {error}" for unit, error in document["failures"].items()],
        environment={**made.get("versions", {}), **made.get("machine", {})},
    )


def _hero(rows: list[FigureRow], figure: str) -> list[HeroFigure]:
    """The first network, the best other one, and the best of what learns nothing."""
    chosen = {
        "": next((row for row in rows if row.main), None),
        "Best other network": next((row for row in rows if row.learns and not row.main), None),
        "Best without learning": next((row for row in rows if not row.learns), None),
    }
    return [
        HeroFigure(title or row.name, f"{100 * row.share:.1f}", "%", row.name if title else figure)
        for title, row in chosen.items()
        if row is not None
    ]
