"""Similarity: predict which of two graphs is nearer to a third, by squared error."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from graphpool.config import RunConfig
from graphpool.data import load as datasets
from graphpool.data.pairs.sampling import draw_triplets
from graphpool.data.pairs.triplets import TripletBatch, TripletSet
from graphpool.data.source import Source, data_digest, set_digest
from graphpool.data.splits import Split
from graphpool.data.true_distances import (
    COMPUTED,
    PUBLISHED,
    TrueDistances,
    computed_distances,
    has_split,
    known_distances,
    open_similar,
    split_graphs,
)
from graphpool.evaluation.baselines.distances import (
    EDIT_METHODS,
    RULES,
    classical_distances,
    label_edge_rule,
)
from graphpool.evaluation.baselines.pairs import RULE_NAMES
from graphpool.evaluation.format import Lines, Table, decimal, plural
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.protocols import run_split, run_split_name
from graphpool.evaluation.ranking import ranking_metrics
from graphpool.ged.methods.registry import METHODS
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.pairs.base import PairModel
from graphpool.report.data import HeroFigure, Report
from graphpool.report.draw.side import node_labels
from graphpool.tasks.base import (
    Array,
    Baseline,
    Document,
    Figures,
    History,
    Store,
    TaskData,
    TaskModel,
    held_out,
    parts_text,
)
from graphpool.tasks.epoch_text import split_name
from graphpool.tasks.pages.pairs import (
    comparison_page,
    distance_plot,
    query_examples,
)
from graphpool.tasks.pairwise import (
    PAIRS_AT_ONCE,
    PairOutcome,
    PairwiseTask,
    aux_loss,
    pair_distances,
)
from graphpool.training.objective import evaluate_batches

RANKING = {
    "accuracy": "triplets, %",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "precision@10": "p@10",
    "precision@20": "p@20",
}


@dataclass(frozen=True, eq=False, kw_only=True)
class SimilarityData(TaskData):
    """Triplets that train, choose the epoch and test, and the graphs that are ranked in the end.

    Training triplets are of training graphs alone. A validation or test triplet asks about a graph
    that has not trained, with training graphs to choose from.

    Args:
        test: some of the test triplets; `queries` and `candidates` are those of all of them.
        graphs: the whole set.
        distances: true distances between all of them.
        queries: positions of the test graphs.
        candidates: positions of the graphs that each of them ranks.
        split: which graphs train, validate and test, if it is known.
        kind: how they were split.
    """

    graphs: GraphSet
    distances: TrueDistances
    queries: NDArray[np.int64]
    candidates: NDArray[np.int64]
    split: Split | None = None
    kind: str = ""

    @property
    def true(self) -> NDArray[np.float64]:
        """`[queries, candidates]` true distances; NaN for a graph and itself."""
        true = self.distances.values[np.ix_(self.queries, self.candidates)]
        true[self.queries[:, None] == self.candidates] = np.nan
        return true


class SimilarityTask(PairwiseTask):
    """Learn triplets: r = g(query, first) - g(query, second), g the true distance.

    The loss of a triplet is the mean over levels of ((d(query, first) - d(query, second)) - r)².
    The prediction is that difference for the distance of all levels together, by default the mean;
    it is correct if its sign is that of r, and half correct if it is 0.

    Deviation from the paper: its equation loss-triple has no square and no lower bound.
    """

    name = "similarity"
    question = "which of two graphs is nearer to a third?"
    noun = "triplets"
    files = ("distances",)
    columns = RANKING
    advice = ", which gives no order; leave such triplets out"

    # ------------------------------------------------------------------ learning

    def is_strange(self, target: Tensor) -> Tensor:
        """Return which triplets have no order."""
        return (target == 0) | ~target.isfinite()

    def outcome(self, model: PairModel, batch: TripletBatch) -> PairOutcome:
        """Compare the query of every triplet with both others."""
        query, others = batch.query, torch.cat([batch.first, batch.second])
        compared = model.compare(batch.graphs, torch.cat([query, query]), others)
        first, second = compared.distances.chunk(2, dim=1)
        differences = first - second
        losses = (differences - batch.r).square()
        prediction = model.overall(differences.detach())
        correct = (1 + prediction.sign() * batch.r.sign()) / 2
        return PairOutcome(losses, prediction, correct, aux_loss(compared, losses))

    def metrics(self, prediction: Tensor, truth: Tensor) -> dict[str, float]:
        """Mean absolute error of the differences."""
        return {"error": float((prediction - truth).abs().double().mean())}

    # ------------------------------------------------------------------ examples

    @classmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return every method of `graphpool.ged`, and rules that count."""
        edits = {name: Baseline("edit distance") for name in METHODS}
        return {**edits, **{name: Baseline("rule", RULE_NAMES[name]) for name in RULES}}

    @classmethod
    def standard_baselines(cls) -> tuple[str, ...]:
        """Return quick approximations of the edit distance, and the rules."""
        return (*EDIT_METHODS, *RULES)

    @classmethod
    def open(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> SimilarityData:
        """Draw triplets of a set whose distances are published, given or computed.

        As many are drawn as `config.compare` asks for, or as there are.
        """
        data = cls.open_test(config, root, store)
        graphs, distances, split = data.graphs, data.distances, data.split
        assert split is not None
        wanted, seed = config.compare, config.train.seed
        asked = {
            "train": (split.train, split.train, wanted.examples),
            "valid": (split.valid, split.train, wanted.valid),
            "test": (split.test, (*split.train, *split.valid), wanted.test),
        }
        parts: dict[str, Any] = {
            part: draw_triplets(graphs, distances.values, queries, candidates, count, seed, part)
            for part, (queries, candidates, count) in asked.items()
        }
        facts = {
            "split": data.kind,
            "distances": {"from": distances.origin, "digest": distances.digest},
            "parts": {
                part: {
                    "triplets": len(one),
                    "graphs": len(asked[part][0]),
                    "digest": data_digest(one),
                }
                for part, one in parts.items()
            },
        }
        origin = distances.origin if distances.origin in (PUBLISHED, COMPUTED) else "of a file"
        named = split_name(config.split) or data.kind
        notes = [
            f"{graphs.name}: {plural(len(graphs), 'graph')}; split {named}: "
            f"{parts_text(split.train, split.valid, split.test)}; distances {origin}",
            f"of the triplets {parts_text(**parts)}",
        ]
        if not config.split and data.kind != wanted.split:
            notes.append(f"there is no {wanted.split} split of them: they are split by {data.kind}")
        return replace(data, **parts, facts=facts, notes=tuple(notes))

    @classmethod
    def open_test(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> SimilarityData:
        """Open graphs, distances and split, without drawing triplets."""
        graphs, store = open_similar(config.data, root), store or Store()
        kind: str = run_split_name(config.split) if config.split else config.compare.split
        seed = config.train.seed
        if kind == PUBLISHED and not has_split(config.data, root):
            kind = "graphs"
        distances = known_distances(graphs, config.data, config.compare.distances, root)
        if distances is None:
            distances = computed_distances(graphs, store.distances())

        def make() -> Split:
            if config.split:
                return run_split(graphs, seed, config.split)
            return split_graphs(graphs, config.data, kind, seed, root)

        split = store.split(graphs, kind, seed, make)
        return SimilarityData(
            test=None,
            source=Source(set_digest(graphs), split.test),
            facts={"distances": {"digest": distances.digest}},
            graphs=graphs,
            distances=distances,
            queries=np.array(split.test, dtype=np.int64),
            candidates=np.array(sorted((*split.train, *split.valid)), dtype=np.int64),
            split=split,
            kind=kind,
        )

    # ------------------------------------------------------------------ results

    def predict(self, model: TaskModel, examples: TripletSet) -> Array:
        """Return by how much farther the first graph of each triplet is, `[triplets]`."""
        ready = examples.with_graphs(model.prepare(examples.graphs))

        def difference(batch: TripletBatch) -> Tensor:
            return self.outcome(model.network, batch).prediction.double()

        return evaluate_batches(
            model.network, ready, PAIRS_AT_ONCE, difference, "triplets to predict"
        ).numpy()

    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return how well test graphs rank the others, and how well a rule does that counts."""
        assert isinstance(data, SimilarityData)
        graphs = {"test": len(data.queries)}
        if data.split is not None:
            graphs = {name: len(part) for name, part in asdict(data.split).items()}
        document: Document = {
            "task": self.name,
            "data": data.graphs.name,
            "graphs": graphs,
            "examples": data.sizes,
            "distances": data.distances.origin,
            **({"split": data.kind} if data.kind else {}),
            **self._figures(model, data),
        }
        if data.test is not None:
            scored = self.score(model, data.test)
            document["triplets"] = {key: scored[key] for key in ("accuracy", "error", "loss")}
        return document

    def test_set(
        self, model: TaskModel, data: str, root: Path | None = None, files: Mapping[str, str] = {}
    ) -> Document:
        """Let test graphs rank the others, if the set is the model's own; else each all others."""
        graphs = datasets.find(data, root, features=None)
        model.check_labels(graphs)
        known = known_distances(graphs, data, files.get("distances", ""), root)
        true = known or computed_distances(graphs)
        queries = candidates = np.arange(len(graphs))
        unseen, warnings = held_out(model, graphs), []
        if unseen:
            queries = np.array(unseen, dtype=np.int64)
            candidates = np.setdiff1d(candidates, queries)
        elif unseen is not None:
            warnings = ["all of these graphs trained the model: this is no test accuracy"]
        ranked = SimilarityData(
            None, graphs=graphs, distances=true, queries=queries, candidates=candidates
        )
        return {
            "task": self.name,
            "data": graphs.name,
            "graphs": {"queries": len(queries), "candidates": len(candidates)},
            "distances": true.origin,
            **self._figures(model, ranked),
            "warnings": warnings,
        }

    def figures(self, model: TaskModel, data: TaskData) -> Figures:
        """Return how well the test graphs rank the others."""
        assert isinstance(data, SimilarityData)
        distances = pair_distances(model, data.graphs, data.queries, data.candidates)
        return Figures({"ranking": ranking_metrics(distances, data.true)})

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Return how well an edit distance or a rule ranks them, on one thread."""
        assert isinstance(data, SimilarityData)
        with watch.part("test"):
            distances = classical_distances(name, data.graphs, data.queries, data.candidates, 1)
        return Figures({"ranking": ranking_metrics(distances, data.true)})

    def title(self, document: Document) -> str:
        """Say which graphs of a set rank which others."""
        asked, others = (document["graphs"][key] for key in ("queries", "candidates"))
        whom = "the others" if others == asked else f"{others:,} that trained"
        return f"{document['data']}, {plural(asked, 'graph')} ranking {whom}:"

    def lines(self, document: Document) -> Lines:
        """Describe the order of all triplets and rank correlations, with the rule beside them."""
        rows = {"model": document["test"]}
        rows |= {RULE_NAMES[name]: figures for name, figures in document["rules"].items()}
        names = ("accuracy, %", *tuple(RANKING.values())[1:])
        table = []
        for name, figures in rows.items():
            first, *rest = (figures[key] for key in RANKING)
            table.append((name, f"{100 * first:.1f}", *map(decimal, rest)))
        lines: Lines = [
            Table(("on test graphs", *names), table, right=names),
            "\nAccuracy is over all triplets of a test graph and two others; the rest is the mean "
            "over test graphs.",
        ]
        if document["rules"]["label-edge"]["accuracy"] >= document["test"]["accuracy"]:
            lines.append("The model is no better than the rule.")
        return lines

    def report(
        self, model: TaskModel, data: TaskData, document: Document, history: History = ()
    ) -> Report:
        """Collect figures beside the rule, distances, nearest graphs and learning curves."""
        assert isinstance(data, SimilarityData)
        true, test = data.true, document["test"]
        predicted = pair_distances(model, data.graphs, data.queries, data.candidates)
        examples = query_examples(data.graphs, predicted, true, data.queries, data.candidates)
        first = HeroFigure(
            "Triplets in the right order", f"{100 * test['accuracy']:.1f}", "%",
            f"which of two graphs is nearer to a test graph, {len(data.queries)} of them",
        )  # fmt: skip
        last = HeroFigure(
            "Spearman’s correlation", decimal(test["spearman"]), "", "mean over test graphs"
        )
        sides = (
            side for each in examples for side in (each.query, *(one.graph for one in each.nearest))
        )
        return comparison_page(
            model, document, history, RANKING, document["rules"], [first], [last],
            noun=self.noun,
            distances=distance_plot(predicted, true),
            queries=examples,
            labels=node_labels(sides),
        )  # fmt: skip

    def _figures(self, model: TaskModel, data: SimilarityData) -> Document:
        """Metrics of the model and of the rule, over all triplets of these graphs."""
        there = (data.graphs, data.queries, data.candidates)
        return {
            "test": ranking_metrics(pair_distances(model, *there), data.true),
            "rules": {"label-edge": ranking_metrics(label_edge_rule(*there), data.true)},
        }
