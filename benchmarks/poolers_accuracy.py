"""The short run of every method: some folds of cv10, one seed, few epochs, each done once.

All runs stand in one file, which is brought up to date after each of them; what it holds with the
same settings is not done again.
"""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from poolers_page import accuracy_table, not_above_majority

from graphpool.config import RunConfig, TrainConfig, to_dict
from graphpool.data.formats.safetensors import content_hash
from graphpool.data.load import load
from graphpool.errors import ConfigError
from graphpool.evaluation.protocols import CV10, splits_for
from graphpool.experiments.machine import code_digest, machine
from graphpool.experiments.methods import EVALUATED
from graphpool.experiments.process_pool import Failed, Job, run_here, run_parallel
from graphpool.experiments.run import run_unit
from graphpool.experiments.unit import Unit
from graphpool.files import atomic_write, strict_json
from graphpool.graphs.graphset import GraphSet
from graphpool.nn.zoo.build import METHODS

SETS = ("MUTAG", "PROTEINS")
SEED, FOLDS, EPOCHS = 0, 3, 30
MAJORITY = "majority"
FORMAT = "graphpool poolers 1"

Record = dict[str, Any]
Place = tuple[str, str, int]


@dataclass(frozen=True)
class Run:
    """One method on one fold of one set."""

    data: str
    unit: Unit

    @property
    def place(self) -> Place:
        """Where it stands in the table."""
        return self.data, self.unit.method, self.unit.fold

    def __str__(self) -> str:
        return f"{self.data}, {self.unit}"


def settings(data: str, epochs: int) -> RunConfig:
    """Those of all methods: graphpool's own, but for the epochs."""
    return RunConfig(data=data, train=TrainConfig(epochs=epochs))


def planned(
    methods: Iterable[str], sets: Sequence[str], root: Path | None, folds: int, epochs: int
) -> list[Run]:
    """Every run, those of the majority class included, which all others are compared with."""
    names = tuple(dict.fromkeys((*methods, MAJORITY)))
    plan = []
    for data in sets:
        graphs, config = load(data, root=root, features=None), settings(data, epochs)
        set_hash, splits = content_hash(graphs), splits_for(CV10, graphs, SEED)[:folds]
        plan += [
            Run(data, Unit.of(name, SEED, fold, split, set_hash, config))
            for name in names
            for fold, split in enumerate(splits)
        ]
    return plan


def perform(
    sets: dict[str, GraphSet], run: Run, root: Path | None = None, epochs: int = EPOCHS
) -> Record:
    """Train and test; sets that were read before are taken from `sets`."""
    if run.data not in sets:
        sets[run.data] = load(run.data, root=root, features=None)
    config = settings(run.data, epochs)
    found = run_unit(sets[run.data], run.unit, config)
    return {
        "set": run.data,
        "method": found.method,
        "fold": found.fold,
        "key": found.key,
        "accuracy": found.accuracy,
        "valid_accuracy": found.valid_accuracy,
        "best_epoch": found.best_epoch,
        "epochs": found.epochs,
        "parameters": found.parameters,
        "seconds": round(found.total_seconds, 2),
        "machine": machine(config.train.device),
        "versions": found.versions,
    }


def read_kept(out: Path) -> dict[Place, Record]:
    """Runs that are there already."""
    if not out.exists():
        return {}
    stored = json.loads(out.read_text(encoding="utf-8"))
    kept: dict[Place, Record] = {}
    for record in stored["runs"]:
        whole = {**record, **stored["made"][record["made"]]}
        del whole["made"]
        kept[whole["set"], whole["method"], whole["fold"]] = whole
    return kept


def usable(kept: dict[Place, Record], known: dict[Place, str], again: bool, out: Path) -> None:
    """Drop runs of methods that are gone and, if they are to be done again, of other settings.

    One table is of one setting: runs of others are an error if nothing is said about them.
    """
    for place in [place for place in kept if place not in known]:
        del kept[place]
    strange = [place for place, record in kept.items() if record["key"] != known[place]]
    if strange and not again:
        raise ConfigError(
            f"{out}: {len(strange)} runs have other settings; --again does them again, "
            "--out FILE leaves them alone"
        )
    for place in strange:
        del kept[place]


