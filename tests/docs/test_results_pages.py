"""The figures of README and docs/results.md are those of the record files, worked out afresh."""

import json
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
FIVE = ("MUTAG", "PTC", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI")


def cells(text: str, block: str, row: str) -> dict[str, str]:
    """The cells of a row of a block's table, by column."""
    lines = text.split(f"<!-- {block} -->\n")[1].split("<!-- end -->")[0].splitlines()
    split = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines]
    found = next(parts for parts in split if parts[0] == row)
    return dict(zip(split[0][1:], found[1:], strict=True))


def accuracies(experiment: str, data: str, method: str) -> list[float]:
    """Test accuracies, straight from the lines of a record file."""
    path = ROOT / "results" / f"{experiment}.jsonl"
    units = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [
        unit["metrics"]["test"]["accuracy"]
        for unit in units
        if "unit" in unit and (unit["data"], unit["method"]) == (data, method)
    ]


def measured(experiment: str, data: str, method: str) -> str:
    """Mean ± standard deviation of all test parts."""
    values = accuracies(experiment, data, method)
    return f"{100 * statistics.mean(values):.1f} ± {100 * statistics.stdev(values):.1f}"


@pytest.mark.parametrize(
    ("row", "experiment", "method"),
    [("hap-one-way", "places", "hap-one-way"), ("SumPool", "places", "sum"),
     ("hap by content", "cv10", "hap-content"), ("hap-paper, as printed", "cv10", "hap-paper"),
     ("MeanPool", "cv10", "mean"), ("no edges at all", "cv10", "structure-free"),
     ("WL kernel + SVM", "cv10", "wl")],
)  # fmt: skip
def test_cross_validation_in_the_readme(row: str, experiment: str, method: str) -> None:
    wanted = {name: measured(experiment, name, method) for name in FIVE}
    assert cells(README, "results: cross-validation", row) == wanted


@pytest.mark.parametrize(("row", "method"), [("hap-one-way", "hap-one-way"), ("SumPool", "sum")])
def test_places_in_the_results(row: str, method: str) -> None:
    wanted = {name: measured("places", name, method) for name in (*FIVE, "COLLAB")}
    assert cells(RESULTS, "results: places", row) == wanted
    pairs = {name: measured("beyond-wl", name, method) for name in ("EXP", "CEXP")}
    assert cells(RESULTS, "results: beyond-wl", row) == pairs


@pytest.mark.parametrize(
    ("row", "name"),
    [("hap", "hap"), ("hap-one-way", "hap-one-way"),
     ("flat, 8 layers", "flat-8"), ("flat, 4 layers", "flat-4"),
     ("flat, 4 layers + Laplacian eigenvectors", "flat-4-eigen"),
     ("hap by content", "hap-content"), ("hap-paper", "hap-paper")],
)  # fmt: skip
def test_arrangements_in_the_readme(row: str, name: str) -> None:
    for column, cell in cells(README, "results: arrangements", row).items():
        own = accuracies("arrangements", column, name)
        assert len(own) == 5
        assert cell == f"{100 * statistics.mean(own):.1f}"


def test_every_benchmark_names_its_machine_and_versions() -> None:
    """Or says that they were not recorded."""
    for path in (ROOT / "results" / "benchmarks").glob("*.json"):
        found = json.loads(path.read_text(encoding="utf-8"))
        assert {"machine", "versions"} <= found.keys(), path.name
