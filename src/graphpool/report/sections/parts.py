"""Building blocks of pages: headings, figures in large print, lists of facts."""

from collections.abc import Mapping, Sequence

from graphpool.report.data import HeroFigure
from graphpool.report.draw.svg import figure, text


def section(title: str, words: str, body: str) -> str:
    """A part of the page: its title, what it shows, and the thing itself."""
    return f"<section><h2>{title}</h2><p>{words}</p>{body}</section>"


def name_cell(name: str, badge: str, note: str) -> str:
    """The first cell of a row, with a mark if `badge` is not empty."""
    mark = f' <span class="badge">{text(badge)}</span>' if badge else ""
    words = f'<span class="note">{text(note)}</span>' if note else ""
    return f'<th scope="row">{text(name)}{mark}{words}</th>'


def fact_list(facts: Mapping[str, str | int | float]) -> str:
    """Facts about the data, side by side."""
    if not facts:
        return ""
    items = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(figure(value))}</dd></div>"
        for name, value in facts.items()
    )
    return f'<dl class="facts">{items}</dl>'


def hero(figures: Sequence[HeroFigure], verdict: str = "") -> str:
    """Figures in large print, the model's own first, and a sentence below them."""
    if not figures:
        return ""
    cells = "".join(
        f'<div class="{"" if number else "ours"}"><p>{text(each.name)}</p>'
        f'<p class="big">{each.value}<small>{each.unit}</small></p>'
        f'<p class="soft">{text(each.below)}</p></div>'
        for number, each in enumerate(figures)
    )
    words = f"<p>{text(verdict)}</p>" if verdict else ""
    return f'<div class="hero">{cells}</div>{words}'


def repeat_section(command: str, environment: Mapping[str, str | int | float]) -> str:
    """The command, versions and seed that give the same numbers again."""
    if not command and not environment:
        return ""
    line = f"<pre>{text(command)}</pre>" if command else ""
    items = "".join(
        # Versions and seeds are names, not amounts: no digit grouping here.
        f"<dt>{text(name)}</dt><dd>{text(value)}</dd>"
        for name, value in environment.items()
    )
    facts = f'<dl class="environment">{items}</dl>' if items else ""
    words = "The same command, versions and seeds give the same numbers on the same machine."
    return section("How to repeat it", words, line + facts)
