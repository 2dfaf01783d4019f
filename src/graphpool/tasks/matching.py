"""Matching: predict whether two graphs match, by binary cross entropy at every level."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from graphpool.config import RunConfig
from graphpool.data import load as datasets
from graphpool.data.pairs.pairs_csv import read_pairs
from graphpool.data.pairs.pairset import PairBatch, PairSet
from graphpool.data.pairs.splits import split_pairs, split_pairs_by
from graphpool.data.source import Source, data_digest, set_digest
from graphpool.data.synthetic.matching.names import is_matching_name, parse_matching_name
from graphpool.data.synthetic.matching.rules import RULES, rule_accuracy
from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.baselines.pairs import (
    RULE_NAMES,
    rule_accuracies,
    rule_accuracies_by_halves,
)
from graphpool.evaluation.format import Lines, percent, plural
from graphpool.evaluation.metrics import area_under_roc, f1_score
from graphpool.evaluation.prediction import Stopwatch
from graphpool.evaluation.protocols import run_split, run_split_name
from graphpool.evaluation.statistics import wilson
from graphpool.files import sha256_file
from graphpool.nn.pairs.base import PairModel
from graphpool.report.data import HeroFigure, Report, Scores
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
from graphpool.tasks.pages.pairs import comparison_page, pair_examples
from graphpool.tasks.pairwise import PairOutcome, PairwiseTask, aux_loss

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, eq=False, kw_only=True)
class MatchingData(TaskData):
    """Pairs of an experiment.

    Args:
        tests: test pairs by the number of nodes of their graphs.
    """

    tests: Mapping[str, PairSet]


class MatchingTask(PairwiseTask):
    """Learn whether pairs match (y = 1) or not (y = 0).

    The loss of a pair is the mean over levels of -y log s - (1 - y) log(1 - s). A match is
    predicted if the score of all levels together, by default their mean, is above ½.

    Deviation from the paper: its equation loss-pair has no term for pairs that don't match, and
    is least when all graphs have the same vector.
    """

    name = "matching"
    question = "do two graphs match?"
    noun = "pairs"
    files = ("pairs",)
    columns = {"accuracy": "accuracy, %", "auc": "AUC, %", "f1": "F1, %"}  # noqa: RUF012
    threshold = 0.5
    test_title = "{} nodes"
    advice = "; give 1 for a match and 0 for none"

    # ------------------------------------------------------------------ learning

    def is_strange(self, target: Tensor) -> Tensor:
        """Return which pairs neither match nor don't."""
        return (target != 0) & (target != 1)

    def outcome(self, model: PairModel, batch: PairBatch) -> PairOutcome:
        """Score every pair."""
        compared = model.compare(batch.graphs, batch.left, batch.right)
        yes, no = model.log_scores(compared)
        losses = -(batch.y * yes + (1 - batch.y) * no)
        score = model.overall(yes.detach().exp())
        correct = ((score > 0.5) == (batch.y > 0.5)).to(score.dtype)
        return PairOutcome(losses, score, correct, aux_loss(compared, losses))

    def metrics(self, prediction: Tensor, truth: Tensor) -> dict[str, float]:
        """Area under the ROC curve, and F1 of the matching pairs."""
        return {
            "auc": area_under_roc(prediction, truth),
            "f1": f1_score(prediction > 0.5, truth > 0.5),
        }

    # ------------------------------------------------------------------ examples

    @classmethod
    def baselines(cls) -> Mapping[str, Baseline]:
        """Return rules that compare one property of both graphs."""
        return {name: Baseline("rule", RULE_NAMES[name]) for name in RULES}

    @classmethod
    def open(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> TaskData:
        """Draw pairs, or read and split those of a file; no graph is in two parts."""
        check_pairs(config)
        if is_matching_name(config.data):
            return _drawn(config)
        return _given(config, root, store or Store())

    @classmethod
    def open_test(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> TaskData:
        """Open the test pairs; drawn ones are drawn without the others."""
        if not is_matching_name(config.data):
            return cls.open(config, root, store)
        test = _draw(config, "test")
        return TaskData(test, facts={"parts": {"test": {"digest": data_digest(test)}}})

    # ------------------------------------------------------------------ results

    def predict(self, model: TaskModel, examples: PairSet) -> Array:
        """Return whether each pair matches, bool `[pairs]`."""
        return self.probabilities(model, examples) > 0.5

    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return figures of the test pairs, and of rules with a threshold from training pairs."""
        if data.train is None:
            rules = rule_accuracies_by_halves(data.test)
        else:
            rules = rule_accuracies(data.train, data.test)
        return self._document(model, data.test, rules, data.sizes)

    def test_set(
        self, model: TaskModel, data: str, root: Path | None = None, files: Mapping[str, str] = {}
    ) -> Document:
        """Test pairs of a file over a set, or as many drawn ones as the run tested."""
        settings = replace(model.config.compare, pairs=files.get("pairs", ""))
        config = replace(model.config, data=data, compare=settings)
        check_pairs(config)
        warnings: list[str] = []
        if is_matching_name(data):
            test = _draw(config, "test")
            rules = rule_accuracies(_draw(config, "valid"), test)
        else:
            graphs = datasets.find(data, root, features=None)
            model.check_labels(graphs)
            test = read_pairs(settings.pairs, graphs)
            rules = rule_accuracies_by_halves(test)
            if (unseen := held_out(model, graphs)) is not None:
                warnings.append(
                    f"{len(graphs) - len(unseen)} of these graphs are in pairs that trained the "
                    "model or chose its epoch: this is no test accuracy"
                )
        document = self._document(model, test, rules, {"test": len(test)})
        return {**document, "warnings": warnings}

    def figures(self, model: TaskModel, data: TaskData) -> Figures:
        """Return the metrics on the pairs of every size."""
        assert isinstance(data, MatchingData)
        return Figures({name: self.score(model, pairs) for name, pairs in data.tests.items()})

    def baseline_figures(self, name: str, data: TaskData, watch: Stopwatch) -> Figures:
        """Return the accuracy of a rule whose threshold is fitted on the training pairs."""
        assert isinstance(data, MatchingData)
        with watch.part("test"):
            shares = {
                test: {"accuracy": rule_accuracy(data.train, pairs, RULES[name])}
                for test, pairs in data.tests.items()
            }
        return Figures(shares)

    def title(self, document: Document) -> str:
        """Return the name of the set."""
        return f"{document['data']}:"

    def lines(self, document: Document) -> Lines:
        """Describe the accuracy, and that of rules that compare one property of both graphs."""
        test, rules = document["test"], document["rules"]
        low, high = (100 * end for end in test["interval"])
        pairs = plural(document["examples"]["test"], "pair")
        lines: Lines = [
            f"Test accuracy   {percent(test['accuracy']):>7}  {test['correct']:,} of {pairs}, "
            f"95 % interval {low:.1f} to {high:.1f}",
            f"Area under ROC  {percent(test['auc']):>7}",
            f"F1              {percent(test['f1']):>7}",
        ]
        if rules:
            lines.append(
                "\nRules that compare one property of both graphs, with a threshold from other "
                "pairs:"
            )
            lines += [f"  {RULE_NAMES[key]:<25}{percent(value):>7}" for key, value in rules.items()]
            best = max(rules, key=lambda name: float(rules[name]))
            if rules[best] >= test["accuracy"]:
                lines.append(f"The model is no better than the rule of {RULE_NAMES[best]}.")
            lines.append("")
        return lines

    def report(
        self, model: TaskModel, data: TaskData, document: Document, history: History = ()
    ) -> Report:
        """Collect accuracy beside rules, scores, drawn pairs and learning curves."""
        pairs, test = data.test, document["test"]
        scores, matches = self.probabilities(model, pairs), pairs.y.cpu().numpy() > 0.5
        examples = pair_examples(model, pairs, scores)
        low, high = (100 * end for end in test["interval"])
        hero = HeroFigure(
            "Test pairs classified correctly", f"{100 * test['accuracy']:.1f}", "%",
            f"95 % interval {low:.1f} – {high:.1f}",
        )  # fmt: skip
        # Pairs of one kind have no area.
        auc = test["auc"]
        area = [] if auc is None or np.isnan(auc) else [
            HeroFigure("Area under ROC", f"{100 * auc:.1f}", "%", "50 is chance")
        ]  # fmt: skip
        rules = {name: {"accuracy": value} for name, value in document["rules"].items()}
        return comparison_page(
            model, document, history, self.columns, rules, [hero], area,
            noun=self.noun,
            scores=Scores(scores[matches], scores[~matches]),
            pairs=examples,
            labels=node_labels(side for each in examples for side in (each.left, each.right)),
        )  # fmt: skip

    def _document(
        self, model: TaskModel, pairs: PairSet, rules: dict[str, float], sizes: dict[str, int]
    ) -> Document:
        """Metrics, the number of correct predictions and an interval of their share, and rules."""
        metrics = self.score(model, pairs)
        correct = round(metrics["accuracy"] * len(pairs))
        interval = wilson(correct, len(pairs))
        return {
            "task": self.name,
            "data": pairs.name,
            "examples": sizes,
            "test": {**metrics, "correct": correct, "interval": interval},
            "rules": rules,
        }


def check_pairs(config: RunConfig) -> None:
    """Raise a `ConfigError` for settings that name no pairs, before any are drawn or read."""
    drawn = is_matching_name(config.data)
    if drawn:
        parse_matching_name(config.data)
    if drawn and config.split:
        raise ConfigError(
            f"{config.data} draws its own pairs for each part; leave out --split, or name a set of "
            "graphs"
        )
    if drawn and config.compare.pairs:
        raise ConfigError(
            f"{config.data} draws its own pairs; leave out --pairs, or name a set of graphs"
        )
    if not drawn and not config.compare.pairs:
        raise ConfigError(
            f"which graphs of {config.data} match? Give --pairs FILE.csv with lines of left, "
            "right, match, or a set that draws its pairs, such as matching-balanced-hard-20"
        )


def _draw(config: RunConfig, part: str) -> PairSet:
    wanted = config.compare
    count = {"train": wanted.examples, "valid": wanted.valid, "test": wanted.test}[part]
    return datasets.pairs(config.data, count, part_seed(config, part))


def part_seed(config: RunConfig, part: str) -> int:
    """Return the seed of a part's pairs: each part of each run has its own."""
    return 10 * config.train.seed + PARTS.index(part)


def _drawn(config: RunConfig) -> TaskData:
    parts: dict[str, Any] = {part: _draw(config, part) for part in PARTS}
    facts = {
        part: {**about, "seed": part_seed(config, part)} for part, about in _facts(parts).items()
    }
    return TaskData(
        **parts,
        facts={"from": "drawn", "name": config.data, "parts": facts},
        notes=(_counts(parts),),
    )


def _given(config: RunConfig, root: Path | None, store: Store) -> TaskData:
    graphs = datasets.find(config.data, root, features=None)
    pairs = read_pairs(config.compare.pairs, graphs)
    if config.split:
        seed, name = config.train.seed, run_split_name(config.split)
        own = store.split(graphs, name, seed, lambda: run_split(graphs, seed, config.split))
        divided = split_pairs_by(pairs, own, config.split)
    else:
        divided = split_pairs(pairs, config.train.seed)
    parts: dict[str, Any] = {
        part: pairs.select(np.array(getattr(divided.split, part))) for part in PARTS
    }
    if bool((parts["train"].y == parts["train"].y[0]).all()):
        raise DataError.at(
            config.compare.pairs,
            "all pairs that train have the same answer",
            hint="give pairs that match and others that don't",
        )
    seen = [getattr(parts[part], side).numpy() for part in PARTS[:2] for side in ("left", "right")]
    unseen = np.setdiff1d(np.arange(len(graphs)), np.concatenate(seen))
    left_out = f"{divided.left_out:,} of {plural(len(pairs), 'pair')} left out"
    if config.split:
        note = f"{left_out}, with graphs of two parts"
    elif divided.left_out:
        note = (
            f"{left_out}: too few groups of pairs share no graph, so the graphs were split, and "
            "these pairs have graphs of two parts"
        )
    else:
        note = f"{plural(divided.groups, 'group')} of pairs that share no graph, split as wholes"
    return TaskData(
        **parts,
        source=Source(set_digest(graphs), tuple(unseen.tolist())),
        facts={
            "from": "file",
            "pairs": sha256_file(config.compare.pairs),
            "left_out": divided.left_out,
            "groups": divided.groups,
            "parts": _facts(parts),
        },
        notes=(_counts(parts), note),
    )


def _facts(parts: Mapping[str, PairSet]) -> dict[str, Document]:
    return {
        part: {"pairs": len(one), "matching": int(one.y.sum()), "digest": data_digest(one)}
        for part, one in parts.items()
    }


def _counts(parts: Mapping[str, PairSet]) -> str:
    return f"{parts['train'].name}: of the pairs {parts_text(**parts)}"
