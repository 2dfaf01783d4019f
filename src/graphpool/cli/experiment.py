"""How commands run and print experiments."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from graphpool.cli.output import print_line, print_status, print_table, quiet_log

if TYPE_CHECKING:
    from graphpool.experiments.results import ExperimentResult


@contextmanager
def stopping(go_on: str = "") -> Iterator[None]:
    """Turn a signal into its exit code, and say how to go on."""
    from graphpool.training.signals import Interrupted

    try:
        # What the loop says of collapsed levels is printed with the results.
        with quiet_log("graphpool.training.loop"):
            yield
    except Interrupted as stop:
        print_status(f"graphpool: {stop}{go_on}")
        raise SystemExit(stop.exit_code) from None


def print_experiment(result: "ExperimentResult") -> None:
    """One row per method, with the first method's gain over each."""
    if result.protocol is None:
        _print_tests(result)
        return
    from graphpool.experiments.tables import (
        accuracy_text,
        choices,
        gain_text,
        interval_text,
        rank_text,
    )

    first = result.methods[0]
    rows = []
    for method in result.methods:
        summary = result.summary(method)
        gain = None if method == first else result.difference(first, method)
        rows.append((
            method, accuracy_text(summary) if summary else "failed", interval_text(summary),
            gain_text(gain), rank_text(result.health(method)),
        ))  # fmt: skip
    seeds = f"{len(result.seeds)} seed{'s' if len(result.seeds) > 1 else ''}"
    splits = result.protocol.folds * len(result.seeds)
    print_line(f"{result.data}, {result.protocol.name}, {seeds}, {splits} splits\n")
    gains = f"{first} gains"
    print_table(
        ("method", "accuracy, %", "95 % interval", gains, "rank"),
        rows,
        right=("accuracy, %", "95 % interval", gains, "rank"),
    )
    print_line(
        "\nMean ± standard deviation over test parts. A gain whose interval holds 0 is no ranking."
        "\nRank: effective rank of the assignment on test graphs; 1 means collapsed."
    )
    for line in choices(result):
        print_line(line)
    for line in result.warning_lines:
        print_line(f"warning: {line}")
    _print_failures(result)


def _print_tests(result: "ExperimentResult") -> None:
    """One table for each size of pairs, or for the ranking."""
    from graphpool.experiments.tables import test_rows
    from graphpool.tasks import find_task

    for test in result.tests:
        title = find_task(result.task).test_title.format(test)
        print_line(f"{', '.join(filter(None, [result.data, title]))}\n")
        head, rows = test_rows(result, test)
        print_table(head, rows, right=head[2:])
        print_line()
    _print_failures(result)
    if len(result.seeds) > 1:
        print_line(
            "Mean ± standard deviation over seeds. A gain whose interval holds 0 is no ranking."
        )


def _print_failures(result: "ExperimentResult") -> None:
    for line in result.failure_lines:
        print_line(f"failed: {line}")


def summary_document(result: "ExperimentResult") -> dict[str, Any]:
    """The figures of every method, for machines."""
    from graphpool.experiments.results import result_document

    document = result_document(result, "")
    del document["folder"]
    return document
