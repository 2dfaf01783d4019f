"""The README's examples run as they stand."""

import re
import shlex
import shutil
import subprocess
import sys
from itertools import takewhile
from pathlib import Path

import pytest
from pages import printed_by
from typer.main import get_command

from graphpool.cli.main import app, run

ROOT = Path(__file__).resolve().parents[2]
VERBS = (
    "doctor",
    "data",
    "ged",
    "show",
    "pair",
    "matrix",
    "train",
    "predict",
    "report",
    "evaluate",
    "match",
)


def examples(kind):
    """The fenced examples of one kind."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    fenced = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [code for name, code in fenced if name == kind]


def example(name):
    """The example of Python that uses a name."""
    (code,) = (code for code in examples("python") if name in code)
    return code


def test_the_example_of_classification_runs_and_predicts_own_graphs(tmp_path):
    # In a process of its own, as a reader runs what stands first.
    command = [sys.executable, "-c", example("GraphClassifier")]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    assert float(re.search(r"accuracy (\S+)", printed)[1]) > 0.6
    assert (tmp_path / "mutag.html").exists()
    molecules = ROOT / "docs" / "molecules.jsonl"
    assert molecules.read_text(encoding="utf-8") == examples("json")[0]
    out = tmp_path / "classes.csv"
    with pytest.raises(SystemExit) as stop:
        run(["predict", str(tmp_path / "mutag.safetensors"), str(molecules),
             "--out", str(out)])  # fmt: skip
    assert stop.value.code == 0
    rows = [line.split(",")[0] for line in out.read_text(encoding="utf-8").splitlines()]
    assert rows == ["id", "nitrobenzene", "toluene"]
    assert set(re.search(r"classes \[(.*?)\]", printed)[1].split()) <= {"-1", "1"}


def test_the_example_of_neighbours_runs(tmp_path):
    positions = printed_by(example("GraphComparer"), tmp_path).split("]]")[1]
    assert len(re.findall(r"\d+", positions)) == 4 * 3


def test_the_example_of_edit_distance_runs(tmp_path):
    first, *path = printed_by(example("ged.distance"), tmp_path).splitlines()
    # By hand: the bond to O, an atom, and a C or O that becomes N.
    assert first == "3.0 3.0 3.0 True"
    assert path[0] in ("delete edge 0-1", "delete edge 1-2")
    assert len(path) == 3


# What makes a command of the README short enough for a test.
SHORTER = {
    "graphpool train MUTAG --pooler": "--epochs 1",
    "graphpool evaluate": "--protocol cv2 --seeds 1 --epochs 1 --jobs 1",
    "graphpool train matching": "--epochs 1 --set compare.examples=20 --set compare.valid=10 "
    "--set compare.test=10",
    "graphpool ged matrix MUTAG --method": "--method label --overwrite",
    "graphpool train MUTAG --task": "--epochs 1 --set compare.examples=50 --set compare.valid=20 "
    "--set compare.test=20 --set model.hidden_channels=4",
    "graphpool ged matrix MUTAG --time": "--method label",
}


def test_commands_run_on_a_machine_without_data(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GRAPHPOOL_DATA", raising=False)
    (tmp_path / "docs").mkdir()
    shutil.copy(ROOT / "docs" / "molecules.jsonl", tmp_path / "docs")
    lines = [line for text in examples("") for line in text.splitlines()]
    for line in (line for line in lines if line.startswith("graphpool ")):
        more = next((value for key, value in SHORTER.items() if line.startswith(key)), "")
        with pytest.raises(SystemExit) as stop:
            run([*shlex.split(re.sub(r"\s#\s.*", "", line))[1:], *more.split()])
        assert stop.value.code == 0, (line, capfd.readouterr().err)
    assert {"classes.csv", "edits.svg", "mutag.ged", "MUTAG.ged"} <= {
        path.name for path in tmp_path.iterdir()
    }


def test_commands_have_only_options_that_exist():
    lines = [line for text in examples("") for line in text.splitlines()]
    commands = [shlex.split(line) for line in lines if line.startswith("graphpool ")]
    assert len(commands) >= 10
    for words in commands:
        words = words[: words.index("#")] if "#" in words else words
        names = list(takewhile(lambda word: word in VERBS, words[1:]))
        group = get_command(app)
        for name in names:
            group = group.commands[name]
        known = {option for parameter in group.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, words
