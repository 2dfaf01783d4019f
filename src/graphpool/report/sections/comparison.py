"""Tables of figures, and sections about models that compare graphs: scores, pairs, queries."""

from collections.abc import Sequence

from graphpool.report.data import FigureRow, FigureTable, Report
from graphpool.report.draw.comparison_charts import distance_chart, score_chart
from graphpool.report.draw.comparison_pictures import label_key, pair_figure, query_figure
from graphpool.report.draw.svg import bar, text
from graphpool.report.sections.parts import name_cell, section


def figure_tables(tables: Sequence[FigureTable]) -> str:
    """One section per table that has rows."""
    return "".join(
        section(text(table.title), table.words, figure_table(table))
        for table in tables
        if table.rows
    )


def scores_section(report: Report) -> str:
    """Scores of matching and other test pairs."""
    if report.scores is None:
        return ""
    words = (
        "The share of test pairs of either kind by the score that the model gives them. It takes a "
        "pair for a match above 0.5; the less the two overlap, the better it tells them apart."
    )
    return section("Scores of test pairs", words, score_chart(report.scores))


def distances_section(report: Report) -> str:
    """Predicted against true distances."""
    if report.distances is None:
        return ""
    words = (
        "Every test graph with every other one that it is compared with. The model learns which of "
        "two graphs is nearer and by how much: a thin band that rises is what it is for."
    )
    return section("Predicted and true distance", words, distance_chart(report.distances))


def pairs_section(report: Report) -> str:
    """Test pairs as pictures, with their scores."""
    if not report.pairs:
        return ""
    words = "Test pairs, with the score of every level and of all together: a match above 0.5."
    if any(pair.aligned for pair in report.pairs):
        words += (
            " The right graph is drawn on the positions of the left one: edges and nodes that only "
            "the left one has are red, those that only the right one has green."
        )
        if report.labels:
            words += " Nodes whose label changes have a dark rim."
    tones = _tones(report)
    drawn = "".join(pair_figure(pair, tones) for pair in report.pairs)
    return section("Pairs, right and wrong", words, label_key(tones) + drawn)


def queries_section(report: Report) -> str:
    """Test graphs with the graphs that the model finds nearest."""
    if not report.queries:
        return ""
    words = (
        "A test graph, then the graphs that the model finds nearest to it, with the distance that "
        "it predicts, the true one, and how near they are in truth."
    )
    tones = _tones(report)
    drawn = "".join(query_figure(query, tones) for query in report.queries)
    return section("Nearest graphs", words, label_key(tones) + drawn)


def _tones(report: Report) -> dict[str, int]:
    return {label: number for number, label in enumerate(report.labels)}


def figure_table(table: FigureTable) -> str:
    """The table alone: a row per method or class, its first figure as a bar."""
    names = "".join(f'<th scope="col" class="num">{text(name)}</th>' for name in table.columns)
    body = "".join(_row(row, table.columns, table.badge) for row in table.rows)
    return (
        '<div class="scroll"><table class="results plain"><thead><tr>'
        f'<th scope="col">{text(table.first)}</th>'
        f'<th scope="col" class="chart">{text(table.columns[0])}</th>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )


def _row(row: FigureRow, columns: Sequence[str], badge: str) -> str:
    figures = "".join(
        f'<td class="num" data-name="{text(name)}">{text(row.figures.get(name, "–"))}</td>'
        for name in columns
    )
    kind = "ours main" if row.main else "baseline" if row.learns else "rule"
    name = name_cell(row.name, badge if row.main else "", row.note)
    return f'<tr class="{kind}">{name}<td class="chart">{bar(row.share)}</td>{figures}</tr>'
