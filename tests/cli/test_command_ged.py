import json
from pathlib import Path

import numpy as np
import pytest

from graphpool import ged
from graphpool.ged import workers

LINES = [
    '{"id": "a", "node_labels": ["C", "N"], "edges": [[0, 1, "s"]]}',
    '{"id": "b", "node_labels": ["C", "N"], "edges": [[0, 1, "d"]]}',
    '{"id": "c", "node_labels": ["C", "C", "O"], "edges": [[0, 1, "s"], [1, 2, "s"]]}',
    '{"id": "d", "node_labels": ["N"], "edges": []}',
]
# Worked out by hand: a and b differ by the edge's label, and so on.
DISTANCES = [[0, 1, 3, 2], [1, 0, 4, 2], [3, 4, 0, 5], [2, 2, 5, 0]]


@pytest.fixture
def four(tmp_path):
    """Four small graphs."""
    path = tmp_path / "four.jsonl"
    path.write_text("\n".join(LINES) + "\n")
    return path


def test_pair_tells_the_distance_and_the_path(cli, four):
    done = cli("ged", "pair", f"{four}:a", f"{four}:#2")
    assert done.code == 0
    assert "distance  3, proved" in done.out
    assert "edit path, 3 edits:" in done.out
    assert "insert node" in done.out
    assert "0→" in done.out


def test_pair_as_json(cli, four):
    document = json.loads(cli("ged", "pair", f"{four}:a", f"{four}:b", "--json").out)
    assert document["distance"] == document["lower"] == document["upper"] == 1
    assert document["optimal"] is True
    assert document["mapping"] == [0, 1]
    assert [step["text"] for step in document["path"]] == ["substitute edge 0-1 (s) by 0-1 (d)"]
    assert document["first"] == "four:a"


def test_pair_can_leave_out_labels_of_edges(cli, four):
    done = cli("ged", "pair", f"{four}:a", f"{four}:b", "--no-edge-labels", "--json")
    assert json.loads(done.out)["distance"] == 0


def test_pair_of_two_files_of_one_graph(cli, tmp_path):
    for name, line in zip("xy", LINES, strict=False):
        (tmp_path / f"{name}.jsonl").write_text(line + "\n")
    assert json.loads(cli("ged", "pair", "x.jsonl", "y.jsonl", "--json").out)["distance"] == 1


def test_pair_takes_costs_from_settings_and_files(cli, four, tmp_path):
    once = cli(
        "ged", "pair", f"{four}:a", f"{four}:b", "--costs", "edge_substitution=0.5", "--json"
    )
    assert json.loads(once.out)["distance"] == 0.5
    (tmp_path / "costs.json").write_text('{"edge_labels": [["s", "d", 0.25]], "node_insertion": 2}')
    given = cli("ged", "pair", f"{four}:a", f"{four}:b", "--costs", "costs.json", "--json")
    assert json.loads(given.out)["distance"] == 0.25


def test_pair_with_a_lower_bound_only(cli, four):
    done = cli("ged", "pair", f"{four}:a", f"{four}:c", "--method", "label")
    assert "distance  at least" in done.out
    assert "edit path" not in done.out


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_pair_draws(cli, four, suffix):
    done = cli("ged", "pair", f"{four}:a", f"{four}:c", "--draw", f"edits.{suffix}")
    assert done.code == 0
    assert f"drawn: edits.{suffix}" in done.err
    assert Path(f"edits.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["pair", "four.jsonl", "four.jsonl:a"], "four.jsonl has 4 graphs; choose one"),
        (["pair", "four.jsonl:z", "four.jsonl:a"], "no graph 'z'; ids are a, b, c, d"),
        (["pair", "four.jsonl:#4", "four.jsonl:a"], "graphs are #0 to #3"),
        (["pair", "none.jsonl:a", "four.jsonl:a"], "no such file"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--method", "exakt"], "did you mean 'exact'"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--draw", "x.pdf"], ".svg or .png"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--draw", "x.svg", "--method", "label"],
         "no edit path"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--costs", "node_insertion=x"], "no number"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--costs", "node_insert=1"], "did you mean"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--costs", "none.json"], "no such file"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--costs", "four.jsonl"], "four.jsonl: not JSON"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--time-limit", "-1"], "limit in seconds is"),
        (["pair", "four.jsonl:a", "four.jsonl:b", "--draw", "four.jsonl/x.png"],
         "four.jsonl/x.png: can't be written"),
        (["matrix", "four.jsonl", "--out", "."], "give the name of a file"),
        (["matrix", "four.jsonl", "--pairs", "p.txt", "--sample", "3"], "exclude each other"),
        (["matrix", "four.jsonl", "--pairs", "none.txt"], "no such file"),
        (["matrix", "four.jsonl", "--jobs", "0"], "jobs is 0"),
        (["compare", "four.jsonl", "--sample", "0"], "sample is 0"),
        (["compare", "four.jsonl", "--method", "nothing"], "no edit-distance method"),
    ],
)  # fmt: skip
def test_mistakes_end_in_one_line(cli, four, arguments, words):
    done = cli("ged", *arguments)
    assert done.code == 2
    assert words in done.err
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[1]", "costs.json: not an object of costs"),
        ('{"node_insert": 1}', "costs.json: there is no cost 'node_insert'; did you mean"),
        ('{"node_insertion": "1"}', "costs.json: cost of node_insertion is '1'"),
        ('{"edge_labels": [["s", "d"]]}', "costs.json: edge_labels must be a list of"),
    ],
)
def test_a_wrong_file_of_costs_is_named(cli, four, tmp_path, text, words):
    (tmp_path / "costs.json").write_text(text)
    done = cli("ged", "pair", f"{four}:a", f"{four}:b", "--costs", "costs.json")
    assert done.code == 2
    assert words in done.err


