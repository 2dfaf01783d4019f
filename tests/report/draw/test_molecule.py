import re
import sys
from xml.etree import ElementTree

import numpy as np
import pytest
from balanced_html import parse

from graphpool.report.draw import molecule as module
from graphpool.report.draw.hierarchy import draw_hierarchy
from graphpool.report.draw.molecule import draw_molecule, molecule_svg
from graphpool.report.pictures import HierarchyExample, Level

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
# rdkit reads labels of atoms behind the SMILES.
HOSTILE = 'CCO |$<script>alert(1)</script>;" onload="x;a&b$|'


def colours(svg):
    """The colour and the points of each band."""
    found = re.findall(r'<path style="--k:var\(--c(\d+)\);--p:(\d+)%" d="([^"]+)"/>', svg)
    return [(int(tone), int(percent), path) for tone, percent, path in found]


@pytest.mark.parametrize("smiles", [ASPIRIN, "C", "[Na+].[Cl-]", "F/C=C/F", "C[C@H](N)O", "[CH3]"])
def test_a_molecule_is_well_formed_svg_of_plain_shapes(smiles):
    svg = molecule_svg(smiles)
    tags = [element.tag for element in ElementTree.fromstring(svg).iter()]
    assert set(tags) <= {"svg", "g", "path", "text"}
    assert not re.search(r"\bid=|href|url\(|#[0-9a-fA-F]{3}", svg)


def test_elements_have_colours_of_the_page_and_carbon_that_of_text():
    svg = molecule_svg("CO")
    assert "stroke:var(--ink)" in svg
    assert "fill:var(--c5)" in svg


def test_atoms_stand_in_the_order_of_the_smiles():
    drawing = draw_molecule("NCCO")
    assert drawing.bonds.tolist() == [[0, 1], [1, 2], [2, 3]]
    letters = re.findall(r'<text x="([\d.]+)"[^>]*>([NO])<', drawing.body)
    for x, letter in letters:
        atom = {"N": 0, "O": 3}[letter]
        assert abs(float(x) + module.PAD - drawing.position[atom, 0]) < 12


def test_colours_follow_places():
    places = [0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 2, 2, -1]
    svg, drawing = molecule_svg(ASPIRIN, places), draw_molecule(ASPIRIN)
    bands = colours(svg)
    assert sorted(tone for tone, _, _ in bands) == [0, 1, 2]
    for tone, _, path in bands:
        dots = np.array(re.findall(r"M([\d.]+) ([\d.]+)h0", path), dtype=float)
        own = drawing.position[[at for at, place in enumerate(places) if place == tone]]
        assert np.abs(dots - own).max() < 0.06
    inside = sum(places[a] == places[b] >= 0 for a, b in drawing.bonds.tolist())
    assert sum(path.count("L") for _, _, path in bands) == inside


def test_shared_atoms_have_a_weaker_colour():
    ((_, strong, _),) = colours(molecule_svg("C", [0], [1.0]))
    ((_, weak, _),) = colours(molecule_svg("C", [0], [0.0]))
    assert 0 < weak < strong < 100


def test_hostile_text_is_escaped():
    svg = molecule_svg(HOSTILE)
    page = parse(svg)
    assert set(page.tags) <= {"svg", "g", "path", "text"}
    assert not any(name.startswith("on") for _, name, _ in page.attributes)
    assert ElementTree.fromstring(svg).get("aria-label") == HOSTILE
    assert "<" in "".join(page.said)


def test_letters_that_rdkit_cannot_write_are_no_error():
    assert molecule_svg("CO |$漢;$|") is None


@pytest.mark.parametrize("smiles", ["", "no molecule", "C1CC", "C" * (module.MOST_ATOMS + 1)])
def test_what_is_no_molecule_or_too_large_is_not_drawn(smiles):
    assert molecule_svg(smiles) is None


def test_atoms_beyond_the_rules_of_valence_are_drawn():
    assert molecule_svg("C[N](C)(C)(C)C") is not None


def test_another_number_of_places_than_atoms_is_not_drawn():
    assert molecule_svg("CCO", [0, 1]) is None


def test_a_large_molecule_takes_few_bytes():
    peptide = "N[C@@H](Cc1ccccc1)C(=O)" * 40 + "O"
    drawing = draw_molecule(peptide, [atom // 11 for atom in range(441)])
    assert len(drawing.position) == 441
    assert len(drawing.body) < 100_000


def two_levels(smiles, edges=((0, 1), (1, 2))):
    adjacency = np.zeros((3, 3))
    for i, j in edges:
        adjacency[i, j] = adjacency[j, i] = 1.0
    members = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    levels = [Level(adjacency, members, ["C", "C", "O"]), Level(np.ones((2, 2)))]
    return HierarchyExample("1", "a", "a", levels, places=True, smiles=smiles)


def test_the_hierarchy_of_a_molecule_begins_with_it():
    page = draw_hierarchy(two_levels("CCO"))
    parse(page)
    first, second, _ = page.split("</svg>")
    assert "The molecule" in page
    assert sorted(tone for tone, _, _ in colours(first)) == [0, 1]
    assert "node 2, O: place 2, 100 %" in first
    assert re.findall(r"--k:var\(--c(\d+)\)", second) == ["0", "1"]


@pytest.mark.parametrize("smiles", ["", "no molecule", "CCCO", "C1CO1"])
def test_a_smiles_of_another_graph_leaves_the_ordinary_drawing(smiles):
    assert draw_hierarchy(two_levels(smiles)) == draw_hierarchy(two_levels(""))


def test_without_rdkit_the_ordinary_drawing_stays(monkeypatch):
    for name in ("rdkit", "rdkit.Chem", "rdkit.RDLogger"):
        monkeypatch.setitem(sys.modules, name, None)
    assert molecule_svg("CCO") is None
    assert "The graph" in draw_hierarchy(two_levels("CCO"))
