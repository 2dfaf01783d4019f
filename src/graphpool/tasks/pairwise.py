"""Shared base of tasks over pairs and triplets, whose networks compare two graphs by level."""

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from graphpool.config import ModelConfig, RunConfig, to_dict
from graphpool.data.formats.safetensors import content_hash
from graphpool.data.pairs.pairset import PairBatch, PairSet
from graphpool.data.pairs.tuples import GraphTuples
from graphpool.errors import DataError
from graphpool.evaluation.format import Lines
from graphpool.graphs.bare import bare
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.pairs.base import PairDistances, PairModel
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model, pair_place_rule
from graphpool.tasks.base import Array, Document, Task, TaskModel
from graphpool.tasks.epoch_text import epoch_line
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import (
    Step,
    batches,
    device_of,
    evaluate_batches,
    evaluating,
)

# Of evaluation: a graph is embedded once a batch, so few large batches are the least work.
PAIRS_AT_ONCE = 1024
# Nodes and edges of such a batch: of large graphs fewer are taken at once.
SIZE_AT_ONCE = 1 << 21
# Pairs of nodes that meet in pairs of graphs, in one go: some of a few gigabytes.
MEETINGS_AT_ONCE = 1 << 27


class PairOutcome(NamedTuple):
    """Losses and predictions of a network for a batch of examples.

    Attributes:
        losses: `[levels, B]`, of each example at every level; the network learns from their mean.
        prediction: `[B]`, a score, or a difference of distances.
        correct: `[B]`, 1 for a correct prediction, 0 for a wrong one, ½ for a tie.
        aux_loss: sum of the auxiliary losses, a scalar.
    """

    losses: Tensor
    prediction: Tensor
    correct: Tensor
    aux_loss: Tensor


@dataclass(frozen=True)
class PairComparison:
    """Distances and scores of two graphs by a trained network.

    Args:
        distances: one per level, 0 for equal graphs (SimGNN's are learned).
        scores: likewise, how likely the graphs match, between 0 and 1.
        distance, score: of all levels together.
    """

    distances: tuple[float, ...]
    scores: tuple[float, ...]
    distance: float
    score: float


