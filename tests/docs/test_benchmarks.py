"""The benchmarks still run: a script that nobody runs rots."""

import importlib
import json
import runpy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import torch

FOLDER = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., None]]:
    """Run a script in this process, which has torch and PyG already; MUTAG needs no data root."""
    monkeypatch.syspath_prepend(FOLDER)
    monkeypatch.chdir(FOLDER)
    monkeypatch.delenv("GRAPHPOOL_DATA", raising=False)
    threads = torch.get_num_threads()

    def call(script: str, *arguments: str) -> None:
        monkeypatch.setattr("sys.argv", [script, *arguments])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(script, run_name="__main__")

    yield call
    torch.set_num_threads(threads)


RATIOS = {"epoch": "hap / pyg-flat", "batching": "pyg / ours", "layers": "gat, ours / pyg",
          "two_way": "hap / flat"}  # fmt: skip


def test_ratios_of_one_set_are_written(run: Callable[..., None], tmp_path: Path) -> None:
    for script, key in RATIOS.items():
        run(f"{script}.py", "--sets", "MUTAG", "--json", str(tmp_path / f"{script}.json"))
        written = json.loads((tmp_path / f"{script}.json").read_text())
        assert written["MUTAG"][key] > 0
        assert written["machine"]["cores"] >= 1
        assert len(written["versions"]["code"]) == 16


@pytest.mark.slow
def test_scaling_measures_time_and_memory(run: Callable[..., None], tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    # A hundred times the nodes: below that, fixed costs and a busy machine outweigh the work.
    run("scaling.py", "--sizes", "200", "20000", "--rounds", "3", "--json", str(out))
    written = json.loads(out.read_text())
    assert set(written["peak GiB"]) == {"200", "20000"}
    assert 0 < written["slope"] < 3


def test_reading_molecules_is_timed(run: Callable[..., None], tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    (tmp_path / "few.smi").write_text("CCO\nC=O\n")
    out = tmp_path / "out.json"
    run("molecules.py", str(tmp_path / "few.smi"), "--counts", "2", "--json", str(out))
    (written,) = json.loads(out.read_text())["counts"]
    assert written["molecules"] == 2
    assert written["peak MiB"] > 0


def test_edit_distances_are_timed_against_networkx_and_by_size(
    run: Callable[..., None], data_root: Path, tmp_path: Path
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
