"""Train a network that compares graphs, and judge it: on pairs, or by how it ranks graphs."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from graphpool.config import RunConfig, to_dict
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.triplets import TripletSet
from graphpool.data.source import Source, source_values
from graphpool.evaluation.ranking import ranking_metrics
from graphpool.features.pipeline import FeaturePipeline
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet
from graphpool.models.file import COMPARER, check_known
from graphpool.nn.pairs.base import PairModel
from graphpool.nn.zoo.pairs import build_pair_model
from graphpool.tasks.base import batches, device_of, evaluating
from graphpool.tasks.compared import PAIRS_AT_ONCE, ComparingTask
from graphpool.tasks.matching import MatchingTask
from graphpool.tasks.similarity import SimilarityTask
from graphpool.training.checkpoint import versions
from graphpool.training.loop import EVALUATION_BATCH, FitResult, fit
from graphpool.training.seeding import rng_state, seed_everything, set_rng_state

Examples = PairSet | TripletSet
# Pairs of nodes that meet in pairs of graphs, in one go: some of a few gigabytes.
MEETINGS_AT_ONCE = 1 << 27
TASKS: dict[str, type[ComparingTask]] = {"matching": MatchingTask, "similarity": SimilarityTask}


@dataclass(frozen=True, eq=False)
class Comparer:
    """A trained network with what it needs to read graphs.

    Args:
        network: in eval mode.
        config: its settings.
        features: fitted on the graphs of the training examples.
        mean_nodes: nodes per such graph.
        best: the selected epoch and its validation metrics.
        versions: of what trained it.
        source: where the graphs come from, if they are of one set.
    """

    network: PairModel
    config: RunConfig
    features: FeaturePipeline
    mean_nodes: float = 0.0
    best: dict[str, Any] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=versions)
    source: Source | None = None

    def prepare(self, graphs: GraphSet) -> GraphSet:
        """The graphs with the network's features, where the network is."""
        return self.features.transform(graphs).to(device_of(self.network))

    def check_labels(self, graphs: GraphSet) -> None:
        """Refuse graphs of whose node labels the network knows not a single one."""
        check_known(self.features, graphs)

    def score(self, examples: Examples) -> dict[str, float]:
        """Metrics of the task on other examples."""
        ready = examples.with_graphs(self.prepare(examples.graphs))
        return TASKS[self.config.task]().evaluate(self.network, ready, EVALUATION_BATCH)

    def distances(
        self, graphs: GraphSet, queries: NDArray[np.int64], candidates: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """`[queries, candidates]`, the distance of all levels together."""
        return self._grid(self.prepare(graphs), queries, candidates)

    def between(self, graphs: GraphSet, others: GraphSet) -> NDArray[np.float64]:
        """`[graphs, others]`, the same for graphs of two sets, whatever else these hold."""
        sides = [bare(self.prepare(side)) for side in (graphs, others)]
        both = np.arange(len(graphs) + len(others))
        return self._grid(concatenate(sides, ""), both[: len(graphs)], both[len(graphs) :])

    def _grid(
        self, ready: GraphSet, queries: NDArray[np.int64], candidates: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        left, right = (torch.from_numpy(side) for side in (queries, candidates))
        if not len(left) or not len(right):
            return np.zeros((len(left), len(right)))
        grid = PairSet(
            ready,
            left.repeat_interleave(len(right)),
            right.repeat(len(left)),
            torch.zeros(len(left) * len(right)),
        ).to(device_of(self.network))
        found = []
        meetings = int(ready.node_counts.max()) ** 2
        at_once = max(1, min(4 * PAIRS_AT_ONCE, MEETINGS_AT_ONCE // max(1, meetings)))
        with evaluating(self.network):
            for batch in batches(grid, at_once):
                compared = self.network.compare(batch.graphs, batch.left, batch.right)
                found.append(self.network.overall(compared.distances).double().cpu())
        return torch.cat(found).view(len(queries), len(candidates)).numpy()

    def about(self) -> dict[str, Any]:
        """What a file says of it beside weights and training settings, as JSON."""
        return {
            "kind": COMPARER,
            "task": self.config.task,
            "data": self.config.data,
            "compare": to_dict(self.config.compare),
            "model": to_dict(self.config.model),
            "features": self.features.state(),
            "mean_nodes": self.mean_nodes,
            **source_values(self.source),
        }


def train_comparer(
    train: Examples,
    valid: Examples | None,
    config: RunConfig,
    *,
    source: Source | None = None,
    folder: Path | None = None,
    resume: bool = False,
    progress: bool = False,
) -> tuple[Comparer, FitResult]:
    """Fit features on the graphs that training examples have, build the network and train it.

    The same examples and settings give the same network to the bit on a CPU. The random number
    generators of Python, NumPy and torch are afterwards as they were before.

    Args:
        source: see `Comparer`.
        folder, resume, progress: of `graphpool.training.loop.fit`.
    """
    known = train.graphs[torch.unique(torch.cat(members(train)))]
    pipeline = FeaturePipeline(config.features).fit(known)
    ready = [
        None if examples is None else examples.with_graphs(pipeline.transform(examples.graphs))
        for examples in (train, valid)
    ]
    nodes = float(known.node_counts.double().mean())
    generators = rng_state()
    try:
        seed_everything(config.train.seed)
        network = build_pair_model(config.model, pipeline.channels, nodes)
        comparer = Comparer(network, config, pipeline, nodes, source=source)
        assert ready[0] is not None
        result = fit(
            network,
            TASKS[config.task](),
            ready[0],
            ready[1],
            config.train,
            folder=folder,
            resume=resume,
            progress=progress,
            extra=comparer.about(),
        )
    finally:
        set_rng_state(*generators)
    best = {"epoch": result.best_epoch, "metrics": result.best_metrics}
    return replace(comparer, best=best), result


def ranked(
    comparer: Comparer,
    graphs: GraphSet,
    matrix: NDArray[np.float64],
    queries: NDArray[np.int64],
    candidates: NDArray[np.int64],
) -> dict[str, float]:
    """How well the candidates of every query are ordered, over all triplets.

    A query that is among the candidates is none of its own.
    """
    true = matrix[np.ix_(queries, candidates)]
    true[queries[:, None] == candidates] = np.nan
    return ranking_metrics(comparer.distances(graphs, queries, candidates), true)


def bare(graphs: GraphSet) -> GraphSet:
    """Structure and features, which is all that a network reads."""
    return replace(
        graphs,
        name="",
        ids=tuple(map(str, range(len(graphs)))),
        node_label=None,
        node_attr=None,
        edge_label=None,
        edge_attr=None,
        graph_attr=None,
        y=None,
        classes=(),
        node_label_names=(),
        edge_label_names=(),
        notes=(),
    )


def members(examples: Examples) -> tuple[torch.Tensor, ...]:
    """Positions of the graphs in each place of the examples."""
    if isinstance(examples, PairSet):
        return examples.left, examples.right
    return examples.query, examples.first, examples.second
