"""What matching.py and similarity.py share: methods with their settings, and the command line.

One setting serves all methods of a table: `graphpool.config.defaults_for` the task, with as many
epochs as the table says; a row says what it has otherwise.
"""

import argparse
import json
import shlex
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from graphpool.config import RunConfig, defaults_for
from graphpool.experiments.comparison_data import Data
from graphpool.experiments.comparison_unit import ComparisonUnit, Record, write_record
from graphpool.experiments.comparisons import run_comparisons
from graphpool.experiments.process_pool import Failed
from graphpool.files import atomic_write, strict_json

ROOT = Path(__file__).resolve().parents[1]
WORK = ROOT / "runs" / "comparisons"
FORMAT = "graphpool comparisons 1"
SAVE_SECONDS = 5  # how often the result file is brought up to date


@dataclass(frozen=True)
class Row:
    """A network.

    Attributes:
        model: settings that differ from those of the task.
        cost: those that take longer are begun first.
    """

    name: str
    model: Mapping[str, Any] = field(default_factory=dict)
    cost: int = 1

    def config(self, base: RunConfig) -> RunConfig:
        """All settings."""
        return replace(base, model=replace(base.model, **{"pooler": self.name, **self.model}))


def _modules(pooler: str, clusters: tuple[int, ...]) -> Row:
    count = len(clusters)
    return Row(f"{pooler}-{count}", {"pooler": pooler, "clusters": clusters}, 1 + count)


CLUSTERS = ((8,), (8, 1), (8, 4, 1))
ROWS = {
    row.name: row
    for row in (
        Row("hap", cost=3),
        Row("hap-euclidean", {"pooler": "hap", "distance": "euclidean"}, cost=3),
        Row(
            "hap-half",
            {"pooler": "hap", "distance": "euclidean", "ratio": 0.5, "max_clusters": 128},
        ),
        Row("hap-paper", cost=3),
        Row("hap-sorted", {"pooler": "hap", "distance": "sorted"}, cost=3),
        Row("flat", cost=2),
        Row("sum"),
        Row("gmn", cost=5),
        Row("gmn-hap", cost=6),
        Row("simgnn", cost=3),
        Row("simgnn-hap", cost=4),
        Row("hap-meanpool"),
        Row("hap-meanattpool"),
        Row("hap-sagpool", cost=2),
        Row("hap-diffpool", cost=2),
        # With two modules, `hap-paper` is what it is by itself.
        *(_modules("hap-paper", clusters) for clusters in CLUSTERS if len(clusters) != 2),
        *(_modules("hap", clusters) for clusters in CLUSTERS),
    )
}


def networks(
    names: Iterable[str], data: Sequence[Data], base: RunConfig, chosen: Sequence[str] | None
) -> list[ComparisonUnit]:
    """Every network on every set of examples, those that take longest first."""
    rows = [ROWS[name] for name in names if not chosen or name in chosen]
    rows.sort(key=lambda row: -row.cost)
    return [ComparisonUnit(row.name, each, row.config(base)) for row in rows for each in data]


def rules(
    names: Iterable[str], data: Sequence[Data], chosen: Sequence[str] | None
) -> list[ComparisonUnit]:
    """Every rule or edit distance on every set of examples."""
    own = [name for name in names if not chosen or name in chosen]
    return [ComparisonUnit(name, each) for name in own for each in data]


# ---------------------------------------------------------------------- the command line


def parser(text: str, out: Path) -> argparse.ArgumentParser:
    """Options of both commands."""
    made = argparse.ArgumentParser(
        description=text.splitlines()[0],
        epilog="What is finished is kept; the same command goes on from there.",
    )
    made.add_argument("--methods", nargs="+", help="only these")
    made.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    made.add_argument("--epochs", type=int, help="of every training")
    made.add_argument("--examples", type=int, help="training examples, in place of the usual")
    made.add_argument("--batch-size", type=int)
    made.add_argument("--learning-rate", type=float)
    made.add_argument("--device", default="cpu")
    made.add_argument("--jobs", type=int, default=1, help="processes")
    made.add_argument("--out", type=Path, default=out, help="the result file")
    made.add_argument("--work", type=Path, default=WORK, help="folder of single results")
    made.add_argument("--kept", type=Path, nargs="+", default=[], help="result files to go on from")
    made.add_argument("--data", type=Path, help="folder that keeps examples for the next call")
    made.add_argument("--again", action="store_true", help="do again what other code has made")
    made.set_defaults(published=out)
    return made


def settings(task: Any, given: argparse.Namespace, **train: Any) -> RunConfig:
    """Those of all methods; `train` holds what a table has otherwise."""
    base = defaults_for(task)
    asked = {
        "epochs": given.epochs, "batch_size": given.batch_size, "learning_rate": given.learning_rate
    }  # fmt: skip
    own = {**train, **{key: value for key, value in asked.items() if value is not None}}
    tried = given.examples is not None or any(value is not None for value in asked.values())
    if tried and given.out == given.published:
        sys.exit(
            f"{given.out.name} holds results of the settings that stand in the script; with others "
            "give --out FILE"
        )
    return replace(base, train=replace(base.train, **own, device=given.device))


