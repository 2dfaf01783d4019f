"""How commands run experiments, and describe their results."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from graphpool.cli.output import print_status
from graphpool.errors import TrainingWarning, collect_warnings
from graphpool.evaluation.format import NONE, Lines, Table, plural

if TYPE_CHECKING:
    from graphpool.experiments.results import ExperimentResult


@contextmanager
def stopping(go_on: str = "") -> Iterator[None]:
    """Turn a signal into its exit code, and say how to go on."""
    from graphpool.training.signals import Interrupted

    try:
        # What the loop says of collapsed levels is printed with the results.
        with collect_warnings(TrainingWarning):
            yield
    except Interrupted as stop:
        print_status(f"graphpool: {stop}{go_on}")
        raise SystemExit(stop.exit_code) from None


def experiment_lines(result: "ExperimentResult", metric: str = "") -> Lines:
    """One row per method, with the first method's gain over each.

    Args:
        metric: of the task's columns, for a set that was split; by default the main one.
    """
    if result.protocol is None:
        return _test_lines(result)
    from graphpool.experiments import tables
    from graphpool.features.summary import features_line
    from graphpool.tasks import find_task

    first, metric = result.methods[0], metric or result.main
    rows: list[tuple[str, ...]] = []
    for method in result.methods:
        summary = result.summary(method, metric)
        gain = None if method == first else result.difference(first, method, metric=metric)
        missing = NONE if result.of(method) else "failed"
        rows.append((
            method, tables.metric_text(summary, metric, digits=1) if summary else missing,
            tables.interval_text(summary, metric), tables.gain_text(gain, metric),
            tables.rank_text(result.health(method)),
        ))  # fmt: skip
    seeds = plural(len(result.seeds), "seed")
    same = result.protocol.fixed and len(result.seeds) > 1
    splits = result.protocol.folds * (1 if same else len(result.seeds))
    over = "seeds, all on the same split" if same and splits == 1 else "test parts"
    title = find_task(result.task).columns[metric]
    columns: tuple[str, ...] = ("method", title, "95 % interval", f"{first} gains", "rank")
    explained = "\nRank: effective rank of the assignment on test graphs; 1 means collapsed."
    if all(row[-1] == NONE for row in rows):
        columns, rows, explained = columns[:-1], [row[:-1] for row in rows], ""
    lines: Lines = [
        f"{result.data}, {result.protocol.name}, {seeds}, {plural(splits, 'split')}",
        f"{features_line(result.features)}\n",
        Table(columns, rows, right=columns[1:]),
        f"\nMean ± standard deviation over {over}. A gain whose interval holds 0 is no ranking."
        f"{explained}",
        *tables.choices(result),
        *(f"warning: {line}" for line in result.warning_lines),
        *(f"failed: {line}" for line in result.failure_lines),
    ]
    return lines


def _test_lines(result: "ExperimentResult") -> Lines:
    """One table for each size of pairs, or for the ranking."""
    from graphpool.experiments.tables import test_rows
    from graphpool.features.summary import features_line
    from graphpool.tasks import find_task

    lines: Lines = []
    for test in result.tests:
        title = find_task(result.task).test_title.format(test)
        head, rows = test_rows(result, test)
        lines += [
            f"{', '.join(filter(None, [result.data, title]))}\n",
            Table(head, rows, right=head[2:]),
            "",
        ]
    lines.append(features_line(result.features))
    lines += [f"failed: {line}" for line in result.failure_lines]
    if len(result.seeds) > 1:
        lines.append(
            "Mean ± standard deviation over seeds. A gain whose interval holds 0 is no ranking."
        )
    return lines
