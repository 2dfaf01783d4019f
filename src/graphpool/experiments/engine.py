"""The one engine: units that are not finished yet are run, and every outcome is recorded at once.

First the examples of all missing units are drawn, each set of them once, into files; then the
units run through an `Executor`, each in a process that maps those files. A unit's record is
appended to the record file as soon as it is there, so that a run that was stopped, or killed, goes
on where it was. A unit that fails is recorded with its error, and the others go on.
"""

import logging
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from graphpool.errors import DataError, plural, warn
from graphpool.experiments.example_files import ExampleFiles, Opened
from graphpool.experiments.examples import Data
from graphpool.experiments.executor import Executor, ItemFailure, LocalExecutor
from graphpool.experiments.machine import code_digest, command_line
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.run_unit import empty_record, run_unit
from graphpool.experiments.unit import Unit
from graphpool.files import scratch_folder
from graphpool.graphs.places.rule import PlaceRule
from graphpool.locks import file_lock
from graphpool.progress import ProgressBar
from graphpool.tasks import find_task
from graphpool.training.signals import Interrupted

log = logging.getLogger(__name__)

# Rules need no features; any will do where no network says which.
_NO_FEATURES = "constant"

_Planned = tuple[Unit, ExampleFiles]


@dataclass(frozen=True)
class RunOutcome:
    """What came of a run.

    Attributes:
        records: one for each unit that is finished, in the order of the units.
        failures: the error of each unit that failed, in the same order.
        missing: units that were not run, because the time was up.
    """

    records: tuple[Record, ...]
    failures: Mapping[Unit, str]
    missing: tuple[Unit, ...] = ()


def run_units(
    units: Sequence[Unit],
    records: RecordFile,
    *,
    executor: Executor | None = None,
    sources: Path | None = None,
    minutes: float | None = None,
    retry: bool = True,
    again: bool = False,
    progress: bool = True,
    command: str | None = None,
    finished: Callable[[Unit, Record], None] | None = None,
    checkpoints: Path | None = None,
    others: Sequence[RecordFile] = (),
) -> RunOutcome:
    """Run the units that the record file does not hold yet.

    Args:
        units: in the order in which results are wanted.
        records: where they are kept.
        executor: what runs them; by default this process.
        sources: where `example_files` has put sets of graphs.
        minutes: no unit is begun later than this.
        retry: also run units that failed before.
        again: also run units whose record other code has made.
        progress: show a bar if stderr is a terminal.
        command: what the records name as their command; by default that of this process.
        finished: called with every unit that is finished or has failed.
        checkpoints: folder for checkpoints of units that are running; a unit that was stopped
            goes on from its last one. By default it begins anew.
        others: files whose records of the same units count, too; nothing is written to them.

    SIGINT and SIGTERM raise `Interrupted`; what is finished stays.
    """
    units = tuple(dict.fromkeys(units))
    # Another run may be adding to the file: what is in it is known once it is locked.
    with file_lock(records.path), scratch_folder() as folder:
        known = find_finished(units, records, *others)
        done = {unit: record for unit, record in known.items() if not record.error}
        errors = {
            unit: record.error for unit, record in known.items() if record.error and not retry
        }
        other = [unit for unit, each in done.items() if each.versions.get("code") != code_digest()]
        if again:
            for unit in other:
                del done[unit]
        elif other:
            warn(
                f"{plural(len(other), 'record')} in {records.path}: made by other code of "
                "graphpool, used as they are"
            )
        missing = [unit for unit in units if unit not in done and unit not in errors]
        command = command_line() if command is None else command
        deadline = None if minutes is None else time.monotonic() + 60 * minutes
        count = len(units) - len(missing)
        # The first few units say little: the estimate looks back over minutes.
        bar = ProgressBar(len(units), count, progress, period=600.0)
        plan = _plan(missing, folder, sources or folder)
        with closing(bar):
            try:
                for unit, record in _run(plan, executor or LocalExecutor(), deadline, checkpoints):
                    record = replace(record, command=command)
                    records.append(record)
                    if record.error:
                        errors[unit] = record.error
                    else:
                        done[unit] = record
                    count += 1
                    report_unit(bar, unit, record, count, len(units), len(errors))
                    if finished is not None:
                        finished(unit, record)
            except (KeyboardInterrupt, Interrupted) as stop:
                number = stop.signum if isinstance(stop, Interrupted) else signal.SIGINT
                raise Interrupted(
                    number,
                    f"stopped by {signal.Signals(number).name}: {len(done)} of "
                    f"{plural(len(units), 'unit')} are finished and kept in {records.path}; the "
                    "same call goes on from there",
                ) from None
    return RunOutcome(
        records=tuple(done[unit] for unit in units if unit in done),
        failures={unit: errors[unit] for unit in units if unit in errors},
        missing=tuple(unit for unit in units if unit not in done and unit not in errors),
    )


