"""Calling the command line in this process, and one small run to look at."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from graphpool.cli.main import run
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str


Cli = Callable[..., Outcome]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """40 graphs of MUTAG, 10 of class -1, as a file of a user's own."""
    graphs = load("MUTAG", features=None)
    y = graphs.y
    chosen = torch.cat([(y == 0).nonzero()[:10, 0], (y == 1).nonzero()[:30, 0]])
    path = tmp_path_factory.mktemp("data") / "small.jsonl"
    write_jsonl(graphs[chosen], path)
    return path


@pytest.fixture(scope="session")
def trained(small: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a finished run."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    with pytest.raises(SystemExit) as stop:
        run(["train", str(small), "--epochs", "3", "--hidden", "8", "--out", str(folder)])
    assert stop.value.code == 0
    return folder


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Run `graphpool ARGUMENTS` in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            run([str(argument) for argument in arguments])
        said = capsys.readouterr()
        return Outcome(int(stop.value.code or 0), said.out, said.err)

    return call
