"""A part of a molecule as a molecule of its own: what was cut off is written as `*`."""

from collections.abc import Collection

from graphpool.data.molecules.atoms import chemistry, read_molecule
from graphpool.errors import MissingPackageError


def fragment_smiles(smiles: str, atoms: Collection[int]) -> str:
    """Return the SMILES of some atoms of a molecule, without stereochemistry.

    It is empty without rdkit, or if the atoms don't hang together.
    """
    try:
        chem = chemistry()
    except MissingPackageError:
        return ""
    molecule = read_molecule(chem, smiles) if smiles else None
    if molecule is None or not atoms or max(atoms) >= molecule.GetNumAtoms():
        return ""
    inside = set(atoms)
    bonds = [
        bond.GetIdx()
        for bond in molecule.GetBonds()
        if (bond.GetBeginAtomIdx() in inside) != (bond.GetEndAtomIdx() in inside)
    ]
    try:
        if bonds:
            labels = [(0, 0)] * len(bonds)
            molecule = chem.FragmentOnBonds(molecule, bonds, addDummies=True, dummyLabels=labels)
        members: list[tuple[int, ...]] = []
        pieces = chem.GetMolFrags(molecule, asMols=True, fragsMolAtomMapping=members)
        for piece, numbers in zip(pieces, members, strict=True):
            if inside.issubset(numbers):
                chem.RemoveStereochemistry(piece)
                return str(chem.MolToSmiles(piece))
    except (ValueError, RuntimeError):  # rdkit's own are of these
        return ""
    return ""
