"""Accuracies over splits: mean ± standard deviation, 95 % interval, and a dot for every split."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from graphpool.errors import plural
from graphpool.evaluation.statistics import Summary, paired_difference, summarise
from graphpool.report.data import HeroFigure, Report, ResultRow
from graphpool.report.draw.svg import text, ticks
from graphpool.report.sections.parts import name_cell, section


def summary_of(row: ResultRow) -> Summary:
    """Mean, spread and interval of a row's accuracies."""
    summary = summarise(row.accuracies, row.overlap)
    if row.interval is None or summary.count > 1:
        return summary
    return replace(summary, low=row.interval[0], high=row.interval[1])


def difference(ours: ResultRow, other: ResultRow) -> Summary | None:
    """Gain of `ours` over `other` split by split; None unless they were measured on as many."""
    if len(ours.accuracies) != len(other.accuracies):
        return None
    return paired_difference(ours.accuracies, other.accuracies, max(ours.overlap, other.overlap))


def percent(value: float, digits: int = 1) -> str:
    """A fraction as a percentage without the sign."""
    return f"{100 * value:.{digits}f}"


def hero_figures(report: Report) -> tuple[list[HeroFigure], str]:
    """The headline, the best baseline and the majority class, and a sentence that compares them."""
    ours, best, majority = report.headline, report.best_baseline, report.majority
    if ours is None:
        return [], ""
    summary = summary_of(ours)
    spread = "on one split"
    if summary.std is not None:
        spread = (
            f"± {percent(summary.std)} over {plural(summary.count, 'split')}; "
            f"95 % interval of the mean {_interval(summary)}"
        )
    elif interval := _interval(summary):
        spread = f"on one split; 95 % interval {interval}"
    figures = [HeroFigure(f"Accuracy of {ours.name}", percent(summary.mean), "%", spread)]
    if best is not None:
        mean = percent(summary_of(best).mean)
        figures.append(HeroFigure("Best baseline", mean, "%", best.name))
    words = []
    if majority is not None:
        level = summary_of(majority).mean
        figures.append(HeroFigure("No learning at all", percent(level), "%", majority.name))
        if not report.learned:
            words.append("The model is no better than always answering the most frequent class.")
    if best is not None:
        words.append(comparison(ours, best))
    return figures, " ".join(words)


def comparison(ours: ResultRow, other: ResultRow) -> str:
    """Whether `ours` is ahead of the best baseline, and whether that may be chance (plain text)."""
    gain = difference(ours, other)
    if gain is None:
        rough = summary_of(ours).mean - summary_of(other).mean
        return (
            f"It lies {_points(abs(rough))} points {_side(rough)} {other.name}; the two were "
            "measured on different numbers of splits, so no interval of the difference is given."
        )
    lies = f"{_points(abs(gain.mean))} points {_side(gain.mean)} {other.name}"
    if gain.low is None or gain.high is None:
        return f"It lies {lies}, on one split: too little to rank the two."
    interval = (
        f"95 % interval of the difference, split by split: "
        f"{_points(gain.low)} to {_points(gain.high)}"
    )
    if gain.low > 0 or gain.high < 0:
        return f"It lies {lies} ({interval})."
    return f"It lies {lies}, no more than chance explains: read the two as equal ({interval})."


def _interval(summary: Summary) -> str:
    if summary.low is None or summary.high is None:
        return ""
    return f"{percent(summary.low)} – {percent(summary.high)}"


def _points(value: float) -> str:
    """Percentage points with a typographic minus."""
    return f"{100 * value:.1f}".replace("-", "\u2212")


def _side(gain: float) -> str:
    return "above" if gain >= 0 else "below"


def results_section(report: Report) -> str:
    """The table of accuracies, what it shows, and every number behind it."""
    if not report.results:
        return ""
    several = any(len(row.accuracies) > 1 for row in report.results)
    words = "Share of test graphs whose class was found, "
    if several:
        words += (
            "as the mean over splits ± standard deviation between splits. Small differences "
            "between overlapping intervals are no evidence that one method is better."
        )
        interval = "Student’s t over the splits. Folds share training graphs, so it is somewhat "
        interval += "narrower than it should be."
        if all(row.overlap > 0 for row in report.results):
            interval = "Student’s t widened for splits that share graphs (Nadeau and Bengio 2003)."
    else:
        words += "on one split. Other splits and seeds give other numbers: to compare methods, run "
        words += "<code>graphpool evaluate</code>."
        interval = "Wilson’s, from the number of test graphs."
    note = (
        f'<p class="note">Interval: {interval} The dashed line is the majority class: '
        "what an answer without looking at the graph scores.</p>"
    )
    return section(
        "Results beside baselines",
        words,
        results_table(report) + note + (_all_numbers(report) if several else ""),
    )


