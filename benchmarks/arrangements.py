"""Train every model of arrangement_rows.py on every arrangement set, and keep every run.

    python benchmarks/arrangements.py                       # all of it
    python benchmarks/arrangements.py --rows hap --sets ring marks --seeds 0 --jobs 2

A run is one small file under --work, named by its settings, and never done twice; --out gets all
runs in one file, those that were there before included. Then `python
benchmarks/arrangements_page.py` writes the table of docs/arrangements.md.
"""

import argparse
import hashlib
import json
import os
import shlex
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from arrangement_rows import COLUMNS, DRAW, GRAPHS, ROWS
from arrangements_page import summary

from graphpool.config import RunConfig, to_dict
from graphpool.data.synthetic.arrangements.build import VERSION
from graphpool.experiments.machine import code_digest, machine, usable_cores
from graphpool.experiments.methods import settings_of
from graphpool.experiments.process_pool import Failed, Job, run_here, run_parallel
from graphpool.experiments.run import run_unit
from graphpool.experiments.unit import Unit
from graphpool.files import atomic_write, strict_json
from graphpool.graphs.graphset import GraphSet
from graphpool.training.signals import interrupts_exit

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "arrangements.json"
FORMAT = "graphpool arrangements 1"
SAVE_SECONDS = 10  # how often the result file is brought up to date

Record = dict[str, Any]
"""What came of one run, as plain values."""


