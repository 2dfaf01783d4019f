"""Times and memory of poolers are measured, drawn and put into a table."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import graphpool as gp
from graphpool.experiments.timings import timing_text
from graphpool.nn.zoo.build import METHODS

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "benchmarks"
MACHINE = {"processor": "A chip", "cores": 2}
VERSIONS = {"python": "3.12.1", "torch": "2.11.0", "code": "abc"}


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, in this process, which has torch already; MUTAG needs no data root."""
    monkeypatch.syspath_prepend(SCRIPTS)
    monkeypatch.delenv("GRAPHPOOL_DATA", raising=False)
    return importlib.import_module("poolers")


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.mark.slow
def test_time_and_memory_are_multiples_of_sumpool_and_pyg_stands_beside(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "speed.json"
    assert runner.main([
        "--sets", "MUTAG", "--methods", "diffpool", "--batches", "1", "--rounds", "1",
        "--json", str(out), "--picture", str(tmp_path / "speed.png"),
    ]) == 0  # fmt: skip
    found = read(out)
    measured = found["sets"]["MUTAG"]
    assert (measured["graphs"], measured["of"], measured["failed"]) == (32, 188, {})
    base, group = measured["methods"]["sum"], measured["methods"]["diffpool"]
    assert (base["time"], base["memory"]) == (1, 1)
    assert group["time"] == pytest.approx(group["seconds"] / base["seconds"])
    # 32 graphs of 18 nodes on average: one layer of width 64 alone has 0.14 MiB.
    assert 0.2 < base["MiB"] < group["MiB"] < 50
    theirs = measured["pyg"]["diffpool"]
    assert theirs["form"] == "dense_diff_pool"
    assert theirs["pyg / ours"] == pytest.approx(theirs["seconds"] / group["seconds"])
    assert "MUTAG, diffpool: " in capsys.readouterr().out
    assert (tmp_path / "speed.png").read_bytes().startswith(b"\x89PNG")


def test_the_command_is_kept_without_where_the_data_lie(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    monkeypatch.setattr(runner.poolers_speed, "measure", lambda *a, **k: said.append(a[4]) or 0)
    monkeypatch.setattr(runner, "draw_speed", lambda found, path: None)
    (tmp_path / "out.json").write_text("{}")
    out = str(tmp_path / "out.json")
    assert runner.main(["--data-root", str(tmp_path), "--rounds", "2", "--json", out]) == 0
    assert said == [f"python benchmarks/poolers.py --data-root FOLDER --rounds 2 --json {out}"]


@pytest.mark.filterwarnings("ignore:Sparse (invariant|CSR):UserWarning")
def test_every_pyg_form_is_of_a_registered_method_and_learns(runner: ModuleType) -> None:
    pyg, epoch = importlib.import_module("poolers_pyg"), importlib.import_module("epoch")
    assert set(pyg.FORMS) <= set(METHODS)
    made = pyg.networks(gp.load("MUTAG")[:8], pyg.FORMS.values(), 4, 2)
    assert set(made) == set(pyg.FORMS.values())
    for model, batches in made.values():
        parts = [part for part in model.children() if next(part.parameters(), None) is not None]
        before = [[weight.detach().clone() for weight in part.parameters()] for part in parts]
        epoch.train(model, batches)()
        for part, old in zip(parts, before, strict=True):
            now = list(part.parameters())
            assert all(bool(weight.isfinite().all()) for weight in now)
            assert any(not weight.equal(was) for weight, was in zip(now, old, strict=True))
    assert pyg.form_of("hap", "group") == "dense_diff_pool"
    assert pyg.form_of("sum", "flat") is None


# ---------------------------------------------------------------------- the page


def speeds() -> dict[str, Any]:
    """Three methods on two sets: `hap` is the faster group pooler on the second one."""

    def row(time: float, memory: float) -> dict[str, float]:
        return {"time": time, "seconds": time, "memory": memory, "MiB": 2 * memory}

    def beside(ratio: float) -> dict[str, Any]:
        return {"form": "dense_diff_pool", "seconds": 1.0, "pyg / ours": ratio}

    families = {"sum": "flat", "hap-one-way": "group", "mincut": "group", "structure-free": "rule"}
    rows = {"sum": row(1, 1), "hap-one-way": row(2, 3.14159), "structure-free": row(0.5, 0.1)}
    return {
        "command": "python benchmarks/poolers.py",
        "batch": 32,
        "machine": MACHINE,
        "versions": {**VERSIONS, "torch_geometric": "2.8"},
        "methods": {name: {"family": family} for name, family in families.items()},
        "sets": {
            "A": {"graphs": 10, "of": 10, "pyg": {"hap-one-way": beside(5.55)}, "failed": {},
                  "methods": {**rows, "mincut": row(1.5, 1)}},
            "B": {"graphs": 10, "of": 1000, "pyg": {"hap-one-way": beside(7)}, "methods": rows,
                  "failed": {"mincut": "RuntimeError: too large"}},
        },
    }  # fmt: skip


def test_speed_tables_have_multiples_and_what_pyg_takes(tmp_path: Path) -> None:
    (tmp_path / "poolers.json").write_text(json.dumps(speeds()), encoding="utf-8")
    text = timing_text("poolers: speed", tmp_path)
    for line in (
        "| `sum` | flat | 1 | 1 (2) | 1 | 1 (2) |",
        "| `hap-one-way` | group | 2 | 3.14 (6.28) | 2 | 3.14 (6.28) |",
        "| `mincut` | group | 1.5 | 1 (2) | – | – |",
        "| `structure-free` | rule | 0.5 | 0.1 (0.2) | 0.5 | 0.1 (0.2) |",
        "| `hap-one-way` | `dense_diff_pool` | 5.55 | 7 |",
    ):
        assert line in text.splitlines()
    assert "](poolers_speed.png)" in text
    words = " ".join(text.split())
    assert "On B `hap-one-way` is the fastest of the group poolers; on A `mincut`" in words
    assert "(10 of B's 1,000 graphs)" in words
    assert "Not measured: B, `mincut`: RuntimeError: too large" in words
    assert "A chip (2 cores), Python 3.12.1, torch 2.11.0, PyG 2.8, code `abc`." in words


def test_labels_of_the_picture_do_not_cover_each_other(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from matplotlib import pyplot

    picture, kept = importlib.import_module("poolers_picture"), []
    monkeypatch.setattr(pyplot, "close", kept.append)
    names = [f"pooler-{number}" for number in range(24)]
    # Eight points in a heap, which is what crowds them; the others apart.
    place = [(2 + n % 8 / 50 + n // 8, 1 + n % 3 / 40 + n // 8) for n in range(24)]
    rows = {n: {"time": t, "memory": m} for n, (t, m) in zip(names, place, strict=True)}
    found = {
        "methods": {name: {"family": "group"} for name in names},
        "sets": {"PROTEINS": {"graphs": 9, "of": 9, "methods": rows}},
    }
    picture.draw_speed(found, tmp_path / "made.png")
    monkeypatch.undo()
    (figure,) = kept
    drawn = figure.canvas.get_renderer()
    boxes = {text.get_text(): text.get_window_extent(drawn) for text in figure.axes[0].texts}
    pyplot.close(figure)
    assert set(boxes) == set(names)
    for name, box in boxes.items():
        assert not [other for other in names if other < name and box.overlaps(boxes[other])]
