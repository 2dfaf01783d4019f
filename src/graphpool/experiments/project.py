"""The experiments of a project: run them, and say how far they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from graphpool.experiments.engine import RunOutcome, find_finished, run_units
from graphpool.experiments.executor import Executor, LocalExecutor
from graphpool.experiments.experiment_file import list_experiments
from graphpool.experiments.experiment_records import ExperimentRecords
from graphpool.experiments.machine import code_digest
from graphpool.experiments.methods import check_known
from graphpool.experiments.pages import check_blocks, page_blocks
from graphpool.experiments.plan import only, open_sources, plan_units, smallest
from graphpool.experiments.shared_gpu import shared_gpu
from graphpool.files import scratch_folder


@dataclass(frozen=True)
class Status:
    """How far an experiment is.

    Attributes:
        units: all of them.
        finished, failed: those that have a record with exactly the experiment's settings.
        other_code: finished ones that other code of graphpool has made.
    """

    name: str
    title: str
    task: str
    units: int
    finished: int
    failed: int
    other_code: int

    @property
    def missing(self) -> int:
        """Units without a record."""
        return self.units - self.finished - self.failed


def status(project: str | Path = ".") -> list[Status]:
    """How far every experiment of the project is."""
    found = []
    for name, experiment in list_experiments(project).items():
        measured = ExperimentRecords(experiment, Path(project))
        records = measured.records.values()
        done = [record for record in records if not record.error]
        found.append(
            Status(
                name=name,
                title=experiment.title,
                task=experiment.task,
                units=sum(len(units) for units in measured.units.values()),
                finished=len(done),
                failed=len(records) - len(done),
                other_code=sum(each.versions.get("code") != code_digest() for each in done),
            )
        )
    return found


def validate(project: str | Path = ".") -> dict[str, int]:
    """Check every experiment: its file, its units and its blocks; return numbers of units."""
    experiments = list_experiments(project)
    check_blocks(project)
    for text in page_blocks(Path(project)).values():
        text()
    return {name: len(plan_units(experiment)) for name, experiment in experiments.items()}


def run(
    name: str,
    project: str | Path = ".",
    *,
    smoke: bool = False,
    data: Sequence[str] = (),
    methods: Sequence[str] = (),
    minutes: float | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
    retry: bool = False,
    again: bool = False,
    device: str = "cpu",
    root: str | Path | None = None,
    progress: bool = True,
    checkpoints: str | Path | None = None,
) -> dict[str, RunOutcome]:
    """Run an experiment, and those that it uses; finished units are not run again.

    Args:
        name: of the file `experiments/NAME.toml`.
        project: folder with `experiments/` and `results/`.
        smoke: run the smallest form instead, which keeps nothing: every method once, on few
            examples, for one epoch.
        data, methods: run only units of these, by default of all.
        minutes: no unit is begun later than this.
        jobs: processes; 1 starts none. On a GPU they share it by a daemon (`shared_gpu`).
        executor: what runs the units, instead of processes on this machine.
        retry: also run units that failed before.
        again: also run units whose record other code has made.
        device: where networks are trained; records name it.
        root: folder of data files.
        progress: show a bar if stderr is a terminal.
        checkpoints: folder for checkpoints of units that are running; stopped ones go on.

    Returns:
        Outcomes, by the name of the experiment.
    """
    experiments = list_experiments(project)
    check_known(name, experiments, "no experiment")
    for each in data:
        experiments[name].entry(each)
    for each in methods:
        check_known(each, experiments[name].methods, f"{name}: no method")
    executor = executor or LocalExecutor(jobs)
    outcomes = {}
    for each in dict.fromkeys([*experiments[name].uses, name]):
        if not experiments[each].data:
            continue
        own = only(experiments[each], data, methods)
        own = smallest(own) if smoke else own
        units = plan_units(own, device)
        with scratch_folder() as sources:
            measured = ExperimentRecords(own, sources if smoke else Path(project))
            known = find_finished(units, measured.file, *measured.others)
            needed = {
                unit.data.name
                for unit in units
                if (record := known.get(unit)) is None
                or record.error
                or not record.says_features  # the set shows what `auto` means
                or again
            }
            # Of such sets all units are opened: results of other graphs or features don't count.
            open_units = [unit for unit in units if unit.data.name in needed]
            if open_units:
                opened = open_sources(open_units, sources, root, smoke)
                digests = dict(zip(open_units, opened, strict=True))
                units = [digests.get(unit, unit) for unit in units]
            with shared_gpu(device, jobs):
                outcomes[each] = run_units(
                    units, measured.file, executor=executor, sources=sources, minutes=minutes,
                    retry=retry, again=again, progress=progress,
                    command=f"graphpool experiments run {each}",
                    checkpoints=None if checkpoints is None else Path(checkpoints),
                    others=measured.others,
                )  # fmt: skip
    return outcomes
