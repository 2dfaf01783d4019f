"""How parts that recur compare with a chemist's cuts, and with other divisions of molecules.

    python benchmarks/parts.py --json results/benchmarks/parts.json

Peptides-func: the bonds that are cut against the amide bonds outside of rings (rdkit), on training
and test molecules. ZINC-12k: bits and parts by several rules, on the sample that is learned from;
and how many test parts are of a type that the training molecules have. Parts are always fitted on
training molecules.
"""

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np
from common import measured_here
from rdkit import Chem

import graphpool as gp
from graphpool.files import write_json
from graphpool.graphs import GraphSet, PlaceRule, RecurringParts
from graphpool.graphs.parts.colours import LONGEST_RING, ColouredGraphs
from graphpool.graphs.parts.learn import Description
from graphpool.graphs.parts.recurring import SAMPLE, spaced

# Most histidines of the set are written without double bonds, C(O)N in place of C(=O)N.
AMIDE = Chem.MolFromSmarts("[#6](~[OX1,OX2H1])-[NX3][#6]")


def parts_of_split(graphs: GraphSet, split: str) -> GraphSet:
    """The graphs of a published split."""
    return graphs[np.flatnonzero(np.array(graphs.columns["split"]) == split)]


def amide_bonds(graphs: GraphSet) -> set[tuple[int, int]]:
    """Amide bonds on no small ring, as pairs of nodes of the set."""
    bonds = set()
    for begin, smiles in zip(graphs.node_ptr.tolist(), graphs.columns["smiles"], strict=False):
        molecule = Chem.MolFromSmiles(smiles)
        for carbon, _, nitrogen, _ in molecule.GetSubstructMatches(AMIDE):
            bond = molecule.GetBondBetweenAtoms(carbon, nitrogen)
            if not any(bond.IsInRingSize(size) for size in range(3, LONGEST_RING + 1)):
                bonds.add((begin + min(carbon, nitrogen), begin + max(carbon, nitrogen)))
    return bonds


def peptides(most: int) -> dict[str, Any]:
    """Precision and recall of cut bonds against amide bonds."""
    graphs = gp.load("Peptides-func", features=None)
    start = time.process_time()
    train = parts_of_split(graphs, "train")
    parts = RecurringParts.fit(train)
    result: dict[str, Any] = {"CPU seconds": time.process_time() - start, "words": parts.words}
    for split in ("train", "test"):
        some = parts_of_split(graphs, split)[:most]
        coloured = ColouredGraphs.of(some)
        ends = coloured.ends[:, parts.cuts(coloured)]
        cut, amide = set(zip(*ends.tolist(), strict=True)), amide_bonds(some)
        found = parts.apply(some)
        result[split] = {
            "molecules": len(some), "cut": len(cut), "amide": len(amide),
            "precision": len(cut & amide) / len(cut), "recall": len(cut & amide) / len(amide),
            "known": float((found.kind >= 0).mean()),
        }  # fmt: skip
    return result


def zinc() -> dict[str, Any]:
    """Bits, parts of a graph and types, by rule."""
    graphs = gp.load("ZINC-12k", features=None)
    train, test = parts_of_split(graphs, "train"), parts_of_split(graphs, "test")
    parts = RecurringParts.fit(train)
    sample = spaced(train, SAMPLE)
    coloured = ColouredGraphs.of(sample)
    first, second = coloured.ends
    rings = coloured.free & (coloured.in_ring[first] | coloured.in_ring[second])
    cuts = {"whole": np.zeros_like(rings)}
    for name, rule in (
        ("modularity", PlaceRule(steps=0, most=1024)),
        ("rings and modularity", PlaceRule(steps=0, most=1024, units="rings")),
    ):
        cluster = sample.places(rule).cluster.numpy()
        cuts[name] = cluster[first] != cluster[second]
    cuts |= {"rings": rings, "recurring": parts.cuts(coloured)}
    result = {}
    for name, cut in cuts.items():
        description = Description(coloured)
        description.change(np.flatnonzero(cut), True)
        result[name] = {
            "bits per graph": description.bits / len(sample),
            "parts per graph": description.parts / len(sample),
            "types": len(description.types),
        }
    result["recurring"]["test parts known"] = float((parts.apply(test).kind >= 0).mean())
    return result


def main() -> None:
    """Measure, show, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--molecules", type=int, default=2000, help="of each split of peptides")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    found = {"Peptides-func": peptides(given.molecules), "ZINC-12k": zinc()}
    print(json.dumps(found, indent=2))
    if given.json:
        write_json(given.json, {**measured_here(), **found})


if __name__ == "__main__":
    main()
