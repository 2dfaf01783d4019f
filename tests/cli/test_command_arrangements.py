"""Arrangement sets on the command line."""

import json


def test_list_names_the_sets_that_are_made_here(cli):
    made = {row["name"]: row for row in json.loads(cli("data", "list", "--json").out)["generated"]}
    assert set(made) == {"ring", "marks", "marksmix", "order", "spider"}
    assert "bridges" in made["ring"]["settings"]
    assert "noise" not in made["spider"]["settings"]
    assert "AABBAABB against ABAAABBB" in cli("data", "list").out


def test_show_describes_a_set_that_is_made_here(cli):
    text = cli("data", "show", "ring:graphs=30,bridges=2").out
    assert "ring:graphs=30,bridges=2: 30 graphs, undirected" in text
    assert "AABBAABB (15), ABAAABBB (15)" in text
    assert "drawn with graphs=30, sizes=8-12, edges=1.8, bridges=2, noise=0.2" in text


def test_train_takes_a_set_with_settings(cli, tmp_path):
    name = "order:graphs=40,noise=0.1"
    done = cli("train", name, "--epochs", "2", "--hidden", "8", "--out", tmp_path / "run")
    assert done.code == 0, done.err
    assert f'data = "{name}"' in (tmp_path / "run" / "config.toml").read_text()


def test_a_wrong_setting_ends_with_code_2(cli):
    done = cli("data", "show", "ring:brigdes=2")
    assert done.code == 2
    assert "did you mean 'bridges'?" in done.err


def test_folders_are_named_without_a_colon(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = cli("train", "order:graphs=40", "--epochs", "1", "--hidden", "8")
    assert done.code == 0, done.err
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["order-graphs=40-hap-0"]