class PairwiseTask(Task):
    """A task whose network compares graphs; a subclass says what is predicted and what it costs.

    Attributes:
        threshold: score above which two graphs match; None if scores are not learned.
    """

    threshold: ClassVar[float | None] = None
    kind = "graph comparer"
    takes = "pairs"
    use = "graphpool match A B --model {path}"
    advice: ClassVar[str]

    # ------------------------------------------------------------------ learning

    @abstractmethod
    def outcome(self, model: PairModel, batch: Any) -> PairOutcome:
        """Compare the graphs of a batch."""

    @abstractmethod
    def metrics(self, prediction: Tensor, truth: Tensor) -> dict[str, float]:
        """Return metrics over all examples, beside loss and accuracy."""

    @abstractmethod
    def is_strange(self, target: Tensor) -> Tensor:
        """Return which targets can't be learned from; `advice` says why."""

    def check(self, examples: Any) -> None:
        """Raise a `DataError` if there are no examples, or one that can't be learned from."""
        if len(examples) == 0:
            raise DataError(f"{examples.name} has no {self.noun}; give at least one")
        target = getattr(examples, examples.target)
        strange = self.is_strange(target)
        if bool(strange.any()):
            position = int(strange.nonzero()[0])
            raise DataError(
                f"{examples.name}, {examples.noun} {examples.ids[position]}: {examples.target} is "
                f"{float(target[position]):g}{self.advice}"
            )

    def step(self, model: nn.Module, batch: Any) -> Step:
        """Mean loss plus auxiliary losses, and the number of correct predictions."""
        outcome = self.outcome(cast(PairModel, model), batch)
        answered = cast(PairModel, model).overall(outcome.losses.detach()).mean()
        return Step(
            outcome.losses.mean() + outcome.aux_loss,
            outcome.correct.sum(),
            answered + outcome.aux_loss.detach(),
        )

    def losses(self, model: nn.Module, batch: Any) -> Tensor:
        """`[B]`, the loss of each example; auxiliary losses are added to each."""
        outcome = self.outcome(cast(PairModel, model), batch)
        return outcome.losses.mean(0) + outcome.aux_loss

    def evaluate(self, model: nn.Module, examples: Any, batch_size: int) -> dict[str, float]:
        """Loss, accuracy and the task's own metrics, over all examples.

        The loss is that of the rows that answer: of distances between multisets the last one.
        """
        self.check(examples)
        examples = examples.to(device_of(model))
        outcomes, truth = [], []
        size = (examples.num_nodes + examples.num_edges) / len(examples)
        at_once = max(batch_size, min(PAIRS_AT_ONCE, int(SIZE_AT_ONCE / max(1, size))))
        with evaluating(model):
            for batch in batches(examples, at_once):
                outcomes.append(self.outcome(cast(PairModel, model), batch))
                truth.append(getattr(batch, examples.target))
        overall = cast(PairModel, model).overall
        losses = torch.cat([overall(each.losses) + each.aux_loss for each in outcomes])
        correct = torch.cat([each.correct for each in outcomes])
        prediction = torch.cat([each.prediction for each in outcomes])
        return {
            "loss": float(losses.double().mean()),
            "accuracy": float(correct.double().mean()),
            **self.metrics(prediction.cpu(), torch.cat(truth).cpu()),
        }

    # ------------------------------------------------------------------ settings and network

    @classmethod
    def methods(cls) -> dict[str, str]:
        """Return every pooler, whose network embeds graphs one by one, and networks for pairs."""
        pairs = {name: method.summary for name, method in PAIR_METHODS.items()}
        return super().methods() | pairs

    @classmethod
    def place_rules(cls, settings: ModelConfig) -> tuple[PlaceRule, ...]:
        """Return the rule by which the network finds places, if it does."""
        if settings.units == "recurring" and not settings.parts:
            return ()  # not learned yet
        rule = pair_place_rule(settings)
        return () if rule is None else (rule,)

    def build(
        self, settings: ModelConfig, channels: int, mean_nodes: float, edge_channels: int = 0
    ) -> PairModel:
        """Build a pair network."""
        return build_pair_model(settings, channels, mean_nodes, edge_channels=edge_channels)

    def header(self, config: RunConfig) -> Document:
        """Return the name of the task and the settings of its examples."""
        return {"task": self.name, "compare": to_dict(config.compare)}

    @classmethod
    def from_header(cls, about: Document) -> "PairwiseTask":
        """Return the task, which has no settings of its own."""
        return cls()

    # ------------------------------------------------------------------ examples

    @classmethod
    def of(cls, examples: GraphTuples, **options: Any) -> "PairwiseTask":
        """Return the task, which is the same for all examples."""
        return cls(**options)

    def used(self, examples: GraphTuples) -> GraphSet:
        """Return the graphs that occur in some pair or triplet."""
        columns = [getattr(examples, key) for key in examples.members]
        occurring: GraphSet = examples.graphs[torch.unique(torch.cat(columns))]
        return occurring

    def map_graphs(
        self, change: Callable[[GraphSet], GraphSet], examples: GraphTuples
    ) -> GraphTuples:
        """Return the same pairs or triplets over changed graphs."""
        return examples.with_graphs(change(examples.graphs))

    # ------------------------------------------------------------------ results

    def score(self, model: TaskModel, examples: GraphTuples) -> dict[str, float]:
        """Return loss, accuracy and the task's own metrics."""
        ready = self.map_graphs(model.prepare, examples)
        return self.evaluate(model.network, ready, EVALUATION_BATCH)

    def probabilities(self, model: TaskModel, examples: PairSet) -> Array:
        """Return how likely each pair matches, `[pairs]`, from all levels together."""
        ready = examples.with_graphs(model.prepare(examples.graphs))

        def score(batch: PairBatch) -> Tensor:
            scores: Tensor = model.network(batch.graphs, batch.left, batch.right)
            return scores.double()

        return evaluate_batches(
            model.network, ready, PAIRS_AT_ONCE, score, "pairs to score"
        ).numpy()

    @abstractmethod
    def lines(self, document: Document) -> Lines:
        """Describe the figures of `test` or `test_set` beside those of rules."""

    @abstractmethod
    def title(self, document: Document) -> str:
        """Return the line above what `test_set` returns."""

    def result_lines(self, document: Document) -> Lines:
        """Describe the figures beside those of rules, and the selected epoch."""
        return [*self.lines(document), epoch_line(document, self.noun)]

    def score_lines(self, document: Document) -> Lines:
        """Describe the figures on another set beside those of rules."""
        warnings = [f"warning: {warning}" for warning in document["warnings"]]
        return [self.title(document), *self.lines(document), *warnings]


