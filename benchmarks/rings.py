"""Which graphs are made of rings, what parts by rings cost, and how they compare to a chemist's.

For every set: edges for each node, the share of nodes in the largest 2-edge-connected component and
in rings (components of 3 to 32 nodes), places by modularity and by rings, and the share of graphs
that `units="auto"` divides in another way than modularity. For molecules: the bonds that places
cut, against those that BRICS cuts and those that leave a ring. Reading SMILES is not timed.

    python benchmarks/rings.py [--data-root FOLDER] [--json results/benchmarks/rings.json]
"""

import argparse
import os
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import measured_here
from places import search_again

from graphpool.data.load import load, read
from graphpool.files import write_json
from graphpool.graphs import PlaceRule
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.bridges import find_units
from graphpool.graphs.places.cache import Graphs

SETS = {
    "molecules": ("MUTAG", "PTC_MR", "AIDS", "Mutagenicity", "DHFR", "COX2", "NCI109", "ZINC-12k",
                  "Peptides-func"),
    "programs and formulas": ("LINUX", "EXP", "CEXP"),
    "proteins and images": ("PROTEINS", "DD", "MSRC_9"),
    "social": ("IMDB-BINARY", "IMDB-MULTI", "COLLAB"),
    "arrangements": (
        "ring:graphs=1000,seed=1", "ring:graphs=1000,bridges=6,seed=1", "marks:graphs=1000,seed=1",
        "marksmix:graphs=1000,seed=1", "order:graphs=1000,seed=1", "spider:graphs=1000,seed=1",
    ),
}  # fmt: skip
SIZES = (16, 24, 32, 48, 64)
LIMITS = {"6/5": 6 / 5, "5/4": 5 / 4, "4/3": 4 / 3, "3/2": 3 / 2}
HARD = {"steps": 0, "most": 1024}


def slots_of(graphs: GraphSet) -> tuple[Graphs, bool]:
    """The graphs as the compiled loops read them, and whether they are undirected."""
    csr = graphs._csr
    row_ptr = np.concatenate([[0], csr.count.cumsum(0).numpy()])
    col, weight = csr.col.int().numpy(), csr.weight.float().numpy()
    return Graphs(row_ptr, col, weight, graphs.node_ptr.numpy()), csr.symmetric


def components(graphs: GraphSet) -> tuple[np.ndarray, np.ndarray]:
    """Size of each 2-edge-connected component, and its graph."""
    slots, symmetric = slots_of(graphs)
    unit, ring = np.zeros(graphs.num_nodes, np.int64), np.zeros(graphs.num_nodes, np.bool_)
    units = np.zeros(len(graphs), np.int64)
    find_units(*slots, symmetric, graphs.num_nodes, False, unit, units, ring)
    first = np.concatenate([[0], units.cumsum()])
    owner = graphs.node_graph.numpy()
    sizes = np.bincount(unit + first[owner], minlength=first[-1])
    return sizes, np.repeat(np.arange(len(graphs)), units)


def edges_per_node(graphs: GraphSet) -> np.ndarray:
    """Undirected edges of each graph without self-loops, by its nodes."""
    slots, _ = slots_of(graphs)
    row = np.repeat(np.arange(graphs.num_nodes), np.diff(slots.row_ptr))
    owner = graphs.node_graph.numpy()[row]
    other = slots.col + slots.node_ptr[owner]
    low, high = np.minimum(row, other)[row != other], np.maximum(row, other)[row != other]
    pairs = np.unique(low * graphs.num_nodes + high) // graphs.num_nodes
    edges = np.bincount(graphs.node_graph.numpy()[pairs], minlength=len(graphs))
    return edges / graphs.node_counts.numpy()


def facts(graphs: GraphSet) -> dict[str, Any]:
    """What a set is made of, and what its places are by each rule."""
    sizes, owner = components(graphs)
    density = edges_per_node(graphs)
    largest = np.zeros(len(graphs))
    np.maximum.at(largest, owner, sizes)

    def in_rings(most: int) -> float:
        return float(sizes[(sizes >= 3) & (sizes <= most)].sum() / sizes.sum())

    found = {
        units: graphs.places(PlaceRule(units=units, **HARD)) for units in ("none", "rings", "auto")
    }
    differs = torch.zeros(len(graphs), dtype=torch.bool)
    differs[graphs.node_graph[found["none"].cluster != found["auto"].cluster]] = True
    has = np.zeros(len(graphs), dtype=bool)
    has[owner[(sizes >= 3) & (sizes <= 32)]] = True
    return {
        "graphs": len(graphs),
        "nodes": graphs.num_nodes / len(graphs),
        "edges per node": float(density.mean()),
        "in the largest component": float((largest / graphs.node_counts.numpy()).mean()),
        "in rings": in_rings(32),
        "in rings by unit_size": {str(size): in_rings(size) for size in SIZES},
        "places": float(found["none"].counts.double().mean()),
        "parts by rings": float(found["rings"].counts.double().mean()),
        "parts by auto": float(found["auto"].counts.double().mean()),
        "changed by auto": float(differs.double().mean()),
        "graphs with rings by limit": {
            name: float((has & (density <= limit + 1e-9)).mean()) for name, limit in LIMITS.items()
        },
    }


