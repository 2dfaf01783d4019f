"""The examples and commands of docs/comparing.md run."""

import re
import shlex
from functools import partial
from pathlib import Path

import pytest
from pages import fenced, printed_by

import graphpool as gp
from graphpool.cli.main import run

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "comparing.md").read_text(encoding="utf-8")
blocks = partial(fenced, GUIDE)


def call(command: str, *more: str) -> None:
    program, *arguments = shlex.split(command.split(" # ")[0])
    assert program == "graphpool"
    with pytest.raises(SystemExit) as stop:
        run([*arguments, *more])
    assert stop.value.code == 0, command


def commands(word: str) -> list[str]:
    """The commands that contain a word."""
    return [line for block in blocks("sh") for line in block.splitlines() if word in line]


def test_the_matcher_learns(tmp_path: Path) -> None:
    printed = printed_by(blocks("python")[0], tmp_path)
    assert float(re.search(r"accuracy (\S+)", printed)[1]) > 0.6  # half of the pairs match
    assert len(gp.GraphMatcher.load(tmp_path / "matcher.safetensors").classes_) == 2


def test_the_comparer_finds_neighbours(tmp_path: Path) -> None:
    printed = printed_by(blocks("python")[1], tmp_path)
    assert len(re.findall(r"\d+", printed.split("]]")[0])) == 4 * 3
    assert (tmp_path / "comparer.safetensors").exists()


def test_generated_pairs_are_learned_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHPOOL_CACHE", str(tmp_path / "cache"))
    for command in commands("runs/pairs"):
        call(command)
    assert (tmp_path / "runs" / "pairs" / "report.html").exists()


def test_own_pairs_are_learned_and_matched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    head, *rows = blocks("csv")[0].splitlines()
    # The rows of the page and more, so that there are enough for three parts.
    names = [name for row in rows for name in row.split(",")[:2]]
    names = sorted({*names, *(f"g{number}" for number in range(40))})
    rows += [f"g{number},g{number + 1},{number // 2 % 2}" for number in range(0, 40, 2)]
    lines = [
        f'{{"id": "{name}", "nodes": {3 + number % 4}, "edges": [[0, 1], [1, 2]]}}'
        for number, name in enumerate(names)
    ]
    Path("mine.jsonl").write_text("\n".join(lines), encoding="utf-8")
    Path("pairs.csv").write_text("\n".join([head, *rows]), encoding="utf-8")
    train, match = commands("runs/mine")
    call(train, "--epochs", "1")
    call(match)


def test_published_distances_are_learned_and_matched(
    data_root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GRAPHPOOL_DATA", str(data_root))
    train, match = commands("runs/aids")
    call(train, "--epochs", "1", "--examples", "200", "--pooler", "sum")
    call(match)
