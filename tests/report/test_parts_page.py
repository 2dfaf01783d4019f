"""The page about parts that recur."""

import re

import pytest
from balanced_html import EVIL, parse
from helpers.literal_parts import chains

import graphpool as gp
from graphpool.graphs import RecurringParts
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
