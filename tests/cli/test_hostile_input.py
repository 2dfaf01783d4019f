import json
import os
import subprocess
import sys

import pytest

LINES = '{"id": "é±", "nodes": 2, "edges": [[0, 1]], "y": "ü"}\n{"id": "b", "nodes": 3, "y": "x"}\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a = " + "[" * 100_000, "inside each other"),
        ("\ufefftask = 5", "unknown value 5"),
        ("[model]\nhidden_channels = " + "9" * 5000, "thousands of digits"),
        ("[train]\nlearning_rate = " + "9" * 400, "too large"),
        ('data = "a\\u0000b"', "UTF-8"),
    ],
)
def test_a_hostile_config_is_one_line_and_exit_2(cli, tmp_path, text, message):
    (tmp_path / "c.toml").write_text(text)
    done = cli("train", "MUTAG", "--config", "c.toml")
    assert done.code == 2
    assert message in done.err
    assert done.err.count("\n") == 1


def test_a_name_that_is_too_long_is_one_line(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text(LINES)
    for arguments in (
        ("train", "MUTAG", "--epochs", 1, "--out", "x" * 300),
        ("data", "import", "a.jsonl", "--out", "x" * 300 + ".jsonl"),
        ("data", "show", "x" * 300 + ".jsonl"),
        ("predict", "x" * 300, "a.jsonl"),
    ):
        done = cli(*arguments)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert "Traceback" not in done.err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_input_that_can_not_be_read_is_no_matter_of_out(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text(LINES)
    (tmp_path / "a.jsonl").chmod(0)
    done = cli("data", "show", "a.jsonl")
    assert done.code == 2
    assert "--out" not in done.err


def test_an_input_that_is_a_folder_is_no_matter_of_out(cli, tmp_path):
    (tmp_path / "c.json").mkdir()
    (tmp_path / "a.jsonl").write_text(LINES)
    for arguments in (("train", "MUTAG", "--config", "c.json"),
                      ("train", "a.jsonl", "--task", "matching", "--pairs", "c.json")):  # fmt: skip
        done = cli(*arguments)
        assert done.code == 2
        assert "--out" not in done.err


def test_limits_are_raised_by_an_option(cli, tmp_path, monkeypatch):
    monkeypatch.setenv("GRAPHPOOL_LIMITS", "nodes=4")
    (tmp_path / "a.jsonl").write_text(LINES)
    assert "--limits" in cli("data", "show", "a.jsonl").err
    assert cli("--limits", "nodes=5", "data", "show", "a.jsonl").code == 0
    assert "did you mean 'nodes'" in cli("--limits", "node=5", "data", "list").err


def test_an_ascii_terminal_shows_any_text(tmp_path):
    (tmp_path / "a.jsonl").write_text(LINES)
    script = "from graphpool.cli.main import run; run()"
    for option, expected in (("--json", "\\u00fc"), ("", "\\xfc")):
        command = [sys.executable, "-c", script, "data", "show", "a.jsonl", *option.split()]
        environment = {**os.environ, "PYTHONIOENCODING": "ascii", "GRAPHPOOL_CACHE": str(tmp_path)}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True,
                              text=True, check=False)  # fmt: skip
        assert (done.returncode, done.stderr) == (0, "")
        assert expected in done.stdout
        if option:
            assert json.loads(done.stdout)
