"""Graphs with their parts in colours, as one SVG file."""

import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from balanced_html import EVIL
from helpers.literal_parts import chains

import graphpool as gp
from graphpool.errors import ConfigError, DataError, InputError
from graphpool.graphs import GraphSet, PlaceRule, RecurringParts
from graphpool.report import draw_parts
from graphpool.report.draw.critical_difference import text_width
from graphpool.report.draw.parted import cut_edges, part_colours, parted_sides, usual_graphs
from graphpool.report.parts_picture import (
    MOST_GRAPHS,
    WIDTH,
    parts_of_graphs,
    shortened_middle,
)
from graphpool.report.style import plain_style

AUTO = PlaceRule(units="auto", steps=0)
HARD = PlaceRule(steps=0)


def caveman() -> GraphSet:
    """A ring of cliques, and its numbering the other way round."""
    graph = nx.connected_caveman_graph(5, 6)
    other = nx.relabel_nodes(graph, {node: len(graph) - 1 - node for node in graph})
    return gp.from_networkx([graph, other])


def texts(svg: str) -> list[str]:
    """What stands below the graphs."""
    _, *words = [each.text or "" for each in ElementTree.fromstring(svg) if "}text" in each.tag]
    return words


def discs(svg: str) -> list[list[tuple[float, float, float]]]:
    """The circles of each graph."""
    outer = ElementTree.fromstring(svg)
    return [
        [tuple(float(each.get(key, "")) for key in ("cx", "cy", "r")) for each in panel.iter()
         if each.tag.endswith("circle")]
        for panel in outer if panel.tag.endswith("}svg")
    ]  # fmt: skip


def test_the_same_graphs_give_the_same_bytes_without_a_date(tmp_path: Path) -> None:
    graphs = gp.load("MUTAG", features=None)
    one, two = (draw_parts(graphs[[0, 7]], AUTO, tmp_path / name) for name in ("a.svg", "b.svg"))
    assert one.read_bytes() == two.read_bytes()
    assert not re.search(rb"20\d\d-\d\d", one.read_bytes())


def test_colours_are_plain_so_that_every_program_shows_them(tmp_path: Path) -> None:
    path = tmp_path / "peptides.csv"
    path.write_text("smiles,y\nc1ccccc1CCCC(=O)NC1CCCC1,0\nCCO,1\n")
    pytest.importorskip("rdkit")
    svg = draw_parts(gp.read(path, features=None), AUTO, tmp_path / "x.svg").read_text()
    for unknown in ("var(", "color-mix", "--k", "--p", "script", "url("):
        assert unknown not in svg
    ElementTree.fromstring(svg)


def test_captions_count_parts_and_cut_edges_as_a_loop_does(tmp_path: Path) -> None:
    graphs = caveman()
    svg = draw_parts(graphs, HARD, tmp_path / "x.svg").read_text()
    cluster = graphs.places(HARD).cluster.tolist()
    for at, graph in enumerate(graphs):
        part = cluster[at * 30 : at * 30 + 30]
        ends = graph.edge_index.t().tolist()
        cut = sum(i < j and part[i] != part[j] for i, j in ends)
        assert texts(svg)[2 * at] == f"graph {at}: {len(set(part))} parts"
        assert texts(svg)[2 * at + 1] == f"30 nodes, {len(ends) // 2} edges, {cut} cut"
        assert parts_of_graphs(graphs, HARD)[at]["cut_edges"] == cut
    assert svg.count('class="between"') == sum(map(cut_edges, parted_sides(graphs, HARD)))
    assert parts_of_graphs(graphs, HARD)[0]["parts"][0][0] == 0


def captions(svg: str) -> list[tuple[float, float, float]]:
    """Left end, right end and height of each line of words, as wide as common fonts make it."""
    found = []
    for each in ElementTree.fromstring(svg):
        if each.tag.endswith("}text"):
            words = "".join(each.itertext()) if not len(each) else each[0].tail or ""
            x, y, size = (float(each.get(key, "")) for key in ("x", "y", "font-size"))
            wide = text_width(words, size)
            found.append((x - wide / 2, x + wide / 2, y))
    return found


@pytest.mark.parametrize("amount", [1, 3, 7])
def test_long_names_stay_in_the_room_of_their_graph(tmp_path: Path, amount: int) -> None:
    start = "an-id-of-very-many-characters-" * 4
    ids = tuple(f"{start}: {at}-th" for at in range(amount))
    graphs = gp.from_networkx([nx.path_graph(4 + at) for at in range(amount)])
    graphs = replace(graphs, ids=ids, name="A set with a long name " * 9)
    svg = draw_parts(graphs, AUTO, tmp_path / "x.svg").read_text()
    lines = captions(svg)
    assert all(left >= 0 and right <= WIDTH for left, right, _ in lines)
    for (_, right, y), (left, _, v) in combinations(sorted(lines, key=lambda line: line[0]), 2):
        assert y != v or right < left
    for at, name in enumerate(ids):
        assert f"<title>graph {name}</title>" in svg
        assert f"{at}-th: " in svg, "the end tells ids apart"


