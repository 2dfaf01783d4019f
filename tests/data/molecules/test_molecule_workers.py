"""Worker processes give what one process gives, and survive molecules that kill them."""

from collections.abc import Iterator

import numpy as np
import pytest

from graphpool.data.molecules import workers
from graphpool.data.molecules.atoms import MoleculeChunk, featurise
from graphpool.data.molecules.worker import pack, unpack

SMILES = ["CCO", "c1ccccc1", "C[C@H](N)C(=O)O", "bad", "[Na+].[Cl-]", ""]


def described(chunk: MoleculeChunk) -> tuple[object, ...]:
    """All that a chunk says, whatever its codes are."""
    atoms = [chunk.atom_kinds[kind] for kind in chunk.atom_kind]
    bonds = [chunk.bond_kinds[kind] for kind in chunk.bond_kind]
    counts = chunk.atoms.tolist(), chunk.bonds.tolist()
    return counts, atoms, bonds, chunk.ends.tolist(), chunk.bad


def test_a_chunk_goes_through_a_pipe() -> None:
    chunk = featurise(SMILES)
    assert described(unpack(pack(chunk))) == described(chunk)


def test_processes_give_the_same_chunks_in_order() -> None:
    chunks = [SMILES[:k] for k in (1, 3, 6, 2, 5)]
    made = list(workers.featurise_chunks(iter(chunks), jobs=2))
    assert list(map(described, made)) == [described(featurise(chunk)) for chunk in chunks]


def test_a_molecule_that_kills_its_process_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool(workers._Pool):
        def _ask(self, smiles: list[str]) -> MoleculeChunk | None:
            return None if "N" in smiles else featurise(smiles)

    monkeypatch.setattr(workers, "_Pool", Pool)
    chunks: Iterator[list[str]] = iter([["C", "N", "CC", "O=C=O"]] * 4)
    for made in workers.featurise_chunks(chunks, jobs=2):
        assert made.bad == {1: "rdkit crashes on it"}
        assert made.atoms.tolist() == [1, 0, 2, 3]
        assert np.array(made.atom_kind).shape == (6,)
        assert made.ends.tolist() == [[0, 1], [0, 1], [1, 2]]


def test_valence_is_checked_or_not() -> None:
    salt = ["F[Al-3](F)(F)(F)(F)F.[Na+]", "C(C)(C)(C)(C)C", "c1cccc1"]
    assert 1 in featurise(salt).bad
    assert set(featurise(salt, check_valence=False).bad) == {2}
