"""The result of comparing methods on one set: every record, and what they say together."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from graphpool.errors import plural
from graphpool.evaluation.metrics import LOWER_IS_BETTER
from graphpool.evaluation.protocols import Protocol
from graphpool.evaluation.statistics import (
    SeedSummary,
    Summary,
    by_seed,
    mean,
    paired_difference,
    summarise,
)
from graphpool.experiments.records import FORMAT, Record
from graphpool.files import write_json
from graphpool.graphs.graphset import GraphSet
from graphpool.report.page import write
from graphpool.tasks import find_task

FILE, RECORDS = "results.json", "records.jsonl"


@dataclass(frozen=True)
class SetFacts:
    """Which set was measured."""

    name: str
    hash: str
    graphs: int
    classes: tuple[int | str, ...]
    class_counts: tuple[int, ...]
    targets: tuple[str, ...] = ()

    @classmethod
    def of(cls, graphs: GraphSet, set_hash: str) -> "SetFacts":
        """Facts of a set with classes or targets."""
        if graphs.y is None:
            return cls(graphs.name, set_hash, len(graphs), (), (), graphs.target_names)
        counts = np.bincount(graphs.y.cpu().numpy(), minlength=len(graphs.classes)).tolist()
        names = graphs.classes or tuple(range(len(counts)))
        return cls(graphs.name, set_hash, len(graphs), names, tuple(counts))


@dataclass(frozen=True)
class Failure:
    """A unit that could not be finished, and why."""

    method: str
    seed: int
    fold: int
    error: str


@dataclass(frozen=True)
class ExperimentResult:
    """Methods side by side on one set.

    Attributes:
        task: its name.
        data: what the set is called.
        methods: the first is what the others are compared with.
        seeds: those that were asked for.
        units: one record for each method, seed and fold, in this order; failed ones are missing.
        failures: units that failed.
        protocol, facts, splits: of a set that was split: how, which set it is, and the split
            files, relative to the folder, with their SHA-256. Other examples are drawn.
        features: what networks are given of the set, and what not; see `FeaturePipeline.about`.
        config: settings of all networks.
        machine, versions, command: of the run that ended with this result.
    """

    task: str
    data: str
    methods: tuple[str, ...]
    seeds: tuple[int, ...]
    units: tuple[Record, ...]
    failures: tuple[Failure, ...]
    protocol: Protocol | None = None
    facts: SetFacts | None = None
    splits: dict[str, str] = field(default_factory=dict)
    features: dict[str, list[str]] = field(default_factory=lambda: {"used": [], "unused": []})
    config: dict[str, Any] = field(default_factory=dict)
    machine: dict[str, str | int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""

    @property
    def overlap(self) -> float:
        """Test graphs over training graphs of all splits, for intervals (see `statistics`)."""
        return overlap_of(self.units)

    @property
    def tests(self) -> tuple[str, ...]:
        """Names of what was tested, such as numbers of nodes."""
        return tuple(dict.fromkeys(name for unit in self.units for name in unit.metrics))

    def of(self, method: str) -> list[Record]:
        """The method's records, by seed and fold."""
        return [unit for unit in self.units if unit.method == method]

    @property
    def main(self) -> str:
        """The metric that methods are compared by."""
        return find_task(self.task).main

    def values(self, method: str, metric: str = "", test: str | None = None) -> list[float]:
        """A metric of the method, by default `main`, by seed and fold; undefined ones left out."""
        found = (unit.metric(metric or self.main, test) for unit in self.of(method))
        return [value for value in found if value is not None]

    def accuracies(self, method: str) -> list[float]:
        """Test accuracies of the method, by seed and fold."""
        return self.values(method, "accuracy")

    def summary(self, method: str, metric: str = "", test: str | None = None) -> Summary | None:
        """Mean of a metric with its corrected interval; None if no unit was finished."""
        values = self.values(method, metric, test)
        return summarise(values, self.overlap) if values else None

    def by_seed(self, method: str) -> SeedSummary:
        """Spread over folds and spread over seeds, told apart."""
        values: dict[int, list[float]] = {}
        for unit in self.of(method):
            value = unit.metric(self.main)
            values.setdefault(unit.seed, []).append(float("nan") if value is None else value)
        return by_seed(values)

    def difference(
        self, ours: str, theirs: str, test: str | None = None, metric: str = ""
    ) -> Summary | None:
        """Gain of one method over another in a metric, on what both have finished."""
        metric = metric or self.main
        return paired_gain(self.of(ours), self.of(theirs), self.overlap, test, metric)

    def health(self, method: str) -> dict[str, float]:
        """Means over the units of the levels' health on test graphs."""
        return mean_health(self.of(method))

    @property
    def failure_lines(self) -> list[str]:
        """A line about each unit that failed."""
        lines = []
        for each in self.failures:
            fold = "" if self.protocol is None else f", fold {each.fold}"
            lines.append(f"{each.method}, seed {each.seed}{fold}: {each.error}")
        return lines

    @property
    def warning_lines(self) -> list[str]:
        """For each method with warnings, how many of its models have some, and one of them."""
        lines = []
        for method in self.methods:
            units = self.of(method)
            if bad := [unit for unit in units if unit.warnings]:
                example = bad[0].warnings[0]
                lines.append(f"{method}, {len(bad)} of {plural(len(units), 'model')}: {example}")
        return lines

    def report(self, path: str | Path) -> Path:
        """Write an HTML page about the methods side by side."""
        from graphpool.experiments.report import methods_page

        return write(methods_page(self), path)


