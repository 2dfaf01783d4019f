"""The one format of results: a JSONL file for each experiment, to which units are appended.

A file consists of lines of JSON, each an object:

- `{"format": …, "experiment": …, "machine": …, "versions": …, "command": …}` is the header. The
  units that follow it were made there and by that; a run on another machine, or by other code,
  adds a header of its own.
- `{"facts": HASH, "values": …}` and `{"settings": HASH, "values": …}` say once what many units
  share: all that decides their examples, and all settings of their method.
- `{"unit": KEY, "data": …, "method": …, "seed": …, "fold": …, "facts": HASH, "settings": HASH, …}`
  is a unit with its metrics and seconds, or with its `error` if it failed. What is empty is left
  out. If a unit stands in a file twice, the last line counts.

A line is written in one piece and synced, so that a killed process leaves whole lines and at most
one half of a line at the end, which is cut off when the file is next written to.
"""

import functools
import hashlib
import json
import logging
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from graphpool.config import TrainConfig, completed_model, to_dict
from graphpool.documents import read_json_lines
from graphpool.errors import DataError, GraphpoolError
from graphpool.experiments.unit import INDIFFERENT, unit_key
from graphpool.features.degree import Degree
from graphpool.features.labels import Labels
from graphpool.features.pipeline import AUTO, resolved_spec
from graphpool.files import append_text, strict_json, writing
from graphpool.shapes import fit

log = logging.getLogger(__name__)

FORMAT = "graphpool records 1"
_HEADER = ("machine", "versions", "command")
_SHARED = ("facts", "settings")
Metrics = dict[str, dict[str, float | None]]


class _WrongLineError(GraphpoolError):
    """A line that is JSON, but no record."""


@dataclass(frozen=True)
class Record:
    """What a unit reached, and everything that decides it.

    Attributes:
        task: `classification`, `matching` or `similarity`.
        data: what the data are called.
        kind: `network`, `kernel`, `rule` or `edit distance`.
        facts: all that decides the examples of a seed.
        settings: all settings of the method.
        digest: content hash of the set of graphs.
        features: what the settings' feature string means for the set, without `auto`; empty in
            records that are older than this field.
        split: hash of the split of a set with classes.
        metrics: by the name of what was tested, such as `test`, `20` (nodes) or `ranking`.
        valid: metrics of the chosen epoch on validation examples.
        sizes: number of training, validation and test graphs.
        health: of the model's levels on the test graphs; None where a number is undefined.
        chosen: settings that the validation graphs decided, beside the epoch; of a search the
            number of the `try` and what is different in it.
        tries: of a search, validation metrics of every try.
        error: why the unit failed; such a record has no metrics.
    """

    task: str
    data: str
    method: str
    kind: str
    seed: int
    fold: int
    facts: dict[str, Any]
    settings: dict[str, Any]
    digest: str = ""
    features: str = ""
    split: str = ""
    metrics: Metrics = field(default_factory=dict)
    valid: dict[str, float | None] = field(default_factory=dict)
    best_epoch: int = 0
    epochs: int = 0
    parameters: int = 0
    sizes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    health: dict[str, float | None] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    chosen: dict[str, int | float | str] = field(default_factory=dict)
    tries: list[dict[str, float | None]] = field(default_factory=list)
    error: str = ""
    machine: dict[str, str | int] = field(default_factory=dict)
    versions: dict[str, str] = field(default_factory=dict)
    command: str = ""

    @property
    def key(self) -> str:
        """The key of the unit, with settings that are newer than the record at their defaults."""
        return unit_key(self.task, self.facts, completed(self.settings), self.seed, self.fold)

    @property
    def says_features(self) -> bool:
        """Whether it says which features were used; an older one with `auto` does not."""
        return bool(self.features) or AUTO not in self.settings.get("features", "").split("+")

    def used_features(self, auto: Collection[str]) -> str:
        """Return the features that were used, on a set for which `auto` means these kinds now.

        Older records don't say. When they were made, `auto` meant labels, or else degrees.
        """
        before = Labels.kind if Labels.kind in auto else Degree.kind
        return self.features or resolved_spec(self.settings.get("features", AUTO), (before,))

    def metric(self, name: str = "accuracy", test: str | None = None) -> float | None:
        """A metric of one test, by default of the first."""
        tested = next(iter(self.metrics), "") if test is None else test
        return self.metrics.get(tested, {}).get(name)

    @property
    def accuracy(self) -> float:
        """Accuracy on the first test."""
        value = self.metric()
        return float("nan") if value is None else value

    @property
    def total_seconds(self) -> float:
        """Time of the whole unit."""
        return sum(self.seconds.values())


