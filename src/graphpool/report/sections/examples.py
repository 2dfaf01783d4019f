"""Graphs in grids, each with what is said of it."""

from graphpool.report.data import Report
from graphpool.report.draw.comparison_pictures import Tones, graph_picture, label_key, too_large
from graphpool.report.draw.svg import text, verdict_badge
from graphpool.report.pictures import ExampleGraph, ExampleGroup
from graphpool.report.sections.parts import section

MOST_BYTES = 4_000_000
"""Of all pictures of a page; graphs after that are named, and not drawn."""


def examples_section(report: Report) -> str:
    """The groups of example graphs, each as a grid."""
    groups = [group for group in report.examples if group.graphs]
    if not groups:
        return ""
    tones = {label: tone for tone, label in enumerate(report.labels)}
    drawn, left = [], MOST_BYTES
    for group in groups:
        drawn.append(_grid(group, tones, left))
        left -= len(drawn[-1])
    sides = [each.graph for group in groups for each in group.graphs]
    plain = any(not side.smiles and not side.part for side in sides)
    key = label_key(tones) if plain else ""
    return section(text(report.examples_title), report.examples_words, key + "".join(drawn))


def _grid(group: ExampleGroup, tones: Tones, left: int) -> str:
    cells = []
    for each in group.graphs:
        cells.append(_cell(each, tones, left > 0))
        left -= len(cells[-1])
    note = f'<p class="note">{text(group.note)}</p>' if group.note else ""
    grid = f'<div class="gallery{" wide" * group.wide}">{"".join(cells)}</div>'
    return f'<h3 class="group">{text(group.title)}</h3>{note}{grid}'


def _cell(each: ExampleGraph, tones: Tones, draw: bool) -> str:
    picture = graph_picture(each.graph, tones) if draw else ""
    name, _, size = each.graph.title.partition(": ")
    badge = "" if each.right is None else f" {verdict_badge(each.right)}"
    first, *rest = each.lines or ("",)
    lines = "".join(f"<br>{text(line)}" for line in rest)
    said = f"<br><b>{text(first)}</b>{badge}{lines}" if first else ""
    caption = f'{text(name)} <span class="soft">{text(size)}</span>{said}'
    return (
        f'<figure class="example"><div class="picture">{picture or too_large(each.graph)}</div>'
        f"<figcaption>{caption}</figcaption></figure>"
    )
