"""The benchmarks still run: a script that nobody runs rots."""

import importlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


def run(*arguments: str) -> None:
    """Run a script as a user would; MUTAG needs no data root."""
    environment = {key: value for key, value in os.environ.items() if key != "GRAPHPOOL_DATA"}
    command = [sys.executable, "-W", "ignore", *arguments]
    done = subprocess.run(command, cwd=FOLDER, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


RATIOS = {"epoch": "hap / pyg-flat", "batching": "pyg / ours", "layers": "gat, ours / pyg",
          "two_way": "hap / flat"}  # fmt: skip
# One process for all of them: importing torch and PyG takes longer than the work.
EACH = """
import runpy, sys
_, folder, *scripts = sys.argv
sys.path.insert(0, ".")
for script in scripts:
    sys.argv = [script, "--sets", "MUTAG", "--json", f"{folder}/{script}.json"]
    runpy.run_path(f"{script}.py", run_name="__main__")
"""


def test_ratios_of_one_set_are_written(tmp_path: Path) -> None:
    run("-c", EACH, str(tmp_path), *RATIOS)
    for script, key in RATIOS.items():
        written = json.loads((tmp_path / f"{script}.json").read_text())
        assert written["MUTAG"][key] > 0
        assert written["machine"]["cores"] >= 1
        assert len(written["versions"]["code"]) == 16


@pytest.mark.slow
def test_scaling_measures_time_and_memory(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    # A hundred times the nodes: below that, fixed costs and a busy machine outweigh the work.
    run("scaling.py", "--sizes", "200", "20000", "--rounds", "3", "--json", str(out))
    written = json.loads(out.read_text())
    assert set(written["peak GiB"]) == {"200", "20000"}
    assert 0 < written["slope"] < 3


def test_reading_molecules_is_timed(tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "few.smi").write_text("CCO\nC=O\n")
    out = tmp_path / "out.json"
    run("molecules.py", str(tmp_path / "few.smi"), "--counts", "2", "--json", str(out))
    (written,) = json.loads(out.read_text())["counts"]
    assert written["molecules"] == 2
    assert written["peak MiB"] > 0


def test_edit_distances_are_timed_against_networkx_and_by_size(
    data_root: Path, tmp_path: Path
) -> None:
    out = tmp_path / "ged.json"
    run("ged.py", "--quick", "--data-root", str(data_root), "--json", str(out))
    written = json.loads(out.read_text())
    assert written["sets"]["LINUX"]["µs a pair, every pair"] > 0
    assert written["networkx"]["networkx / ours in one call"] > 10
    assert written["random"]["12"]["share solved"] == 1
    assert [row["nodes"] for row in written["molecules"]] == [12, 14]
    assert out.with_suffix(".png").stat().st_size > 0


def test_what_needs_a_gpu_can_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(FOLDER)
    assert callable(importlib.import_module("gpu").throughput)
