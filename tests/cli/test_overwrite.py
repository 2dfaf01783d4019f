"""Nothing replaces a file without being asked to."""

from pathlib import Path

import pytest

import graphpool as gp
from graphpool.cli.main import run
from graphpool.errors import ConfigError

QUICK = {"epochs": 1, "hidden_channels": 4, "threads": 1}


def command(*words: str) -> int:
    with pytest.raises(SystemExit) as stop:
        run(list(words))
    assert isinstance(stop.value.code, int)
    return stop.value.code


def test_a_saved_model_is_replaced_only_when_asked(tmp_path: Path) -> None:
    graphs, path = gp.load("MUTAG")[:40], tmp_path / "model.safetensors"
    model = gp.GraphClassifier("sum", **QUICK).fit(graphs)
    model.save(path)
    before = path.read_bytes()
    other = gp.GraphClassifier("sum", seed=1, **QUICK).fit(graphs)
    with pytest.raises(ConfigError, match=r"model\.safetensors: exists already; give overwrite="):
        other.save(path)
    assert path.read_bytes() == before
    assert other.save(path, overwrite=True) == path
    assert path.read_bytes() != before


def test_a_saved_set_is_replaced_only_when_asked(tmp_path: Path) -> None:
    graphs, path = gp.load("MUTAG")[:3], tmp_path / "set.safetensors"
    gp.save(graphs, path)
    with pytest.raises(ConfigError, match="exists already"):
        gp.save(graphs[:2], path)
    gp.save(graphs[:2], path, overwrite=True)
    assert len(gp.read(path)) == 2


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["data", "import", "MUTAG", "--out"], "mine.jsonl"),
        (["predict", "no-model", "MUTAG", "--out"], "classes.csv"),
        (["report", "no-run", "--out"], "page.html"),
        (["ged", "pair", "MUTAG:#0", "MUTAG:#1", "--draw"], "edits.svg"),
    ],
)
def test_commands_refuse_a_file_that_exists(
    words: list[str], name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / name
    path.write_text("mine", encoding="utf-8")
    assert command(*words, str(path)) == 2
    error = capsys.readouterr().err
    assert f"{words[-1]} {path}: exists already; give --overwrite to replace it" in error
    assert path.read_text(encoding="utf-8") == "mine"
