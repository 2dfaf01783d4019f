"""Scaffolds of molecules, and their cache."""

from dataclasses import replace
from pathlib import Path

import pytest

from graphpool.data.load import load
from graphpool.data.scaffolds import scaffolds
from graphpool.graphs.graphset import GraphSet

pytest.importorskip("rdkit")

SMILES = (
    "Cc1ccccc1", "CCO", "O=C(O)C1CCCCC1", "c1ccc(cc1)CCN2CCOCC2", "C[C@H]1CC[C@@H](C)N1c1ccccc1",
    "N[C@@H]1CC[C@H](c2ccccc2)C1", "[Na+].Cc1ccncc1", "c1ccc2ccccc2c1", "",
)  # fmt: skip


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))


def molecules(smiles: tuple[str, ...] = SMILES) -> GraphSet:
    graphs = load("MUTAG", features=None, cache=False)[: len(smiles)]
    return replace(graphs, columns={"smiles": smiles})


def test_scaffolds_are_those_of_rdkit_with_chirality() -> None:
    from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles

    found = scaffolds(molecules())
    assert found == tuple(
        MurckoScaffoldSmiles(smiles=text, includeChirality=True) if text else "" for text in SMILES
    )
    assert found[1] == found[-1] == ""


def test_atoms_of_unusual_valence_have_scaffolds_too() -> None:
    text = "c1ccc(cc1)O[Al-3](F)(F)(F)(F)F"
    assert scaffolds(molecules((text, "no SMILES"))) == ("c1ccccc1", "")


def test_scaffolds_are_cached_and_a_damaged_file_is_made_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = scaffolds(molecules())
    (path,) = (tmp_path / "cache").rglob("*scaffolds*")

    def refuse(smiles: object) -> None:
        raise AssertionError("worked out again")

    with monkeypatch.context() as without:
        without.setattr("graphpool.data.scaffolds.murcko_scaffolds", refuse)
        assert scaffolds(molecules()) == first
    path.write_bytes(path.read_bytes()[:-5])
    assert scaffolds(molecules()) == first


def test_a_column_of_that_name_comes_first() -> None:
    graphs = molecules(("CCO", "CCC"))
    own = replace(graphs, columns={**graphs.columns, "scaffold": ("a", "b")})
    assert scaffolds(own) == ("a", "b")
