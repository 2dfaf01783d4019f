"""Output of commands: one JSON document for programs, or text and tables for people."""

import io
import json
import sys
from collections.abc import Sequence
from typing import Any

from graphpool.evaluation.format import Lines, Table
from graphpool.files import strict_json


def accept_any_text() -> None:
    """Let stdout and stderr escape characters that their encoding does not have.

    An ASCII terminal has no ±, and no encoding has the bytes of a file name that is not text.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(document: Any) -> None:
    """Print a document on stdout; numbers that JSON can't express become null."""
    ascii_only = not (sys.stdout.encoding or "").lower().startswith("utf")
    json.dump(strict_json(document), sys.stdout, indent=2, ensure_ascii=ascii_only, allow_nan=False)
    sys.stdout.write("\n")


def print_line(text: str = "") -> None:
    """Print a line on stdout."""
    sys.stdout.write(f"{text}\n")


def print_status(text: str) -> None:
    """Print a line about the progress of a command on stderr, apart from its results."""
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


def print_lines(lines: Lines) -> None:
    """Print lines of text and tables on stdout."""
    for line in lines:
        if isinstance(line, str):
            print_line(line)
        else:
            _print_table(line)


def print_result(json: bool, document: Any, lines: Lines) -> None:
    """Print a result: a JSON document for programs, or lines for people."""
    if json:
        print_json(document)
    else:
        print_lines(lines)


def aligned(rows: Sequence[tuple[str, str]]) -> list[str]:
    """Return lines of a name and a text, with the texts below each other."""
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {text}" for name, text in rows]


def _print_table(content: Table) -> None:
    from rich import box
    from rich import table as rich_table
    from rich.console import Console

    table = rich_table.Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in content.columns:
        number = name in content.right
        table.add_column(
            name, justify="right" if number else "left", overflow="fold", no_wrap=number
        )
    for row in content.rows:
        table.add_row(*("" if value is None else str(value) for value in row))
    # A pipe has no width; a table cut to 80 columns there would lose text.
    width = None if sys.stdout.isatty() else 200
    Console(file=sys.stdout, width=width, highlight=False, markup=False).print(table)
