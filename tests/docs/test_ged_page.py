"""Every example of docs/ged.md does what the page says."""

import json
import re
import shlex
import warnings
from functools import partial
from pathlib import Path

import pytest
from pages import fenced, printed_by

from graphpool import ged
from graphpool.cli.main import run
from graphpool.data import load as datasets
from graphpool.experiments.timings import timing_text
from graphpool.ged import METHODS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "ged.md").read_text(encoding="utf-8")
blocks = partial(fenced, PAGE)


COMMANDS = [line for block in blocks("sh") for line in block.splitlines()]
PUBLISHED = "AIDS700nef"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the files that the page speaks of."""
    monkeypatch.chdir(tmp_path)
    drugs, costs = blocks("json")
    (tmp_path / "drugs.jsonl").write_text(drugs, encoding="utf-8")
    (tmp_path / "costs.json").write_text(costs, encoding="utf-8")
    (tmp_path / "pairs.txt").write_text("aspirin paracetamol\n", encoding="utf-8")
    return tmp_path


def execute(codes: list[str], folder: Path) -> None:
    """Run examples one after the other, each with the names of those before, as a user would."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        printed_by("\n".join(codes), folder)


def call(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    """What a command of the page prints."""
    program, *arguments = shlex.split(command)
    assert program == "graphpool"
    with pytest.raises(SystemExit) as stop:
        run(arguments)
    said = capsys.readouterr()
    assert stop.value.code == 0, said.err
    return said.out


def test_python_runs(folder: Path) -> None:
    execute([code for code in blocks("python") if PUBLISHED not in code], folder)


def test_python_on_published_distances_runs(
    folder: Path, data_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRAPHPOOL_DATA", str(data_root))
    first, *rest = blocks("python")
    execute([first, *(code for code in rest if PUBLISHED in code)], folder)


@pytest.mark.parametrize("command", [line for line in COMMANDS if PUBLISHED not in line])
def test_commands_run(command: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(command, capsys)


@pytest.mark.parametrize("command", [line for line in COMMANDS if PUBLISHED in line])
def test_commands_on_published_sets_run(
    command: str,
    folder: Path,
    data_root: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("GRAPHPOOL_DATA", str(data_root))
    whole = " matrix " in command
    assert call(f"{command} --sample 500" if whole else command, capsys)


def test_the_page_has_a_row_for_every_method() -> None:
    words = {"exact": "the distance", "upper": "an edit path", "lower": "a lower bound"}
    for name, method in METHODS.items():
        assert f"| `{name}` | {words[method.answer]} |" in PAGE


def test_the_page_says_how_good_the_methods_are(data_root: Path) -> None:
    (text,) = blocks("text")
    graphs = datasets.load(PUBLISHED, root=data_root, features=None)
    scores = {score.method: score for score in ged.compare(graphs, edge_labels=False).scores}
    rows = [re.split(r"\s{2,}", line) for line in text.splitlines()[3:]]
    assert [row[0] for row in rows] == list(scores)
    for name, _, error, relative, right, spearman, kendall, order in rows:
        score = scores[name]
        shares = (score.relative_error, score.exactly_right, score.order_accuracy)
        assert [relative, right, order] == [f"{100 * share:.1f} %" for share in shares]
        assert (spearman, kendall) == (f"{score.spearman:.3f}", f"{score.kendall:.3f}")
        assert error == f"{score.mean_error:+.3f}"


def test_every_number_in_brackets_is_a_reference() -> None:
    body, references = PAGE.split("## References\n")
    cited = {
        int(number)
        for group in re.findall(
            r"\[(\d+(?:, \d+)*)\](?!\()", re.sub(r"```.*?```", "", body, flags=re.S)
        )
        for number in group.split(", ")
    }
    assert cited == {int(number) for number in re.findall(r"^(\d+)\. ", references, re.M)}


def test_tables_are_filled_in_from_results(tmp_path: Path) -> None:
    row = {
        "pairs": 499500,
        "seconds, 2 jobs": 1.2345,
        "µs a pair, duplicates once": 0.51,
        "µs a pair, every pair": 12345.6,
    }
    (tmp_path / "ged.json").write_text(json.dumps({"sets": {"LINUX": row}}), encoding="utf-8")
    assert timing_text("ged: sets", tmp_path).splitlines() == [
        "| set | pairs | all of them, 2 threads | a pair | a pair, nothing merged |",
        "|---|---:|---:|---:|---:|",
        "| LINUX | 499,500 | 1.23 s | 0.51 µs | 12.3 ms |",
    ]
    assert timing_text("ged: random", tmp_path) == "*Not measured yet.*\n"