def completed(settings: dict[str, Any]) -> dict[str, Any]:
    """Settings with options that came later at their defaults, which change nothing."""
    if "model" not in settings:
        return settings
    known = settings["train"]
    given = {*known, *INDIFFERENT, "seed"}
    later = {key: value for key, value in _train_defaults().items() if key not in given}
    model = completed_model(settings["model"])
    return {**settings, "model": model, "train": {**known, **later}}


@functools.cache
def _train_defaults() -> dict[str, Any]:
    return to_dict(TrainConfig())


class RecordFile:
    """A file of records: read it, and append to it.

    Args:
        path: the file; it is made when the first record is written.
        experiment: name for the header.
    """

    def __init__(self, path: str | Path, experiment: str = "") -> None:
        self.path, self.experiment = Path(path), experiment
        self._header: dict[str, Any] | None = None
        self._known: set[tuple[str, str]] = set()
        self._open = False

    def read(self) -> list[Record]:
        """Return all records, in the order of the file."""
        return list(self._records()) if self.path.exists() else []

    def latest(self) -> dict[str, Record]:
        """Return the last record of every unit, by its key."""
        return {record.key: record for record in self.read()}

    def append(self, record: Record) -> None:
        """Write a record, durably, with a header and shared values if they are new."""
        if not self._open:
            self._prepare()
        append_text(self.path, "".join(f"{_dumped(line)}\n" for line in self._lines(record)))

    # ------------------------------------------------------------------ lines

    def _lines(self, record: Record) -> Iterator[dict[str, Any]]:
        values = json.loads(_dumped(asdict(record)))
        header = {name: values.pop(name) for name in _HEADER}
        if header != self._header:
            self._header = header
            yield {"format": FORMAT, "experiment": self.experiment, **header}
        for name in _SHARED:
            shared = values[name]
            values[name] = digest = _hash(shared)
            if (name, digest) not in self._known:
                self._known.add((name, digest))
                yield {name: digest, "values": shared}
        needed = ("data", "method", "seed", "fold")
        yield {
            "unit": record.key,
            **{key: value for key, value in values.items() if key in needed or value},
        }

    def _records(self) -> Iterator[Record]:
        header: dict[str, Any] = {}
        shared: dict[tuple[str, str], Any] = {}
        for number, values in read_json_lines(self.path, damaged=self._skip):
            try:
                values = fit(dict[str, Any], values, f"line {number}", _WrongLineError)
                if "format" in values:
                    if values["format"] != FORMAT:
                        raise DataError.at(
                            self.path, f"its format is {values['format']!r}, not {FORMAT!r}",
                            hint="use another folder, or the version that wrote it",
                        )  # fmt: skip
                    self._header = header = {name: values[name] for name in _HEADER}
                elif "unit" in values:
                    del values["unit"]
                    for name in _SHARED:
                        values[name] = shared[name, values[name]]
                    yield fit(Record, {**values, **header}, f"line {number}", _WrongLineError)
                else:
                    name = next(iter(values))
                    stored = fit(dict[str, Any], values["values"], name, _WrongLineError)
                    for part in ("model", "train") if "model" in stored else ():
                        fit(dict[str, Any], stored[part], f"{name}.{part}", _WrongLineError)
                    shared[name, values[name]] = stored
                    self._known.add((name, values[name]))
            except (KeyError, TypeError, StopIteration, _WrongLineError) as error:
                self._skip(number, error)

    def _skip(self, number: int, error: Exception, text: str = "") -> None:
        log.warning(
            "%s, line %d is not used (%s: %s); the unit is run again",
            self.path, number, type(error).__name__, error,
        )  # fmt: skip

    def _prepare(self) -> None:
        """Learn what the file holds, and cut off half a line that a killed process left."""
        self._open = True
        if not self.path.exists():
            return
        for _ in self._records():
            pass
        content = self.path.read_bytes()
        if content and not content.endswith(b"\n"):
            with writing(self.path), self.path.open("r+b") as handle:
                handle.truncate(content.rfind(b"\n") + 1)


def _dumped(value: Any) -> str:
    return json.dumps(strict_json(value), allow_nan=False, ensure_ascii=False)


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:12]