def bonds_of(smiles: str) -> tuple[np.ndarray, ...]:
    """Bonds `[bonds, 2]`; for each whether BRICS cuts it, it lies in a ring, or leaves one."""
    from rdkit import Chem
    from rdkit.Chem import BRICS

    molecule = Chem.MolFromSmiles(smiles)
    brics = {frozenset(ends) for ends, _ in BRICS.FindBRICSBonds(molecule)}
    bonds, flags = [], []
    for bond in molecule.GetBonds():
        ends = bond.GetBeginAtom(), bond.GetEndAtom()
        bonds.append([end.GetIdx() for end in ends])
        inside = bond.IsInRing()
        leaves = not inside and any(end.IsInRing() for end in ends)
        flags.append([frozenset(bonds[-1]) in brics, inside, leaves])
    return np.array(bonds).reshape(-1, 2), *np.array(flags, dtype=bool).reshape(-1, 3).T


def agreement(graphs: GraphSet) -> dict[str, dict[str, float]]:
    """Precision and recall of the bonds that places cut, by rule and resolution.

    A chemist cuts what BRICS cuts, and every bond that leaves a ring. `whole` are the parts that
    places of the whole graph give, instead of those of a graph whose rings are contracted.
    """
    rows = [bonds_of(smiles) for smiles in graphs.columns["smiles"]]
    firsts = graphs.node_ptr.tolist()
    ends = np.concatenate([row[0] + first for row, first in zip(rows, firsts, strict=False)])
    brics, inside, leaves = (np.concatenate([row[at] for row in rows]) for at in (1, 2, 3))
    wanted, result = brics | leaves, {}
    for kind in ("none", "whole", "rings"):
        for resolution in (1.5, 3.0, 6.0, 12.0):
            units = "rings" if kind == "rings" else "none"
            places = graphs.places(PlaceRule(units=units, resolution=resolution, **HARD))
            cluster = places.cluster.numpy()
            cut = cluster[ends[:, 0]] != cluster[ends[:, 1]]
            parts = float(places.counts.double().mean())
            if kind == "whole":
                cut = leaves | (cut & ~inside)
                parts = 1 + float(cut.sum()) / len(graphs)  # every cut bond is a bridge
            both = float((cut & wanted).sum())
            row = {
                "precision": both / float(cut.sum()),
                "recall": both / float(wanted.sum()),
                "ring bonds cut": float((cut & inside).sum() / inside.sum()),
                "parts": parts,
            }
            result[f"{kind} at {resolution:g}"] = row
            text = ", ".join(f"{name} {value:.3f}" for name, value in row.items())
            print(f"{kind:>6} at {resolution:g}: {text}", flush=True)
    return result


def time_molecules(graphs: GraphSet) -> dict[str, float]:
    """Seconds of a core for parts by rings of many molecules, and for places by modularity."""
    rules = {"rings": PlaceRule(units="rings", **HARD), "modularity": PlaceRule(**HARD)}
    row: dict[str, float] = {"graphs": len(graphs), "nodes": graphs.num_nodes}
    for name, rule in rules.items():
        graphs[:10].places(rule)  # which compiles
        start = time.process_time()  # of this process alone, whatever else the machine does
        search_again(graphs, rule)
        row[f"{name} s"] = time.process_time() - start
        print(f"{len(graphs)} molecules, {name}: {row[f'{name} s']:.1f} s", flush=True)
    return row


def main() -> None:
    """Print and optionally store everything."""
    parser = argparse.ArgumentParser()
    every = [name for names in SETS.values() for name in names]
    parser.add_argument("--sets", nargs="*", default=every)
    parser.add_argument("--molecules", type=Path, default=None, help="SMILES to time")
    parser.add_argument("--cuts", default="ZINC-12k", help="set to compare with BRICS; '' for none")
    parser.add_argument("--graphs", type=int, default=0, help="take the first graphs alone")
    parser.add_argument("--data-root", default=None)
    parser.add_argument("--json", type=Path, default=None)
    given = parser.parse_args()
    torch.set_num_threads(1)
    few = slice(given.graphs or None)
    result: dict[str, Any] = {"sets": {}}
    for name in given.sets:
        result["sets"][name] = facts(load(name, root=given.data_root, features=None)[few])
        row = result["sets"][name]
        print(
            f"{name:>34}: {row['edges per node']:5.2f} edges per node, {row['in rings']:5.1%} in "
            f"rings, {row['places']:4.1f} places, {row['parts by rings']:4.1f} by rings, "
            f"{row['changed by auto']:6.1%} changed by auto",
            flush=True,
        )
    if given.cuts:
        result["cuts"] = agreement(load(given.cuts, root=given.data_root, features=None)[few])
    root = Path(given.data_root or os.environ.get("GRAPHPOOL_DATA", "data"))
    molecules = given.molecules or root / "molecules" / "zinc250k.smi.gz"
    if molecules.exists():
        graphs = read(molecules)
        result["time"] = time_molecules(graphs[few])
    if given.json:
        write_json(given.json, {**measured_here(), **result})


if __name__ == "__main__":
    main()
