"""The unit of work, one method on one split, and the small file that keeps its result."""

import hashlib
import json
import logging
import math
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import graphpool
from graphpool.config import RunConfig, original_names
from graphpool.data.splits import Split
from graphpool.evaluation.protocols import split_digest
from graphpool.experiments.methods import settings_of
from graphpool.files import atomic_write

log = logging.getLogger(__name__)

FORMAT = "graphpool unit 1"


@dataclass(frozen=True)
class Unit:
    """One method on one split of one set.

    Attributes:
        fold: which of the seed's splits, counted from 0.
        key: hash of everything that can change the result: method, settings, seed, split, set
            and graphpool's version. Another setting gives another key, so a stored result is
            either of exactly this unit or not looked at.
    """

    method: str
    seed: int
    fold: int
    split: Split
    key: str

    @classmethod
    def of(
        cls, method: str, seed: int, fold: int, split: Split, set_hash: str, config: RunConfig
    ) -> "Unit":
        """A unit with its key."""
        decisive = {
            "format": FORMAT,
            "version": graphpool.__version__,
            "method": method,
            "seed": seed,
            "fold": fold,
            "split": split_digest(split),
            "set": set_hash,
            "settings": original_names(settings_of(method, config)),
        }
        text = json.dumps(decisive, sort_keys=True)
        return cls(method, seed, fold, split, hashlib.sha256(text.encode()).hexdigest())

    def path(self, folder: Path) -> Path:
        """Where the result is kept."""
        name = f"{self.method}-seed{self.seed}-fold{self.fold}-{self.key[:12]}.json"
        return folder / "units" / name

    def __str__(self) -> str:
        return f"{self.method}, seed {self.seed}, fold {self.fold}"


@dataclass(frozen=True)
class UnitResult:
    """What a unit reached on its test graphs, with the model that the validation graphs chose.

    Attributes:
        train_graphs, valid_graphs, test_graphs: how many there were.
        seconds: of each part of the work.
        health: of the model's levels on the test graphs; None where a number is undefined.
        warnings: levels that collapsed.
        notes: what was odd about the features of this split.
        chosen: settings that the validation graphs decided, beside the epoch.
        predicted: class codes of the test graphs, in the order of the split.
        settings: those that the key is made from.
        versions: what made the result.
    """

    key: str
    method: str
    seed: int
    fold: int
    accuracy: float
    balanced_accuracy: float
    valid_accuracy: float
    best_epoch: int
    epochs: int
    parameters: int
    train_graphs: int
    valid_graphs: int
    test_graphs: int
    seconds: dict[str, float]
    health: dict[str, float | None]
    warnings: list[str]
    notes: list[str]
    chosen: dict[str, int | float | str]
    settings: dict[str, Any]
    versions: dict[str, str]
    predicted: list[int]

    @property
    def total_seconds(self) -> float:
        """Time of the whole unit."""
        return sum(self.seconds.values())


@dataclass(frozen=True)
class Failure:
    """A unit that could not be finished, and why."""

    method: str
    seed: int
    fold: int
    error: str


def finite(values: dict[str, float]) -> dict[str, float | None]:
    """The same numbers as JSON has them: NaN and infinities become None."""
    return {name: value if math.isfinite(value) else None for name, value in values.items()}


def write_unit(result: UnitResult, path: Path) -> None:
    """Write a result, one field to a line, atomically."""
    values = {"format": FORMAT, **asdict(result)}
    lines = (f"{json.dumps(key)}: {json.dumps(value)}" for key, value in values.items())
    with atomic_write(path, "w") as handle:
        handle.write("{\n" + ",\n".join(lines) + "\n}\n")


def read_unit(unit: Unit, path: Path) -> UnitResult | None:
    """The unit's stored result; None if there is none, or not a whole one of this very unit."""
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        if values.pop("format") != FORMAT or values["key"] != unit.key:
            raise ValueError("it is of another unit")
        known = {item.name for item in fields(UnitResult)}
        if set(values) != known or len(values["predicted"]) != len(unit.split.test):
            raise ValueError("it is not whole")
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        log.warning("%s is not used: %s; the unit is run again", path, error)
        return None
    return UnitResult(**values)
