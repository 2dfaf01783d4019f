"""Which pairs of graphs untrained networks tell apart: `graphpool tell-apart` and `gp.tell_apart`.

First weights are random, so that pairs which a network can tell apart at all nearly always differ
with some of them. Whether training finds the difference useful is another question.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from graphpool.config import ModelConfig, RunConfig, resolve_model
from graphpool.data import load as datasets
from graphpool.data.interop.as_graphs import Graphs, as_graphs
from graphpool.errors import ConfigError, check_type, check_whole
from graphpool.evaluation.format import Lines, Table, percent
from graphpool.evaluation.separation import (
    Flags,
    check_pairs,
    relabelled,
    separated_by,
    separated_by_refinement,
    separated_by_size,
)
from graphpool.experiments.methods import model_of
from graphpool.features.pipeline import FeaturePipeline, has_edge_features
from graphpool.graphs.graphset import GraphSet
from graphpool.models.build import build_network
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo.build import edges_unused, find_method, uses_places
from graphpool.tasks.classification import ClassificationTask
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import evaluate_batches
from graphpool.training.select_place_rule import selects

METHODS = ("flat", "hap-one-way", "hap")
SEEDS = 3
COPIES = 8
SIZE, REFINEMENT = "size", "colour refinement"


@dataclass(frozen=True, eq=False)
class PairSeparation:
    """Which pairs of a set are told apart, and by what.

    Args:
        name: of the set.
        ids: of the graphs; pair k has those at 2k and 2k + 1.
        told_apart: `[pairs]` by name of the method, the numbers of nodes and edges (`size`) and
            colour refinement first.
        seeds: of the first weights; a network tells a pair apart if it does with one of them.
        features: what the networks read of each method.
    """

    name: str
    ids: tuple[str, ...]
    told_apart: dict[str, Flags]
    seeds: tuple[int, ...]
    features: dict[str, list[str]]

    @property
    def counts(self) -> dict[str, int]:
        """How many pairs each tells apart."""
        return {name: int(flags.sum()) for name, flags in self.told_apart.items()}

    @property
    def pairs(self) -> int:
        """Number of pairs."""
        return len(self.ids) // 2

    def document(self) -> dict[str, Any]:
        """Return the result as plain values for JSON, with the pairs that are not told apart."""
        return {
            "name": self.name,
            "pairs": self.pairs,
            "seeds": list(self.seeds),
            "methods": [
                {
                    "method": name,
                    "told_apart": int(flags.sum()),
                    "features": self.features.get(name, []),
                    "not_told_apart": [
                        {"pair": int(k), "ids": list(self.ids[2 * k : 2 * k + 2])}
                        for k in np.flatnonzero(~flags)
                    ],
                }
                for name, flags in self.told_apart.items()
            ],
        }

    def lines(self) -> Lines:
        """Return the result as a table."""
        rows = [
            (name, f"{count:,} of {self.pairs:,}", percent(count / self.pairs))
            for name, count in self.counts.items()
        ]
        seeds = "one seed" if len(self.seeds) == 1 else f"any of {len(self.seeds)} seeds"
        return [
            Table((self.name, "pairs told apart", "share"), rows, ("pairs told apart", "share")),
            f"\nUntrained networks, beyond rounding, with the first weights of {seeds}. "
            f"{SIZE}: numbers of nodes and edges alone; {REFINEMENT}: 1-WL.",
        ]


def tell_apart(
    data: Graphs | str | Path,
    methods: str | Iterable[str] = METHODS,
    config: RunConfig | None = None,
    seeds: int | Sequence[int] = SEEDS,
    *,
    copies: int = COPIES,
    root: str | Path | None = None,
) -> PairSeparation:
    """Count the pairs of graphs that untrained networks tell apart beyond rounding.

    Graphs 0 and 1 are a pair, 2 and 3, and so on, as in the benchmark BREC. Each graph is embedded
    several times with its nodes in another order, in 64 bits; two graphs are told apart if their
    vectors differ by 100 times more than those of copies of one graph, and by more than 1e-9 of
    their length. Two graphs that are isomorphic are copies of one.

    Args:
        data: a set of graphs, a list of those of NetworkX or PyG, or the name of a set or a file.
        methods: networks over single graphs, or one.
        config: settings; `model` of all networks, and `features`.
        seeds: how many, or which; of the first weights.
        copies: how often each graph is embedded, at least 2.
        root: folder of data files.
    """
    config = config or RunConfig()
    check_type("config", config, RunConfig, "a RunConfig")
    check_whole("copies", copies, 2)
    if isinstance(seeds, int):
        check_whole("seeds", seeds, 1)
        seeds = range(seeds)
    names = (methods,) if isinstance(methods, str) else tuple(dict.fromkeys(methods))
    if not names or not len(seeds):
        raise ConfigError("give at least one method and one seed")
    for name in names:
        find_method(name)
    if selects(config.model):
        raise ConfigError(
            "validation graphs select places, and nothing is trained here; leave out "
            "model.cluster_count and model.units"
        )
    if isinstance(data, (str, Path)):
        graphs = datasets.find(str(data), None if root is None else Path(root), features=None)
    else:
        graphs = as_graphs(data, classes=False).to("cpu")
    if graphs.x_from:  # made by `load`; each network has its own
        graphs = replace(graphs, x=None, x_from="", edge_x=None)
    check_pairs(graphs)
    every = [graphs, *(relabelled(graphs, seed) for seed in range(1, copies))]
    told: dict[str, Flags] = {
        SIZE: separated_by_size(graphs),
        REFINEMENT: separated_by_refinement(graphs),
    }
    used = {}
    for name in names:
        build, features = _builder(graphs, name, config)
        used[name] = list(features.used)
        prepared = [features.with_places(_in_64_bits(features.transform(each))) for each in every]
        told[name] = np.zeros(len(graphs) // 2, dtype=bool)
        for seed in seeds:
            told[name] |= separated_by(partial(_embed, build(seed)), prepared)
    return PairSeparation(graphs.name, graphs.ids, told, tuple(seeds), used)


def _builder(
    graphs: GraphSet, method: str, config: RunConfig
) -> tuple[Callable[[int], Any], FeaturePipeline]:
    """Return what builds the network of a method from a seed, and its fitted features."""
    model = resolve_model(model_of(method, config.model), has_edge_features(graphs))
    features = FeaturePipeline(config.features, edges_unused(model), _learns_parts(model))
    features.fit(graphs)
    if features.parts is not None:
        model = replace(model, parts=features.parts.digest)
    mean_nodes = float(graphs.node_counts.double().mean())
    task, measured = ClassificationTask(2), features.with_places(graphs)

    def build(seed: int) -> Any:
        with seeded_weights(seed):
            return build_network(task, model, features, mean_nodes, measured).double()

    return build, features


def _learns_parts(model: ModelConfig) -> bool:
    return model.units == "recurring" and uses_places(model.pooler)


def _in_64_bits(graphs: GraphSet) -> GraphSet:
    """Return the graphs with features and weights in 64 bits."""
    weight = torch.ones(graphs.num_edges) if graphs.edge_weight is None else graphs.edge_weight
    assert graphs.x is not None
    edge_x = None if graphs.edge_x is None else graphs.edge_x.double()
    return replace(graphs, x=graphs.x.double(), edge_x=edge_x, edge_weight=weight.double())


def _embed(network: Any, graphs: GraphSet) -> Tensor:
    return evaluate_batches(network, graphs, EVALUATION_BATCH, network.embed, "graphs to embed")
