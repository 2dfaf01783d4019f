"""A part of MUTAG and quick settings, for the tests of this folder.

Run as a script it evaluates in a process of its own, which a test can then kill.
"""

import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.load import load
from graphpool.evaluation.protocols import Protocol, splits_for
from graphpool.experiments.engine import run_experiment
from graphpool.experiments.results import ExperimentResult
from graphpool.experiments.unit import Unit
from graphpool.graphs.graphset import GraphSet

CV3 = Protocol("cv3", "cv", folds=3, seeds=(0,))
QUICK = RunConfig(
    model=ModelConfig(hidden_channels=8, clusters=(3, 1)),
    train=TrainConfig(epochs=3, batch_size=8),
)


@cache
def mutag() -> GraphSet:
    """Every fourth graph of MUTAG."""
    return load("MUTAG", features=None, cache=False)[::4]


def quick(**changes: Any) -> RunConfig:
    return replace(QUICK, train=replace(QUICK.train, **changes))


def unit(method: str, graphs: GraphSet | None = None, fold: int = 0, **changes: Any) -> Unit:
    splits = splits_for(CV3, graphs or mutag(), 0)
    return Unit.of(method, 0, fold, splits[fold], "hash", quick(**changes))


def evaluate(folder: Path, methods: Any = ("hap", "majority"), **options: Any) -> ExperimentResult:
    values: dict[str, Any] = {"config": QUICK, "jobs": 1, "progress": False, "command": "test"}
    return run_experiment(
        options.pop("graphs", mutag()), methods, CV3, folder=folder, **{**values, **options}
    )


if __name__ == "__main__":
    evaluate(Path(sys.argv[1]), methods=("sum",), config=quick(epochs=int(sys.argv[2])))
