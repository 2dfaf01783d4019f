"""`train`, `predict`, `report` and `evaluate` on graphs with numbers; the task is found."""

import json
from pathlib import Path

import pytest

QUICK = ("--pooler", "sum", "--encoder", "gcn", "--epochs", "2", "--set", "train.threads=1")


@pytest.fixture
def paths(tmp_path: Path) -> Path:
    """Paths of 2 to 41 nodes, and two numbers about each, of which some are unknown."""
    path = tmp_path / "paths.jsonl"
    with path.open("w") as file:
        for size in range(2, 42):
            edges = [[node, node + 1] for node in range(size - 1)]
            targets = {"length": size + 0.5, "half": None if size % 3 == 0 else size / 2}
            file.write(json.dumps({"nodes": size, "edges": edges, "targets": targets}) + "\n")
    return path


def test_the_task_is_found_and_every_command_follows(cli, paths: Path) -> None:
    done = cli("train", paths, *QUICK, "--interval", "quantile", "--out", "run")
    assert done.code == 0, done.err
    assert "--task regression is assumed" in done.err
    assert "2 targets (length, half)" in done.err
    for word in ("Test MAE", "Mean value", "Intervals", "target", "half"):
        assert word in done.out
    result = json.loads(Path("run/result.json").read_text())
    assert set(result["targets"]) == {"length", "half"}
    done = cli("predict", "run", paths)
    assert (
        done.out.splitlines()[0] == "id,length,length lower,length upper,half,half lower,half upper"
    )
    assert len(done.out.splitlines()) == 41
    done = cli("evaluate", paths, "--model", "run")
    assert "MAE" in done.out
    assert cli("report", "run").code == 0
    assert "half: residuals" in Path("run/report.html").read_text()


def test_methods_are_compared_by_errors(cli, paths: Path) -> None:
    done = cli("evaluate", paths, "--protocol", "cv2", "--seeds", 1, "--methods", "sum", *QUICK[2:],
               "--out", "ev", "--metric", "rmse", "--jobs", 1)  # fmt: skip
    assert done.code == 0, done.err
    assert "RMSE" in done.out
    assert "constant" in done.out
    table = Path("ev/results.md").read_text()
    assert "2 targets (length, half)" in table
    assert "| MAE |" in " ".join(table.split())


def test_classes_that_are_numbers_and_words(cli, tmp_path: Path) -> None:
    lines = [json.dumps({"nodes": 1 + at % 7, "y": at % 5}) for at in range(30)]
    (tmp_path / "numbers.jsonl").write_text("\n".join(lines))
    done = cli("train", tmp_path / "numbers.jsonl", "--task", "regression", *QUICK, "--out", "a")
    assert done.code == 0, done.err
    (tmp_path / "words.jsonl").write_text('{"nodes": 1, "y": "a"}\n{"nodes": 2, "y": "b"}\n')
    done = cli("train", tmp_path / "words.jsonl", "--task", "regression", *QUICK)
    assert done.code == 2
    assert "--task classification" in done.err
    done = cli("train", tmp_path / "numbers.jsonl", "--loss", "mae", *QUICK)
    assert done.code == 2
    assert "--loss is for --task regression" in done.err
