import json
import re

import pytest
from balanced_html import EVIL, parse

import graphpool as gp
from graphpool.report import render, set_report

MOLECULES = ("CCO", "c1ccccc1", "CC(=O)O", "C", "CCN", "OCC(O)CO", "CCCl", "C#N")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("molecules") / "tiny.csv"
    lines = [f"{text},{at % 2},{at / 10 - 0.3:g}" for at, text in enumerate(MOLECULES)]
    path.write_text("\n".join(["smiles,active,level", *lines]))
    return path


def read_lines(folder, *rows):
    path = folder / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return gp.read(path, features=None)


def drawn(graphs):
    page = render(set_report(graphs))
    parse(page)
    return page.partition("<main>")[2].partition("</main>")[0]


def test_a_set_with_classes_has_a_grid_of_molecules_for_each(table):
    page = drawn(gp.read(table, y="active"))
    assert re.findall(r'<h3 class="group">([^<]+)', page) == ["Class 0", "Class 1"]
    assert page.count('class="molecule"') == len(MOLECULES)
    assert "Node labels" in page
    assert "aromatic" in page  # an edge label
    assert len(page) < 60_000


def test_a_set_with_a_number_is_drawn_over_its_range(table):
    page = drawn(gp.read(table, y="level"))
    shown = [float(value) for value in re.findall(r"<b>level (-?[\d.]+)</b>", page)]
    assert shown == sorted(shown)
    assert len(shown) == len(MOLECULES)
    assert "<figcaption>Level</figcaption>" in page


def test_a_set_with_several_labels_says_how_often_each_is_true(tmp_path):
    values = [(1, 0), (1, None), (0, 1), (1, 0)]
    rows = [{"nodes": 2, "edges": [[0, 1]], "targets": {"a": a, "b": b}} for a, b in values]
    page = drawn(read_lines(tmp_path, *rows))
    assert re.findall(r'<h3 class="group">([^<]+)', page) == ["a: yes", "b: yes"]
    counts = re.findall(r'data-name="(?:yes|no|unknown)">(\d+)', page)
    assert counts == ["3", "1", "0", "1", "2", "1"]


def test_a_set_with_nothing_to_predict_is_drawn_from_small_to_large(tmp_path):
    rows = [{"nodes": nodes, "edges": [[0, 1]]} for nodes in (5, 2, 9, 4)]
    page = drawn(read_lines(tmp_path, *rows))
    assert re.findall(r"(\d) nodes, 1 edge<", page) == ["2", "4", "5", "9"]


def test_graphs_that_are_too_large_are_counted_and_smaller_ones_drawn(tmp_path):
    rows = [{"nodes": nodes, "edges": [[0, 1]], "y": "a"} for nodes in (3, 4, 100_000)]
    page = drawn(read_lines(tmp_path, *rows))
    assert "1 of its graphs is too large to be drawn" in page
    assert page.count('<figure class="example">') == 2


def test_names_in_a_file_are_escaped(tmp_path):
    row = {"id": EVIL, "node_labels": [EVIL, "b"], "edges": [[0, 1, EVIL]], "y": EVIL}
    parser = parse(drawn(read_lines(tmp_path, row, {**row, "id": "2"})))
    assert "img" not in parser.tags
    assert not any(name == "onerror" for _, name, _ in parser.attributes)
