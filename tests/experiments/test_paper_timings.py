"""Blocks about claims of the paper, from small invented files."""

from pathlib import Path
from typing import Any

import pytest

from graphpool.errors import DataError
from graphpool.experiments.timings import TIMINGS, timing_text
from graphpool.files import write_json

ABOUT: dict[str, Any] = {
    "machine": {"processor": "A chip", "cores": 2},
    "versions": {"python": "3.12.1", "torch": "2.11.0", "code": "abc"},
}


def lines_of(name: str, folder: Path) -> list[str]:
    return timing_text(f"reproduction: {name}", folder).splitlines()


def test_printed_statistics_stand_beside_measured_ones_where_they_differ(tmp_path: Path) -> None:
    measured = {"graphs": 1000, "classes": 2, "mean": 7.58, "largest": 10, "mean edges": 6.94,
                "twins": 0.972, "distinct": 89}  # fmt: skip
    printed = {"graphs": "1000", "classes": "2", "mean": "7.7", "largest": "10"}
    pairs = {"mean": 35.76, "largest": 57, "mean edges": 241.5, "classes": 2}
    found = {
        "sets": {"LINUX": {"measured": measured, "printed": printed}},
        "pairs": {"measured": pairs, "printed": {"mean": "35.7", "largest": "57"}},
    }
    write_json(tmp_path / "paper_sets.json", {**ABOUT, **found})
    lines = lines_of("sets", tmp_path)
    assert lines[2] == "| LINUX | 1,000 | 2 | 7.6 (7.7) | 10 | 6.9 | 97 % | 89 |"
    assert lines[3] == "| the paper's pairs | – | 2 | 35.8 (35.7) | 57 | 241.5 | – | – |"


def test_growth_is_shown_at_three_sizes_with_its_slopes(tmp_path: Path) -> None:
    row = {
        "time": {"100": 2.0, "200": 4.0, "400": 1234.0},
        "MiB": {"100": 1.0, "200": 2.0, "400": 56.78},
        "slope of time": {"smaller": 1.0, "larger": 2.987},
        "slope of memory": {"smaller": 1.0, "larger": 1.9},
    }
    found = {"ratio": 0.1, "degree": 4, "sizes": [100, 200, 400]}
    methods = {"hap-paper": row, "hap-paper, truncate": row}
    write_json(tmp_path / "complexity.json", {**ABOUT, **found, "methods": methods})
    lines = lines_of("complexity", tmp_path)
    assert "| 100 nodes, × SumPool | 200 nodes, × SumPool | 400 nodes, × SumPool |" in lines[0]
    assert lines[2] == "| `hap-paper` | 2 | 4 | 1,230 | 2.99 | 56.8 | 1.90 |"
    assert lines[3].startswith("| `hap-paper`, truncate | 2 |")


def test_methods_that_no_numbering_changes_are_one_row(tmp_path: Path) -> None:
    moved = {"largest": 0.17, "trained": {"accuracy": 0.7, "any numbering": 0.004}}
    methods = {
        "sum": {"largest": 1e-15}, "hap": {"largest": 3e-15},
        "hap-paper, truncate": moved, "hap-paper, gram": {"largest": 5e-16},
    }  # fmt: skip
    found = {"copies": 5, "seeds": 3, "rounding": 1e-9, "sets": {"MUTAG": {"methods": methods}}}
    write_json(tmp_path / "invariance.json", {**ABOUT, **found})
    assert lines_of("invariance", tmp_path)[2:5] == [
        "| `hap-paper` with `truncate` | 0.17 | 0.4 % |",
        "| `hap-paper` with `gram` | 5e-16 | 0 % |",
        "| all 2 others | 3e-15 | 0 % |",
    ]


@pytest.mark.parametrize("name", [name for name, (file, *_) in TIMINGS.items() if file])
def test_a_damaged_file_is_named(name: str, tmp_path: Path) -> None:
    file, _, needs = TIMINGS[name]
    write_json(tmp_path / file, dict.fromkeys(needs, 3) or {"MUTAG": 3})
    with pytest.raises(DataError, match=rf"{file}: a value is missing or of another type .*again"):
        timing_text(name, tmp_path)
