"""Lines that results of all tasks over single graphs end with."""

from collections.abc import Callable

from graphpool.evaluation.format import Lines
from graphpool.tasks.base import Document
from graphpool.tasks.epoch_text import epoch_line
from graphpool.tasks.pages.levels import health_lines
from graphpool.tasks.place_text import choice_lines

ENOUGH_GRAPHS = 100  # to say something about a method


def closing_lines(document: Document, few: str) -> Lines:
    """Describe how a model was trained, its levels, and what to beware of.

    Args:
        document: the result of a training run.
        few: what to say of fewer than `ENOUGH_GRAPHS` test graphs.
    """
    lines: Lines = [epoch_line(document, "graphs")]
    if document["choice"]:
        lines += choice_lines(document["choice"])
    lines += health_lines(document["health"], document["places"])
    lines += [f"warning: {warning}" for warning in document["warnings"]]
    return [*lines, few] if document["graphs"]["test"] < ENOUGH_GRAPHS else lines


def seen_lines(document: Document, result: str, text: Callable[[Document], str]) -> Lines:
    """Warn of graphs of a set that the model has seen, and describe those it has not.

    Args:
        document: of `graphpool.tasks.base.Task.test_set`.
        result: what the figures of graphs that trained a model are not, such as `accuracy`.
        text: describes figures.
    """
    lines: Lines = []
    if document["trained_on"]:
        lines.append(
            f"warning: {document['trained_on']} of these graphs trained the model or chose its "
            f"epoch: this is no test {result}"
        )
    if "held_out" in document:
        lines.append(f"Held-out test graphs alone: {text(document['held_out'])}")
    return [*lines, *(f"warning: {warning}" for warning in document["warnings"])]
