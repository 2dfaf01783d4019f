"""Atoms and bonds of SMILES as whole numbers, found with rdkit.

An atom is described by a few properties, and few different descriptions occur: a chunk of
molecules is a table of the distinct ones and, for each atom, its row. So are bonds. Neither torch
nor the rest of graphpool is needed here: worker processes start quickly.

All properties are those of the molecule and not of the SMILES that it is written as: chirality is
R or S, and stereo bonds are E or Z, which do not depend on the order of the atoms.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphpool.imports import optional_module

ATOM_ATTRIBUTES = (
    "charge", "hydrogens", "degree", "radical electrons", "aromatic", "in ring",
    "chirality R", "chirality S", "sp", "sp2", "sp3", "other hybridisation",
)  # fmt: skip
BOND_ATTRIBUTES = ("conjugated", "in ring", "stereo E", "stereo Z")

_HYBRIDS = ("SP", "SP2", "SP3")
_STEREO = {"STEREOE": "E", "STEREOTRANS": "E", "STEREOZ": "Z", "STEREOCIS": "Z"}
_MOST_REASON = 160

Kind = tuple[Any, ...]
Ints = NDArray[np.int32]


@dataclass(frozen=True)
class MoleculeChunk:
    """Molecules in flat arrays; one that rdkit can't read has no atoms, and a reason in `bad`.

    Args:
        atoms, bonds: `[molecules]`, how many each has.
        atom_kind: `[atoms]`, rows of `atom_kinds`; bond_kind: `[bonds]`, rows of `bond_kinds`.
        ends: `[bonds, 2]`, the atoms of each bond, numbered within the molecule.
        atom_kinds: element, and then `ATOM_ATTRIBUTES`, of each kind.
        bond_kinds: type, and then `BOND_ATTRIBUTES`, of each kind.
    """

    atoms: Ints
    bonds: Ints
    atom_kind: Ints
    bond_kind: Ints
    ends: Ints
    atom_kinds: Sequence[Kind]
    bond_kinds: Sequence[Kind]
    bad: dict[int, str] = field(default_factory=dict)


def chemistry() -> Any:
    """Return `rdkit.Chem`, silent; without rdkit an error names the extra."""
    optional_module("rdkit.RDLogger", "chem").DisableLog("rdApp.*")
    return optional_module("rdkit.Chem", "chem")


def featurise(smiles: Sequence[str], check_valence: bool = True) -> MoleculeChunk:
    """Describe the atoms and bonds of molecules.

    Args:
        check_valence: whether a molecule beyond rdkit's rules of valence can't be read.
    """
    chem = chemistry()
    table = chem.GetPeriodicTable()
    hybrids = {getattr(chem.HybridizationType, name): name for name in _HYBRIDS}
    bond_names = {value: name.lower() for name, value in chem.BondType.names.items()}
    stereo = {getattr(chem.BondStereo, name): letter for name, letter in _STEREO.items()}
    plain = chem.ChiralType.CHI_UNSPECIFIED
    atom_codes: dict[Kind, int] = {}
    bond_codes: dict[Kind, int] = {}
    atoms, bonds = np.zeros((2, len(smiles)), dtype=np.int32)
    atom_kind: list[int] = []
    bond_kind: list[int] = []
    ends: list[int] = []
    bad: dict[int, str] = {}
    for position, text in enumerate(smiles):
        molecule = read_molecule(chem, text, check_valence)
        if molecule is None or not molecule.GetNumAtoms():
            bad[position] = _reason(chem, text)
            continue
        for atom in molecule.GetAtoms():
            chiral = atom.GetChiralTag() != plain and atom.HasProp("_CIPCode")
            kind: Kind = (
                atom.GetAtomicNum(),
                atom.GetFormalCharge(),
                atom.GetTotalNumHs(),
                atom.GetDegree(),
                atom.GetNumRadicalElectrons(),
                atom.GetIsAromatic(),
                atom.IsInRing(),
                atom.GetProp("_CIPCode") if chiral else "",
                hybrids.get(atom.GetHybridization(), ""),
            )
            atom_kind.append(atom_codes.setdefault(kind, len(atom_codes)))
        for bond in molecule.GetBonds():
            ends += (bond.GetBeginAtomIdx(), bond.GetEndAtomIdx())
            kind = (
                bond_names[bond.GetBondType()],
                bond.GetIsConjugated(),
                bond.IsInRing(),
                stereo.get(bond.GetStereo(), ""),
            )
            bond_kind.append(bond_codes.setdefault(kind, len(bond_codes)))
        atoms[position], bonds[position] = molecule.GetNumAtoms(), molecule.GetNumBonds()
    return MoleculeChunk(
        atoms,
        bonds,
        np.array(atom_kind, dtype=np.int32),
        np.array(bond_kind, dtype=np.int32),
        np.array(ends, dtype=np.int32).reshape(-1, 2),
        [_atom(table, kind) for kind in atom_codes],
        [_bond(kind) for kind in bond_codes],
        bad,
    )


def read_molecule(chem: Any, text: str, check_valence: bool = False) -> Any:
    """Return the molecule of a SMILES; None if rdkit can't read it."""
    molecule = chem.MolFromSmiles(text)
    return _any_valence(chem, text) if molecule is None and not check_valence else molecule


def _any_valence(chem: Any, text: str) -> Any:
    """Return a molecule whose atoms may have any number of bonds; None if it makes none."""
    molecule = chem.MolFromSmiles(text, sanitize=False)
    if molecule is None:
        return None
    molecule.UpdatePropertyCache(strict=False)
    steps = chem.SanitizeFlags.SANITIZE_ALL ^ chem.SanitizeFlags.SANITIZE_PROPERTIES
    if chem.SanitizeMol(molecule, steps, catchErrors=True):
        return None
    chem.AssignStereochemistry(molecule, cleanIt=True)
    return molecule


def _atom(table: Any, kind: Kind) -> Kind:
    """Return element and attributes of a kind of atom."""
    number, *counts, aromatic, ring, chirality, hybrid = kind
    flags = (
        aromatic, ring, chirality == "R", chirality == "S",
        *(hybrid == name for name in _HYBRIDS), not hybrid,
    )  # fmt: skip
    return table.GetElementSymbol(number), *counts, *map(int, flags)


def _bond(kind: Kind) -> Kind:
    """Return type and attributes of a kind of bond."""
    name, conjugated, ring, stereo = kind
    return name, int(conjugated), int(ring), int(stereo == "E"), int(stereo == "Z")


def _reason(chem: Any, text: str) -> str:
    """Say why rdkit can't read a SMILES."""
    if not text:
        return "there is no SMILES"
    molecule = chem.MolFromSmiles(text, sanitize=False)
    if molecule is None:
        return "it is not a SMILES"
    if not molecule.GetNumAtoms():
        return "it has no atoms"
    problems = [each.Message() for each in chem.DetectChemistryProblems(molecule)]
    return " ".join("; ".join(problems).split())[:_MOST_REASON] or "it makes no molecule"
