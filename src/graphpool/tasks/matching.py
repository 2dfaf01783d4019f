"""Matching: predict whether two graphs match, by binary cross entropy at every level."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from graphpool.config import RunConfig, defaults_for
from graphpool.data import load as datasets
from graphpool.data.pairs.pairs_csv import read_pairs
from graphpool.data.pairs.pairset import PairBatch, PairSet
from graphpool.data.pairs.splits import split_pairs
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
from graphpool.evaluation.statistics import wilson
from graphpool.files import sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.pairs.base import PairModel
from graphpool.report.data import HeroFigure, Report, Scores
from graphpool.tasks.base import (
    Array,
    Baseline,
    Document,
    Figures,
    History,
    Store,
    TaskData,
    TaskModel,
    epoch_line,
)
from graphpool.tasks.pages.pairs import comparison_page, node_labels, pair_examples
from graphpool.tasks.pairwise import PairOutcome, PairwiseTask, aux_loss

PARTS = ("train", "valid", "test")
COLUMNS = {"accuracy": "accuracy, %", "auc": "AUC, %", "f1": "F1, %"}


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
    threshold = 0.5
    columns = COLUMNS
    test_title = "{} nodes"

    # ------------------------------------------------------------------ learning

    def check(self, examples: PairSet) -> None:  # type: ignore[override]
        """Raise a `DataError` unless every pair matches or doesn't."""
        super().check(examples)
        strange = (examples.y != 0) & (examples.y != 1)
        if bool(strange.any()):
            position = int(strange.nonzero()[0])
            raise DataError(
                f"{examples.name}, pair {examples.ids[position]}: y is "
                f"{float(examples.y[position]):g}; give 1 for a match and 0 for none"
            )

    def outcome(self, model: PairModel, batch: PairBatch) -> PairOutcome:
        """Score every pair."""
        compared = model.compare(batch.graphs, batch.left, batch.right)
        yes, no = model.log_scores(compared)
        losses = -(batch.y * yes + (1 - batch.y) * no)
        score = model.overall(yes.detach().exp())
        correct = ((score > 0.5) == (batch.y > 0.5)).to(score.dtype)
        return PairOutcome(losses, score, correct, aux_loss(compared, losses))

    def truth(self, batch: PairBatch) -> Tensor:
        """Return y."""
        return batch.y

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
    def defaults(cls) -> RunConfig:
        """Return the settings that matching starts from."""
        return defaults_for("matching")

    @classmethod
    def open(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> TaskData:
        """Draw pairs, or read and split those of a file; no graph is in two parts."""
        check_pairs(config)
        return _drawn(config) if is_matching_name(config.data) else _given(config, root)

    @classmethod
    def open_test(
        cls, config: RunConfig, root: Path | None = None, store: Store | None = None
    ) -> TaskData:
        """Open the test pairs; drawn ones are drawn without the others."""
        if not is_matching_name(config.data):
            return cls.open(config, root, store)
        test = _draw(config, "test", config.compare.test)
        return TaskData(test, facts={"parts": {"test": {"digest": data_digest(test)}}})

    # ------------------------------------------------------------------ results

    def predict(self, model: TaskModel, examples: PairSet) -> Array:
        """Return whether each pair matches, bool `[pairs]`."""
        return self.probabilities(model, examples) > 0.5

    def test(self, model: TaskModel, data: TaskData) -> Document:
        """Return figures of the test pairs, and of rules with a threshold from training pairs."""
        parts = {name: getattr(data, name) for name in PARTS}
        return {
            "task": self.name,
            "data": data.test.name,
            "examples": {name: len(part) for name, part in parts.items() if part is not None},
            "test": self._figures(model, data.test),
            "rules": rule_accuracies_by_halves(data.test)
            if data.train is None
            else rule_accuracies(data.train, data.test),
        }

    def test_set(
        self, model: TaskModel, data: str, root: Path | None = None, files: Mapping[str, str] = {}
    ) -> Document:
        """Test pairs of a file over a set, or as many drawn ones as the run tested."""
        settings = replace(model.config.compare, pairs=files.get("pairs", ""))
        config = replace(model.config, data=data, compare=settings)
        check_pairs(config)
        warnings: list[str] = []
        if is_matching_name(data):
            test = _draw(config, "test", settings.test)
            rules = rule_accuracies(_draw(config, "valid", settings.valid), test)
        else:
            graphs = datasets.find(data, root, features=None)
            model.check_labels(graphs)
            test = read_pairs(settings.pairs, graphs)
            rules = rule_accuracies_by_halves(test)
            warnings = _seen(model, graphs)
        return {
            "task": self.name,
            "data": test.name,
            "examples": {"test": len(test)},
            "test": self._figures(model, test),
            "rules": rules,
            "warnings": warnings,
        }

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

    def result_lines(self, document: Document) -> Lines:
        """Describe the accuracy beside that of rules, and the selected epoch."""
        return [*_lines(document), epoch_line(document, self.noun)]

    def score_lines(self, document: Document) -> Lines:
        """Describe the accuracy on another set beside that of rules."""
        warnings = [f"warning: {warning}" for warning in document["warnings"]]
        return [f"{document['data']}:", *_lines(document), *warnings]

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

    def _figures(self, model: TaskModel, pairs: PairSet) -> Document:
        """Metrics, the number of correct predictions and an interval of their share."""
        metrics = self.score(model, pairs)
        correct = round(metrics["accuracy"] * len(pairs))
        return {**metrics, "correct": correct, "interval": wilson(correct, len(pairs))}


def check_pairs(config: RunConfig) -> None:
    """Raise a `ConfigError` for settings that name no pairs, before any are drawn or read."""
    drawn = is_matching_name(config.data)
    if drawn:
        parse_matching_name(config.data)
    if drawn and config.compare.pairs:
        raise ConfigError(
            f"{config.data} draws its own pairs; leave out --pairs, or name a set of graphs"
        )
    if not drawn and not config.compare.pairs:
        raise ConfigError(
            f"which graphs of {config.data} match? Give --pairs FILE.csv with lines of left, "
            "right, match, or a set that draws its pairs, such as matching-balanced-hard-20"
        )


def part_seed(config: RunConfig, part: str) -> int:
    """Return the seed of a part's pairs: each part of each run has its own."""
    return 10 * config.train.seed + PARTS.index(part)


def _draw(config: RunConfig, part: str, count: int) -> PairSet:
    return datasets.pairs(config.data, count, part_seed(config, part))


def _drawn(config: RunConfig) -> TaskData:
    wanted = config.compare
    counts = dict(zip(PARTS, (wanted.examples, wanted.valid, wanted.test), strict=True))
    drawn: dict[str, Any] = {part: _draw(config, part, count) for part, count in counts.items()}
    seeds = {part: {"seed": part_seed(config, part)} for part in PARTS}
    facts = {"from": "drawn", "name": config.data, "parts": _facts(drawn, seeds)}
    return TaskData(**drawn, facts=facts, notes=(_counts(drawn),))


def _given(config: RunConfig, root: Path | None) -> TaskData:
    graphs = datasets.find(config.data, root, features=None)
    pairs = read_pairs(config.compare.pairs, graphs)
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
    facts = {
        "from": "file",
        "pairs": sha256_file(config.compare.pairs),
        "left_out": divided.left_out,
        "groups": divided.groups,
        "parts": _facts(parts, {part: {} for part in PARTS}),
    }
    note = (
        f"{divided.left_out:,} of {len(pairs):,} pairs are left out: too few groups of pairs share "
        "no graph, so the graphs were split, and these pairs have graphs of two parts"
        if divided.left_out
        else f"{divided.groups:,} groups of pairs that share no graph were split"
    )
    source = Source(set_digest(graphs), tuple(unseen.tolist()))
    return TaskData(**parts, source=source, facts=facts, notes=(_counts(parts), note))


def _facts(pairs: Mapping[str, PairSet], more: Mapping[str, Mapping[str, int]]) -> Document:
    return {
        part: {
            "pairs": len(one),
            "matching": int(one.y.sum()),
            **more[part],
            "digest": data_digest(one),
        }
        for part, one in pairs.items()
    }


def _counts(parts: Mapping[str, PairSet]) -> str:
    train, valid, test = (len(parts[part]) for part in PARTS)
    return (
        f"{parts['train'].name}: of the pairs {train:,} train, {valid:,} choose the epoch, "
        f"{test:,} test"
    )


def _seen(model: TaskModel, graphs: GraphSet) -> list[str]:
    """Warn of graphs that the model was trained on."""
    source = model.source
    if source is None or source.digest != set_digest(graphs):
        return []
    seen = len(graphs) - len(source.held_out)
    return [
        f"{seen} of these graphs are in pairs that trained the model or chose its epoch: this is "
        "no test accuracy"
    ]


def _lines(document: Document) -> list[Any]:
    """Accuracy, and below it that of rules that compare one property of both graphs."""
    test, rules = document["test"], document["rules"]
    low, high = (100 * end for end in test["interval"])
    pairs = plural(document["examples"]["test"], "pair")
    lines = [
        f"Test accuracy   {percent(test['accuracy']):>7}  {test['correct']:,} of {pairs}, "
        f"95 % interval {low:.1f} to {high:.1f}",
        f"Area under ROC  {percent(test['auc']):>7}",
        f"F1              {percent(test['f1']):>7}",
    ]
    if rules:
        lines.append(
            "\nRules that compare one property of both graphs, with a threshold from other pairs:"
        )
        lines += [f"  {RULE_NAMES[name]:<25}{percent(value):>7}" for name, value in rules.items()]
        best = max(rules, key=lambda name: float(rules[name]))
        if rules[best] >= test["accuracy"]:
            lines.append(f"The model is no better than the rule of {RULE_NAMES[best]}.")
        lines.append("")
    return lines