def overlap_of(records: Sequence[Record]) -> float:
    """Test graphs over training graphs of the splits of some records; 0 if they have none.

    It is 0 too where all are of one split: seeds then vary nothing but the training.
    """
    if one_split(records):
        return 0.0
    known = [each for each in records if each.sizes.keys() >= {"train", "test"}]
    sizes = {(each.seed, each.fold): each.sizes for each in known}
    trained = sum(each["train"] for each in sizes.values())
    return sum(each["test"] for each in sizes.values()) / trained if trained else 0.0


def one_split(records: Sequence[Record]) -> bool:
    """Return whether several seeds have been measured on one and the same split."""
    splits = {each.split for each in records}
    return len(splits) == 1 and "" not in splits and len({each.seed for each in records}) > 1


def paired_gain(
    ours: Sequence[Record],
    theirs: Sequence[Record],
    overlap: float,
    test: str | None = None,
    metric: str = "accuracy",
) -> Summary | None:
    """Gain in a metric of one method over another, unit by unit of the same seed and fold.

    It is positive where the first is better: for errors, by how much less it has.
    """
    if metric in LOWER_IS_BETTER:
        ours, theirs = theirs, ours
    first, second = (
        {(each.seed, each.fold): value for each in records
         if (value := each.metric(metric, test)) is not None}
        for records in (ours, theirs)
    )  # fmt: skip
    shared = [at for at in first if at in second]
    if not shared:
        return None
    return paired_difference([first[at] for at in shared], [second[at] for at in shared], overlap)


def mean_health(units: Sequence[Record]) -> dict[str, float]:
    """Mean over the units of each number that is defined in some of them."""
    values: dict[str, list[float]] = {}
    for unit in units:
        for name, value in unit.health.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {name: mean(found) for name, found in values.items()}


# ---------------------------------------------------------------------- as a document


def result_document(result: ExperimentResult, folder: Path | str) -> dict[str, Any]:
    """The figures of every method, for machines."""
    if result.protocol is not None:
        return {
            "data": result.data,
            "protocol": result.protocol.name,
            "seeds": list(result.seeds),
            "features": result.features,
            "methods": {method: _of_classes(result, method) for method in result.methods},
            "failures": [asdict(failure) for failure in result.failures],
            "folder": str(folder),
        }
    return {
        "task": result.task,
        "data": result.data,
        "folder": str(folder),
        "features": result.features,
        "methods": {
            method: _of_tests(result, method) for method in result.methods if result.of(method)
        },
        "failures": {
            f"{result.units[0].data if result.units else result.data}, {each.method}, seed "
            f"{each.seed}": each.error
            for each in result.failures
        },
        "results": [_plain(unit) for unit in result.units],
    }


def write_results(result: ExperimentResult, folder: Path) -> None:
    """Write `results.json` into the folder: the document, and what made it."""
    made = {"format": f"{FORMAT}: summary", "task": result.task, **result_document(result, folder)}
    if result.protocol is not None:
        made |= {
            "facts": None if result.facts is None else asdict(result.facts),
            "overlap": result.overlap,
            "gains": {
                method: None if gain is None else asdict(gain)
                for method in result.methods[1:]
                for gain in [result.difference(result.methods[0], method)]
            },
            "splits": result.splits,
        }
    about = {"config": result.config, "machine": result.machine, "versions": result.versions}
    write_json(folder / FILE, {**made, **about, "command": result.command})


def _of_classes(result: ExperimentResult, method: str) -> dict[str, Any]:
    summary = result.summary(method)
    return {
        **({} if summary is None else asdict(summary)),
        **({"accuracies": result.accuracies(method)} if result.main == "accuracy" else {}),
        "metrics": {
            name: _spread(result.summary(method, name))
            for name in dict.fromkeys(
                name for unit in result.of(method) for name in unit.metrics.get("test", {})
            )
        },
        "health": result.health(method),
        "chosen": [unit.chosen for unit in result.of(method)],
    }


def _of_tests(result: ExperimentResult, method: str) -> dict[str, Any]:
    """Mean, deviation and interval of every number; of several tests, each by itself."""
    units = result.of(method)
    tested = {
        test: {name: _spread(result.summary(method, name, test)) for name in metrics}
        for test, metrics in units[0].metrics.items()
    }
    first = result.methods[0]
    gains = {test: result.difference(first, method, test) for test in tested}
    return {
        "kind": units[0].kind,
        "seeds": len(units),
        "tested": tested,
        "seconds": mean([unit.total_seconds for unit in units]),
        **({} if method == first else {f"gain_of_{first}": {
            test: None if gain is None else asdict(gain) for test, gain in gains.items()
        }}),
    }  # fmt: skip


def _spread(summary: Summary | None) -> dict[str, float | None]:
    if summary is None:
        return dict.fromkeys(("mean", "deviation", "low", "high"))
    return {"mean": summary.mean, "deviation": summary.std, "low": summary.low,
            "high": summary.high}  # fmt: skip


def _plain(unit: Record) -> dict[str, Any]:
    values = asdict(unit)
    learned = ("valid", "best_epoch", "epochs", "parameters", "warnings")
    names = ["task", "data", "method", "kind", "seed", "metrics", "seconds", "settings", "machine",
             "versions", *(learned if unit.kind == "network" else ())]  # fmt: skip
    facts = {**unit.facts, "seed": unit.seed}
    return {"format": FORMAT, "key": unit.key, "facts": facts} | {n: values[n] for n in names}
