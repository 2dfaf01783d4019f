"""CSV files with SMILES and .smi files: columns, values, bad lines, hostile content."""

import gzip
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from rdkit import Chem

import graphpool as gp
from graphpool.data.bad_rows import collect_bad_rows
from graphpool.errors import ConfigError, DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import Limits, use_limits

ETHANOL = "CCO"
LACTIC = "C[C@H](O)C(=O)O"


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def read(path: Path, **options: object) -> GraphSet:
    return gp.read(path, features=None, cache=False, **options)  # type: ignore[arg-type]


def column(graphs: GraphSet, of: str, name: str) -> list[int]:
    """The values of an attribute, found by the note that names the attributes."""
    note = next(note for note in graphs.notes if note.startswith(f"{of} attributes: "))
    position = note.partition(": ")[2].split(", ").index(name)
    table = graphs.node_attr if of == "node" else graphs.edge_attr
    assert table is not None
    return table[:, position].tolist()


def test_atoms_and_bonds_are_labelled_and_described(tmp_path: Path) -> None:
    graphs = read(write(tmp_path / "a.csv", f"smiles\n{LACTIC}\nc1cc[nH]c1.[Na+]\n"))
    assert graphs.node_counts.tolist() == [6, 6]
    labels = [graphs.node_label_names[code] for code in graphs.node_label.tolist()]
    assert labels == ["C", "C", "O", "C", "O", "O", "C", "C", "C", "N", "C", "Na"]
    assert column(graphs, "node", "charge") == [0] * 11 + [1]
    assert column(graphs, "node", "hydrogens") == [3, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0]
    assert column(graphs, "node", "degree") == [1, 3, 1, 3, 1, 1, 2, 2, 2, 2, 2, 0]
    assert column(graphs, "node", "aromatic") == [0] * 6 + [1] * 5 + [0]
    assert column(graphs, "node", "in ring") == [0] * 6 + [1] * 5 + [0]
    assert column(graphs, "node", "sp3")[:4] == [1, 1, 1, 0]
    bonds = Counter(graphs.edge_label_names[code] for code in graphs.edge_label.tolist())
    assert bonds == {"single": 8, "double": 2, "aromatic": 10}
    assert sum(column(graphs, "edge", "in ring")) == 10
    assert graphs.columns == {"smiles": (LACTIC, "c1cc[nH]c1.[Na+]")}


@pytest.mark.parametrize(
    ("smiles", "of", "name"),
    [(LACTIC, "node", "chirality S"), ("C[C@@H](O)C(=O)O", "node", "chirality R"),
     ("C/C=C/C", "edge", "stereo E"), ("C/C=C\\C", "edge", "stereo Z")],
)  # fmt: skip
def test_stereo_is_known(tmp_path: Path, smiles: str, of: str, name: str) -> None:
    graphs = read(write(tmp_path / "a.csv", f"smiles\n{smiles}\n"))
    assert sum(column(graphs, of, name)) == (1 if of == "node" else 2)


def test_the_order_of_atoms_in_a_smiles_changes_nothing(tmp_path: Path) -> None:
    molecule = Chem.MolFromSmiles("C[C@H](N)C(=O)N/C=C/c1ccc2[nH]ccc2c1.[Cl-]")
    random.seed(0)
    spelled = {Chem.MolToSmiles(molecule, doRandom=True) for _ in range(10)}
    graphs = read(write(tmp_path / "a.csv", "\n".join(["smiles", *spelled]) + "\n"))
    described = set()
    for graph in graphs:
        atoms = torch.cat([graph.node_label[:, None], graph.node_attr], 1).tolist()
        source, target = graph.edge_index.tolist()
        bonds = torch.cat([graph.edge_label[:, None], graph.edge_attr], 1).tolist()
        edges = (
            (tuple(atoms[u]), tuple(kind), tuple(atoms[v]))
            for u, v, kind in zip(source, target, bonds, strict=True)
        )
        described.add((tuple(sorted(map(tuple, atoms))), tuple(sorted(edges))))
    assert len(spelled) > 3
    assert len(described) == 1


