"""The figures of README and docs/results.md are those of the files under results/."""

import json
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
FIVE = ("MUTAG", "PTC", "PROTEINS", "IMDB-BINARY", "IMDB-MULTI")


def cells(text: str, head: str, row: str) -> dict[str, str]:
    """The cells of a row of the first table whose head has the words, by column."""
    lines = text.splitlines()
    top = next(at for at, line in enumerate(lines) if line.startswith("|") and head in line)
    split = [[cell.strip(" *") for cell in line.strip("|").split("|")] for line in lines[top:]]
    found = next(parts for parts in split if parts[0] == row)
    return dict(zip(split[0][1:], found[1:], strict=True))


def measured(folder: str, method: str) -> str:
    """Mean ± standard deviation of all test parts, in percent."""
    path = ROOT / "results" / folder / "results.json"
    units = json.loads(path.read_text(encoding="utf-8"))["units"]
    values = [100 * unit["accuracy"] for unit in units if unit["method"] == method]
    return f"{statistics.mean(values):.1f} ± {statistics.stdev(values):.1f}"


@pytest.mark.parametrize(
    ("row", "folder", "method"),
    [("hap", "places", "hap"), ("SumPool", "places", "sum"), ("hap by content", "cv10", "hap"),
     ("hap-paper, as printed", "cv10", "hap-paper"), ("MeanPool", "cv10", "mean"),
     ("no edges at all", "cv10", "structure-free"), ("WL kernel + SVM", "cv10", "wl")],
)  # fmt: skip
def test_cross_validation_in_the_readme(row: str, folder: str, method: str) -> None:
    wanted = {name: measured(f"{folder}/{name}", method) for name in FIVE}
    assert cells(README, "| MUTAG |", row) == wanted


@pytest.mark.parametrize(("row", "method"), [("hap", "hap"), ("SumPool", "sum")])
def test_places_in_the_results(row: str, method: str) -> None:
    wanted = {name: measured(f"places/{name}", method) for name in (*FIVE, "COLLAB")}
    assert cells(RESULTS, "| COLLAB |", row) == wanted
    pairs = {name: measured(f"places/{name}", method) for name in ("EXP", "CEXP")}
    assert cells(RESULTS, "| EXP | CEXP |", row) == pairs


@pytest.mark.parametrize(
    ("row", "name"),
    [("hap", "hap"), ("flat, 8 layers", "flat-8"), ("flat, 4 layers", "flat-4"),
     ("flat, 4 layers + Laplacian eigenvectors", "flat-4-eigen"),
     ("hap by content", "hap-content"), ("hap-paper", "hap-paper")],
)  # fmt: skip
def test_arrangements_in_the_readme(row: str, name: str) -> None:
    path = ROOT / "results" / "arrangements.json"
    runs = json.loads(path.read_text(encoding="utf-8"))["runs"]
    shown = cells(README, "| ring |", row)
    for column, cell in shown.items():
        own = [run["accuracy"] for run in runs if (run["row"], run["set"]) == (name, column)]
        assert len(own) == 5
        assert cell == f"{100 * statistics.mean(own):.1f}"
