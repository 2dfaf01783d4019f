"""What tasks over single graphs share: opening and splitting a set, evaluating, results on sets."""

import copy
import math
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import Tensor, nn

from graphpool.config import ModelConfig, RunConfig
from graphpool.data.catalogue import short_name
from graphpool.data.molecules.published import published_metric
from graphpool.data.source import Source, set_digest
from graphpool.data.splits import Split
from graphpool.errors import ConfigError, DataError, FeatureWarning, plural, warn
from graphpool.evaluation.protocols import default_split, run_split, run_split_name
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.nn.coarsen.health import level_health
from graphpool.nn.zoo.pairs import PAIR_METHODS
from graphpool.tasks.base import (
    Document,
    Figures,
    Store,
    Task,
    TaskData,
    TaskModel,
    held_out,
    parts_text,
)
from graphpool.tasks.epoch_text import scoring_text, split_name
from graphpool.tasks.place_text import plan_text
from graphpool.training.loop import EVALUATION_BATCH
from graphpool.training.objective import (
    Step,
    TraceOutputs,
    batches,
    device_of,
    evaluate_batches,
    evaluating,
    trace,
)
from graphpool.training.select_place_rule import check_choice, place_rules

LEAST_GRAPHS = 10
Diagnose = Callable[[Any], Mapping[str, float]]
G = TypeVar("G", bound="GraphTask")


@dataclass(frozen=True, eq=False, kw_only=True)
class SplitData(TaskData):
    """Graphs that train, choose the epoch and test.

    Args:
        graphs: the whole set; by default the test graphs.
        split: positions of the parts in it, if it was split.
        split_name: how it was split, as `RunConfig.split` has it.
    """

    graphs: GraphSet
    split: Split | None = None
    split_name: str = ""


def missing_values(graphs: GraphSet) -> str:
    """Say how to give values to a set that has none."""
    columns = ", ".join(name for name in graphs.columns if name != "smiles")
    if not columns:
        return "give every graph a y, or use predict"
    return f"name a column with --target (y=): {columns}; or use predict"


def is_omission(note: str) -> bool:
    """Whether a note of a set names lines, graphs or attributes that were not read."""
    return note.startswith("not used: ") or ("left out" in note and "self-loop" not in note)