def test_short_names_are_as_they_are() -> None:
    assert shortened_middle("an id", 100, 14) == "an id"
    assert shortened_middle("0123456789", 60, 10) == "0123…6789"
    assert shortened_middle("0123456789", 0, 10) == "0…9"
    assert len(shortened_middle("i" * 1_000_000, 100, 10)) < 30


def test_nodes_do_not_overlap_and_those_of_a_part_stand_together(tmp_path: Path) -> None:
    hub = nx.caveman_graph(4, 5)
    hub.add_edges_from((20 + extra, node) for extra in range(2) for node in range(20))
    graphs = gp.from_networkx([hub, nx.complete_graph(12), nx.empty_graph(5), nx.star_graph(30)])
    svg = draw_parts(graphs, HARD, tmp_path / "x.svg").read_text()
    for panel in discs(svg):
        for (x, y, r), (u, v, s) in combinations(panel, 2):
            assert np.hypot(x - u, y - v) > 0.9 * (r + s)
    at = np.array(discs(svg)[0])[:20, :2]
    clique = np.arange(20) // 5
    apart = np.sqrt(((at[:, None] - at[None]) ** 2).sum(2))
    same = clique[:, None] == clique[None]
    assert apart[same].max() < np.median(apart[~same])


def test_parts_that_touch_have_different_colours() -> None:
    graphs = gp.load("MUTAG", features=None)
    for side in parted_sides(graphs, AUTO):
        colours = part_colours(side)
        for i, j in side.edges:
            assert (colours[i] == colours[j]) == (side.part[i] == side.part[j])
    assert part_colours(parted_sides(graphs[:1], PlaceRule("given", clusters=1))[0]) == [0] * 17


def test_parts_that_recur_are_drawn_once_they_are_attached(tmp_path: Path) -> None:
    graphs = chains(0, graphs=40)
    parts = RecurringParts.fit(graphs)
    svg = draw_parts(parts.attach(graphs[:3]), parts.rule, tmp_path / "x.svg").read_text()
    counts = parts.apply(graphs).places.counts.tolist()[:3]
    assert texts(svg)[::2] == [f"graph {at}: {count} parts" for at, count in enumerate(counts)]
    with pytest.raises((ConfigError, DataError, InputError)):
        draw_parts(graphs[:3], parts.rule, tmp_path / "y.svg")


def test_odd_graphs_are_drawn(tmp_path: Path) -> None:
    loops = nx.Graph([(0, 0), (0, 1), (2, 3)])
    directed = nx.DiGraph([(0, 1), (1, 0), (1, 2)])
    for at, graph in enumerate((nx.empty_graph(1), nx.empty_graph(4), loops, directed)):
        path = draw_parts(gp.from_networkx([graph]), AUTO, tmp_path / f"{at}.svg")
        assert len(discs(path.read_text())[0]) == len(graph)


def test_labels_of_others_are_escaped_and_the_file_is_xml(tmp_path: Path) -> None:
    graph = nx.path_graph(3)
    nx.set_node_attributes(graph, dict(enumerate((EVIL, "\x01\x0b", "]]>"))), "label")
    graphs = gp.from_networkx([graph], node_label="label")
    svg = draw_parts(graphs, AUTO, tmp_path / "x.svg").read_text(encoding="utf-8")
    assert EVIL not in svg
    ElementTree.fromstring(svg)
    assert "\ufffd" in plain_style("<svg>\ud800</svg>")


@pytest.mark.parametrize("name", ["x.png", "x"])
def test_other_formats_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match=r"end it with \.svg"):
        draw_parts(caveman(), HARD, tmp_path / name)


def test_too_many_or_too_large_graphs_are_refused(tmp_path: Path) -> None:
    many = gp.from_networkx([nx.path_graph(2)] * (MOST_GRAPHS + 1))
    with pytest.raises(ConfigError, match=f"choose 1 to {MOST_GRAPHS}"):
        draw_parts(many, HARD, tmp_path / "x.svg")
    with pytest.raises(DataError, match=r"it is too large to be drawn \(more than 300 nodes "):
        draw_parts(gp.from_networkx([nx.path_graph(400)]), HARD, tmp_path / "x.svg")
    assert not (tmp_path / "x.svg").exists()


def test_graphs_of_usual_size_are_chosen_once() -> None:
    assert usual_graphs(gp.from_networkx([nx.path_graph(3), nx.path_graph(1)])).tolist() == [0]
    assert usual_graphs(gp.from_networkx([nx.path_graph(1)])).tolist() == []
    assert len(usual_graphs(gp.load("MUTAG", features=None))) == 3
