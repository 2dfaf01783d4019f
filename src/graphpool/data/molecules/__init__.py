"""Molecules as graphs: what a network sees of atoms and bonds, read from SMILES by rdkit."""