def aux_loss(compared: PairDistances, like: Tensor) -> Tensor:
    """Sum the auxiliary losses of a comparison to a scalar."""
    return sum(compared.losses.values(), like.new_zeros(()))


def pair_distances(
    model: TaskModel, graphs: GraphSet, queries: NDArray[np.int64], candidates: NDArray[np.int64]
) -> NDArray[np.float64]:
    """`[queries, candidates]`, distances of all levels together, of graphs of one set."""
    return _grid(model.network, model.prepare(graphs), queries, candidates)


def set_distances(model: TaskModel, graphs: GraphSet, others: GraphSet) -> NDArray[np.float64]:
    """`[graphs, others]`, the same between graphs of two sets, whatever else these hold."""
    sides = [bare(model.prepare(side)) for side in (graphs, others)]
    both = np.arange(len(graphs) + len(others))
    return _grid(model.network, concatenate(sides, ""), both[: len(graphs)], both[len(graphs) :])


def compare_two(model: TaskModel, one: GraphSet, other: GraphSet) -> PairComparison:
    """Compare the graph of one set with that of the other; neither comes first.

    The graphs are sorted before the network reads them, so that both ways round are the same
    computation, to the bit; equal graphs are given to it once.

    Args:
        one: a set of a single graph; `other` likewise.
    """
    network = model.network
    sides = [bare(model.features.transform(side)) for side in (one, other)]
    rules = () if model.features.parts is None else (model.features.parts.rule,)
    keys = [_order(side, rules) for side in sides]
    first, second = sides if keys[0] <= keys[1] else reversed(sides)
    same = keys[0] == keys[1]
    graphs = (first if same else concatenate([first, second], "")).to(device_of(network))
    with evaluating(network):
        left, right = (torch.tensor([at], device=graphs.device) for at in (0, 0 if same else 1))
        compared = network.compare(graphs.batch(), left, right)
        rows = (compared.distances, network.scores(compared))
        distance, score = (float(network.overall(row)) for row in rows)
    # A last row that sums the levels up is no level.
    own = slice(None, -1 if getattr(network, "multisets", None) else None)
    distances, scores = (tuple(row[own, 0].double().tolist()) for row in rows)
    return PairComparison(distances, scores, distance, score)


def _grid(
    network: PairModel,
    ready: GraphSet,
    queries: NDArray[np.int64],
    candidates: NDArray[np.int64],
) -> NDArray[np.float64]:
    left, right = (torch.from_numpy(side) for side in (queries, candidates))
    if not len(left) or not len(right):
        return np.zeros((len(left), len(right)))
    grid = PairSet(
        ready,
        left.repeat_interleave(len(right)),
        right.repeat(len(left)),
        torch.zeros(len(left) * len(right)),
    )
    meetings = int(ready.node_counts.max()) ** 2
    at_once = max(1, min(4 * PAIRS_AT_ONCE, MEETINGS_AT_ONCE // max(1, meetings)))

    def distances(batch: PairBatch) -> Tensor:
        compared = network.compare(batch.graphs, batch.left, batch.right)
        return network.overall(compared.distances).double()

    found = evaluate_batches(network, grid, at_once, distances)
    return found.view(len(queries), len(candidates)).numpy()


def _order(
    graphs: GraphSet, rules: Sequence[PlaceRule]
) -> tuple[int, int, str, tuple[list[int], ...]]:
    """Order of graphs: by size first, so that a relabelled copy mostly keeps its position.

    Args:
        rules: those of parts, by which graphs with equal features may be divided in other ways.
    """
    parts = tuple(graphs.places(rule).cluster.tolist() for rule in rules)
    return graphs.num_nodes, graphs.num_edges, content_hash(graphs), parts
