"""A part of MUTAG and quick settings, for the tests of this folder.

Run as a script it evaluates in a process of its own, which a test can then kill.
"""

import sys
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from graphpool.config import ModelConfig, RunConfig, TrainConfig, resolve
from graphpool.data.load import load
from graphpool.evaluation.protocols import Protocol
from graphpool.experiments.comparison import evaluate as evaluate_methods
from graphpool.experiments.comparison import unit_of
from graphpool.experiments.example_files import Graphs
from graphpool.experiments.examples import GraphData
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.results import ExperimentResult
from graphpool.experiments.run_unit import run_unit
from graphpool.experiments.unit import Unit
from graphpool.graphs.graphset import GraphSet

CV3 = Protocol("cv3", "cv", folds=3, seeds=(0,))
DATA = GraphData("MUTAG", CV3)
QUICK = resolve(
    RunConfig(
        model=ModelConfig(encoder="gcn", hidden_channels=8, clusters=(3, 1)),
        train=TrainConfig(epochs=3, batch_size=8),
    )
)


@cache
def mutag() -> GraphSet:
    """Every fourth graph of MUTAG."""
    return load("MUTAG", features=None, cache=False)[::4]


def quick(**changes: Any) -> RunConfig:
    return replace(QUICK, train=replace(QUICK.train, **changes))


def opened(graphs: GraphSet | None = None) -> Graphs:
    return Graphs(DATA, graphs or mutag())


def unit(method: str, config: RunConfig = QUICK, fold: int = 0, **changes: Any) -> Unit:
    config = replace(config, train=replace(config.train, **changes))
    return unit_of(method, DATA, config, 0, fold)


def run(work: Unit, graphs: GraphSet | None = None) -> Record:
    return run_unit(work, opened(graphs))


def write_records(path: Path, records: Iterable[Record], experiment: str) -> None:
    """A new file of records."""
    path.unlink(missing_ok=True)
    file = RecordFile(path, experiment)
    for record in records:
        file.append(record)


def evaluate(folder: Path, methods: Any = ("hap", "majority"), **options: Any) -> ExperimentResult:
    values: dict[str, Any] = {
        "config": QUICK, "jobs": 1, "progress": False, "command": "test", "baselines": False
    }  # fmt: skip
    return evaluate_methods(
        options.pop("graphs", mutag()), methods, CV3, folder=folder, **{**values, **options}
    )


if __name__ == "__main__":
    evaluate(Path(sys.argv[1]), methods=("sum",), config=quick(epochs=int(sys.argv[2])))
