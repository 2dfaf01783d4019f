"""The page about parts that recur."""

import re

import networkx as nx
import pytest
from balanced_html import EVIL, parse
from helpers.literal_parts import chains

import graphpool as gp
from graphpool.graphs import GraphSet, RecurringParts
from graphpool.report import parts_report, render
from graphpool.report.draw.fragment import fragment_smiles
from graphpool.report.parts_page import parts_document


def test_the_most_frequent_parts_are_drawn_with_counts_and_the_list_in_words() -> None:
    graphs = chains(0, graphs=80)
    parts = RecurringParts.fit(graphs)
    page = render(parts_report(graphs, parts, "graphpool data parts chains"))
    parse(page)
    assert "cut C(=O, C) - N(C)" in page
    assert f"<b>{parts.vocabulary[0].count} times</b>" in page
    assert page.count('<figure class="example">') == len(parts.vocabulary) + 3
    assert page.index("What recurs") < page.index("What is cut")


def test_molecules_are_drawn_and_named_as_fragments(tmp_path) -> None:
    units = ("NC(C)C(=O)", "NCC(=O)", "NC(Cc1ccccc1)C(=O)")
    lines = ["".join(units[(at // 3**place) % 3] for place in range(4)) + "O" for at in range(81)]
    path = tmp_path / "peptides.csv"
    path.write_text("\n".join(["smiles,y", *(f"{line},{at % 2}" for at, line in enumerate(lines))]))
    graphs = gp.read(path, features=None)
    parts = RecurringParts.fit(graphs)
    names = [each["name"] for each in parts_document(graphs, parts)["most_frequent"]]
    assert any("c1ccccc1" in name for name in names)
    assert all("*" in name for name in names), "every molecule is divided"
    page = render(parts_report(graphs, parts))
    assert page.count('class="molecule"') == len(names[:20]) + 3
    assert 'class="halo"' in page


def test_words_about_pictures_are_of_what_is_drawn(tmp_path) -> None:
    graphs = chains(0, graphs=80)
    page = render(parts_report(graphs, RecurringParts.fit(graphs)))
    assert "A dashed circle is where a part was cut off" in page
    assert 'class="node dropped"' in page
    assert "Nodes have the colour of their part" in page
    assert "band" not in page
    pytest.importorskip("rdkit")
    path = tmp_path / "peptides.csv"
    lines = [f"{'NCC(=O)' * (2 + at % 3)}NC(C)C(=O)O,{at % 2}" for at in range(60)]
    path.write_text("\n".join(["smiles,y", *lines]))
    molecules = gp.read(path, features=None)
    page = render(parts_report(molecules, RecurringParts.fit(molecules)))
    assert "A star is where a part was cut off" in page
    assert "band of its colour" in page
    assert "Nodes have the colour" not in page


def test_parts_are_counted_in_the_singular_and_the_plural() -> None:
    graphs = gp.from_networkx([nx.cycle_graph(5)])
    page = render(parts_report(graphs, RecurringParts.fit(graphs)))
    assert "<b>1 time</b>" in page
    assert "among 1 part<" in page
    assert "The most frequent part<" in page
    assert "was cut off" not in page, "nothing was"


def test_a_page_without_a_cut_says_so_and_what_is_done_instead() -> None:
    graphs = gp.from_networkx([nx.connected_caveman_graph(4, 5)] * 12)
    parts = RecurringParts.fit(graphs)
    assert not parts.entries
    page = render(parts_report(graphs, parts))
    assert "Nothing recurs in these graphs that saves bits" in page
    assert "by rings and modularity" in page
    for wrong in ("−0", "whole,", "with parts", "What recurs", "found from what recurs"):
        assert wrong not in page
    # Nodes of a part are filled, those beyond it are not.
    part, _ = page.split("Graphs and their parts")
    assert part.count('class="node dropped"') == sum(
        _cut_ends(graphs, part.graph, part.example) for part in parts.vocabulary[:20]
    )


def _cut_ends(graphs: GraphSet, name: str, nodes: tuple[int, ...]) -> int:
    source, target = graphs[graphs.ids.index(name)].edge_index.tolist()
    return sum(i in nodes and j not in nodes for i, j in zip(source, target, strict=True))


def test_chosen_graphs_are_drawn_with_their_parts() -> None:
    graphs = gp.from_networkx([nx.path_graph(3), nx.empty_graph(1), nx.cycle_graph(6)])
    page = render(parts_report(graphs, RecurringParts.fit(graphs), positions=[1, 2]))
    parse(page)
    shown = page[page.index("Graphs and their parts") :]
    assert re.findall(r"<figcaption>graph (\d) ", shown) == ["1", "2"]


def test_a_fragment_has_stars_where_it_was_cut_off() -> None:
    pytest.importorskip("rdkit")
    assert fragment_smiles("NCC(=O)NCC(=O)O", [4, 5, 6, 7, 8]) == "*NCC(=O)O"
    assert fragment_smiles("NCC(=O)NCC(=O)O", [0, 1, 2, 3]) == "*C(=O)CN"
    assert fragment_smiles("CCO", [0, 2]) == ""
    assert fragment_smiles("not a molecule", [0]) == ""
    assert fragment_smiles("CCO", [9]) == ""
    assert fragment_smiles("CCO", [0, 1, 2]) == "CCO"


def test_labels_of_others_are_escaped() -> None:
    graphs = chains(1, words=(EVIL, "N", "O", "S"))
    page = render(parts_report(graphs, RecurringParts.fit(graphs)))
    parse(page)
    assert EVIL not in page
    assert not re.search(r"<script", page)