def test_matrix_writes_all_pairs(cli, four):
    done = cli("ged", "matrix", four)
    assert done.code == 0
    assert "four.ged: 4 graphs, 6 pairs" in done.out
    assert "mean    2.833, 1 to 5" in done.out
    assert "proved  100.0 %" in done.out
    assert ged.open_matrix("four.ged").values.tolist() == DISTANCES


def test_matrix_as_json(cli, four):
    document = json.loads(cli("ged", "matrix", four, "--out", "x.ged", "--json").out)
    assert document["path"] == "x.ged"
    assert document["counts"]["pairs"] == 6
    assert document["mean"] == pytest.approx(17 / 6)
    assert document["proved_share"] == 1


def test_matrix_of_named_pairs(cli, four, tmp_path):
    (tmp_path / "pairs.csv").write_text("# first, second\na,c\n\nd b\n")
    document = json.loads(cli("ged", "matrix", four, "--pairs", "pairs.csv", "--json").out)
    assert document["counts"]["solved"] == 2
    assert document["mean"] == (3 + 2) / 2
    (tmp_path / "pairs.csv").write_text("a,c\nd,e\n")
    done = cli("ged", "matrix", four, "--pairs", "pairs.csv", "--out", "y.ged")
    assert "pairs.csv, line 2: no graph 'e'" in done.err


def test_matrix_of_pairs_from_a_file_that_is_no_text(cli, four, tmp_path):
    (tmp_path / "pairs.csv").write_bytes(b"\xff\xfe")
    done = cli("ged", "matrix", four, "--pairs", "pairs.csv")
    assert done.code == 2
    assert "pairs.csv, line 1: not UTF-8 text" in done.err


def test_matrix_of_one_graph_has_no_mean(cli, tmp_path):
    (tmp_path / "one.jsonl").write_text('{"nodes": 1}\n')
    done = cli("ged", "matrix", "one.jsonl")
    assert done.code == 0
    assert "nan" not in done.out
    assert "1 graph, 0 pairs" in done.out


def test_matrix_says_that_it_was_there_already(cli, four):
    assert "already" not in cli("ged", "matrix", four).err
    assert "four.ged was there already; --overwrite" in cli("ged", "matrix", four).err
    assert "already" not in cli("ged", "matrix", four, "--overwrite").err


def test_matrix_of_a_sample(cli, four):
    document = json.loads(cli("ged", "matrix", four, "--sample", "3", "--json").out)
    assert document["counts"]["pairs"] == 3
    known = np.isfinite(ged.open_matrix("four.ged").values)
    assert known.sum() == 4 + 2 * 3


def test_matrix_keeps_a_file_of_other_settings(cli, four):
    cli("ged", "matrix", four)
    done = cli("ged", "matrix", four, "--no-edge-labels")
    assert done.code == 2
    assert "four.ged: exists already" in done.err
    assert "--overwrite" in done.err
    assert cli("ged", "matrix", four, "--no-edge-labels", "--overwrite").code == 0
    assert ged.open_matrix("four.ged").values[0, 1] == 0


def test_ctrl_c_says_how_to_go_on(cli, four, monkeypatch):
    def interrupted(self):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(workers.Workers, "wait", interrupted)
        done = cli("ged", "matrix", four)
    assert done.code == 130
    assert "pairs are saved in four.ged.parts: run the same command again to continue" in done.err
    assert cli("ged", "matrix", four).code == 0
    assert ged.open_matrix("four.ged").values.tolist() == DISTANCES


def test_compare_lists_every_method(cli, four):
    done = cli("ged", "compare", four)
    assert done.code == 0
    assert all(f"{name} " in done.out for name in ged.METHODS)
    assert "lower bound" in done.out


def test_compare_as_json(cli, four):
    done = cli("ged", "compare", four, "--method", "label", "--method", "exact", "--json")
    document = json.loads(done.out)
    assert document["pairs"] == document["proved"] == 6
    assert document["mean_distance"] == pytest.approx(17 / 6)
    label, exact = document["scores"]
    assert label["answer"] == "lower"
    assert label["mean_error"] <= 0
    assert exact["exactly_right"] == 1


def test_compare_of_one_pair_has_no_correlation(cli, tmp_path):
    (tmp_path / "two.jsonl").write_text('{"nodes": 1}\n{"nodes": 2}\n')
    done = cli("ged", "compare", "two.jsonl", "--method", "label")
    assert done.code == 0
    assert "nan" not in done.out
