"""Output of commands: one JSON document for programs, or text and tables for people."""

import json
import logging
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

from graphpool.evaluation.format import Lines
from graphpool.evaluation.format import percent as percent
from graphpool.evaluation.format import plural as plural
from graphpool.files import strict_json

Json = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on stdout, nothing else.")
]


def print_json(document: Any) -> None:
    """Print a document on stdout; numbers that JSON can't express become null."""
    json.dump(strict_json(document), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    sys.stdout.write("\n")


def print_line(text: str = "") -> None:
    """Print a line on stdout."""
    sys.stdout.write(f"{text}\n")


def print_status(text: str) -> None:
    """Print a line about the progress of a command on stderr, apart from its results."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


@contextmanager
def quiet_log(name: str) -> Iterator[None]:
    """Suppress the warnings of a logger whose content is printed in another form."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], right: Sequence[str] = ()
) -> None:
    """Print a plain table on stdout, with the columns named in `right` aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in columns:
        number = name in right
        table.add_column(
            name, justify="right" if number else "left", overflow="fold", no_wrap=number
        )
    for row in rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    # A pipe has no width; a table cut to 80 columns there would lose text.
    width = None if sys.stdout.isatty() else 200
    Console(file=sys.stdout, width=width, highlight=False, markup=False).print(table)


def print_lines(lines: Lines) -> None:
    """A result on stdout: lines of text, and tables."""
    for line in lines:
        if isinstance(line, str):
            print_line(line)
        else:
            print_table(*line)
