"""Predicted numbers: against true ones, and their residuals, target by target."""

from graphpool.report.data import Report
from graphpool.report.draw.number_charts import residual_chart, true_chart
from graphpool.report.sections.parts import section

MOST_TARGETS = 8


def numbers_section(report: Report) -> str:
    """Two charts for every target."""
    if not report.numbers:
        return ""
    words = (
        "Every dot is a test graph: the nearer to the line, the smaller the error. Dots that bend "
        "away from the line at its ends are a model that keeps to the middle."
    )
    if len(report.numbers) > MOST_TARGETS:
        words += f" Drawn are the first {MOST_TARGETS} of {len(report.numbers)} targets."
    charts = "".join(
        f'<div class="charts">{true_chart(plot)}{residual_chart(plot)}</div>'
        for plot in report.numbers[:MOST_TARGETS]
        if len(plot.true)
    )
    return section("Predicted and true numbers", words, charts)
