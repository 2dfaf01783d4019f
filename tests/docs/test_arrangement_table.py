"""The runner of the arrangement table does every run once, and the page says what it found."""

import importlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "benchmarks"
Quick = Callable[..., str]


def call(script: str, *arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run a script from the source tree, as a machine without an installed graphpool would."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    command = [sys.executable, str(SCRIPTS / script), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment)


def tiny(folder: Path, *more: object) -> list[str]:
    """Options of a tiny run of two models on two sets."""
    options = (
        "--rows", "flat-2", "hap-paper", "--sets", "ring", "spider", "--graphs", 40,
        "--epochs", 1, "--jobs", 1, "--work", folder / "work", "--out", folder / "out.json",
    )  # fmt: skip
    return [str(option) for option in (*options, *more)]


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Quick:
    """What a tiny run prints; it is run in this process, which has torch already."""
    monkeypatch.syspath_prepend(SCRIPTS)
    runner = importlib.import_module("arrangements")

    def run(folder: Path, *more: object) -> str:
        assert runner.main(tiny(folder, *more)) == 0
        return capsys.readouterr().out

    return run


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a tiny run of one seed has left its files."""
    made = tmp_path_factory.mktemp("arrangements")
    done = call("arrangements.py", *tiny(made, "--seeds", 0))
    assert done.returncode == 0, done.stderr + done.stdout
    assert "4 of 4 runs to do" in done.stdout
    return made


def read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "out.json").read_text(encoding="utf-8"))
    return found


def test_every_run_is_kept_with_what_made_it(folder: Path) -> None:
    found = read(folder)
    places = [(run["row"], run["set"], run["seed"]) for run in found["runs"][:4]]
    assert places == [
        ("hap-paper", "ring", 0), ("hap-paper", "spider", 0), ("flat-2", "ring", 0),
        ("flat-2", "spider", 0),
    ]  # fmt: skip
    for run in found["runs"]:
        assert 20 * run["accuracy"] == pytest.approx(round(20 * run["accuracy"]))  # 20 test graphs
        assert (run["best_epoch"], run["epochs"]) == (1, 1)
        assert run["seconds"]["train"] > 0
        made = found["made"][run["made"]]
        assert made["machine"]["cores"] >= 1
        assert len(made["versions"]["code"]) == 16
    assert found["rows"]["flat-2"]["settings"]["model"]["pooler"] == "flat"
    assert len(list((folder / "work").rglob("*.json"))) == len(found["runs"])


def test_training_of_a_row_and_of_a_set_stand_side_by_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    runner = importlib.import_module("arrangements")
    plan = runner.planned(runner.arguments(["--rows", "flat-8", "flat-4-eigen", "--seeds", "3"]))
    found = {(run.column, run.row): run.config for run in plan}
    assert found["ring", "flat-8"].model.num_layers == 8
    assert found["ring", "flat-4-eigen"].features == "auto+eigen:8"
    assert found["ring-200", "flat-8"].train.epochs > found["ring", "flat-8"].train.epochs
    assert len({run.key for run in plan}) == len(plan) == 16


def test_the_last_tenth_chooses_and_the_second_half_tests(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    columns = importlib.import_module("arrangement_rows").COLUMNS
    for name, learn in (("ring", 2000), ("ring-200", 200)):
        split = columns[name].split(4000)
        assert split.train == tuple(range(learn * 9 // 10))
        assert split.valid == tuple(range(learn * 9 // 10, learn))
        assert split.test == tuple(range(2000, 4000))


def test_nothing_is_done_twice(folder: Path, quick: Quick) -> None:
    before = {path: path.stat().st_mtime_ns for path in (folder / "work").rglob("*.json")}
    assert "0 of 4 runs to do" in quick(folder, "--seeds", 0)
    assert before == {p: p.stat().st_mtime_ns for p in (folder / "work").rglob("*.json")}


def test_the_result_file_alone_is_enough_to_go_on(
    folder: Path, tmp_path: Path, quick: Quick
) -> None:
    (tmp_path / "out.json").write_bytes((folder / "out.json").read_bytes())
    assert "0 of 4 runs to do" in quick(tmp_path, "--seeds", 0)
    assert read(tmp_path)["runs"] == read(folder)["runs"]


def test_a_further_seed_joins_the_runs_that_are_there(
    folder: Path, tmp_path: Path, quick: Quick
) -> None:
    (tmp_path / "out.json").write_bytes((folder / "out.json").read_bytes())
    said = quick(tmp_path, "--seeds", 1, "--sets", "ring", "--rows", "flat-2")
    assert "1 of 1 runs to do" in said
    assert len(read(tmp_path)["runs"]) == len(read(folder)["runs"]) + 1


def test_runs_of_other_settings_or_other_code_are_told_apart(
    folder: Path, tmp_path: Path, quick: Quick
) -> None:
    text = (folder / "out.json").read_text(encoding="utf-8")
    code = read(folder)["made"][0]["versions"]["code"]
    (tmp_path / "out.json").write_text(text.replace(code, "0" * 16), encoding="utf-8")
    one = ("--seeds", 0, "--sets", "ring", "--rows", "flat-2")
    assert "1 runs of other code are kept" in quick(tmp_path, *one)
    assert "1 of 1 runs to do" in quick(tmp_path, *one, "--again")
    assert "1 of 1 runs to do" in quick(tmp_path, *one, "--epochs", 2)


# ---------------------------------------------------------------------- the page


def results(*accuracies: float) -> dict[str, Any]:
    """A result file with one row and two sets, on the second of which a seed is missing."""
    runs = [
        {"set": "ring", "row": "hap", "seed": seed, "accuracy": value, "made": 0}
        for seed, value in enumerate(accuracies)
    ]
    return {
        "sets": {"ring": {"title": "ring"}, "marks-200": {"title": "marks, 200 graphs"}},
        "rows": {"hap": {"title": "`hap`", "group": "models"}},
        "made": [
            {
                "machine": {"processor": "A chip", "cores": 2},
                "versions": {"python": "3.12.1", "torch": "2.11.0", "code": "abc"},
            }
        ],
        "runs": [*runs, {**runs[0], "set": "marks-200"}],
    }


def test_tables_are_filled_in_from_results(tmp_path: Path) -> None:
    page, file = tmp_path / "page.md", tmp_path / "out.json"
    names = ("models", "made", "ablations")
    page.write_text(
        "before\n" + "\n".join(f"<!-- arrangements: {n} -->\n<!-- end -->" for n in names)
    )
    file.write_text(json.dumps(results(0.96, 0.98)), encoding="utf-8")
    options = ("--results", file, "--page", page)
    assert call("arrangements_page.py", *options, "--check").returncode == 1
    assert call("arrangements_page.py", *options).returncode == 0
    # By hand: the sample deviation of 96 and 98 is √2.
    assert page.read_text(encoding="utf-8").splitlines() == [
        "before",
        "<!-- arrangements: models -->",
        "| accuracy, % | ring | marks, 200 graphs |",
        "|---|---:|---:|",
        "| `hap` | 97.0 ± 1.4 | 96.0 (1) |",
        "<!-- end -->",
        "<!-- arrangements: made -->",
        "2 seeds, 3 runs. A chip (2 cores), Python 3.12.1, torch 2.11.0, code `abc`.",
        "<!-- end -->",
        "<!-- arrangements: ablations -->",
        "*Not measured yet.*",
        "<!-- end -->",
    ]
    assert call("arrangements_page.py", *options, "--check").returncode == 0


def test_the_page_says_what_the_results_say() -> None:
    done = call("arrangements_page.py", "--check")
    assert done.returncode == 0, done.stderr


def test_the_page_names_every_row_and_the_command() -> None:
    page = (ROOT / "docs" / "arrangements.md").read_text(encoding="utf-8")
    assert "python benchmarks/arrangements.py" in page
    for name in ("models", "made"):
        assert f"<!-- arrangements: {name} -->" in page
