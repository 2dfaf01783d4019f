"""Results as Markdown: one set with every detail, or several sets side by side."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from graphpool.errors import plural
from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.evaluation.statistics import Summary, mean, mean_ranks
from graphpool.experiments.results import ExperimentResult, SetFacts, one_split
from graphpool.experiments.text import NONE
from graphpool.files import atomic_write
from graphpool.tasks import TASKS, find_task
from graphpool.tasks.target_task import TargetTask
from graphpool.training.select_place_rule import describe

FILE = "results.md"
# How far metrics that are no shares can go; others between -1 and 1.
_BOUNDS = {"mae": (0.0, math.inf), "rmse": (0.0, math.inf), "r2": (-math.inf, 1.0)}


def is_share(metric: str) -> bool:
    """Return whether tables show a metric in percent."""
    return any(task.columns.get(metric, "").endswith("%") for task in TASKS.values())


def results_table(result: ExperimentResult) -> str:
    """One row per method, and what the columns mean."""
    parts = _of_tests(result) if result.protocol is None else _of_splits(result)
    if result.failures:
        parts.append("Failed:\n\n" + "\n".join(f"- {line}" for line in result.failure_lines))
    return "\n\n".join(parts) + "\n"


def _of_splits(result: ExperimentResult) -> list[str]:
    """One table of a set that was split."""
    assert result.protocol is not None
    head = (
        "method", find_task(result.task).columns[result.main], "95 % interval", "fold error",
        f"{result.methods[0]} gains", *_second(result).values(), "effective rank", "best epoch",
        "epochs", "s per split",
    )  # fmt: skip
    table = markdown(head, [_row(result, method) for method in result.methods])
    title = f"# {result.data}, {result.protocol.name}"
    parts = [title, _about(result), table, _legend(result), *_metrics(result), *choices(result)]
    if lines := [f"- {line}" for line in result.warning_lines]:
        parts.append("Warnings:\n\n" + "\n".join(lines))
    return parts


def _second(result: ExperimentResult) -> dict[str, str]:
    """The metric beside the main one, and its title."""
    columns = find_task(result.task).columns
    return dict([item for item in columns.items() if item[0] != result.main][:1])


def _metrics(result: ExperimentResult) -> list[str]:
    """A table of all metrics; nothing for results that are older than they."""
    known = {
        name: title
        for name, title in find_task(result.task).columns.items()
        if any(result.values(method, name) for method in result.methods)
    }
    if len(known) <= 2:
        return []
    rows = [
        (method, *(metric_text(result.summary(method, name), name) for name in known))
        for method in result.methods
    ]
    return [
        "All metrics, mean ± standard deviation over the test parts:",
        markdown(("method", *known.values()), rows),
        *_EXPLAINED.get(result.task, ()),
    ]


_EXPLAINED = {
    "classification": (
        "Of two classes, ROC-AUC and average precision are those of the second; of more, the mean "
        "of each class against the rest. MCC is the correlation of predictions and classes.",
    ),
    "regression": (
        "MAE is the mean absolute error, RMSE the root of the mean squared one, both in units of "
        "the targets, R² the share of the variance that is explained, Spearman the correlation of "
        "ranks; of several targets, the mean over them.",
    ),
    "multilabel": (
        "ROC-AUC, average precision and macro F1 are means over the labels for which they are "
        "defined; micro F1 and accuracy count all known values alike.",
    ),
}


def _of_tests(result: ExperimentResult) -> list[str]:
    """A table for each thing that was tested."""
    parts = [f"# {result.data}, {result.task}", f"Made by `{result.command}`."]
    for test in result.tests:
        if len(result.tests) > 1:
            parts.append(f"## {find_task(result.task).test_title.format(test)}")
        parts.append(markdown(*test_rows(result, test)))
    return [
        *parts,
        "Mean ± standard deviation over seeds; the interval is Student's at 95 %. "
        f"`{result.methods[0]} gains` is its mean advantage, seed by seed.",
    ]


def test_rows(result: ExperimentResult, test: str) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the table of one test of a task that compares graphs."""
    metrics, first = find_task(result.task).columns, result.methods[0]
    head = ["method", "kind", *metrics.values(), "95 % interval", f"{first} gains", "seconds"]
    rows = []
    for method in result.methods:
        units = result.of(method)
        if not units:
            continue
        gain = None if method == first else result.difference(first, method, test)
        rows.append([
            method, units[0].kind,
            *(metric_text(result.summary(method, name, test), name) for name in metrics),
            interval_text(result.summary(method, test=test), result.main),
            gain_text(gain, result.main),
            f"{mean([unit.total_seconds for unit in units]):.1f}",
        ])  # fmt: skip
    return head, rows