@dataclass(frozen=True)
class Run:
    """One model on one set from one seed."""

    column: str
    row: str
    seed: int
    graphs: int
    config: RunConfig

    @cached_property
    def key(self) -> str:
        """Hash of all that can change the result, but for code and machine, which it names."""
        settings = settings_of(self.config.model.pooler, self.config)
        del settings["train"]["device"]
        column = COLUMNS[self.column]
        drawn = [VERSION, DRAW, column.kind, dict(column.knobs), self.graphs, column.learn]
        text = json.dumps([FORMAT, drawn, settings, self.seed], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def place(self) -> tuple[str, str, int]:
        """Where it stands in the table."""
        return self.column, self.row, self.seed

    @property
    def cost(self) -> int:
        """Longer ones are begun first."""
        model = self.config.model
        layers = model.num_layers if model.pooler == "flat" else 2 * model.num_layers
        return layers * len(COLUMNS[self.column].split(self.graphs).train)

    def path(self, work: Path) -> Path:
        """The file that keeps it."""
        return work / self.column / f"{self.row}-seed{self.seed}-{self.key}.json"

    def __str__(self) -> str:
        return f"{self.column}, {self.row}, seed {self.seed}"


def perform(sets: dict[tuple[str, int], GraphSet], run: Run) -> Record:
    """Train and test; sets that were drawn before are taken from `sets`."""
    column = COLUMNS[run.column]
    if (run.column, run.graphs) not in sets:
        sets[run.column, run.graphs] = column.draw(run.graphs)
    unit = Unit(run.config.model.pooler, run.seed, 0, column.split(run.graphs), run.key)
    found = run_unit(sets[run.column, run.graphs], unit, run.config)
    rounded = {name: value and round(value, 4) for name, value in found.health.items()}
    return {
        "set": run.column,
        "row": run.row,
        "seed": run.seed,
        "key": run.key,
        "accuracy": found.accuracy,
        "valid_accuracy": found.valid_accuracy,
        "best_epoch": found.best_epoch,
        "epochs": found.epochs,
        "parameters": found.parameters,
        "seconds": {name: round(value, 2) for name, value in found.seconds.items()},
        "health": rounded,
        "machine": machine(run.config.train.device),
        "versions": found.versions,
    }


def dumped(record: Record) -> str:
    """One line of JSON."""
    return json.dumps(strict_json(record), allow_nan=False)


def read_kept(plan: Iterable[Run], work: Path, out: Path) -> dict[tuple[str, str, int], Record]:
    """Runs that are there already, in the result file or in a file of their own."""
    kept: dict[tuple[str, str, int], Record] = {}
    if out.exists():
        stored = json.loads(out.read_text(encoding="utf-8"))
        for record in stored["runs"]:
            whole = {**record, **stored["made"][record["made"]]}
            del whole["made"]
            if record["set"] in COLUMNS and record["row"] in ROWS:
                kept[record["set"], record["row"], record["seed"]] = whole
    for run in plan:
        if run.path(work).exists():
            kept[run.place] = json.loads(run.path(work).read_text(encoding="utf-8"))
    return kept


def write_results(out: Path, records: Sequence[Record], command: str) -> dict[str, Any]:
    """All runs in one file, a line each; what they share stands at the top."""
    made: list[dict[str, Any]] = []
    runs = []
    places = {name: place for place, name in enumerate([*COLUMNS, *ROWS])}
    for record in sorted(records, key=lambda r: (places[r["row"]], places[r["set"]], r["seed"])):
        where = {"machine": record["machine"], "versions": record["versions"]}
        if where not in made:
            made.append(where)
        own = {key: value for key, value in record.items() if key not in where}
        runs.append({**own, "made": made.index(where)})
    used = {run["row"] for run in runs}, {run["set"] for run in runs}
    values: dict[str, Any] = {
        "format": FORMAT,
        "command": command,
        "drawn with seed": DRAW,
        "sets": {name: asdict(column) for name, column in COLUMNS.items() if name in used[1]},
        "rows": {
            name: {"title": row.title, "group": row.group, "settings": to_dict(row.config())}
            for name, row in ROWS.items()
            if name in used[0]
        },
        "made": made,
    }
    head = json.dumps(values, indent=2).removesuffix("\n}")
    lines = ",\n".join(f"    {dumped(run)}" for run in runs)
    with atomic_write(out, "w") as handle:
        handle.write(f'{head},\n  "runs": [\n{lines}\n  ]\n}}\n')
    return {**values, "runs": runs}


def arguments(words: Sequence[str]) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", nargs="+", choices=ROWS, default=list(ROWS), metavar="ROW")
    parser.add_argument("--sets", nargs="+", choices=COLUMNS, default=list(COLUMNS), metavar="SET")
    parser.add_argument("--seeds", nargs="+", type=int, default=list(range(5)))
    parser.add_argument("--jobs", type=int, default=usable_cores(), help="processes")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--epochs", type=int, help="other than the rows say, for a quick look")
    parser.add_argument("--graphs", type=int, default=GRAPHS, help="graphs of each set")
    parser.add_argument("--work", type=Path, default=ROOT / "runs" / "arrangements")
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument(
        "--again", action="store_true", help="also those that other code of graphpool has made"
    )
    return parser.parse_args(words)


def planned(given: argparse.Namespace) -> list[Run]:
    """Every run that the command line asks for."""
    train = {"device": given.device} | ({"epochs": given.epochs} if given.epochs else {})
    return [
        Run(column, row, seed, given.graphs, ROWS[row].config(**COLUMNS[column].train | train))
        for column in given.sets
        for row in given.rows
        for seed in given.seeds
    ]


def main(words: Sequence[str]) -> int:
    """Run what is not there yet; returns how many failed."""
    given = arguments(words)
    plan = planned(given)
    kept = read_kept(plan, given.work, given.out)
    command = shlex.join(["python", "benchmarks/arrangements.py", *words])
    same = [run for run in plan if run.place in kept and kept[run.place]["key"] == run.key]
    old = [run for run in same if kept[run.place]["versions"]["code"] != code_digest()]
    done = set(same) - set(old if given.again else [])
    if old:
        fate = "are done again" if given.again else "are kept; --again does them again"
        print(f"{len(old)} runs of other code {fate}")
    missing = sorted((run for run in plan if run not in done), key=lambda run: -run.cost)
    print(f"{len(missing)} of {len(plan)} runs to do", flush=True)
    failures, saved = 0, time.monotonic()

    def finished(run: Run, outcome: Record | Failed) -> None:
        nonlocal failures, saved
        if isinstance(outcome, Failed):
            failures += 1
            print(f"{run}: FAILED: {outcome.error}", flush=True)
            return
        with atomic_write(run.path(given.work), "w") as handle:
            handle.write(dumped(outcome) + "\n")
        kept[run.place] = outcome
        took = sum(outcome["seconds"].values())
        print(f"{run}: {100 * outcome['accuracy']:.1f} % in {took:.0f} s", flush=True)
        if time.monotonic() - saved > SAVE_SECONDS:
            write_results(given.out, list(kept.values()), command)
            saved = time.monotonic()

    job = Job(dict, perform)
    if given.jobs == 1 or len(missing) < 2:
        run_here(job, missing, finished)
    else:
        # Processes side by side would otherwise each take all cores for an eigenvector.
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        run_parallel(job, missing, given.jobs, finished)
    print(summary(write_results(given.out, list(kept.values()), command)))
    return failures


if __name__ == "__main__":
    with interrupts_exit():
        sys.exit(1 if main(sys.argv[1:]) else 0)
