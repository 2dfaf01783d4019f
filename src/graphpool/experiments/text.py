"""Words and tables of Markdown pages."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

NONE = "–"
WIDTH = 100


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: int = 1) -> str:
    """A table whose columns are numbers, but for some columns of words at first."""
    rule = f"|{'---|' * words}{'---:|' * (len(head) - words)}\n"
    top, *body = (f"| {' | '.join(line)} |\n" for line in (head, *rows))
    return "".join([top, rule, *body])


def paragraphs(*parts: str) -> str:
    """Paragraphs, filled to the width of the page; tables, pictures and commands as they are."""
    made = []
    for part in filter(None, parts):
        plain = textwrap.fill(part, WIDTH, break_long_words=False, break_on_hyphens=False)
        made.append(part.rstrip("\n") if part.startswith(("|", "`", "!")) else plain)
    return "\n\n".join(made) + "\n"


def time_text(seconds: float | int) -> str:
    """Seconds with a unit that fits."""
    for least, factor, unit in ((1.0, 1, "s"), (1e-3, 1e3, "ms"), (0.0, 1e6, "µs")):
        if seconds >= least:
            return f"{three(factor * seconds)} {unit}"
    raise ValueError(f"{seconds} seconds")


def three(value: float | int) -> str:
    """A number with up to three digits that mean something, and commas."""
    rounded = float(f"{value:.3g}")
    return f"{rounded:,.0f}" if rounded >= 100 else f"{rounded:g}"


def names_text(names: Sequence[str]) -> str:
    """Names of methods, as words of a sentence."""
    return list_text([f"`{name}`" for name in names])


def list_text(parts: Sequence[str]) -> str:
    """`a, b and c`."""
    return " and ".join(filter(None, [", ".join(parts[:-1]), parts[-1]]))


def where_text(made: Mapping[str, Any]) -> str:
    """Machine, versions and code, as far as they were recorded."""
    machine, versions = made.get("machine"), made.get("versions")
    parts = ["machine not recorded"]
    if isinstance(machine, dict):
        cores = machine.get("cores")
        counted = "" if cores is None else f"{cores} core{'s' if cores != 1 else ''}"
        inside = ", ".join(filter(None, [counted, str(machine.get("accelerator", ""))]))
        parts = [f"{machine.get('processor', 'processor not recorded')} ({inside})"]
    if isinstance(versions, dict):
        names = {"python": "Python", "torch": "torch", "torch_geometric": "PyG"}
        parts += [f"{word} {versions[key]}" for key, word in names.items() if key in versions]
        if "code" in versions:
            parts.append(f"code `{versions['code']}`")
    return ", ".join(parts)
