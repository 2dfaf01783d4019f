"""Tables of figures, one row per model, method or rule, with a bar for the first figure."""

from collections.abc import Sequence

from graphpool.report.data import FigureRow, FigureTable
from graphpool.report.draw.svg import text
from graphpool.report.sections.parts import bar, name_cell, section


def figure_tables(tables: Sequence[FigureTable]) -> str:
    """One section per table that has rows."""
    return "".join(
        section(text(table.title), table.words, _table(table)) for table in tables if table.rows
    )


def _table(table: FigureTable) -> str:
    names = "".join(f'<th scope="col" class="num">{text(name)}</th>' for name in table.columns)
    body = "".join(_row(row, table.columns, table.badge) for row in table.rows)
    return (
        '<table class="results plain"><thead><tr><th scope="col">Method</th>'
        f'<th scope="col" class="chart">{text(table.columns[0])}</th>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _row(row: FigureRow, columns: Sequence[str], badge: str) -> str:
    figures = "".join(
        f'<td class="num" data-name="{text(name)}">{text(row.figures.get(name, "–"))}</td>'
        for name in columns
    )
    kind = "ours main" if row.main else "baseline" if row.learns else "rule"
    name = name_cell(row.name, badge if row.main else "", row.note)
    return f'<tr class="{kind}">{name}<td class="chart">{bar(row.share)}</td>{figures}</tr>'