@pytest.mark.parametrize("name", ["smiles", "SMILES", "mol", "Canonical SMILES", "smi"])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_column_is_found_by_its_name(tmp_path: Path, name: str, separator: str) -> None:
    text = f"n{separator}{name}{separator}y\n1{separator}{ETHANOL}{separator}0\n"
    graphs = read(write(tmp_path / "a.csv", text))
    assert graphs.columns == {"smiles": (ETHANOL,), "n": ("1",)}
    assert graphs.classes == (0,)


def test_values_are_classes_or_targets_by_what_they_are(tmp_path: Path) -> None:
    path = write(
        tmp_path / "a.csv",
        "smiles,whole,word,point,gap,other,list,float\n"
        'C,1,yes,0.5,1,1,"[1, 0]",1.0\n'
        'CC,0,no,-2,,0,"[0, null]",0.0\n'
        'CCC,1,no,3e2,0,nan,"[1, 1]",1.0\n',
    )
    assert read(path, y="whole").classes == (0, 1)
    assert read(path, y="float").classes == (0, 1)
    assert read(path, y="word").class_labels.tolist() == ["yes", "no", "no"]
    point = read(path, y="point")
    assert point.target.tolist() == [[0.5], [-2], [300]]
    assert point.target_names == ("point",)
    gap = read(path, y="gap").target.flatten().tolist()
    assert (gap[0], math.isnan(gap[1]), gap[2]) == (1, True, 0)
    several = read(path, y=["gap", "other"])
    assert several.target_names == ("gap", "other")
    assert several.target.isnan().tolist() == [[False, False], [True, False], [False, True]]
    listed = read(path, y="list")
    assert listed.target_names == ("list 0", "list 1")
    assert listed.target[2].tolist() == [1, 1]
    assert "gap" not in several.columns
    assert several.columns["word"] == ("yes", "no", "no")


def test_ids_are_those_of_a_column_or_the_row(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "name,smiles\nx,C\ny,CC\n")
    assert read(path).ids == ("0", "1")
    assert read(path, id="name").ids == ("x", "y")
    with pytest.raises(DataError, match=r"line 3: another line has the id 'x'"):
        read(write(tmp_path / "b.csv", "name,smiles\nx,C\nx,CC\n"), id="name")


def test_smi_files_have_a_smiles_in_each_line(tmp_path: Path) -> None:
    path = tmp_path / "a.smi.gz"
    path.write_bytes(gzip.compress(b"CCO ethanol\nC\tmethane gas\n"))
    graphs = read(path)
    assert graphs.ids == ("ethanol", "methane gas")
    assert graphs.columns["smiles"] == ("CCO", "C")
    assert read(write(tmp_path / "b.smi", "CCO\nC x\n")).ids == ("0", "1")


def test_bad_lines_are_errors_with_their_line(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "smiles,y\nC,1\nc1cc,0\n")
    with pytest.raises(DataError, match=r"a.csv, line 3: rdkit can't read 'c1cc'.*--skip-bad"):
        read(path)


def test_bad_lines_can_be_left_out_and_are_listed(tmp_path: Path) -> None:
    text = "smiles,y\nC,0.5\nc1cc,1\nCC\nCN(C)(C)C,2\n,3\nCCC,x\nCCO,4\n"
    path = write(tmp_path / "a.csv", text)
    with collect_bad_rows() as bad:
        graphs = read(path, skip_bad=True)
    assert graphs.columns["smiles"] == ("C", "CCO")
    assert graphs.ids == ("0", "6")
    assert graphs.target.flatten().tolist() == [0.5, 4]
    assert sorted((row.line, row.row) for row in bad) == [(3, 1), (4, 2), (5, 3), (6, 4), (7, 5)]
    reasons = {row.line: row.reason for row in bad}
    assert "1 cell where 2 are expected" in reasons[4]
    assert "greater than permitted" in reasons[5]
    assert "'x' in y is no number" in reasons[7]
    assert any("5 lines of 7 were left out: line 4" in note for note in graphs.notes)


