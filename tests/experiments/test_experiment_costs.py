"""What experiments cost: times on CPUs and on a GPU are kept apart, and each unit counts once."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from small import write_records

from graphpool.experiments.costs import COST_BLOCK, cost_block, cost_text, total_cost, unit_seconds
from graphpool.experiments.experiment_file import read_experiment
from graphpool.experiments.pages import page_blocks, write_pages
from graphpool.experiments.plan import planned_cells
from graphpool.experiments.records import Record, RecordFile
from graphpool.experiments.unit import Unit

CPU = {"processor": "A chip", "cores": 2}
GPU = {**CPU, "accelerator": "A card"}
TOY = """
title = "Toy"
task = "classification"
protocol = "cv10"
folds = 2
seeds = [0]
USES
[settings.model]
encoder = "gcn"
[settings.train]
epochs = 7

[[data]]
name = "A"

[methods.sum]
title = "SumPool"
model = {pooler = "sum"}
[methods.mean]
model = {pooler = "mean"}
[methods.majority]
rule = "majority"
"""
BLOCK = """
[[blocks]]
page = "README.md"
name = "toy: table"
caption = false
columns = ["A", {title = "s", data = "A", metric = "cost"}]
"""


def record(unit: Unit, train: float, machine: dict[str, Any] = CPU, error: str = "") -> Record:
    """A unit that trained so long and was tested for a quarter of a second."""
    return Record(
        task=unit.task, data=unit.data.name, method=unit.method, kind=unit.kind, seed=unit.seed,
        fold=unit.fold, facts=unit.data.facts, settings=unit.settings, machine=machine,
        metrics={} if error else {"test": {"accuracy": 0.5}}, error=error,
        seconds={} if error else {"train": train, "test": 0.25},
        versions={"code": "abc"},
    )  # fmt: skip


def write_toy(folder: Path, name: str = "toy", text: str = TOY) -> dict[str, list[Unit]]:
    """Write an experiment; return its units by method."""
    path = folder / "experiments" / f"{name}.toml"
    path.parent.mkdir(exist_ok=True)
    path.write_text(text.replace("USES", ""), encoding="utf-8")
    return {method: units for (method, _), units in planned_cells(read_experiment(path)).items()}


def test_times_on_a_gpu_are_shown_where_there_are_no_others(tmp_path: Path) -> None:
    first, second = write_toy(tmp_path)["sum"]
    slow, quick = record(first, 9.75), record(second, 0.75, GPU)
    assert unit_seconds([slow, quick]) == [10.0]
    assert cost_text([quick, slow]) == "10"
    assert cost_text([quick]) == "1 GPU"
    assert unit_seconds([record(first, 0, error="no memory")]) == []


def test_a_column_shows_the_mean_seconds_of_whole_units(tmp_path: Path) -> None:
    units = write_toy(tmp_path, text=TOY + BLOCK)
    (tmp_path / "README.md").write_text("<!-- toy: table -->\n<!-- end -->\n", encoding="utf-8")
    records = [
        record(units["sum"][0], 0.75), record(units["sum"][1], 1.75),
        record(units["mean"][0], 119.75, GPU),
    ]  # fmt: skip
    write_records(tmp_path / "results" / "toy.jsonl", records, "toy")
    write_pages(tmp_path)
    page = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert "| SumPool | 50.0 ± 0.0 | 1.5 |" in page
    assert "| `mean` | 50.0 (1 of 2) | 120 GPU |" in page
    assert "| `majority` | – | – |" in page


def test_hours_of_cores_and_of_processes_on_a_gpu_are_apart(tmp_path: Path) -> None:
    first, second = write_toy(tmp_path)["sum"]
    hour, half = record(first, 3599.75), record(second, 1799.75, GPU)
    cost = total_cost([hour, half, record(first, 0, error="no memory")])
    assert (cost.units, cost.core_hours, cost.gpu_hours) == (2, 1.0, 0.5)
    assert cost.accelerators == {"A card"}


def test_every_unit_counts_once_in_the_file_that_holds_it(tmp_path: Path) -> None:
    units = write_toy(tmp_path, "first")
    write_toy(tmp_path, "second", TOY.replace("USES", 'uses = ["first"]').replace("= 7", "= 9"))
    write_toy(tmp_path, "empty")
    again = [record(units["sum"][0], 99999.0), record(units["sum"][0], 3599.75)]
    failed = record(units["mean"][0], 0, error="no memory")
    write_records(tmp_path / "results" / "first.jsonl", [*again, failed], "first")
    other = [record(unit, 899.75, GPU) for unit in units["mean"]]
    short = [replace(other[0], machine=CPU, seconds={"test": 1.0}, seed=7)]
    write_records(tmp_path / "results" / "second.jsonl", [*other, *short], "second")
    text = page_blocks(tmp_path)[COST_BLOCK]()
    assert text.splitlines()[:5] == [
        "| experiment | finished units | core hours | process hours on a GPU |",
        "|---|---:|---:|---:|",
        "| `first` | 1 | 1.00 | – |",
        "| `second` | 3 | < 0.01 | 0.50 |",
        "| **all** | **4** | **1.00** | **0.50** |",
    ]
    assert "several processes shared it" in " ".join(text.split())


def test_nothing_is_said_of_a_gpu_that_nobody_used(tmp_path: Path) -> None:
    file = RecordFile(tmp_path / "toy.jsonl", "toy")
    assert cost_block({"toy": file}) == "*No unit is finished yet.*\n"
    file.append(record(write_toy(tmp_path)["sum"][0], 1.0))
    assert "trained on a GPU" not in cost_block({"toy": file})