def report_unit(
    bar: ProgressBar, unit: Unit, record: Record, count: int, total: int, failed: int
) -> None:
    """Show a unit that is finished or has failed on the bar, and log its result."""
    where = f"{count} of {total}: {unit}"
    if record.error:
        log.warning("%s failed: %s", where, record.error)
    else:
        log.info("%s: %s in %.1f s", where, metric_line(record), record.total_seconds)
    bar.update(count, description=f"{unit}, [red]{failed} failed[/red]" if failed else str(unit))


def metric_line(record: Record) -> str:
    """The main metric of every test, accuracies in percent."""
    main = find_task(record.task).main
    form = "{:.1%}" if main == "accuracy" else f"{main} {{:.4g}}"
    values = (metrics.get(main) for metrics in record.metrics.values())
    return ", ".join(
        "–" if value is None else form.format(value).replace("%", " %") for value in values
    )


def find_finished(
    units: Sequence[Unit], records: RecordFile, *others: RecordFile
) -> dict[Unit, Record]:
    """Units that a file has a record of, named as the unit is; failed ones are among them.

    Of several files the first in which a unit is finished counts, else the first in which it has
    failed. Records of a set with the same name and another content are an error. Records of other
    features than `auto` means for the set now are left out, with a warning.
    """
    found = _finished_in(records, units)
    for file in others:
        missing = [unit for unit in units if unit not in found or found[unit].error]
        for unit, record in _finished_in(file, missing).items():
            if unit not in found or not record.error:
                found[unit] = record
    return found


def _finished_in(records: RecordFile, units: Sequence[Unit]) -> dict[Unit, Record]:
    known, found = records.latest(), {}
    other: dict[str, list[Unit]] = {}
    for unit in units:
        record = known.get(unit.key)
        if record is None:
            continue
        if unit.data.digest and record.digest and record.digest != unit.data.digest:
            raise DataError.at(
                records.path,
                f"its records of {record.data} belong to another set of that name",
                hint="use another folder",
            )
        if unit.features and unit.features != (used := record.used_features(unit.data.auto)):
            other.setdefault(f"{used}, and the same settings now mean {unit.features}", []).append(
                unit
            )
            continue
        found[unit] = replace(record, method=unit.method, data=unit.data.name)
    for features, left_out in other.items():
        warn(
            f"{plural(len(left_out), 'record')} in {records.path} not used: made with the features "
            f"{features}; run again"
        )
    return found


def _plan(units: Sequence[Unit], parent: Path, sources: Path) -> list[_Planned]:
    """Find the examples that each unit needs: units of the same data and features share them."""
    shared: dict[Data, tuple[dict[str, None], dict[PlaceRule, None]]] = {}
    for unit in units:
        features, rules = shared.setdefault(unit.data, ({}, {}))
        if unit.config is not None and not unit.data.folded:
            features[unit.config.features] = None
        rules.update(dict.fromkeys(unit.rules))
    planned = []
    for unit in sorted(units, key=lambda unit: -unit.cost):
        features, rules = shared[unit.data]
        own = next(iter(features), _NO_FEATURES)
        if unit.config is not None and features:
            own = unit.config.features
        planned.append((unit, ExampleFiles(unit.data, own, tuple(rules), parent, sources)))
    return planned


def _run(
    plan: Sequence[_Planned],
    executor: Executor,
    deadline: float | None,
    checkpoints: Path | None = None,
) -> Iterator[tuple[Unit, Record]]:
    """Draw the examples, then run the units that have theirs."""
    wanted = tuple(dict.fromkeys(examples for _, examples in plan))
    drawn = executor.run(ExampleFiles.draw, wanted)
    unmade = {files: made.error for files, made in drawn if isinstance(made, ItemFailure)}
    for unit, examples in plan:
        if examples in unmade:
            yield unit, empty_record(unit, unmade[examples])
    plan = [item for item in plan if item[1] not in unmade]
    for (unit, _), outcome in executor.run(_RunUnit(checkpoints), plan, deadline):
        if isinstance(outcome, ItemFailure):
            yield unit, empty_record(unit, outcome.error)
        else:
            yield unit, outcome


@dataclass
class _RunUnit:
    """Runs a unit; a process keeps its last examples open, as the next unit often has the same."""

    checkpoints: Path | None = None
    opened: dict[ExampleFiles, Opened] = field(default_factory=dict)

    def __call__(self, planned: _Planned) -> Record:
        unit, examples = planned
        if examples not in self.opened:
            self.opened.clear()
            self.opened[examples] = examples.open()
        try:
            folder = None if self.checkpoints is None else self.checkpoints / unit.key
            return run_unit(unit, self.opened[examples], folder)
        finally:
            if torch.cuda.is_available():
                torch.cuda.empty_cache()  # for the other processes on the same device