def write(out: Path, kept: dict[Place, Record], command: str, config: RunConfig) -> Record:
    """All runs in one file, a line each; what they share stands at the top."""
    made: list[Record] = []
    runs = []
    order = {name: number for number, name in enumerate(EVALUATED)}
    for place in sorted(kept, key=lambda place: (order[place[1]], place[0], place[2])):
        record = kept[place]
        where = {"machine": record["machine"], "versions": record["versions"]}
        if where not in made:
            made.append(where)
        own = {key: value for key, value in record.items() if key not in where}
        runs.append({**own, "made": made.index(where)})
    used = dict.fromkeys(run["method"] for run in runs)
    values: Record = {
        "format": FORMAT,
        "command": command,
        "protocol": CV10.name,
        "seed": SEED,
        "settings": to_dict(config),
        "methods": {name: {"family": EVALUATED[name].family} for name in used},
        "made": made,
    }
    head = json.dumps(values, indent=2).removesuffix("\n}")
    lines = ",\n".join(f"    {json.dumps(strict_json(run), allow_nan=False)}" for run in runs)
    with atomic_write(out, "w") as handle:
        handle.write(f'{head},\n  "runs": [\n{lines}\n  ]\n}}\n')
    return {**values, "runs": runs}


def measure(
    methods: Iterable[str],
    sets: Sequence[str],
    root: Path | None,
    out: Path,
    command: str,
    *,
    folds: int = FOLDS,
    epochs: int = EPOCHS,
    jobs: int = 1,
    again: bool = False,
) -> int:
    """Run what is not there yet, print the table and name those that failed; returns how many."""
    kept, config, failures = read_kept(out), settings(" ".join(sets), epochs), 0
    both = tuple(dict.fromkeys((*sets, *(data for data, _, _ in kept))))
    every = planned(METHODS, both, root, CV10.folds, epochs)
    usable(kept, {run.place: run.unit.key for run in every}, again, out)
    names = {*methods, MAJORITY}
    plan = [
        run
        for run in every
        if run.unit.method in names and run.data in sets and run.unit.fold < folds
    ]
    same = [run for run in plan if run.place in kept]
    old = [run for run in same if kept[run.place]["versions"]["code"] != code_digest()]
    if old:
        fate = "are done again" if again else "are kept; --again does them again"
        print(f"{len(old)} runs of other code {fate}")
    done = {run.place for run in same} - {run.place for run in old if again}
    missing = [run for run in plan if run.place not in done]
    missing.sort(key=lambda run: -EVALUATED[run.unit.method].cost)
    print(f"{len(missing)} of {len(plan)} runs to do", flush=True)

    def finished(run: Run, outcome: Record | Failed) -> None:
        nonlocal failures
        if isinstance(outcome, Failed):
            failures += 1
            # What other settings or other code reached must not stand in for it.
            kept.pop(run.place, None)
            print(f"{run}: FAILED: {outcome.error}", flush=True)
        else:
            kept[run.place] = outcome
            shown = f"{100 * outcome['accuracy']:.1f} % in {outcome['seconds']:.1f} s"
            print(f"{run}: {shown}", flush=True)
        write(out, kept, command, config)

    job = Job[dict[str, GraphSet], Run, Record](dict, partial(perform, root=root, epochs=epochs))
    if jobs == 1 or len(missing) < 2:
        run_here(job, missing, finished)
    else:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        run_parallel(job, missing, jobs, finished)
    found = write(out, kept, command, config)
    print(accuracy_table(found))
    for data, low in not_above_majority(found).items():
        if low:
            print(f"{data}: not above the majority class: {', '.join(low)}")
    return failures
