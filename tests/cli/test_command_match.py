"""`graphpool match`: two graphs, however they are named and whichever comes first."""

import json
from pathlib import Path

import pytest

from graphpool.cli.main import run
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load

SMALL = ("--hidden", "8", "--layers", "1", "--threads", "1", "--epochs", "1")
FEW = ("--examples", "24", "--set", "compare.valid=8", "--set", "compare.test=8")


@pytest.fixture(scope="module")
def molecules(tmp_path_factory):
    graphs = load("MUTAG", features=None)
    path = tmp_path_factory.mktemp("own") / "molecules.jsonl"
    write_jsonl(graphs[(graphs.node_counts <= 12).nonzero()[:16, 0]], path)
    return path


@pytest.fixture(scope="module")
def model(molecules, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "run"
    with pytest.raises(SystemExit) as stop:
        run(["train", str(molecules), "--task", "similarity", *SMALL, *FEW, "--out", str(folder)])
    assert stop.value.code == 0
    return folder


@pytest.fixture(scope="module")
def matcher(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GRAPHPOOL_CACHE", str(tmp_path_factory.mktemp("cache")))
        folder = tmp_path_factory.mktemp("runs") / "run"
        with pytest.raises(SystemExit) as stop:
            run(["train", "matching-paper-8", "--task", "matching", *SMALL, *FEW,
                 "--out", str(folder)])  # fmt: skip
    assert stop.value.code == 0
    return folder


def told(done):
    assert done.code == 0, done.err
    return json.loads(done.out)


def test_both_ways_round_print_the_same_numbers(cli, model, molecules):
    one, other = f"{molecules}:#0", f"{molecules}:#5"
    there = told(cli("match", one, other, "--model", model, "--json"))
    back = told(cli("match", other, one, "--model", model, "--json"))
    assert there["levels"] == back["levels"]
    assert (there["distance"], there["score"]) == (back["distance"], back["score"])
    assert (there["left"], there["right"]) == (back["right"], back["left"])
    assert there["distance"] > 0
    assert [row["level"] for row in there["levels"]] == [1, 2]
    assert there["match"] is None


def test_a_graph_and_itself_match_by_any_of_its_names(cli, matcher, molecules, tmp_path):
    graphs = load("MUTAG", features=None)
    name = json.loads(molecules.read_text().splitlines()[2])["id"]
    alone = tmp_path / "alone.jsonl"
    write_jsonl(graphs[[graphs.ids.index(name)]], alone)
    for text in (alone, f"MUTAG:{name}", f"{molecules}:#2"):
        found = told(cli("match", f"{molecules}:{name}", text, "--model", matcher, "--json"))
        assert found["score"] >= 0.999
        assert found["distance"] == 0
        assert found["match"] is True


def test_a_relabelled_file_is_the_same_graph(cli, matcher, tmp_path):
    edges = [[0, 1], [1, 2], [2, 3], [3, 0], [3, 4], [4, 5]]
    order = [3, 5, 0, 4, 2, 1]
    moved = [[order[i], order[j]] for i, j in edges]
    for name, rows in (("a", edges), ("b", moved)):
        row = {"id": name, "nodes": 6, "edges": rows}
        Path(f"{name}.jsonl").write_text(json.dumps(row) + "\n")
    found = told(cli("match", "a.jsonl", "b.jsonl", "--model", matcher, "--json"))
    assert found["distance"] < 1e-4
    assert found["score"] >= 0.999


def test_people_get_a_table_and_an_answer(cli, matcher, model, molecules):
    done = cli("match", f"{molecules}:#0", f"{molecules}:#0", "--model", matcher)
    assert done.out.splitlines()[0].split() == ["level", "distance", "score"]
    assert "they match (score" in done.out
    done = cli("match", f"{molecules}:#0", f"{molecules}:#1", "--model", model)
    assert "all " in done.out
    assert "has learned distances, not matches" in done.out


def test_labels_that_the_model_does_not_know_are_told_of(cli, model, molecules):
    row = {"id": "x", "nodes": 3, "edges": [[0, 1], [1, 2]], "node_labels": [98, 99, 0]}
    Path("strange.jsonl").write_text(json.dumps(row) + "\n")
    done = cli("match", "strange.jsonl", f"{molecules}:#0", "--model", model, "--json")
    (warning,) = told(done)["warnings"]
    assert "nodes of strange have labels that the model has not seen" in warning
    assert done.err == ""
    assert "warning: " in cli("match", "strange.jsonl", f"{molecules}:#0", "--model", model).out


def test_what_cannot_be_matched_is_said_in_one_line(cli, model, molecules, tmp_path):
    for given, said in (
        ((molecules, f"{molecules}:#0"), "choose one as"),
        ((f"{molecules}:#99", f"{molecules}:#0"), "graphs are #0 to #15"),
        ((f"{molecules}:nobody", f"{molecules}:#0"), "has no graph 'nobody'"),
        (("none.jsonl", f"{molecules}:#0"), "no such file"),
    ):
        done = cli("match", *given, "--model", model)
        assert done.code == 2
        assert said in done.err
        assert len(done.err.splitlines()) == 1
    assert "no trained model" in cli("match", "a", "b", "--model", tmp_path).err
    assert "'--model'" in cli("match", "a", "b").err
