"""The benchmark of the structural step still runs, and its time grows about linearly."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "benchmarks"


@pytest.mark.slow
def test_time_and_memory_are_written(tmp_path: Path) -> None:
    out = tmp_path / "places.json"
    command = [sys.executable, "-W", "ignore", "places.py", "--sizes", "400", "4000", "--sets"]
    options = ["MUTAG", "--kinds", "tree", "--rounds", "1", "--json", str(out)]
    done = subprocess.run([*command, *options], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written = json.loads(out.read_text())
    assert 0 < written["growth"]["tree"]["slope"] < 1.8
    assert set(written["growth"]["tree"]["peak GiB"]) == {"400", "4000"}
    assert written["sets"]["MUTAG"]["seconds"] > 0


@pytest.mark.slow
def test_rings_are_measured(tmp_path: Path) -> None:
    out, molecules = tmp_path / "rings.json", tmp_path / "few.smi"
    molecules.write_text("c1ccccc1CCC\nCCO\nC1CC1CC1CCCCC1\n")
    command = [sys.executable, "-W", "ignore", "rings.py", "--sets", "MUTAG", "--cuts", ""]
    options = ["--molecules", str(molecules), "--json", str(out)]
    done = subprocess.run([*command, *options], cwd=FOLDER, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    written = json.loads(out.read_text())
    assert written["sets"]["MUTAG"]["in rings"] == pytest.approx(0.713, abs=1e-3)
    assert written["time"]["graphs"] == 3
