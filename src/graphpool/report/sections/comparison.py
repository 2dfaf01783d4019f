"""Pages about models that compare graphs: figures beside rules, charts, drawn graphs."""

from collections.abc import Sequence

from graphpool.report.comparison_data import ComparedRow, ComparerReport, MethodsReport
from graphpool.report.draw.comparison_charts import distance_chart, score_chart
from graphpool.report.draw.comparison_pictures import label_key, pair_figure, query_figure
from graphpool.report.draw.svg import text
from graphpool.report.page import curves_section, header, hero_cell, repeat_section, section, shell
from graphpool.report.sections.health import warning_box


def render_comparer(report: ComparerReport) -> str:
    """The whole page: no scripts, no other files."""
    parts = (
        header(report.title, report.subtitle, _hero(report), report.dataset),
        _rows(report),
        _scores(report),
        _distances(report),
        _queries(report),
        _pairs(report),
        curves_section(report.curves, report.examples),
        repeat_section(report.command, report.environment),
    )
    return shell(report.title, "".join(parts))


def render_methods(report: MethodsReport) -> str:
    """The whole page about several methods."""
    below = _cells(report.hero) + warning_box(report.warnings)
    words = (
        "Mean over seeds ± standard deviation between them; the bar is the first figure. A network "
        "has learnt something only where it is above the rules."
    )
    tables = "".join(
        section(text(title or "Methods and rules"), words, _table(report.columns, rows))
        for title, rows in report.tables.items()
    )
    end = repeat_section(report.command, report.environment)
    top = header(report.title, report.subtitle, below, {})
    return shell(report.title, f"{top}{tables}{end}")


def _hero(report: ComparerReport) -> str:
    cells = _cells(report.hero)
    return f"{cells}<p>{text(report.verdict)}</p>" if cells else ""


def _cells(hero: Sequence[tuple[str, str, str, str]]) -> str:
    """Figures in large print, the model's own first."""
    cells = "".join(
        hero_cell("" if number else "ours", name, value, below, unit)
        for number, (name, value, unit, below) in enumerate(hero)
    )
    return f'<div class="hero">{cells}</div>' if cells else ""


def _rows(report: ComparerReport) -> str:
    if not report.rows:
        return ""
    words = (
        "A model has learnt something only where it is above the rules: they compare one thing of "
        "both graphs, and learn at most a threshold."
    )
    made = _table(report.columns, report.rows, badge="this model")
    return section("Results beside rules", words, made)


def _table(columns: Sequence[str], rows: Sequence[ComparedRow], badge: str = "") -> str:
    names = "".join(f'<th scope="col" class="num">{text(name)}</th>' for name in columns)
    body = "".join(_row(row, columns, badge) for row in rows)
    return (
        '<table class="results plain"><thead><tr><th scope="col">Method</th>'
        f'<th scope="col" class="chart">{text(columns[0])}</th>{names}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _row(row: ComparedRow, columns: Sequence[str], badge: str) -> str:
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
