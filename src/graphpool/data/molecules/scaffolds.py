"""Bemis-Murcko scaffolds of molecules: their rings and what joins these, as canonical SMILES."""

from collections.abc import Callable, Sequence

from graphpool.data.molecules.atoms import chemistry, read_molecule


def murcko_scaffolds(smiles: Sequence[str]) -> tuple[str, ...]:
    """Return the scaffold of each molecule, without chirality, as DeepChem and OGB have it.

    A molecule without rings has the empty scaffold, and so has one that rdkit can't read: such
    molecules form one group.
    """
    chem = chemistry()
    from rdkit.Chem.Scaffolds import MurckoScaffold

    scaffold_of: Callable[..., str] = MurckoScaffold.MurckoScaffoldSmiles

    known: dict[str, str] = {}
    for text in smiles:
        if text not in known:
            molecule = read_molecule(chem, text)
            known[text] = "" if molecule is None else scaffold_of(mol=molecule)
    return tuple(known[text] for text in smiles)
