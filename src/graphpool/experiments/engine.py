"""Many units of work: methods × seeds × folds, in parallel, each done once and never again."""

import logging
import shlex
import signal
import sys
import tempfile
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from graphpool.config import RunConfig, to_dict
from graphpool.data.formats.safetensors import content_hash
from graphpool.data.splits import Split
from graphpool.errors import ConfigError, DataError
from graphpool.evaluation.protocols import Protocol, find_protocol, overlap, stored_splits
from graphpool.experiments.machine import code_digest, machine, provenance, usable_cores
from graphpool.experiments.methods import (
    EVALUATED,
    check_methods,
    model_of,
    registered_here,
)
from graphpool.experiments.process_pool import Failed, Job, run_here, run_parallel
from graphpool.experiments.results import ExperimentResult, SetFacts, write_results
from graphpool.experiments.run import run_unit
from graphpool.experiments.tables import write_table
from graphpool.experiments.unit import Failure, Unit, UnitResult, read_unit, write_unit
from graphpool.experiments.worker_data import hand_over, take_over
from graphpool.files import sha256_file
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.progress import ProgressBar
from graphpool.training.select_place_rule import check_choice, place_rules
from graphpool.training.signals import Interrupted

log = logging.getLogger(__name__)


def run_experiment(
    graphs: GraphSet,
    methods: Sequence[str],
    protocol: Protocol | str = "cv10",
    seeds: Sequence[int] | None = None,
    config: RunConfig | None = None,
    folder: str | Path = "runs/evaluation",
    *,
    jobs: int | None = None,
    progress: bool = True,
    command: str | None = None,
) -> ExperimentResult:
    """Judge methods on a set, and write `results.json` and `results.md` into `folder`.

    Units that the folder already holds, with the same settings and the same set, are not run
    again, so a run that was stopped goes on where it was. A unit that fails is reported and the
    others go on. SIGINT and SIGTERM raise `Interrupted`; what is finished stays.

    Args:
        graphs: the set, with classes. Its `x` is not used: `config.features` is fitted on the
            training graphs of every split.
        methods: names of `graphpool.experiments.methods.EVALUATED`; the first is what the others
            are compared with.
        protocol: `cv10`, `paper`, or one of your own.
        seeds: the protocol's own by default.
        config: settings of all networks; `model.pooler` is replaced by each method.
        folder: one set, one folder.
        jobs: processes; by default as many as there are cores. 1 starts no process. So does a
            pooler that was registered here, which a new process would not know.
        progress: show a bar if stderr is a terminal.
        command: what to write into the results as the way to repeat them.
    """
    config = config or RunConfig()
    protocol = find_protocol(protocol) if isinstance(protocol, str) else protocol
    seeds = protocol.seeds if seeds is None else tuple(dict.fromkeys(seeds))
    names, folder = check_methods(methods), Path(folder)
    for name in names:
        check_choice(model_of(name, config.model))
    jobs = usable_cores() if jobs is None else jobs
    if registered_here(names):
        jobs = min(jobs, 1)
    if jobs < 1 or not seeds:
        raise ConfigError("an experiment needs at least one job and one seed")
    graphs = _plain(graphs)
    plan = _Plan.make(graphs, names, protocol, seeds, config, folder)
    found = {unit: read_unit(unit, unit.path(folder)) for unit in plan.units}
    done = {unit: result for unit, result in found.items() if result is not None}
    _say_what_is_kept(done, folder)
    missing = [unit for unit in plan.units if unit not in done]
    failures = _run(graphs, missing, config, folder, jobs, progress, done)
    result = ExperimentResult(
        facts=SetFacts.of(graphs, plan.set_hash),
        methods=names,
        protocol=protocol,
        seeds=tuple(seeds),
        overlap=overlap([split for splits in plan.splits.values() for split in splits]),
        config=to_dict(config),
        splits={path.relative_to(folder).as_posix(): sha256_file(path) for path in plan.files},
        units=tuple(done[unit] for unit in plan.units if unit in done),
        failures=tuple(failures),
        machine=machine(config.train.device),
        versions=provenance(),
        command=command_line() if command is None else command,
    )
    write_results(result, folder)
    write_table(result, folder)
    return result


