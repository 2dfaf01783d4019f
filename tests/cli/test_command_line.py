import json
import os
import subprocess
import sys
import time

import pytest

from graphpool import ged
from graphpool.cli import main
from graphpool.cli.errors import environment_message
from graphpool.config import RunConfig, settings_in

PYTHON = [sys.executable, "-c"]


def one_line(text):
    """Error output is one line, without a traceback."""
    assert text.startswith("graphpool: error: ")
    assert text.count("\n") == 1
    return text


def test_importing_the_command_line_leaves_torch_alone():
    heavy = ("torch", "numpy", "sklearn", "matplotlib")
    code = f"import sys, graphpool.cli.main; print([m for m in {heavy} if m in sys.modules])"
    done = subprocess.run([*PYTHON, code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_help_answers_at_once():
    command = [sys.executable, "-m", "graphpool.cli.main", "--help"]
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        times.append(time.perf_counter() - begin)
    assert "evaluate" in done.stdout
    assert min(times) < 0.5 * max(1.0, os.getloadavg()[0])


def test_no_command_prints_the_help(cli):
    done = cli()
    assert done.code == 0
    assert "Usage: graphpool" in done.out


def test_version(cli):
    assert cli("--version").out == "graphpool 0.1.0\n"


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("trian",), "no such command 'trian'; did you mean 'train'?"),
        (("data", "shwo"), "did you mean 'show'?"),
        (("train", "--poolr", "hap"), "no such option '--poolr'; did you mean '--pooler'?"),
        (("train", "--pooler", "happ"), "unknown pooler 'happ'; did you mean 'hap'?"),
        (("train", "--encoder", "gcm"), "unknown value 'gcm'; did you mean 'gcn'?"),
        (("train", "--features", "lables"), "unknown kind 'lables'; did you mean 'labels'?"),
        (("train", "--set", "model.droput=0.1"), "did you mean 'model.dropout'?"),
        (("train", "--set", "train.lr=0.1"), "did you mean 'train.learning_rate'?"),
        (("train", "--lr", "0.1"), "did you mean '--learning-rate'?"),
        (("train", "--pooler", "wl"), "wl is a baseline of graphpool evaluate"),
        (("train", "--root", "x"), "did you mean '--data-root'?"),
        (
            ("train", "--data-root", "x"),
            "x: no such folder of data; fix the path given by --data-root",
        ),
        (("train", "--set", "model.most=3"), "model.most is now model.max_clusters"),
        (("list", "encodrs"), "there is no list 'encodrs'; did you mean 'encoder'?"),
        (("train", "--set", "epochs=3"), "did you mean 'train.epochs'?"),
        (("train", "--set", "epochs"), "KEY=VALUE"),
        (("train", "--epochs", "many"), "see graphpool train --help"),
        (("train", "--epochs", "0"), "train.epochs is 0; it must be positive"),
        (("train", "--clusters", "a,b"), "whole numbers"),
        (("train", "--assignment", "place"), "unknown value 'place'; did you mean 'places'?"),
        (("train", "--count", "modulo"), "unknown value 'modulo'; did you mean 'modularity'?"),
        (("train", "--resolution", "0"), "model.resolution is 0.0; it must lie in"),
        (("train", "--count", "validation", "--clusters", "8,1"), "leave out one of them"),
        (("train", "--count", "validation", "--pooler", "sum"), "places, which sum does not have"),
        (
            (
                "evaluate",
                "MUTAG",
                "--count",
                "validation",
                "--methods",
                "hap-one-way",
                "--assignment",
                "content",
            ),
            "the assignment 'content' does not use places",
        ),
        (("train", "--assignment", "content"), "is a setting of hap-one-way, which hap meant"),
        (("train", "--units", "nodes", "--clusters", "8,1"), "and so does model.clusters"),
        (("train", "--units", "validation", "--pooler", "sum"), "places, which sum does not have"),
        (("train", "--units", "graph", "--pooler", "hap-one-way"), "is for the pooler hap"),
        (("train", "--task", "matching", "--units", "validation"), "for tasks over single graphs"),
        (("train", "--device", "gpu7"), "'gpu7' can't be used here"),
        (("train", "MUTGA"), "there is no data set 'MUTGA'; did you mean 'MUTAG'?"),
        (("train", "missing.jsonl"), "no such file"),
        (("train", "--config", "no.toml"), "no.toml: no such file"),
        (("evaluate", "MUTAG", "--methods", "hap,summ"), "did you mean 'sum'?"),
        (("evaluate", "MUTAG", "--protocol", "cv1O"), "unknown split 'cv1O'; did you mean 'cv10'?"),
        (("evaluate",), "name at least one data set"),
        (("predict", "model"), "missing argument"),
        (("predict", "nothing", "MUTAG"), "nothing: no such checkpoint"),
        (("predict", "nothing", "MUTAG", "--out", "x.xls"), "end it with .csv or .jsonl"),
        (("report", "nothing"), "not a run folder"),
        (("train", "--seed", "-1"), "train.seed is -1; it can't be negative"),
    ],
)
def test_wrong_use_is_one_line_with_the_next_step_and_code_2(cli, tmp_path, arguments, hint):
    done = cli(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert hint in one_line(done.err)
    assert not list(tmp_path.iterdir())


def test_a_misspelt_key_in_a_config_file_names_the_nearest(cli, tmp_path):
    (tmp_path / "run.toml").write_text("[train]\nepoch = 3\n")
    done = cli("train", "--config", "run.toml")
    assert done.code == 2
    assert "did you mean 'epochs'?" in one_line(done.err)


def test_an_old_key_in_a_config_file_names_the_new_one(cli, tmp_path):
    (tmp_path / "run.toml").write_text("[train]\nclip = 3.0\n")
    done = cli("train", "--config", "run.toml")
    assert done.code == 2
    assert "train.clip is now train.clip_norm" in one_line(done.err)


def test_a_folder_that_cannot_be_made_is_one_line(cli, tmp_path):
    (tmp_path / "file").write_text("")
    done = cli("train", "MUTAG", "--epochs", "1", "--out", "file/run")
    assert done.code == 2
    assert "a file stands where a folder is needed; choose another path (--out)" in one_line(
        done.err
    )


def test_a_bug_keeps_its_traceback(cli, monkeypatch):
    def broken(*arguments):
        raise RuntimeError("a bug")

    monkeypatch.setattr("graphpool.cli.options.check_names", broken)
    with pytest.raises(RuntimeError, match="a bug"):
        main.run(["train"])


def test_only_errors_of_the_environment_are_softened():
    assert "x: missing" in (environment_message(FileNotFoundError(2, "missing", "x")) or "")
    assert environment_message(OSError(10, "no child", "x")) is None
    assert "x: denied" in (environment_message(PermissionError(13, "denied", "x")) or "")
    unfinished = FileNotFoundError(2, "missing", "folder/.a.csv.123.tmp")
    assert (environment_message(unfinished) or "").startswith("folder: missing")


def test_list_names_every_method_and_option(cli):
    document = json.loads(cli("list", "--json").out)
    names = {row["name"] for row in document["methods"]}
    assert {"hap", "hap-paper", "sum", "mean", "structure-free", "wl", "majority"} <= names
    assert {"auto", "gcn", "gat", "gin", "graphconv", "gine", "gatv2"} <= set(document["encoder"])
    assert "diffpool" in names
    assert set(document["auxiliary_losses"]) == {"cut_loss", "balance", "orthogonality"}
    choices = [item.name for item in settings_in(RunConfig) if item.choices]
    assert {"encoder", "norm", "cluster_count", "distance", "schedule", "split"} <= set(choices)
    for part in (*choices, "auxiliary_losses", "features"):
        assert all(document[part].values()), f"{part} has a value without a word about it"
    text = cli("list").out
    parts = ("features", "assignment", "connect", "cluster_count", "auxiliary_losses")
    assert all(name in text for part in parts for name in (*names, *document[part]))


@pytest.mark.parametrize("what", ["encoder", "encoders", "losses", "features", "methods", "ged"])
def test_one_list_alone(cli, what):
    whole = json.loads(cli("list", "--json").out)
    alone = json.loads(cli("list", what, "--json").out)
    assert len(alone) == 1
    assert all(whole[name] == content for name, content in alone.items())
    assert all(str(name) in cli("list", what).out for name in alone.get("encoder", ()))


def test_list_settings_explains_every_setting(cli):
    rows = json.loads(cli("list", "settings", "--json").out)["settings"]
    assert [row["key"] for row in rows] == [item.key for item in settings_in(RunConfig)]
    assert all(row["help"] for row in rows)
    text = cli("list", "settings").out
    assert all(row["key"] in text for row in rows)


def test_every_option_of_a_setting_is_an_option_of_train(cli):
    text = cli("train", "--help").out
    assert all(item.option in text for item in settings_in(RunConfig) if item.option)


def test_list_names_every_edit_distance_method(cli):
    document = json.loads(cli("list", "--json").out)
    assert list(document["ged"]) == list(ged.METHODS)
    text = cli("list").out
    for name, method in ged.METHODS.items():
        (row,) = [line for line in text.splitlines() if line.startswith(f"{name} ")]
        assert method.about in row
        assert ("lower bound" in row) == (method.answer == "lower")


def test_doctor_finds_a_working_installation(cli):
    done = cli("doctor", "--json")
    document = json.loads(done.out)
    assert done.code == 0
    assert document["problems"] == []
    assert document["kernels"]["works"]
    assert "MUTAG" in [name for names in document["data"]["found"].values() for name in names]


def test_doctor_exits_1_when_the_data_root_is_wrong(cli, monkeypatch):
    monkeypatch.setenv("GRAPHPOOL_DATA", "nowhere")
    done = cli("doctor")
    assert done.code == 1
    assert "problem: nowhere: no such folder of data" in done.out
