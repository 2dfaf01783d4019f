"""A report as one HTML page: no scripts, no other files, opens from disk."""

import logging
from pathlib import Path

from graphpool import __version__
from graphpool.files import atomic_write
from graphpool.report.data import EmbeddingPlot, Report
from graphpool.report.draw.curves import learning_curves
from graphpool.report.draw.hierarchy import draw_hierarchy
from graphpool.report.draw.svg import text
from graphpool.report.draw.tsne import FEWEST_FOR_TSNE, graph_map
from graphpool.report.sections.accuracies import hero_figures, results_section
from graphpool.report.sections.classes import classes_section
from graphpool.report.sections.comparison import (
    distances_section,
    figure_tables,
    pairs_section,
    queries_section,
    scores_section,
)
from graphpool.report.sections.examples import examples_section
from graphpool.report.sections.health import health_section, warning_box
from graphpool.report.sections.labels import labels_section
from graphpool.report.sections.numbers import numbers_section
from graphpool.report.sections.parts import fact_list, hero, repeat_section, section
from graphpool.report.sections.spread import spread_section
from graphpool.report.style import stylesheet

logger = logging.getLogger(__name__)


def write(report: Report, path: str | Path) -> Path:
    """Render `report` into one file, which appears complete or not at all."""
    path, page = Path(path), render(report).encode("utf-8")
    with atomic_write(path) as handle:
        handle.write(page)
    logger.info("wrote report %s (%d kB)", path, len(page) // 1000)
    return path


def render(report: Report, seed: int = 0) -> str:
    """The whole page; `seed` is that of the map of graphs."""
    examples = examples_section(report)
    sections = (
        examples if report.examples_first else "",
        results_section(report),
        classes_section(report),
        numbers_section(report),
        spread_section(report),
        figure_tables(report.tables),
        labels_section(report),
        scores_section(report),
        distances_section(report),
        queries_section(report),
        pairs_section(report),
        "" if report.examples_first else examples,
        _curves(report),
        _map(report.embedding, seed),
        _hierarchy(report),
        _health(report),
        repeat_section(report.command, report.environment),
    )
    return shell(report.title, f"{_header(report)}{''.join(sections)}")


def _header(report: Report) -> str:
    figures, verdict = (report.hero, report.verdict) if report.hero else hero_figures(report)
    lead = f'<p class="lead">{text(report.subtitle)}</p>' if report.subtitle else ""
    return (
        f'<header><p class="eyebrow">graphpool report</p><h1>{text(report.title)}</h1>{lead}'
        f"{hero(figures, verdict)}{fact_list(report.metrics)}{warning_box(report.warnings)}"
        f"{fact_list(report.dataset)}"
        "</header>"
    )


def shell(title: str, body: str, *more_css: str) -> str:
    """A whole page around its parts; `more_css` are files of rules beside `style.css`."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        '<meta name="color-scheme" content="light dark">'
        # An empty icon, inline: otherwise browsers ask the server for one.
        '<link rel="icon" href="data:,">'
        f"<title>{text(title)}</title><style>{stylesheet(*more_css)}</style></head>"
        f"<body><main>{body}</main>"
        f"<footer>Made by graphpool {text(__version__)}.</footer></body></html>\n"
    )


def _curves(report: Report) -> str:
    charts, noun = learning_curves(report.curves), report.noun
    if not charts:
        return ""
    words = (
        "A gap that opens between training and validation is overfitting; the kept epoch is "
        f"chosen on validation {noun}, never on test {noun}."
    )
    labels = "; ".join(curve.label for curve in report.curves if curve.label)
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
            " Clusters are the graph’s places: rings, parts that recur, or parts in which edges "
            "are dense. Every graph has its own number of them, and their numbers and colours mean "
            "nothing beyond it."
        )
    bands = ""
    if any(example.smiles for example in report.hierarchy):
        bands = " In a molecule, atoms and bonds of a cluster lie on a band of its colour."
    words = (
        "The same graph at every level. A node has the colour of the cluster it belongs to most, "
        "the paler the more evenly it is shared among clusters. One level up each cluster is a "
        "circle in that colour, as large as the nodes it holds, near where they were; "
        "lines are as thick as the connection is strong; dashed circles are empty. Pies show "
        f"which clusters a later node is made of.{bands}{places}"
    )
    drawn = "".join(map(draw_hierarchy, report.hierarchy))
    return section("From nodes to one vector", words, drawn)


def _health(report: Report) -> str:
    if not report.health:
        return ""
    words = (
        "Pooling is only worth its name when nodes go to different clusters and the clusters "
        "stay connected. These are averages over graphs."
    )
    return section("Health of the coarsening", words, health_section(report.health, report.learned))