class GraphTask(Task):
    """A question about single graphs.

    A subclass opens sets (`open_set`), and has the loss of each graph and the metrics of outputs.

    Attributes:
        diagnose: measures the levels of a trace; None measures nothing.
    """

    takes = "graphs"
    use = "graphpool predict {path} FILE"
    noun = "graphs"
    diagnose: Diagnose | None = level_health

    # ------------------------------------------------------------------ of a subclass

    @classmethod
    @abstractmethod
    def open_set(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set whose graphs have answers."""

    @classmethod
    def open_training(cls, data: str | GraphSet, root: Path | None = None) -> GraphSet:
        """Open a set to learn from: enough graphs for ten parts, with different answers."""
        graphs = cls.open_set(data, root)
        if isinstance(data, str):
            for note in filter(is_omission, graphs.notes):
                warn(f"{graphs.name}: {note}", FeatureWarning)
        if len(graphs) < LEAST_GRAPHS:
            raise DataError(
                f"{graphs.name} has {plural(len(graphs), 'graph')}; at least {LEAST_GRAPHS} are "
                "needed, to train, to choose the epoch and to test on"
            )
        return graphs

    @classmethod
    @abstractmethod
    def answers_text(cls, graphs: GraphSet) -> str:
        """Say how many answers there are, such as `2 classes`."""

    @abstractmethod
    def graph_losses(self, traced: TraceOutputs, batch: GraphBatch) -> Tensor:
        """`[B]`, the loss of each graph times its weight; auxiliary losses are added to each."""

    @abstractmethod
    def counts(self, outputs: Tensor, batch: GraphBatch) -> Tensor:
        """Return the sum over the batch of the metric `counted`."""

    @abstractmethod
    def metrics(self, outputs: Tensor, graphs: GraphSet) -> dict[str, float]:
        """Return the metrics of outputs of the network, `[graphs, outputs]`, on the CPU."""

    # ------------------------------------------------------------------ learning

    def step(self, model: nn.Module, batch: GraphBatch) -> Step:
        """Mean loss plus auxiliary losses, and the sum of the metric that is counted."""
        traced = trace(model, batch)
        return Step(self.mean_loss(traced, batch), self.counts(traced.logits.detach(), batch))

    def mean_loss(self, traced: TraceOutputs, batch: GraphBatch) -> Tensor:
        """Return the loss of a step."""
        return self.graph_losses(traced, batch).mean()

    def losses(self, model: nn.Module, batch: GraphBatch) -> Tensor:
        """`[B]`, the loss of each graph; auxiliary losses are added to each."""
        return self.graph_losses(trace(model, batch), batch)

    def evaluate(self, model: nn.Module, graphs: GraphSet, batch_size: int) -> dict[str, float]:
        """Weighted loss, the task's metrics and the diagnostics, over all graphs."""
        self.check(graphs)
        graphs = graphs.to(device_of(model))
        losses, outputs = [], []
        health: defaultdict[str, float] = defaultdict(float)
        measured: defaultdict[str, int] = defaultdict(int)
        with evaluating(model):
            for batch in batches(graphs, batch_size):
                traced = trace(model, batch)
                losses.append(self.graph_losses(traced, batch))
                outputs.append(traced.logits)
                if self.diagnose is not None:
                    for name, value in self.diagnose(traced).items():
                        if not math.isnan(value):  # else no graph of the batch could be measured
                            health[name] += value * batch.num_graphs
                            measured[name] += batch.num_graphs
        return {
            "loss": float(torch.cat(losses).double().mean()),
            **self.metrics(torch.cat(outputs).cpu(), graphs),
            **{name: total / measured[name] for name, total in health.items()},
        }

    def measuring(self: G, diagnose: Diagnose | None) -> G:
        """Return the same task with other diagnostics."""
        changed = copy.copy(self)
        changed.diagnose = diagnose
        return changed

    # ------------------------------------------------------------------ settings

    @classmethod
    def check_settings(cls, config: RunConfig) -> None:
        """Refuse unknown networks, those for pairs, and a choice of places that can't be made."""
        pooler = config.model.pooler
        if pooler in PAIR_METHODS:
            raise ConfigError(
                f"{pooler} is a network for pairs of graphs; train it with --task matching or "
                "--task similarity"
            )
        if pooler in cls.baselines():
            raise ConfigError(
                f"{pooler} is a baseline of graphpool evaluate (--methods {pooler}) and can't be "
                "trained by itself; graphpool list names the poolers"
            )
        super().check_settings(config)
        check_choice(config.model)

    @classmethod
    def standard_baselines(cls) -> tuple[str, ...]:
        """Return all baselines, and the network that does not look at edges."""
        return ("structure-free", *cls.baselines())

    @classmethod
    def place_rules(cls, settings: ModelConfig) -> tuple[PlaceRule, ...]:
        """Return every rule by which training with these settings finds places."""
        return place_rules(settings)

    # ------------------------------------------------------------------ examples

    @classmethod
    def open(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> SplitData:
        """Split a set, as `config.split` says, by default as the set itself does.

        Of a set that brings no split 80 % of the graphs train, 10 % choose the epoch, 10 % test.
        The parts have the same mix of answers: they are the first fold of ten-fold
        cross-validation with the run's seed.
        """
        graphs, seed = cls.open_training(config.data, root), config.train.seed
        named = config.split or default_split(graphs)
        split = (store or Store()).split(
            graphs, run_split_name(named), seed, lambda: run_split(graphs, seed, named)
        )
        parts = parts_text(split.train, split.valid, split.test)
        counts = (
            f"{graphs.name}: {plural(len(graphs), 'graph')}, {cls.answers_text(graphs)}; "
            f"{f'split {split_name(named)}: {parts}' if named else parts}"
        )
        scoring = scoring_text(config, published_metric(graphs.notes))
        return SplitData(
            graphs[split.test],
            graphs[split.train],
            graphs[split.valid],
            Source(set_digest(graphs), split.test),
            notes=(counts, *filter(None, (plan_text(graphs, config), scoring))),
            graphs=graphs,
            split=split,
            split_name=named,
        )

    def used(self, examples: GraphSet) -> GraphSet:
        """Return the examples, which are graphs."""
        return examples

    def map_graphs(self, change: Callable[[GraphSet], GraphSet], examples: GraphSet) -> GraphSet:
        """Return the changed examples, which are graphs."""
        return change(examples)

    # ------------------------------------------------------------------ results

    def figures(self, model: TaskModel, data: TaskData) -> Figures:
        """Return metrics on the test graphs, and health of the levels."""
        size = max(model.config.train.batch_size, EVALUATION_BATCH)
        whole = self.measuring(level_health)
        metrics = whole.evaluate(model.network, model.prepare(data.test), size)
        health = {name: value for name, value in metrics.items() if "/" in name}
        tested = {name: metrics[name] for name in self.columns if name in metrics}
        warnings = self.warnings(model, data.test, metrics)
        return Figures({"test": tested}, health=health, warnings=warnings)

    def test_set(
        self, model: TaskModel, data: str, root: Path | None = None, files: Mapping[str, str] = {}
    ) -> Document:
        """Return figures of a set; for the model's own set also those of held-out graphs.

        `trained_on` counts the graphs that trained the model or chose its epoch. It is None,
        unknown, for any set but the very one the model was trained on.
        """
        graphs = self.open_set(data, root)
        model.check_labels(graphs)
        metrics, unseen = self.score(model, graphs), held_out(model, graphs)
        document: Document = {
            "data": graphs.name,
            "graphs": len(graphs),
            **metrics,
            **self.beside(graphs),
            "trained_on": None if unseen is None else len(graphs) - len(unseen),
            "warnings": self.warnings(model, graphs, metrics),
        }
        if unseen is None and graphs.name == short_name(model.config.data):
            document["warnings"].append(
                "the model was trained on a set of the same name; if these are graphs of it, this "
                f"is no test {self.main_title}"
            )
        if unseen:
            document["held_out"] = {"graphs": len(unseen), **self.score(model, graphs[unseen])}
        return document

    def beside(self, graphs: GraphSet) -> Document:
        """Return figures of a rule that stand beside those of a model on a set."""
        return {}


def predict_logits(model: nn.Module, graphs: GraphSet, batch_size: int) -> Tensor:
    """`[graphs, outputs]` on the CPU, in the order of the graphs."""
    return evaluate_batches(
        model, graphs, batch_size, lambda batch: trace(model, batch).logits, "graphs to predict"
    )


def normalised(graphs: GraphSet, weight: Tensor) -> GraphSet:
    """Return the graphs with these weights in the loss, `[graphs]`, divided by their mean.

    So the learning rate and auxiliary losses keep their meaning. Equal weights are left out, and
    change no bit of the training.
    """
    if not float(weight.sum()) > 0:
        raise ConfigError(f"{graphs.name}: all graphs have weight 0; give some a weight")
    equal = bool((weight == weight[0]).all())
    return graphs.with_weight(None if equal else (weight / weight.mean()).float().to(graphs.device))
