"""Whether the numbering of the nodes changes what a network says: every method, on real graphs.

    python benchmarks/invariance.py --data-root FOLDER

The paper proves that HAP does not depend on the order of the nodes. Its proof of the relaxation
cuts each column of C after N' entries, one for each of the first N' nodes, and these are others in
another order. Here graphs are renumbered at random several times; networks of several seeds
have 64 bits, untrained weights and eval mode, so that nothing is drawn. Counted is the distance of
the graph vectors of a graph and its copy, relative to the length of the vector: rounding alone
leaves about 1e-15. hap-paper is measured with every relaxation. Where a form depends on
the order, it is also trained on four fifths of the graphs, as `GraphClassifier` does it, and it is
counted how many of the others get another class with another numbering.

It writes results/benchmarks/invariance.json; then `graphpool experiments pages` writes the table.
"""

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from common import measured_here
from torch import Tensor, nn

import graphpool as gp
from graphpool.config import ModelConfig
from graphpool.data.load import load
from graphpool.evaluation.separation import relabelled
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo.build import METHODS, build_model
from graphpool.training.objective import evaluate_batches
from graphpool.training.select_place_rule import place_rules

ROOT = Path(__file__).resolve().parents[1]
SETS = ("MUTAG", "PROTEINS")
RELAXATIONS = ("truncate", "tile", "gram", "sort")
ROUNDING = 1e-9  # relative; rounding stays far below, another order of nodes goes far above
BATCH = 256
EPOCHS = {"MUTAG": 60, "PROTEINS": 30}


def forms(methods: Sequence[str]) -> dict[str, ModelConfig]:
    """Every method by its defaults with GCN, and hap-paper with every relaxation."""
    made = {name: ModelConfig(pooler=name, encoder="gcn") for name in methods}
    if "hap-paper" in made:
        printed = made.pop("hap-paper")
        for relaxation in RELAXATIONS:
            made[f"hap-paper, {relaxation}"] = replace(printed, relaxation=relaxation)
    return made


def sample(name: str, root: str | None, most: int) -> GraphSet:
    """At most so many graphs of a set, drawn at random."""
    graphs = load(name, root=root)
    order = torch.randperm(len(graphs), generator=torch.Generator().manual_seed(0))
    return graphs.select(order[:most])


def in_64_bits(graphs: GraphSet) -> GraphSet:
    """The graphs with features and weights in 64 bits, and without features of edges."""
    assert graphs.x is not None
    weight = torch.ones(graphs.num_edges, dtype=torch.float64)
    return replace(graphs, x=graphs.x.double(), edge_x=None, edge_weight=weight)


def network_of(config: ModelConfig, graphs: GraphSet, seed: int) -> nn.Module:
    """An untrained network in 64 bits; gates that are closed at first are open."""
    assert graphs.x is not None
    nodes, classes = float(graphs.node_counts.double().mean()), len(graphs.classes)
    with seeded_weights(seed), torch.no_grad():
        model = build_model(config, graphs.x.shape[1], classes, nodes).double()
        for name, weight in model.named_parameters():
            if name.endswith(".gate"):
                weight.copy_(torch.rand_like(weight) + 0.5)
    return model.eval()


def vectors(model: Any, graphs: GraphSet) -> tuple[Tensor, Tensor]:
    """Vector and predicted class of each graph."""

    def both(batch: Any) -> Tensor:
        traced = model.trace(batch)
        return torch.cat([traced.embedding, traced.logits.argmax(1, keepdim=True)], 1)

    made = evaluate_batches(model, graphs, BATCH, both)
    return made[:, :-1], made[:, -1]


def untrained(config: ModelConfig, copies: Sequence[GraphSet], seeds: int) -> dict[str, float]:
    """Differences between the vectors of graphs and of their copies, relative to their length."""
    for graphs in copies:
        for rule in place_rules(config):
            graphs.places(rule)
    differences, changes = [], []
    for seed in range(seeds):
        model = network_of(config, copies[0], seed)
        (own, kind), *others = (vectors(model, graphs) for graphs in copies)
        length = own.norm(dim=1).clamp(min=torch.finfo(own.dtype).tiny)
        apart = torch.stack([(other - own).norm(dim=1) / length for other, _ in others])
        differences.append(apart)
        changes.append(torch.stack([other != kind for _, other in others]).any(0))
    every = torch.stack(differences)
    return {
        "largest": float(every.max()),
        "median": float(every.median()),
        "graphs": float((every > ROUNDING).any(0).any(0).double().mean()),
        "classes": float(torch.stack(changes).double().mean()),
    }


def trained(config: ModelConfig, graphs: GraphSet, copies: int, seeds: int) -> dict[str, float]:
    """Test accuracy of trained networks, and how many test graphs change their class."""
    cut = len(graphs) * 4 // 5
    rows = []
    for seed in range(seeds):
        order = np.random.default_rng(seed).permutation(len(graphs))
        train, test = graphs.select(order[:cut]), graphs.select(order[cut:])
        model = gp.GraphClassifier(
            pooler=config.pooler, encoder=config.encoder, relaxation=config.relaxation,
            epochs=EPOCHS.get(graphs.name, 30), seed=seed,
        ).fit(train)  # fmt: skip
        own, true = model.predict(test), np.asarray(test.class_labels)
        others = np.stack([model.predict(relabelled(test, each)) for each in range(1, copies + 1)])
        rows.append((
            float((own == true).mean()), float((others != own).mean()),
            float((others != own).any(0).mean()),
        ))  # fmt: skip
    accuracy, one, some = np.mean(rows, axis=0).tolist()
    return {"accuracy": accuracy, "one numbering": one, "any numbering": some}


def main() -> None:
    """Measure one set after the other; print and store as they come."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data-root", default=None, help="folder of data files")
    parser.add_argument("--sets", nargs="+", default=list(SETS))
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--graphs", type=int, default=400, help="of a set, at most")
    parser.add_argument("--copies", type=int, default=5, help="numberings of each graph")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--json", type=Path, default=ROOT / "results/benchmarks/invariance.json")
    given = parser.parse_args()
    torch.set_num_threads(1)
    made = forms(given.methods)
    written: dict[str, Any] = {
        **measured_here(), "copies": given.copies, "seeds": given.seeds, "rounding": ROUNDING,
        "sets": {},
    }  # fmt: skip
    for name in given.sets:
        graphs = sample(name, given.data_root, given.graphs)
        others = (relabelled(graphs, seed) for seed in range(1, given.copies + 1))
        # A copy has no classes, which the networks don't read.
        copies = [in_64_bits(each) for each in (graphs, *others)]
        rows: dict[str, Any] = {}
        written["sets"][name] = {"graphs": len(graphs), "methods": rows}
        for method, config in made.items():
            rows[method] = untrained(config, copies, given.seeds)
            if rows[method]["largest"] > ROUNDING:
                rows[method]["trained"] = trained(config, graphs, given.copies, given.seeds)
            shown = (
                f"{key} {value:.2g}" for key, value in rows[method].items() if key != "trained"
            )
            print(
                f"{name}, {method}: {', '.join(shown)} {rows[method].get('trained', '')}",
                flush=True,
            )
        write_json(given.json, written)


if __name__ == "__main__":
    main()
