"""The runner of the poolers' tables does every run once, and the page says what it found."""

import importlib
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import graphpool as gp
from graphpool.errors import ConfigError
from graphpool.nn.zoo.build import METHODS

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "benchmarks"
PAGE = (ROOT / "docs" / "poolers.md").read_text(encoding="utf-8")
MACHINE = {"processor": "A chip", "cores": 2}
VERSIONS = {"python": "3.12.1", "torch": "2.11.0", "code": "abc"}


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script, in this process, which has torch already; MUTAG needs no data root."""
    monkeypatch.syspath_prepend(SCRIPTS)
    monkeypatch.delenv("GRAPHPOOL_DATA", raising=False)
    return importlib.import_module("poolers")


@pytest.fixture
def page(runner: ModuleType) -> ModuleType:
    return importlib.import_module("poolers_page")


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


# ---------------------------------------------------------------------- the runs


def accuracy(out: Path, *more: object) -> list[str]:
    """Options of a tiny run of two methods on one fold."""
    options = (
        "--accuracy", "--sets", "MUTAG", "--methods", "sum", "diffpool", "--folds", 1,
        "--epochs", 1, "--jobs", 1, "--out", out,
    )  # fmt: skip
    return [str(option) for option in (*options, *more)]


def test_every_run_is_done_once_and_kept_with_what_made_it(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "poolers.json"
    assert runner.main(accuracy(out)) == 0
    said = capsys.readouterr().out
    assert "3 of 3 runs to do" in said
    found = read(out)
    assert {run["method"] for run in found["runs"]} == {"sum", "diffpool", "majority"}
    for run in found["runs"]:
        assert 19 * run["accuracy"] == pytest.approx(round(19 * run["accuracy"]))  # test graphs
    made = found["made"][found["runs"][0]["made"]]
    assert (made["machine"]["cores"] >= 1, len(made["versions"]["code"])) == (True, 16)
    assert found["methods"]["diffpool"]["family"] == "group"

    assert runner.main(accuracy(out)) == 0
    assert "0 of 3 runs to do" in capsys.readouterr().out
    assert read(out)["runs"] == found["runs"]


def test_runs_of_other_settings_are_not_mixed_in(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "poolers.json"
    runner.main(accuracy(out, "--methods", "sum"))
    with pytest.raises(ConfigError, match="1 runs have other settings; --again"):
        runner.main(accuracy(out, "--methods", "sum", "--epochs", 2))
    capsys.readouterr()
    runner.main(accuracy(out, "--methods", "sum", "--epochs", 2, "--again"))
    assert "1 of 2 runs to do" in capsys.readouterr().out  # the majority class has no epochs
    assert {run["epochs"] for run in read(out)["runs"]} == {0, 2}


def test_a_run_that_fails_is_told_and_the_others_go_on(
    runner: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    broken = importlib.import_module("poolers_accuracy")
    whole = broken.run_unit

    def run_unit(graphs: Any, unit: Any, config: Any) -> Any:
        if unit.method == "diffpool":
            raise RuntimeError("no luck")
        return whole(graphs, unit, config)

    monkeypatch.setattr(broken, "run_unit", run_unit)
    assert runner.main(accuracy(tmp_path / "out.json")) == 1
    assert "diffpool, seed 0, fold 0: FAILED: RuntimeError: no luck" in capsys.readouterr().out
    assert {run["method"] for run in read(tmp_path / "out.json")["runs"]} == {"sum", "majority"}


def test_time_and_memory_are_multiples_of_sumpool_and_pyg_stands_beside(
    runner: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "speed.json"
    assert runner.main([
        "--speed", "--sets", "MUTAG", "--methods", "diffpool", "--batches", "1", "--rounds", "1",
        "--json", str(out),
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
    assert "| `diffpool` | `dense_diff_pool` |" in capsys.readouterr().out


def test_the_command_is_kept_without_where_the_data_lie(
    runner: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []
    monkeypatch.setattr(runner.poolers_speed, "measure", lambda *a, **k: said.append(a[4]) or 0)
    assert runner.main(["--speed", "--data-root", str(tmp_path), "--rounds", "2"]) == 0
    assert said == ["python benchmarks/poolers.py --speed --data-root FOLDER --rounds 2"]


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


def runs(method: str, data: str, *values: float) -> list[dict[str, Any]]:
    return [
        {"method": method, "set": data, "fold": fold, "accuracy": value, "parameters": 1234,
         "made": 0}
        for fold, value in enumerate(values)
    ]  # fmt: skip


def accuracies() -> dict[str, Any]:
    """Two methods and the majority class; `mean` fails on one fold of the second set."""
    families = {"sum": "flat", "mean": "flat", "majority": "rule"}
    return {
        "command": "python benchmarks/poolers.py --accuracy",
        "protocol": "cv10",
        "seed": 0,
        "settings": {"train": {"epochs": 30}},
        "methods": {name: {"family": family} for name, family in families.items()},
        "made": [{"machine": MACHINE, "versions": VERSIONS}],
        "runs": [
            *runs("sum", "A", 0.8, 0.9), *runs("sum", "B", 0.7, 0.7),
            *runs("mean", "A", 0.6, 0.7), *runs("mean", "B", 0.9),
            *runs("majority", "A", 0.6, 0.7), *runs("majority", "B", 0.5, 0.6),
        ],
    }  # fmt: skip


def speeds() -> dict[str, Any]:
    """Three methods on two sets: `hap` is the faster group pooler on the second one."""

    def row(time: float, memory: float) -> dict[str, float]:
        return {"time": time, "seconds": time, "memory": memory, "MiB": 2 * memory}

    def beside(ratio: float) -> dict[str, Any]:
        return {"form": "dense_diff_pool", "seconds": 1.0, "pyg / ours": ratio}

    families = {"sum": "flat", "hap": "group", "mincut": "group", "structure-free": "rule"}
    rows = {"sum": row(1, 1), "hap": row(2, 3.14159), "structure-free": row(0.5, 0.1)}
    return {
        "command": "python benchmarks/poolers.py --speed",
        "batch": 32,
        "machine": MACHINE,
        "versions": {**VERSIONS, "torch_geometric": "2.8"},
        "methods": {name: {"family": family} for name, family in families.items()},
        "sets": {
            "A": {"graphs": 10, "of": 10, "pyg": {"hap": beside(5.55)}, "failed": {},
                  "methods": {**rows, "mincut": row(1.5, 1)}},
            "B": {"graphs": 10, "of": 1000, "pyg": {"hap": beside(7)}, "methods": rows,
                  "failed": {"mincut": "RuntimeError: too large"}},
        },
    }  # fmt: skip


def test_who_is_not_above_the_majority_class_is_marked(page: ModuleType) -> None:
    assert page.not_above_majority(accuracies()) == {"A": ["mean"], "B": []}
    # By hand: the sample deviation of 80 and 90 is √50.
    assert page.accuracy_table(accuracies()).splitlines() == [
        "| accuracy, % | family | A | B | parameters |",
        "|---|---:|---:|---:|---:|",
        "| `sum` | flat | 85.0 ± 7.1 | 70.0 ± 0.0 | 1,234 / 1,234 |",
        "| `mean` | flat | 65.0 ± 7.1 ↓ | 90.0 (1) | 1,234 / 1,234 |",
        "| `majority` | rule | 65.0 ± 7.1 | 55.0 ± 7.1 | 1,234 / 1,234 |",
    ]
    text = page.accuracy_text(accuracies())
    assert "↓ is not above the majority class (A: `mean`)." in text
    assert "first 2 folds of `cv10`, seed 0, 30 epochs" in " ".join(text.split())


def test_speed_tables_have_multiples_and_what_pyg_takes(page: ModuleType) -> None:
    assert page.speed_table(speeds()).splitlines()[2:] == [
        "| `sum` | flat | 1 | 1 (2) | 1 | 1 (2) |",
        "| `hap` | group | 2 | 3.14 (6.28) | 2 | 3.14 (6.28) |",
        "| `mincut` | group | 1.5 | 1 (2) | – | – |",
        "| `structure-free` | rule | 0.5 | 0.1 (0.2) | 0.5 | 0.1 (0.2) |",
    ]
    assert page.pyg_table(speeds()).splitlines()[2:] == ["| `hap` | `dense_diff_pool` | 5.55 | 7 |"]
    text = " ".join(page.speed_text(speeds()).split())
    assert "On B `hap` is the fastest of the group poolers; on A `mincut`" in text
    assert "(10 of B's 1,000 graphs)" in text
    assert "Not measured: B, `mincut`: RuntimeError: too large" in text


def test_the_page_is_filled_in_checked_and_gets_its_picture(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("accuracy", "speed")
    text = "before\n" + "\n".join(f"<!-- poolers: {n} -->\n<!-- end -->" for n in names)
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    (tmp_path / "speed.json").write_text(json.dumps(speeds()), encoding="utf-8")
    files = [f"--{n}={tmp_path / f'{n}.json'}" for n in names] + [f"--page={tmp_path / 'page.md'}"]
    for more, right in ((["--check"], False), ([], True), (["--check"], True)):
        monkeypatch.setattr("sys.argv", ["poolers_page.py", *files, *more])
        if right:
            page.main()
        else:
            with pytest.raises(SystemExit, match="not what the results say"):
                page.main()
    made = (tmp_path / "page.md").read_text(encoding="utf-8")
    assert made.startswith("before\n<!-- poolers: accuracy -->\n*Not measured yet.*\n<!-- end -->")
    assert "| `hap` | group | 2 |" in made
    assert "](poolers_speed.png)" in made
    assert (tmp_path / "poolers_speed.png").read_bytes().startswith(b"\x89PNG")


def test_labels_of_the_picture_do_not_cover_each_other(
    page: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
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


@pytest.mark.skipif("<!-- poolers: speed -->" not in PAGE, reason="no place for tables yet")
def test_the_page_says_what_the_results_say(
    page: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["poolers_page.py", "--check"])
    page.main()
    assert "<!-- poolers: accuracy -->" in PAGE
