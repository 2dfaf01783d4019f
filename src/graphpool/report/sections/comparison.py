"""Sections about models that compare graphs: scores, distances, drawn pairs and queries."""

from graphpool.report.data import Report
from graphpool.report.draw.comparison_charts import distance_chart, score_chart
from graphpool.report.draw.comparison_pictures import label_key, pair_figure, query_figure
from graphpool.report.sections.parts import section


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
    return section("Pairs, right and wrong", words, label_key(report.labels, tones) + drawn)


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
    return section("Nearest graphs", words, label_key(report.labels, tones) + drawn)


def _tones(report: Report) -> dict[str, int]:
    return {label: number for number, label in enumerate(report.labels)}