def test_numbers_with_a_sign_or_a_comma_are_not_taken_for_classes(tmp_path: Path) -> None:
    for first in ("3.5%", "3,5", "<3.5"):
        text = f"smiles;y\nC;{first}\nCC;4.5%\nCCC;\nCCO;7%\n"
        with pytest.raises(DataError, match=f"line 2: '{first}' in y is no number; write .* 3.5"):
            read(write(tmp_path / "a.csv", text))
    doses = read(write(tmp_path / "b.csv", "smiles;y\nC;5%\nCC;10%\nCCC;5%\nCCO;10%\n"))
    assert doses.classes == ("10%", "5%")


def test_a_file_of_which_nothing_is_left_says_why(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "smiles,a,b\nC,1,x\nCC,2,y\n")
    with pytest.raises(DataError, match="2 lines of 2 were left out: line 2: 'x' in b is no numb"):
        read(path, y=["a", "b"], skip_bad=True)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("", {"smiles": "smiles"}, "empty"),
        ("smiles,y\n", {}, "no molecules"),
        ("smiles,y\nC,1\n", {"y": "yy"}, "there is no column 'yy'.*did you mean 'y'"),
        ("smile,y\nC,1\n", {"smiles": "smiles"}, "did you mean 'smile'"),
        ("smi,mol\nC,C\n", {}, "which column holds SMILES"),
        ("smiles,smiles\nC,C\n", {"smiles": "smiles"}, "two columns"),
        ("smiles,y\nC\x00C,1\n", {}, "line 2: a byte 0"),
        ('smiles,y\n"CC,1\n', {}, "can't be read as CSV"),
        ("smiles,y\nC,1\nCC,inf\n", {}, "line 3: 'inf' in y is not finite"),
        ('smiles,y\nC,"[1]"\nCC,"[1, 2]"\n', {}, "line 3: 2 numbers in a list, 1 in"),
        ('smiles,y\nC,"[1]"\nCC,"[1e99]"\n', {}, "line 3.*not finite"),
        ("smiles,a,b\nC,1,2\nC,x,2\n", {"y": ["a", "b"]}, "line 3: 'x' in a is no number"),
    ],
)
def test_content_that_makes_no_set_is_refused_in_one_line(
    tmp_path: Path, content: str, options: dict[str, object], message: str
) -> None:
    with pytest.raises(DataError, match=message) as error:
        read(write(tmp_path / "a.csv", content), **options)
    assert "\n" not in str(error.value)


def test_text_that_is_not_utf8_is_named_by_its_line(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"smiles,y\nC,1\nCC,\xe9\n")
    with pytest.raises(DataError, match="line 3: not UTF-8"):
        read(path)


def test_limits_hold(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", f"smiles\n{'C' * 20_000}\n")
    with pytest.raises(DataError, match=r"SMILES of 20,000 characters, over 10,000"):
        read(path)
    with use_limits(Limits(nodes=5)), pytest.raises(DataError, match="nodes"):
        read(write(tmp_path / "b.csv", "smiles\nCCCCCC\n"))


def test_options_without_a_use_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", '{"nodes": 1}\n')
    with pytest.raises(ConfigError, match="--target"):
        read(path, y="p")


HOSTILE = (
    "C" * 9_000, "C(" * 4_000 + "C" + ")" * 4_000, "[" * 9_999, "(" * 9_999, "%" * 9_999,
    "".join(f"C%{n}" for n in range(10, 99)) * 2, "C1" * 4_000, "C=1" * 3_000, "1" * 9_999,
    "[C@@" * 2_000, "[" + "9" * 9_000 + "C]", "C/" * 4_000, ".".join("C" * 4_000), "C" * 1_000_000,
    "(" * 100_000 + ")" * 100_000, "C1" * 100_000,
)  # fmt: skip


def test_hostile_smiles_end_in_a_set_or_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.csv", "\n".join(["smiles", *HOSTILE]) + "\n")
    code = (
        "import sys, graphpool as gp\n"
        "print(len(gp.read(sys.argv[1], features=None, cache=False, skip_bad=True)))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr[-500:]
    assert done.stderr == b""
    assert 2 <= int(done.stdout) < len(HOSTILE)