@dataclass(frozen=True)
class _Plan:
    """Every unit of an experiment, by method, seed and fold, and the splits they are of."""

    set_hash: str
    units: tuple[Unit, ...]
    splits: dict[int, tuple[Split, ...]]
    files: tuple[Path, ...]

    @classmethod
    def make(
        cls,
        graphs: GraphSet,
        methods: Sequence[str],
        protocol: Protocol,
        seeds: Sequence[int],
        config: RunConfig,
        folder: Path,
    ) -> "_Plan":
        set_hash = content_hash(graphs)
        files = {seed: folder / "splits" / f"{protocol.name}-seed{seed}.json" for seed in seeds}
        splits = {
            seed: stored_splits(protocol, graphs, set_hash, seed, path)
            for seed, path in files.items()
        }
        units = tuple(
            Unit.of(method, seed, fold, split, set_hash, config)
            for method in methods
            for seed in seeds
            for fold, split in enumerate(splits[seed])
        )
        return cls(set_hash, units, splits, tuple(files.values()))


def _plain(graphs: GraphSet) -> GraphSet:
    """The set without features, which may have been fitted on graphs that are to be tested."""
    if graphs.y is None:
        raise DataError(f"{graphs.name} has no classes; a classifier can't be judged on it")
    if graphs.x is not None:
        log.info("%s: its features are not used; every split fits its own", graphs.name)
    return replace(graphs.to("cpu"), x=None)


def _say_what_is_kept(done: dict[Unit, UnitResult], folder: Path) -> None:
    if not done:
        return
    log.info("%d units are finished already", len(done))
    if any(result.versions.get("code") != code_digest() for result in done.values()):
        log.warning(
            "some results in %s were made by other code of graphpool %s; "
            "delete the folder to measure them again",
            folder,
            provenance()["graphpool"],
        )


def report_unit(
    bar: ProgressBar, unit: Unit, outcome: UnitResult | Failed, count: int, total: int, failed: int
) -> None:
    """Show a finished unit on the bar, and log its result."""
    if isinstance(outcome, UnitResult):
        log.info(
            "%d of %d: %s: accuracy %.3f in %.1f s",
            count, total, unit, outcome.accuracy, outcome.total_seconds,
        )  # fmt: skip
    suffix = f", [red]{failed} failed[/red]" if failed else ""
    bar.update(count, description=f"{unit}{suffix}")


def _run(
    graphs: GraphSet,
    missing: list[Unit],
    config: RunConfig,
    folder: Path,
    jobs: int,
    progress: bool,
    done: dict[Unit, UnitResult],
) -> list[Failure]:
    """Run units, longest first, and put their results into `done`; return those that failed."""
    missing.sort(key=lambda unit: -EVALUATED[unit.method].cost)
    failures = []
    total = len(done) + len(missing)
    work = partial(_run_and_keep, config=config, folder=folder)
    # The first few units say little: the estimate looks back over minutes.
    with closing(ProgressBar(total, len(done), progress, period=600.0)) as bar:

        def finished(unit: Unit, outcome: UnitResult | Failed) -> None:
            if isinstance(outcome, Failed):
                failures.append(Failure(unit.method, unit.seed, unit.fold, outcome.error))
                log.warning("%s failed: %s", unit, outcome.error)
            else:
                done[unit] = outcome
            report_unit(bar, unit, outcome, len(done) + len(failures), total, len(failures))

        try:
            if jobs == 1 or len(missing) < 2:
                run_here(Job(lambda: graphs, work), missing, finished)
            else:
                with tempfile.TemporaryDirectory(prefix="graphpool-") as place:
                    rules = _rules(missing, config)
                    hand_over(graphs, rules, Path(place))
                    setup = partial(take_over, Path(place), rules)
                    run_parallel(Job(setup, work), missing, jobs, finished)
        except (KeyboardInterrupt, Interrupted) as stop:
            number = stop.signum if isinstance(stop, Interrupted) else signal.SIGINT
            message = (
                f"{len(done)} of {total} units are finished and kept in {folder}; "
                "the same call goes on from there"
            )
            raise Interrupted(
                number, f"stopped by {signal.Signals(number).name}: {message}"
            ) from None
    return failures


def _rules(units: Sequence[Unit], config: RunConfig) -> tuple[PlaceRule, ...]:
    """By which rules any of these units looks for places."""
    methods = {unit.method: EVALUATED[unit.method] for unit in units}
    found = (
        rule
        for name, method in methods.items()
        if method.trained
        for rule in place_rules(model_of(name, config.model))
    )
    return tuple(dict.fromkeys(found))


def _run_and_keep(graphs: GraphSet, unit: Unit, config: RunConfig, folder: Path) -> UnitResult:
    result = run_unit(graphs, unit, config)
    write_unit(result, unit.path(folder))
    return result


def command_line() -> str:
    """The command that is running, as one would type it."""
    return shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]])
