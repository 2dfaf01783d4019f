"""Tables of figures, one row per model, method or rule, with a bar for the first figure."""

from collections.abc import Sequence

from graphpool.report.data import FigureRow, FigureTable
from graphpool.report.draw.svg import text
from graphpool.report.sections.parts import section


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
    mark = f' <span class="badge">{text(badge)}</span>' if row.main and badge else ""
    note = f'<span class="note">{text(row.note)}</span>' if row.note else ""
    figures = "".join(
        f'<td class="num" data-name="{text(name)}">{text(row.figures.get(name, "–"))}</td>'
        for name in columns
    )
    kind = "ours main" if row.main else "baseline" if row.learns else "rule"
    return (
        f'<tr class="{kind}">'
        f'<th scope="row">{text(row.name)}{mark}{note}</th><td class="chart">'
        f'<div class="bar"><span style="width:{100 * row.share:.1f}%"></span></div></td>'
        f"{figures}</tr>"
    )
