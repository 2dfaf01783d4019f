import re

import pytest
from balanced_html import EVIL, parse

from graphpool.report import Report, render
from graphpool.report.pictures import ExampleGraph, ExampleGroup, Side
from graphpool.report.sections import examples as module


def path(nodes, smiles="", name="graph 1"):
    edges = {(at, at + 1): "" for at in range(nodes - 1)}
    title = f"{name}: {nodes} nodes, {nodes - 1} edges"
    return Side(title, range(nodes), ["C"] * nodes, edges, {}, {}, False, smiles)


def page(*graphs, title="Predicted worst"):
    group = ExampleGroup(title, [ExampleGraph(*graph) for graph in graphs])
    return (
        render(Report("t", examples=[group], labels=["C"]))
        .partition("<main>")[2]
        .partition("</main>")[0]
    )


def test_each_graph_is_a_figure_with_what_is_said_of_it():
    drawn = page((path(3), ["class 1", "predicted 0, 91.0 %"], False), (path(4),))
    parse(drawn)
    assert drawn.count('<figure class="example">') == 2
    assert "<b>class 1</b>" in drawn
    assert "predicted 0, 91.0 %" in drawn
    assert '<span class="miss">wrong</span>' in drawn
    assert drawn.count("<circle") == 3 + 4


def test_a_molecule_is_drawn_as_one_and_needs_no_key_of_labels():
    drawn = page((path(3, "CCC"),))
    assert 'class="molecule"' in drawn
    assert "<circle" not in drawn
    assert 'class="key"' not in drawn


def test_a_smiles_of_another_graph_is_not_drawn():
    assert 'class="molecule"' not in page((path(3, "CCCC"),))


def test_a_large_graph_is_named_and_not_drawn():
    drawn = page((path(5000),))
    assert "5000 nodes" in drawn
    assert "too large to be drawn" in drawn
    assert "<circle" not in drawn


def test_pages_stay_small(monkeypatch):
    monkeypatch.setattr(module, "MOST_BYTES", 20_000)
    drawn = page(*[(path(60),)] * 12)
    assert len(drawn) < 60_000
    assert 0 < drawn.count("too large to be drawn") < 12


@pytest.mark.parametrize("smiles", [EVIL, f"CCC |${EVIL};;$|"])
def test_everything_is_escaped_and_nothing_is_fetched(smiles):
    drawn = page((path(3, smiles, EVIL), [EVIL, EVIL]), title=EVIL)
    parser = parse(drawn)
    assert not {"img", "script"} & set(parser.tags)
    assert not any(name == "onerror" for _, name, _ in parser.attributes)
    assert not re.search(r"https?:|@import|url\((?!#)|xmlns", drawn)


def test_many_molecules_on_a_page_share_no_ids():
    drawn = page(*[(path(3, "CCC"),)] * 3)
    assert drawn.count('class="molecule"') == 3
    assert not [name for _, name, _ in parse(drawn).attributes if name == "id"]
