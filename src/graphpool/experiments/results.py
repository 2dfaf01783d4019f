"""The result of an experiment: every number that was measured, and what they say together."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from graphpool.errors import DataError
from graphpool.evaluation.protocols import Protocol
from graphpool.evaluation.statistics import (
    SeedSummary,
    Summary,
    by_seed,
    paired_difference,
    summarise,
)
from graphpool.experiments.unit import Failure, UnitResult
from graphpool.files import atomic_write
from graphpool.graphs.graphset import GraphSet

FORMAT = "graphpool results 1"
FILE = "results.json"


@dataclass(frozen=True)
class SetFacts:
    """Which set was measured."""

    name: str
    hash: str
    graphs: int
    classes: tuple[int | str, ...]
    class_counts: tuple[int, ...]

    @classmethod
    def of(cls, graphs: GraphSet, set_hash: str) -> "SetFacts":
        """Facts of a set with classes."""
        assert graphs.y is not None
        counts = np.bincount(graphs.y.cpu().numpy(), minlength=len(graphs.classes)).tolist()
        names = graphs.classes or tuple(range(len(counts)))
        return cls(graphs.name, set_hash, len(graphs), names, tuple(counts))


@dataclass(frozen=True)
class ExperimentResult:
    """Everything that came of `run_experiment`.

    Attributes:
        overlap: test graphs over training graphs, for intervals (see `statistics`).
        config: settings of all networks.
        splits: split files, relative to the folder, and their SHA-256.
        units: one result for each method, seed and fold, in this order; failed ones are missing.
    """

    facts: SetFacts
    methods: tuple[str, ...]
    protocol: Protocol
    seeds: tuple[int, ...]
    overlap: float
    config: dict[str, Any]
    splits: dict[str, str]
    units: tuple[UnitResult, ...]
    failures: tuple[Failure, ...]
    machine: dict[str, str | int]
    versions: dict[str, str]
    command: str

    def of(self, method: str) -> list[UnitResult]:
        """The method's units, by seed and fold."""
        return [unit for unit in self.units if unit.method == method]

    def accuracies(self, method: str) -> list[float]:
        """Test accuracies of the method, by seed and fold."""
        return [unit.accuracy for unit in self.of(method)]

    def summary(self, method: str) -> Summary | None:
        """Mean accuracy with its corrected interval; None if no unit was finished."""
        values = self.accuracies(method)
        return summarise(values, self.overlap) if values else None

    def by_seed(self, method: str) -> SeedSummary:
        """Spread over folds and spread over seeds, told apart."""
        values: dict[int, list[float]] = {}
        for unit in self.of(method):
            values.setdefault(unit.seed, []).append(unit.accuracy)
        return by_seed(values)

    def difference(self, ours: str, theirs: str) -> Summary | None:
        """Gain of one method over another on the splits that both have finished."""
        first, second = (
            {(unit.seed, unit.fold): unit.accuracy for unit in self.of(method)}
            for method in (ours, theirs)
        )
        shared = [place for place in first if place in second]
        if not shared:
            return None
        return paired_difference(
            [first[place] for place in shared], [second[place] for place in shared], self.overlap
        )

    def health(self, method: str) -> dict[str, float]:
        """Means over the units of the levels' health on test graphs."""
        return mean_health(self.of(method))


def mean_health(units: Sequence[UnitResult]) -> dict[str, float]:
    """Mean over the units of each number that is defined in some of them."""
    values: dict[str, list[float]] = {}
    for unit in units:
        for name, value in unit.health.items():
            if value is not None:
                values.setdefault(name, []).append(value)
    return {name: float(np.mean(found)) for name, found in values.items()}


def write_results(result: ExperimentResult, folder: Path) -> None:
    """Write `results.json` into the folder."""
    with atomic_write(folder / FILE, "w") as handle:
        handle.write(_json(result))


def read_results(path: str | Path) -> ExperimentResult:
    """Read `results.json`, or the one in a folder."""
    path = Path(path)
    path = path / FILE if path.is_dir() else path
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("format") != FORMAT:
            raise ValueError(f"not of the form {FORMAT!r}")
        values.pop("summary")
        facts, protocol = values.pop("facts"), values.pop("protocol")
        units, failures = values.pop("units"), values.pop("failures")
        return ExperimentResult(
            facts=SetFacts(**{key: _tuple(value) for key, value in facts.items()}),
            protocol=Protocol(**{key: _tuple(value) for key, value in protocol.items()}),
            units=tuple(UnitResult(**unit) for unit in units),
            failures=tuple(Failure(**failure) for failure in failures),
            **{key: _tuple(value) for key, value in values.items()},
        )
    except FileNotFoundError:
        raise DataError.at(path, "no such results", hint="run an experiment first") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError.at(path, f"not a results file: {error}", hint="run it again") from None


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _json(result: ExperimentResult) -> str:
    """JSON with one unit to a line, so that it can be read and compared."""
    values = {"format": FORMAT, **asdict(result)}
    units = values.pop("units")
    values["summary"] = {method: _summary(result, method) for method in result.methods}
    head = json.dumps(values, indent=2).removesuffix("\n}")
    lines = ",\n".join(f"    {json.dumps(unit)}" for unit in units)
    return f'{head},\n  "units": [\n{lines}\n  ]\n}}\n'


def _summary(result: ExperimentResult, method: str) -> dict[str, Any] | None:
    """What the table prints, for machines."""
    summary, units = result.summary(method), result.of(method)
    if summary is None:
        return None
    gain = result.difference(result.methods[0], method)
    return {
        **asdict(summary),
        "balanced_accuracy": float(np.mean([unit.balanced_accuracy for unit in units])),
        "valid_accuracy": float(np.mean([unit.valid_accuracy for unit in units])),
        "by_seed": asdict(result.by_seed(method)),
        f"gain_of_{result.methods[0]}": None if gain is None else asdict(gain),
        "best_epoch": float(np.mean([unit.best_epoch for unit in units])),
        "epochs": float(np.mean([unit.epochs for unit in units])),
        "seconds": float(np.mean([unit.total_seconds for unit in units])),
        "parameters": float(np.mean([unit.parameters for unit in units])),
        "health": result.health(method),
    }