def metric_text(summary: Summary | None, metric: str, digits: int = 2) -> str:
    """`93.20 ± 0.41`; of a single seed there is no deviation.

    Args:
        digits: of a share, in percent.
    """
    if summary is None:
        return NONE
    factor, digits = (100, digits) if is_share(metric) else (1, 3)
    known = (factor * each for each in (summary.mean, summary.std) if each is not None)
    return " ± ".join(f"{each:.{digits}f}" for each in known)


def write_table(result: ExperimentResult, folder: Path) -> None:
    """Write `results.md` into the folder."""
    with atomic_write(folder / FILE, "w") as handle:
        handle.write(results_table(result))


def merged_table(results: Sequence[ExperimentResult]) -> str:
    """Methods × sets: mean ± standard deviation, and the mean rank over the sets.

    Ranked are the methods that have a result on every set; a rule is no contender.
    """
    sign = -1 if results[0].main in LOWER_IS_BETTER else 1
    rules = find_task(results[0].task).baselines()
    methods = tuple(dict.fromkeys(method for result in results for method in result.methods))
    found = {method: [result.summary(method) for result in results] for method in methods}
    whole = {
        method: [sign * summary.mean for summary in summaries if summary is not None]
        for method, summaries in found.items()
        if None not in summaries and not (method in rules and rules[method].kind == "rule")
    }
    ranks = mean_ranks(whole)
    names = [result.data for result in results]
    rows = [
        (
            method,
            *(metric_text(summary, results[0].main, digits=1) for summary in found[method]),
            f"{ranks[method]:.1f}" if method in ranks else NONE,
        )
        for method in sorted(methods, key=lambda method: ranks.get(method, np.inf))
    ]
    return markdown(("method", *names, f"mean rank of {len(ranks)}"), rows)


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose columns line up in plain text too; the first is flush left."""
    widths = [max(len(row[column]) for row in (head, *rows)) for column in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        texts = [cells[0].ljust(widths[0])]
        texts += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:], strict=True)]
        return f"| {' | '.join(texts)} |"

    rule = ["-" * widths[0]] + ["-" * (width - 1) + ":" for width in widths[1:]]
    return "\n".join([line(head), f"| {' | '.join(rule)} |", *(line(row) for row in rows)])


def _row(result: ExperimentResult, method: str) -> tuple[str, ...]:
    summary, units, main = result.summary(method), result.of(method), result.main
    if summary is None:
        return (method, "failed", *[NONE] * (7 + len(_second(result))))
    gain = result.difference(result.methods[0], method)
    error = result.by_seed(method).fold_error
    trained = any(unit.epochs for unit in units)
    assert result.protocol is not None
    missing = result.protocol.folds * len(result.seeds) - len(units)
    return (
        method,
        metric_text(summary, main, digits=1) + (f" ({missing} missing)" if missing else ""),
        interval_text(summary, main),
        NONE if error is None else f"{100 * error:.1f}" if is_share(main) else f"{error:.3f}",
        NONE if method == result.methods[0] else gain_text(gain, main),
        *(_mean_text(result, method, name) for name in _second(result)),
        rank_text(result.health(method)),
        f"{mean([unit.best_epoch for unit in units]):.0f}" if trained else NONE,
        f"{mean([unit.epochs for unit in units]):.0f}" if trained else NONE,
        f"{mean([unit.total_seconds for unit in units]):.2f}",
    )


def _mean_text(result: ExperimentResult, method: str, metric: str) -> str:
    value = mean(result.values(method, metric))
    return f"{100 * value:.1f}" if is_share(metric) else f"{value:.3f}"


def interval_text(summary: Summary | None, metric: str) -> str:
    """The 95 % interval, shares in %, as far as the metric can go."""
    if summary is None or summary.low is None or summary.high is None:
        return NONE
    if not is_share(metric):
        low, high = _BOUNDS.get(metric, (-1.0, 1.0))
        return f"{max(low, summary.low):.3f} … {min(high, summary.high):.3f}"
    return f"{100 * max(0.0, summary.low):.1f} … {100 * min(1.0, summary.high):.1f}"


def gain_text(gain: Summary | None, metric: str) -> str:
    """A difference, of shares in points, with its interval."""
    if gain is None:
        return NONE
    factor, digits = (100, 1) if is_share(metric) else (1, 3)
    mean, *ends = (
        f"{factor * end:+.{digits}f}" for end in (gain.mean, gain.low, gain.high) if end is not None
    )
    return f"{mean} ({' … '.join(ends)})" if ends else mean


def rank_text(health: dict[str, float]) -> str:
    """Effective rank of each level, of its clusters."""
    levels = [
        f"{value:.2f} of {round(health[name.replace('effective_rank', 'clusters')], 1):g}"
        for name, value in sorted(health.items())
        if name.endswith("/effective_rank")
    ]
    return "; ".join(levels) or NONE


def choices(result: ExperimentResult) -> list[str]:
    """For each method whose number of places validation graphs chose: what, and how often."""
    lines = []
    for method in result.methods:
        found = Counter(
            describe(
                str(unit.chosen["count"]),
                float(unit.chosen["resolution"]),
                str(unit.chosen.get("units", "")),
            )
            for unit in result.of(method)
            if "count" in unit.chosen
        )
        if found:
            often = ", ".join(f"{name} ({times})" for name, times in found.most_common())
            lines.append(f"Places of {method}, chosen on validation graphs: {often}.")
    return lines


def _about(result: ExperimentResult) -> str:
    facts, protocol, count = result.facts, result.protocol, len(result.seeds)
    assert facts is not None
    assert protocol is not None
    short = ""
    if count < len(protocol.seeds):
        asked = plural(len(protocol.seeds), "seed")
        short = f" The protocol asks for {asked}: take this as a first look."
    about = f" ({protocol.summary})" if protocol.summary else ""
    seeds = f"{plural(count, 'seed')}: {', '.join(map(str, result.seeds))}"
    size = f"{plural(facts.graphs, 'graph')}, {_answers(result, facts)}"
    versions = ", ".join(f"{name} {value}" for name, value in result.versions.items())
    machine = ", ".join(f"{name} {value}" for name, value in result.machine.items())
    return (
        f"{size}. Protocol {protocol.name}{about}; {seeds}.{short}\n\n"
        f"Made by `{result.command}` with {versions}; {machine}."
    )


def answer_of(result: ExperimentResult) -> str:
    """Return what a value to predict is called: a target, or a label."""
    task = find_task(result.task)
    return task.answer if issubclass(task, TargetTask) else "target"


def _answers(result: ExperimentResult, facts: SetFacts) -> str:
    if facts.targets:
        more = ", …" * (len(facts.targets) > 5)
        names = f"{', '.join(facts.targets[:5])}{more}"
        return f"{plural(len(facts.targets), answer_of(result))} ({names})"
    return plural(len(facts.classes), "class", "classes")


def _title(result: ExperimentResult) -> str:
    title = find_task(result.task).columns[result.main].removesuffix(", %")
    return title[:1].upper() + title[1:]


def _legend(result: ExperimentResult) -> str:
    if one_split(result.units):
        return (
            f"{_title(result)} is the mean ± standard deviation over seeds, all on the same split, "
            "whose test part was looked at once for each, with the epoch or settings that its "
            "validation graphs chose. The interval is Student's over the seeds: it says what "
            "another training would give, and nothing of other splits. "
            f"`{result.methods[0]} gains` is its mean advantage over the method, seed by seed, "
            "with the same kind of interval: one that holds 0 says that the two can't be ranked. "
            "Effective rank is that of the assignments on test graphs, 1 if they have collapsed."
        )
    return (
        f"{_title(result)} "
        "is the mean ± standard deviation over the test parts of all splits; each was "
        "looked at once, with the epoch or settings that its validation graphs chose. The "
        "interval is Student's, with the variance of Nadeau and Bengio for splits that share "
        f"graphs (test graphs over training graphs: {result.overlap:.3f}). Fold error is the "
        "standard error over the folds of one seed, as root mean square over the seeds. "
        f"`{result.methods[0]} gains` is its mean advantage over the method, split by split, with "
        "the same kind of interval: one that holds 0 says that the two can't be ranked. "
        "Effective rank is that of the assignments on test graphs, 1 if they have collapsed."
    )
