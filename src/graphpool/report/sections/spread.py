"""What a set holds: how sizes and targets are spread, how often classes and labels occur."""

from graphpool.report.data import Report
from graphpool.report.draw.spread_charts import count_chart, value_chart
from graphpool.report.draw.svg import text
from graphpool.report.sections.parts import section

MOST_CHARTS = 24


def spread_section(report: Report) -> str:
    """A histogram for numbers of graphs, bars for names."""
    charts = [value_chart(plot) for plot in report.spreads]
    charts += [count_chart(plot) for plot in report.counts if plot.counts]
    drawn = [chart for chart in charts if chart]
    if not drawn:
        return ""
    words = "Histograms have a bar for a range of numbers; its height is how many graphs are in it."
    if len(drawn) > MOST_CHARTS:
        words += f" Drawn are the first {MOST_CHARTS} of {len(drawn)} charts."
    body = f'<div class="charts">{"".join(drawn[:MOST_CHARTS])}</div>'
    return section(text("What is in the set"), words, body)
