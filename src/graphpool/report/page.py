"""A report as one HTML page: no scripts, no other files, opens from disk."""

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path

from graphpool import __version__
from graphpool.files import atomic_write
from graphpool.report.data import Curve, EmbeddingPlot, Report, ResultRow
from graphpool.report.draw.curves import learning_curves
from graphpool.report.draw.hierarchy import draw_hierarchy
from graphpool.report.draw.svg import figure, text
from graphpool.report.draw.tsne import FEWEST_FOR_TSNE, graph_map
from graphpool.report.sections.accuracies import (
    all_numbers,
    difference,
    percent,
    results_table,
    summary_of,
)
from graphpool.report.sections.health import health_section, warning_box
from graphpool.report.style import stylesheet

logger = logging.getLogger(__name__)


def write(report: Report, path: str | Path) -> Path:
    """Render `report` into one file, which appears complete or not at all."""
    return write_page(render(report), path)


def write_page(html: str, path: str | Path) -> Path:
    """Write a rendered page."""
    path, page = Path(path), html.encode("utf-8")
    with atomic_write(path) as handle:
        handle.write(page)
    logger.info("wrote report %s (%d kB)", path, len(page) // 1000)
    return path


def render(report: Report, seed: int = 0) -> str:
    """The whole page; `seed` is that of the map of graphs."""
    sections = (
        _results(report),
        curves_section(report.curves, "graphs"),
        _map(report.embedding, seed),
        _hierarchy(report),
        _health(report),
        repeat_section(report.command, report.environment),
    )
    return shell(report.title, f"{_header(report)}{''.join(sections)}")


def shell(title: str, body: str) -> str:
    """A whole page around its parts."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        # An empty icon, inline: otherwise browsers ask the server for one.
        '<link rel="icon" href="data:,">'
        f"<title>{text(title)}</title><style>{stylesheet()}</style></head>"
        f"<body><main>{body}</main>"
        f"<footer>Made by graphpool {text(__version__)}.</footer></body></html>\n"
    )


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


def _points(value: float) -> str:
    """Percentage points with a typographic minus."""
    return f"{100 * value:.1f}".replace("-", "\u2212")


def _side(gain: float) -> str:
    return "above" if gain >= 0 else "below"


def _header(report: Report) -> str:
    below = f"{_hero(report)}{warning_box(report.warnings)}"
    return header(report.title, report.subtitle, below, report.dataset)


def header(title: str, subtitle: str, below: str, facts: Mapping[str, str | int | float]) -> str:
    """The top of a page: what it is about, what came of it (`below`), and facts of the data."""
    lead = f'<p class="lead">{text(subtitle)}</p>' if subtitle else ""
    return (
        f'<header><p class="eyebrow">graphpool report</p><h1>{text(title)}</h1>{lead}'
        f"{below}{_facts(facts)}</header>"
    )


def _hero(report: Report) -> str:
    ours, best, majority = report.headline, report.best_baseline, report.majority
    if ours is None:
        return ""
    summary = summary_of(ours)
    spread = "on one split"
    if summary.std is not None and summary.low is not None and summary.high is not None:
        spread = (
            f"± {percent(summary.std)} over {summary.count} splits; "
            f"95 % interval of the mean {percent(summary.low)} – {percent(summary.high)}"
        )
    cells = [hero_cell("ours", f"Accuracy of {ours.name}", percent(summary.mean), spread)]
    if best is not None:
        cells.append(hero_cell("", "Best baseline", percent(summary_of(best).mean), best.name))
    words = []
    if majority is not None:
        level = summary_of(majority).mean
        cells.append(hero_cell("", "No learning at all", percent(level), majority.name))
        if summary.mean <= level:
            words.append("The model is no better than always answering the most frequent class.")
    if best is not None:
        words.append(comparison(ours, best))
    return f'<div class="hero">{"".join(cells)}</div><p>{text(" ".join(words))}</p>'


def hero_cell(css: str, name: str, value: str, below: str, unit: str = "%") -> str:
    """One figure in large print; `css` is `ours` for the model's own."""
    return (
        f'<div class="{css}"><p>{text(name)}</p><p class="big">{value}<small>{unit}</small>'
        f'</p><p class="soft">{text(below)}</p></div>'
    )


def _facts(facts: Mapping[str, str | int | float]) -> str:
    if not facts:
        return ""
    items = "".join(
        f"<div><dt>{text(name)}</dt><dd>{text(figure(value))}</dd></div>"
        for name, value in facts.items()
    )
    return f'<dl class="facts">{items}</dl>'


def section(title: str, words: str, body: str) -> str:
    """A part of the page: its title, what it shows, and the thing itself."""
    return f"<section><h2>{title}</h2><p>{words}</p>{body}</section>"


def _results(report: Report) -> str:
    if not report.results:
        return ""
    words = (
        "Share of test graphs whose class was found, as the mean over splits ± standard "
        "deviation between splits. Small differences between overlapping intervals are no "
        "evidence that one method is better."
    )
    corrected = all(row.overlap > 0 for row in report.results)
    shared = (
        "widened for splits that share graphs (Nadeau and Bengio 2003)."
        if corrected
        else "over the splits. Folds share training graphs, so it is somewhat narrower than it "
        "should be."
    )
    note = (
        f'<p class="note">Interval: Student’s t {shared} The dashed line is the majority class: '
        "what an answer without looking at the graph scores.</p>"
    )
    return section(
        "Results beside baselines", words, results_table(report) + note + all_numbers(report)
    )


def curves_section(curves: Sequence[Curve], noun: str) -> str:
    """Loss and accuracy by epoch; `noun` says what chooses the epoch."""
    charts = learning_curves(curves)
    if not charts:
        return ""
    words = (
        "A gap that opens between training and validation is overfitting; the kept epoch is "
        f"chosen on validation {noun}, never on test {noun}."
    )
    labels = "; ".join(curve.label for curve in curves if curve.label)
    shown = f" Shown: {text(labels)}." if labels else ""
    return section("Learning curves", words + shown, charts)


def _map(plot: EmbeddingPlot | None, seed: int) -> str:
    if plot is None or not len(plot.vectors):
        return ""
    method = "t-SNE" if len(plot.vectors) >= FEWEST_FOR_TSNE else "principal components"
    words = (
        f"Every mark is one graph, placed by its vector ({method}, seed {seed}): near marks have "
        "similar vectors; the size of gaps and the axes mean nothing. Hover for the graph’s id."
    )
    note = f" {text(plot.note)}" if plot.note else ""
    return section("Map of the graphs", words + note, graph_map(plot, seed))


def _hierarchy(report: Report) -> str:
    if not report.hierarchy:
        return ""
    places = ""
    if any(example.places for example in report.hierarchy):
        places = (
            " Clusters are the graph’s places, parts in which edges are dense; every graph has "
            "its own number of them, and their numbers and colours mean nothing beyond it."
        )
    words = (
        "The same graph at every level. A node has the colour of the cluster it belongs to most, "
        "the paler the more evenly it is shared among clusters. One level up each cluster is a "
        "circle in that colour, as large as the nodes it holds, near where they were; "
        "lines are as thick as the connection is strong; dashed circles are empty. Pies show "
        f"which clusters a later node is made of.{places}"
    )
    return section(
        "From nodes to one vector", words, "".join(map(draw_hierarchy, report.hierarchy))
    )


def _health(report: Report) -> str:
    if not report.health:
        return ""
    words = (
        "Pooling is only worth its name when nodes go to different clusters and the clusters "
        "stay connected. These are averages over graphs."
    )
    return section("Health of the coarsening", words, health_section(report.health))


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
