"""Without rdkit, molecules name the extra that installs it, and everything else works."""

import sys
from pathlib import Path

import pytest

import graphpool as gp
from graphpool.errors import MissingPackageError


def test_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("smiles,y\nC,1\n")
    for name in ("rdkit", "rdkit.Chem", "rdkit.RDLogger"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingPackageError, match=r"pip install 'graphpool\[chem\]'"):
        gp.read(tmp_path / "a.csv", cache=False)
    assert len(gp.load("MUTAG", features=None)) == 188
