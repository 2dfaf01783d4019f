"""One unit of matching or similarity: train a network or fit a rule, and test it."""

import time
from dataclasses import replace
from typing import Any

from graphpool.config import RunConfig
from graphpool.data.synthetic.matching.rules import RULES as MATCHING_RULES
from graphpool.data.synthetic.matching.rules import rule_accuracy
from graphpool.evaluation.baselines.distances import classical_baselines
from graphpool.experiments.example_files import Pairs, Triplets
from graphpool.experiments.unit import Unit
from graphpool.models.model import TrainedModel
from graphpool.training.environment import thread_count

Result = dict[str, Any]
"""Fields of a record."""


def run_comparison(unit: Unit, examples: Pairs | Triplets) -> Result:
    """Run one unit, on one thread unless its settings say otherwise."""
    config = unit.config
    with thread_count(1 if config is None else config.train.threads or 1):
        found = _rule(unit, examples) if config is None else _network(unit, config, examples)
    if isinstance(examples, Triplets) and unit.data.facts["split"] != "published":
        # Seeds split the same graphs: their results are not independent.
        parts = {"train": examples.candidates, "test": examples.queries}
        found["sizes"] = {name: len(part) for name, part in parts.items()}
    return found


def _network(unit: Unit, config: RunConfig, examples: Pairs | Triplets) -> Result:
    """Train, and test with the weights of the epoch that validation chose."""
    # Features are made already, the same for all networks.
    training = replace(config.train, seed=unit.seed, threads=config.train.threads or 1)
    config = replace(config, task=unit.task, features="given", train=training)
    began = time.perf_counter()
    comparer = TrainedModel.fit(examples.train, examples.valid, config)
    fitted = comparer.result
    assert fitted is not None
    trained = time.perf_counter()
    if isinstance(examples, Pairs):
        metrics = {name: comparer.score(pairs) for name, pairs in examples.tests.items()}
    else:
        there = (examples.graphs, examples.matrix, examples.queries, examples.candidates)
        metrics = {"ranking": comparer.rank(*there)}
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


def _rule(unit: Unit, examples: Pairs | Triplets) -> Result:
    """Fit a rule on training pairs, or rank by a rule or by an edit distance, on one thread."""
    began = time.perf_counter()
    if isinstance(examples, Triplets):
        found = classical_baselines(
            examples.graphs, examples.true, examples.queries, examples.candidates, [unit.method],
            jobs=1,
        )[unit.method]  # fmt: skip
        return {
            "metrics": {"ranking": found.metrics},
            "seconds": {"test": round(found.seconds, 2)},
        }
    rule = MATCHING_RULES[unit.method]
    metrics = {
        name: {"accuracy": rule_accuracy(examples.train, pairs, rule)}
        for name, pairs in examples.tests.items()
    }
    return {"metrics": metrics, "seconds": {"test": round(time.perf_counter() - began, 2)}}
