import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest
from safetensors.torch import safe_open
from safetensors.torch import save as to_bytes

import graphpool as gp
from graphpool.data.formats import safetensors as set_file

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


LABELLED = """{"id": "a", "node_labels": ["C", "N"], "edges": [[0, 1, "s"]], "y": 0}
{"id": "b", "node_labels": ["C", "C", "O"], "edges": [[0, 1, "d"], [1, 2, "s"]], "y": 1}
"""

MATRICES = """
import sys
from graphpool.cli.main import run
for path in sys.argv[1:]:
    try:
        run(["ged", "matrix", path, "--out", path + ".npz"])
    except SystemExit as stop:
        print(stop.code)
"""


def test_codes_without_a_name_in_sets_with_right_digests_are_refused(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text(LABELLED)
    assert cli("data", "import", "a.jsonl", "--out", "a.safetensors").code == 0
    with safe_open(tmp_path / "a.safetensors", framework="pt") as handle:
        stored = json.loads(handle.metadata()["graphpool"])
        tensors = {name: handle.get_tensor(name) for name in handle.keys()}  # noqa: SIM118
    del stored["check"]
    files = []
    for key in ("node_label", "edge_label", "y"):
        for code in (10**6, -2, 3):
            codes = tensors[key].clone()
            codes[0] = code
            made, header = {**tensors, key: codes}, dict(stored)
            names = {name: header[name] for name in set_file._NAMES}
            header["content"] = set_file.hash_tensors(set_file._json(names), made)
            header["check"] = set_file._check(header)
            files.append(f"{key}{code}.safetensors")
            content = to_bytes(made, metadata={"graphpool": json.dumps(header)})
            (tmp_path / files[-1]).write_bytes(content)
    # In a process of its own, which an unchecked code would end.
    command = [sys.executable, "-c", MATRICES, *files]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["2"] * 9, done.stderr
    for file, line in zip(files, done.stderr.splitlines(), strict=True):
        assert file in line
        assert "digest" not in line
    assert not list(tmp_path.glob("*.npz"))


def test_the_code_of_no_label_is_an_answer(cli, tmp_path):
    (tmp_path / "a.jsonl").write_text(LABELLED)
    graphs = gp.read("a.jsonl")
    label = graphs.node_label.clone()
    label[0] = -1
    gp.save(replace(graphs, node_label=label), "b.safetensors")
    assert cli("ged", "matrix", "b.safetensors", "--out", "m.npz").code == 0
    # By hand: two labels changed, a node and an edge added.
    assert gp.ged.open_matrix("m.npz").values.tolist() == [[0, 4], [4, 0]]
