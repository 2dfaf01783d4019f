"""Methods that compare graphs, side by side: many units in parallel, each done once and kept.

First the examples of all units are made, each set of them once, and lie in files; then the units
run, each in a process that maps those files. A unit's result is a small file of its own, written
as soon as it is there, so that a call that was stopped goes on where it was.
"""

import logging
import os
import signal
import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import torch

from graphpool.errors import ConfigError
from graphpool.experiments.comparison_data import (
    Data,
    Opened,
    open_prepared,
    prepare,
    prepared_name,
)
from graphpool.experiments.comparison_unit import (
    ComparisonUnit,
    Record,
    read_record,
    run_comparison,
    write_record,
)
from graphpool.experiments.machine import code_digest
from graphpool.experiments.process_pool import Failed, Job, run_here, run_parallel
from graphpool.graphs.places.rule import PlaceRule
from graphpool.training.signals import Interrupted

log = logging.getLogger(__name__)

Finished = Callable[[ComparisonUnit, Record | Failed], None]
# What rules compare needs no features; any will do where no network says which.
_NO_FEATURES = "constant"


@dataclass(frozen=True)
class Compared:
    """What came of `run_comparisons`.

    Attributes:
        records: one result for each unit that is finished, in the order of the units.
        failures: why others are not.
    """

    records: tuple[Record, ...]
    failures: dict[ComparisonUnit, str]


@dataclass(frozen=True)
class _Examples:
    """Examples that several units share, and where they lie."""

    data: Data
    features: str
    rules: tuple[PlaceRule, ...]
    folder: Path


@dataclass(frozen=True)
class _Planned:
    """A unit with its examples."""

    unit: ComparisonUnit
    examples: _Examples


@dataclass
class _Last:
    """The examples that a process has open: the next unit is often of the same ones."""

    opened: dict[_Examples, Opened] = field(default_factory=dict)


def run_comparisons(
    units: Sequence[ComparisonUnit],
    folder: str | Path,
    *,
    jobs: int = 1,
    sources: Path | None = None,
    examples: Path | None = None,
    again: bool = False,
    finished: Finished | None = None,
) -> Compared:
    """Run the units that `folder` does not hold yet.

    Args:
        units: in the order in which results are wanted and, where processes are free, begun.
        folder: keeps the results, a file each.
        jobs: processes; 1 starts none.
        sources: where `comparison_data.add_source` has put the sets that triplets are of.
        examples: folder that keeps examples for another call; a temporary one by default.
        again: also run units whose result other code has made.
        finished: called here with every unit that is finished or has failed.

    SIGINT and SIGTERM raise `Interrupted`; what is finished stays.
    """
    if jobs < 1:
        raise ConfigError(f"jobs is {jobs}; give at least 1")
    folder, units = Path(folder), tuple(dict.fromkeys(units))
    kept = {unit: record for unit in units if (record := read_record(unit, folder)) is not None}
    old = [unit for unit, record in kept.items() if record["versions"]["code"] != code_digest()]
    if again:
        kept = {unit: record for unit, record in kept.items() if unit not in old}
    elif old:
        log.warning("%d results in %s were made by other code of graphpool", len(old), folder)
    missing = [unit for unit in units if unit not in kept]
    failures: dict[ComparisonUnit, str] = {}

    def done(unit: ComparisonUnit, outcome: Record | Failed) -> None:
        if isinstance(outcome, Failed):
            failures[unit] = outcome.error
        else:
            kept[unit] = outcome
        if finished is not None:
            finished(unit, outcome)

    with ExitStack() as stack:
        if examples is None:
            place = stack.enter_context(tempfile.TemporaryDirectory(prefix="graphpool-"))
            examples = Path(place)
        try:
            _run_missing(missing, folder, jobs, sources or examples, examples, done)
        except (KeyboardInterrupt, Interrupted) as stop:
            number = stop.signum if isinstance(stop, Interrupted) else signal.SIGINT
            raise Interrupted(
                number,
                f"stopped by {signal.Signals(number).name}: {len(kept)} of {len(units)} results "
                f"are finished and kept in {folder}; the same call goes on from there",
            ) from None
    return Compared(tuple(kept[unit] for unit in units if unit in kept), failures)


def _run_missing(
    units: Sequence[ComparisonUnit],
    folder: Path,
    jobs: int,
    sources: Path,
    examples: Path,
    done: Finished,
) -> None:
    """Make the examples, then run the units that have theirs."""
    plan = _plan(units, examples)
    unmade = _make([item.examples for item in plan], sources, jobs)
    for item in plan:
        if item.examples in unmade:
            done(item.unit, unmade[item.examples])
    plan = [item for item in plan if item.examples not in unmade]
    job = Job(_Last, partial(_perform, folder=folder))
    _run(job, plan, jobs, lambda item, outcome: done(item.unit, outcome))


def _plan(units: Sequence[ComparisonUnit], folder: Path) -> list[_Planned]:
    """Which examples each unit needs: units of the same data and features share them."""
    shared: dict[Data, tuple[dict[str, None], dict[PlaceRule, None]]] = {}
    for unit in units:
        features, rules = shared.setdefault(unit.data, ({}, {}))
        if unit.config is not None:
            features[unit.config.features] = None
        if unit.rule is not None:
            rules[unit.rule] = None
    planned = []
    for unit in units:
        features, rules = shared[unit.data]
        own = next(iter(features), _NO_FEATURES) if unit.config is None else unit.config.features
        name = prepared_name(unit.data, own, tuple(rules))
        planned.append(_Planned(unit, _Examples(unit.data, own, tuple(rules), folder / name)))
    return planned


def _make(wanted: Sequence[_Examples], sources: Path, jobs: int) -> dict[_Examples, Failed]:
    """Make each of the examples once; returns those that could not be made."""
    failed: dict[_Examples, Failed] = {}

    def done(examples: _Examples, outcome: Failed | None) -> None:
        if isinstance(outcome, Failed):
            failed[examples] = outcome

    _run(
        Job(_nothing, partial(_prepare, sources=sources)), tuple(dict.fromkeys(wanted)), jobs, done
    )
    return failed


def _run(job: Job, items: Sequence, jobs: int, done: Callable) -> None:  # type: ignore[type-arg]
    if jobs == 1 or len(items) < 2:
        run_here(job, items, done)
        return
    # Processes side by side would otherwise each take all cores.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    run_parallel(job, items, jobs, done)


# ---------------------------------------------------------------------- in a worker process


def _nothing() -> None:
    """A process that makes examples has nothing to begin with."""


def _prepare(_: None, examples: _Examples, sources: Path) -> None:
    prepare(examples.data, examples.features, examples.rules, examples.folder, sources)


def _perform(last: _Last, planned: _Planned, folder: Path) -> Record:
    """Run a unit and keep its result."""
    examples = planned.examples
    if examples not in last.opened:
        last.opened.clear()
        last.opened[examples] = open_prepared(examples.data, examples.rules, examples.folder)
    try:
        record = run_comparison(planned.unit, last.opened[examples])
    finally:
        if torch.cuda.is_available():
            torch.cuda.empty_cache()  # for the other processes on the same device
    write_record(record, planned.unit.path(folder))
    return record
