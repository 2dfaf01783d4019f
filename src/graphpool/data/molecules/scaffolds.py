"""Bemis-Murcko scaffolds of molecules: their rings and what joins these, as canonical SMILES."""

from collections.abc import Sequence
from typing import Any

from graphpool.data.molecules.atoms import chemistry, read_molecule


def murcko_scaffolds(smiles: Sequence[str]) -> tuple[str, ...]:
    """Return the scaffold of each molecule, with chirality, as OGB has it.

    A molecule without rings has the empty scaffold, and so has one that rdkit can't read: such
    molecules form one group.
    """
    chem = chemistry()
    known = {text: _scaffold(chem, text) for text in dict.fromkeys(smiles)}
    return tuple(known[text] for text in smiles)


def _scaffold(chem: Any, text: str) -> str:
    molecule = read_molecule(chem, text)
    if molecule is None:
        return ""
    # As `MurckoScaffold.GetScaffoldForMol`, which refuses atoms with unusual valence.
    core = chem.MurckoDecompose(molecule)
    core.ClearComputedProps()
    core.UpdatePropertyCache(strict=False)
    chem.GetSymmSSSR(core)
    return str(chem.MolToSmiles(core))
