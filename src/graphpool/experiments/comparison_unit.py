"""The unit of a comparison, one method on one set of examples, and the small file that keeps it."""

import hashlib
import json
import logging
import time
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import graphpool
from graphpool.config import RunConfig, original_names
from graphpool.data.synthetic.matching.rules import RULES as MATCHING_RULES
from graphpool.data.synthetic.matching.rules import rule_accuracy
from graphpool.errors import ConfigError, nearest
from graphpool.evaluation.baselines.distances import RULES as RANKING_RULES
from graphpool.evaluation.baselines.distances import classical_baselines
from graphpool.experiments.comparison_data import Data, Opened, PairData, Pairs, Triplets
from graphpool.experiments.machine import machine, provenance
from graphpool.experiments.methods import settings_of
from graphpool.files import atomic_write, strict_json
from graphpool.ged.methods.registry import METHODS as EDIT_METHODS
from graphpool.graphs.places.rule import PlaceRule
from graphpool.models.comparer import ranked, train_comparer
from graphpool.nn.zoo.pairs import pair_place_rule
from graphpool.training.environment import thread_count

log = logging.getLogger(__name__)

FORMAT = "graphpool comparison 1"
Record = dict[str, Any]
"""What came of a unit, as plain values."""


@dataclass(frozen=True)
class ComparisonUnit:
    """One method on one set of examples.

    Args:
        method: what it is called in results; of rules and edit distances also which one it is.
        data: examples; their seed is that of the training, too.
        config: settings of a network; None for a rule or an edit distance, which have none.
    """

    method: str
    data: Data
    config: RunConfig | None = None

    def __post_init__(self) -> None:
        if self.config is None:
            known = MATCHING_RULES if self.task == "matching" else {**EDIT_METHODS, **RANKING_RULES}
            if self.method not in known:
                raise ConfigError(f"no rule {self.method!r}; {nearest(self.method, known)}")

    @property
    def task(self) -> Literal["matching", "similarity"]:
        """What is asked."""
        return "matching" if isinstance(self.data, PairData) else "similarity"

    @property
    def kind(self) -> str:
        """`network`, `rule`, or `edit distance`."""
        if self.config is not None:
            return "network"
        named_rule = self.task == "matching" or self.method in RANKING_RULES
        return "rule" if named_rule else "edit distance"

    @property
    def rule(self) -> PlaceRule | None:
        """By which rule the network looks for places."""
        return None if self.config is None else pair_place_rule(self.config.model)

    @property
    def settings(self) -> dict[str, Any]:
        """Settings that can change the result; where it is worked out is named beside it."""
        if self.config is None:
            return {}
        found = settings_of(self.config.model.pooler, self.config)
        for key in ("device", "seed"):
            del found["train"][key]
        return found

    @cached_property
    def key(self) -> str:
        """Hash of everything that decides the result, but for code and machine."""
        decisive = [FORMAT, graphpool.__version__, self.task, self.kind]
        name = "" if self.config is not None else self.method
        settings = original_names(self.settings)
        text = json.dumps([*decisive, name, self.data.facts, settings], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def path(self, folder: Path) -> Path:
        """Where the result is kept."""
        name = f"{self.method}-seed{self.data.seed}-{self.key}.json"
        return folder / self.task / self.data.name / name

    def __str__(self) -> str:
        return f"{self.data.name}, {self.method}, seed {self.data.seed}"


def run_comparison(unit: ComparisonUnit, opened: Opened) -> Record:
    """Run one unit, on one thread unless its settings say otherwise."""
    config = unit.config
    with thread_count(1 if config is None else config.train.threads or 1):
        found = _rule(unit, opened) if config is None else _network(unit, config, opened)
    device = "cpu" if config is None else config.train.device
    return {
        "format": FORMAT,
        "task": unit.task,
        "data": unit.data.name,
        "method": unit.method,
        "kind": unit.kind,
        "seed": unit.data.seed,
        "key": unit.key,
        **found,
        "facts": unit.data.facts,
        "settings": unit.settings,
        "machine": machine(device),
        "versions": provenance(),
    }


def _network(unit: ComparisonUnit, config: RunConfig, opened: Opened) -> Record:
    """Train, and test with the weights of the epoch that validation chose."""
    # Features are made already, the same for all networks.
    training = replace(config.train, seed=unit.data.seed, threads=config.train.threads or 1)
    config = replace(config, task=unit.task, features="given", train=training)
    began = time.perf_counter()
    comparer, fitted = train_comparer(opened.train, opened.valid, config)
    trained = time.perf_counter()
    if isinstance(opened, Pairs):
        metrics = {name: comparer.score(pairs) for name, pairs in opened.tests.items()}
    else:
        there = (opened.graphs, opened.matrix, opened.queries, opened.candidates)
        metrics = {"ranking": ranked(comparer, *there)}
    tested = time.perf_counter()
    return {
        "metrics": metrics,
        "valid": fitted.best_metrics,
        "best_epoch": fitted.best_epoch,
        "epochs": len(fitted.history),
        "parameters": sum(weight.numel() for weight in comparer.network.parameters()),
        "seconds": {"train": round(trained - began, 2), "test": round(tested - trained, 2)},
        "warnings": list(fitted.warnings),
    }


def _rule(unit: ComparisonUnit, opened: Opened) -> Record:
    """Fit a rule on training pairs, or rank by a rule or by an edit distance, on one thread."""
    began = time.perf_counter()
    if isinstance(opened, Triplets):
        found = classical_baselines(
            opened.graphs, opened.true, opened.queries, opened.candidates, [unit.method], jobs=1
        )[unit.method]
        return {
            "metrics": {"ranking": found.metrics},
            "seconds": {"test": round(found.seconds, 2)},
        }
    rule = MATCHING_RULES[unit.method]
    metrics = {
        name: {"accuracy": rule_accuracy(opened.train, pairs, rule)}
        for name, pairs in opened.tests.items()
    }
    return {"metrics": metrics, "seconds": {"test": round(time.perf_counter() - began, 2)}}


def write_record(record: Record, path: Path) -> None:
    """Write a result on one line, atomically."""
    with atomic_write(path, "w") as handle:
        handle.write(json.dumps(strict_json(record), allow_nan=False) + "\n")


def read_record(unit: ComparisonUnit, folder: Path) -> Record | None:
    """The unit's stored result; None if there is none, or not a whole one of this very unit."""
    path = unit.path(folder)
    try:
        record: Record = json.loads(path.read_text(encoding="utf-8"))
        if record["format"] != FORMAT or record["key"] != unit.key or not record["metrics"]:
            raise ValueError("it is of another unit")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.warning("%s is not used: %s; the unit is run again", path, error)
        return None
    return record