def results_table(report: Report) -> str:
    """The table of all results, best mean first, with one shared axis."""
    rows = sorted(report.results, key=lambda row: -float(np.mean(row.accuracies)))
    low, high = _range(rows)
    majority = None if report.majority is None else summary_of(report.majority).mean
    body = "".join(_row(row, row is report.headline, low, high, majority) for row in rows)
    several = any(len(row.accuracies) > 1 for row in rows)
    chart = f"{'Every split, mean' if several else 'Accuracy'} and 95 % interval"
    return (
        '<table class="results"><thead><tr><th scope="col">Method</th>'
        f'<th scope="col" class="chart">{chart}</th>'
        '<th scope="col" class="num">Accuracy, %</th><th scope="col" class="num">95 % interval</th>'
        f"</tr></thead><tbody>{body}</tbody>"
        f'<tfoot><tr><td></td><td class="chart">{_axis(low, high, majority)}</td>'
        "<td></td><td></td></tr></tfoot></table>"
    )


def _all_numbers(report: Report) -> str:
    """Every accuracy as measured, to check the summary by."""
    items = "".join(
        f"<dt>{text(row.name)}</dt><dd>{' '.join(percent(value, 2) for value in row.accuracies)}"
        "</dd>"
        for row in report.results
    )
    return (
        '<details><summary>Every measured accuracy</summary><dl class="numbers">'
        f"{items}</dl></details>"
    )


def _range(rows: Sequence[ResultRow]) -> tuple[float, float]:
    """An axis from one multiple of 5 % to another that holds every dot and interval."""
    values = [value for row in rows for value in row.accuracies]
    for row in rows:
        summary = summary_of(row)
        values += [value for value in (summary.low, summary.high) if value is not None]
    low = max(0.0, math.floor(min(values) * 20 - 0.2) / 20)
    high = min(1.0, math.ceil(max(values) * 20 + 0.2) / 20)
    return (low, high) if high > low else (max(0.0, low - 0.05), max(high, 0.05))


def _row(row: ResultRow, main: bool, low: float, high: float, majority: float | None) -> str:
    summary = summary_of(row)
    spread = "" if summary.std is None else f' <span class="soft">± {percent(summary.std)}</span>'
    interval = _interval(summary) or "one split"
    if row.family == "rule" and not summary.std:
        spread, interval = "", ""
    kind = f"{row.family} main" if main else row.family
    return (
        f'<tr class="{kind}">{name_cell(row.name, "this model" if main else "", row.note)}'
        f'<td class="chart">{_dots(row, summary, low, high, majority)}</td>'
        f'<td class="num"><b>{percent(summary.mean)}</b>{spread}</td>'
        f'<td class="num soft">{interval}</td></tr>'
    )


def _dots(row: ResultRow, summary: Summary, low: float, high: float, majority: float | None) -> str:
    """Splits as faint dots, the interval as a bar, the mean on top; x in per cent of the cell."""

    def at(value: float) -> str:
        return f"{_at(min(max(value, low), high), low, high):.2f}%"

    parts = ['<line class="axis" x1="2%" x2="98%" y1="50%" y2="50%"/>']
    if majority is not None:
        parts.append(
            f'<line class="majority" x1="{at(majority)}" x2="{at(majority)}" y1="0" y2="100%"/>'
        )
    if summary.count > 1 and summary.std:
        parts += [f'<circle class="split" cx="{at(v)}" cy="50%" r="3"/>' for v in row.accuracies]
    if summary.low is not None and summary.high is not None:
        parts.append(
            f'<line class="interval" x1="{at(summary.low)}" x2="{at(summary.high)}" '
            'y1="50%" y2="50%"/>'
        )
    parts.append(f'<circle class="mean" cx="{at(summary.mean)}" cy="50%" r="5"/>')
    label = f"{text(row.name)}: {percent(summary.mean)} %"
    return f'<svg class="dots" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def _at(value: float, low: float, high: float) -> float:
    """Position on the axis, in per cent of the cell."""
    return 2 + 96 * (value - low) / (high - low)


def _axis(low: float, high: float, majority: float | None) -> str:
    labels = "".join(
        f'<text x="{_at(mark / 100, low, high):.2f}%" y="12">{mark:g}</text>'
        for mark in ticks(100 * low, 100 * high, 5)
    )
    if majority is not None:
        x = _at(majority, low, high)
        anchor = "start" if x < 15 else "end" if x > 85 else "middle"
        labels += (
            f'<text class="majority" x="{x:.2f}%" y="28" '
            f'style="text-anchor:{anchor}">majority class {percent(majority)}</text>'
        )
    return f'<svg class="ruler" aria-hidden="true">{labels}</svg>'
