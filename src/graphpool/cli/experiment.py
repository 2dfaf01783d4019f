"""How commands run and print experiments."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from graphpool.cli.output import percent, plural, print_line, print_status, print_table, quiet_log

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
    print_line(f"{result.facts.name}, {result.protocol.name}, {seeds}, {splits} splits\n")
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
    for method in result.methods:
        units = result.of(method)
        bad = [unit for unit in units if unit.warnings]
        if bad:
            print_line(
                f"warning: {method}, {len(bad)} of {len(units)} models: {bad[0].warnings[0]}"
            )
    for failure in result.failures:
        print_line(
            f"failed: {failure.method}, seed {failure.seed}, fold {failure.fold}: {failure.error}"
        )


def summary_document(result: "ExperimentResult") -> dict[str, Any]:
    """The figures of every method, for machines."""
    from dataclasses import asdict

    methods = {}
    for method in result.methods:
        summary = result.summary(method)
        methods[method] = {
            **({} if summary is None else asdict(summary)),
            "accuracies": result.accuracies(method),
            "health": result.health(method),
            "chosen": [unit.chosen for unit in result.of(method)],
        }
    return {
        "data": result.facts.name,
        "protocol": result.protocol.name,
        "seeds": list(result.seeds),
        "methods": methods,
        "failures": [asdict(failure) for failure in result.failures],
    }


def same_answer(name: Any) -> list[str]:
    """What to warn of a model that gives the class `name` to every graph; nothing for None."""
    if name is None:
        return []
    return [
        f"the model answers {name} for every graph: it has learnt nothing that tells them apart"
    ]


def print_score(document: dict[str, Any]) -> None:
    """What a trained model reached on a set, and on the part that it has not seen."""
    print_line(f"{document['data']}: {_score_text(document)}")
    print_line(f"Majority class of this set: {percent(document['majority'])}")
    if document["trained_on"]:
        print_line(
            f"warning: {document['trained_on']} of these graphs trained the model or chose its "
            "epoch: this is no test accuracy"
        )
    if "held_out" in document:
        print_line(f"Held-out test graphs alone: {_score_text(document['held_out'])}")
    for warning in document["warnings"]:
        print_line(f"warning: {warning}")


def _score_text(document: dict[str, Any]) -> str:
    return (
        f"accuracy {percent(document['accuracy'])}, balanced "
        f"{percent(document['balanced_accuracy'])}, on {plural(document['graphs'], 'graph')}"
    )
