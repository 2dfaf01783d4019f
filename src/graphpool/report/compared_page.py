"""The page about a model that compares graphs: figures beside rules, charts, drawn graphs."""

from graphpool.report.compared_charts import distance_chart, score_chart
from graphpool.report.compared_data import ComparedRow, ComparerReport
from graphpool.report.compared_pictures import label_key, pair_figure, query_figure
from graphpool.report.page import curves_section, header, hero_cell, repeat_section, section, shell
from graphpool.report.svg import text


def render_comparer(report: ComparerReport) -> str:
    """The whole page: no scripts, no other files."""
    parts = (
        header(report.title, report.subtitle, _hero(report), report.dataset),
        _table(report),
        _scores(report),
        _distances(report),
        _queries(report),
        _pairs(report),
        curves_section(report.curves, report.examples),
        repeat_section(report.command, report.environment),
    )
    return shell(report.title, "".join(parts))


def _hero(report: ComparerReport) -> str:
    cells = "".join(
        hero_cell("" if number else "ours", name, value, below, unit)
        for number, (name, value, unit, below) in enumerate(report.hero)
    )
    if not cells:
        return ""
    return f'<div class="hero">{cells}</div><p>{text(report.verdict)}</p>'


def _table(report: ComparerReport) -> str:
    if not report.rows:
        return ""
    words = (
        "A model has learnt something only where it is above the rules: they compare one thing of "
        "both graphs, and learn at most a threshold."
    )
    names = "".join(f'<th scope="col" class="num">{text(name)}</th>' for name in report.columns)
    body = "".join(_row(row, report) for row in report.rows)
    table = (
        '<table class="results plain"><thead><tr><th scope="col">Method</th>'
        f'<th scope="col" class="chart">{text(report.columns[0])}</th>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )
    return section("Results beside rules", words, table)


def _row(row: ComparedRow, report: ComparerReport) -> str:
    badge = ' <span class="badge">this model</span>' if row.main else ""
    note = f'<span class="note">{text(row.note)}</span>' if row.note else ""
    figures = "".join(
        f'<td class="num" data-name="{text(name)}">{text(row.figures.get(name, "–"))}</td>'
        for name in report.columns
    )
    return (
        f'<tr class="{"ours main" if row.main else "rule"}">'
        f'<th scope="row">{text(row.name)}{badge}{note}</th><td class="chart">'
        f'<div class="bar"><span style="width:{100 * row.share:.1f}%"></span></div></td>'
        f"{figures}</tr>"
    )


def _scores(report: ComparerReport) -> str:
    if report.scores is None:
        return ""
    words = (
        "The share of test pairs of either kind by the score that the model gives them. It takes a "
        "pair for a match above 0.5; the less the two overlap, the better it tells them apart."
    )
    return section("Scores of test pairs", words, score_chart(report.scores))


def _distances(report: ComparerReport) -> str:
    if report.distances is None:
        return ""
    words = (
        "Every test graph with every other one that it is compared with. The model learns which of "
        "two graphs is nearer and by how much: a thin band that rises is what it is for."
    )
    return section("Predicted and true distance", words, distance_chart(report.distances))


def _pairs(report: ComparerReport) -> str:
    if not report.pairs:
        return ""
    words = "Test pairs, with the score of every level and of all together: a match above 0.5."
    if any(pair.aligned for pair in report.pairs):
        words += (
            " The right graph is drawn on the left one’s places: edges and nodes that only the "
            "left one has are red, those that only the right one has green."
        )
        if report.labels:
            words += " Nodes whose label changes have a dark rim."
    tones = _tones(report)
    drawn = "".join(pair_figure(pair, tones) for pair in report.pairs)
    return section("Pairs, right and wrong", words, label_key(report.labels, tones) + drawn)


def _queries(report: ComparerReport) -> str:
    if not report.queries:
        return ""
    words = (
        "A test graph, then the graphs that the model finds nearest to it, with the distance that "
        "it predicts, the true one, and how near they are in truth."
    )
    tones = _tones(report)
    drawn = "".join(query_figure(query, tones) for query in report.queries)
    return section("Nearest graphs", words, label_key(report.labels, tones) + drawn)


def _tones(report: ComparerReport) -> dict[str, int]:
    return {label: number for number, label in enumerate(report.labels)}