def measure(
    script: str,
    units: Sequence[ComparisonUnit],
    given: argparse.Namespace,
    words: Sequence[str],
    sources: Path | None = None,
) -> int:
    """Run what is not there yet, say what comes, bring the file up to date; how many failed."""
    out: Path = given.out
    work: Path = given.work
    command = shlex.join(["python", f"benchmarks/{script}", *words])
    kept: dict[Any, Record] = {}
    for file in (*given.kept, out):
        kept.update(read_results(file))
    carry_over(units, kept, work)
    began = saved = time.monotonic()

    def finished(unit: ComparisonUnit, outcome: Record | Failed) -> None:
        nonlocal saved
        if isinstance(outcome, Failed):
            print(f"{unit}: FAILED: {outcome.error}", flush=True)
            return
        took = sum(outcome["seconds"].values())
        print(f"{unit}: {shown(outcome)} in {took:.0f} s", flush=True)
        kept[place(outcome)] = outcome
        if time.monotonic() - saved > SAVE_SECONDS:
            write_results(out, kept, command)
            saved = time.monotonic()

    try:
        found = run_comparisons(
            units, work, jobs=given.jobs, sources=sources, examples=given.data, again=given.again,
            finished=finished,
        )  # fmt: skip
        kept.update({place(record): record for record in found.records})
    finally:
        if kept:  # also of a call that is stopped
            write_results(out, kept, command)
    print(f"{len(found.records)} of {len(set(units))} units in {time.monotonic() - began:.0f} s")
    return len(found.failures)


def carry_over(units: Iterable[ComparisonUnit], kept: Mapping[Any, Record], work: Path) -> None:
    """Put results of result files where single ones are looked for, if none is there."""
    known = {(record["method"], record["key"]): record for record in kept.values()}
    for unit in units:
        record = known.get((unit.method, unit.key))
        if record is not None and not unit.path(work).exists():
            write_record(record, unit.path(work))


def shown(record: Record) -> str:
    """Accuracies of a unit in percent."""
    return ", ".join(
        f"{name} {100 * metrics['accuracy']:.2f} %" for name, metrics in record["metrics"].items()
    )


# ---------------------------------------------------------------------- the result file


def place(record: Record) -> tuple[str, str, int]:
    """Where a result stands: one of each is kept."""
    return record["data"], record["method"], record["seed"]


def read_results(path: Path) -> dict[tuple[str, str, int], Record]:
    """Results that are there already, each with all that was told of it."""
    if not path.exists():
        return {}
    stored = json.loads(path.read_text(encoding="utf-8"))
    kept = {}
    for record in stored["units"]:
        whole = dict(record)
        for key, values in (("made", "made"), ("facts", "examples"), ("settings", "settings")):
            chosen = stored[values][whole.pop(key)]
            whole.update(chosen if key == "made" else {key: chosen})
        kept[place(whole)] = whole
    return kept


def write_results(path: Path, kept: Mapping[Any, Record], command: str) -> None:
    """All results in one file, a line each; what many share stands at the top, once."""
    shared: dict[str, list[Any]] = {"made": [], "examples": [], "settings": []}
    order = {name: number for number, name in enumerate(ROWS)}
    lines = []
    for key in sorted(kept, key=lambda key: (key[0], order.get(key[1], 99), *key[1:])):
        record = dict(kept[key])
        made = {name: record.pop(name) for name in ("machine", "versions")}
        values = (("made", "made", made), ("facts", "examples", record["facts"]),
                  ("settings", "settings", record["settings"]))  # fmt: skip
        for name, where, value in values:
            value = json.loads(json.dumps(value))  # tuples as they are read back
            if value not in shared[where]:
                shared[where].append(value)
            record[name] = shared[where].index(value)
        lines.append(f"    {json.dumps(strict_json(record), allow_nan=False)}")
    commands = _commands(path, command)
    head = json.dumps({"format": FORMAT, "commands": commands, **shared}, indent=1)
    with atomic_write(path, "w") as handle:
        handle.write(head.removesuffix("\n}") + ',\n "units": [\n' + ",\n".join(lines) + "\n]}\n")


def _commands(path: Path, command: str) -> list[str]:
    """The commands that the file is of, this one last."""
    before = json.loads(path.read_text(encoding="utf-8"))["commands"] if path.exists() else []
    return [*(each for each in before if each != command), command]


def run(main: Any) -> None:
    """A script's last line: signals end it, and a failed unit is an exit status."""
    from graphpool.training.signals import interrupts_exit

    with interrupts_exit():
        sys.exit(1 if main(sys.argv[1:]) else 0)
