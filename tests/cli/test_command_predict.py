import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from graphpool.data.load import read
from graphpool.estimators.classifier import GraphClassifier
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint


@pytest.fixture(scope="module")
def expected(trained, small):
    return GraphClassifier.load(trained).predict_proba(read(small))


def test_csv_has_class_and_probabilities_of_every_graph(cli, trained, small, expected):
    done = cli("predict", trained, small)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    graphs = read(small, features=None)
    assert [row["id"] for row in rows] == list(graphs.ids)
    found = np.array([[float(row["p(-1)"]), float(row["p(1)"])] for row in rows])
    np.testing.assert_allclose(found, expected, atol=1e-6)
    assert [row["class"] for row in rows] == [("-1", "1")[best] for best in expected.argmax(1)]


def test_jsonl_and_json_say_the_same(cli, trained, small):
    document = json.loads(cli("predict", trained, small, "--json").out)
    done = cli("predict", trained, small, "--out", "p.jsonl")
    assert done.out == ""
    rows = [json.loads(line) for line in Path("p.jsonl").read_text().splitlines()]
    assert rows == document["predictions"]
    assert sum(rows[0]["probabilities"].values()) == pytest.approx(1)


def test_graphs_without_classes_and_with_unknown_labels_are_answered(cli, trained):
    Path("new.jsonl").write_text(
        '{"id": "a", "node_labels": [0, 99], "edges": [[0, 1]], "edge_labels": [0]}\n'
    )
    done = cli("predict", trained, "new.jsonl")
    assert done.code == 0
    assert done.out.splitlines()[1].startswith("a,")
    assert "graphpool: warning: new: 1 of 2 nodes have labels that were not seen" in done.err


def test_graphs_whose_labels_are_all_strange_are_refused(cli, trained):
    Path("new.jsonl").write_text('{"node_labels": ["C", "Xe"], "edges": [[0, 1]]}\n')
    done = cli("predict", trained, "new.jsonl")
    assert done.code == 2
    assert done.out == ""
    assert "the model knows none of the node labels; its labels are 0, 1" in done.err
    assert "those found are 'C', 'Xe'" in done.err


def test_json_lines_that_are_left_out_keep_their_row_and_columns(cli, trained):
    good = '{"id": "a", "node_labels": [0, 1], "edges": [[0, 1]], "edge_labels": [0]}'
    Path("new.jsonl").write_text(f'{good}\n{{"nodes": "x"}}\n{{"nodes": 3\n')
    assert cli("predict", trained, "new.jsonl", "--skip-bad", "--out", "p.csv").code == 0
    header, *rows = csv.reader(Path("p.csv").read_text().splitlines())
    assert header == ["id", "class", "left out", "p(-1)", "p(1)"]
    assert [row[0] for row in rows] == ["a", "1", "2"]
    assert [len(row) for row in rows] == [5, 5, 5]
    assert [bool(row[2]) for row in rows] == [False, True, True]


def test_a_file_is_not_replaced_unasked(cli, trained, small):
    Path("p.csv").write_text("mine")
    done = cli("predict", trained, small, "--out", "p.csv")
    assert done.code == 2
    assert "give --overwrite" in done.err
    assert Path("p.csv").read_text() == "mine"
    assert cli("predict", trained, small, "--out", "p.csv", "--overwrite").code == 0
    assert Path("p.csv").read_text().startswith("id,class")


def test_a_device_that_is_not_there_is_named_as_the_option(cli, trained, small):
    for arguments in (("predict", trained, small), ("evaluate", small, "--model", trained)):
        done = cli(*arguments, "--device", "gpu7")
        assert done.code == 2
        assert "error: --device 'gpu7' can't be used here" in done.err


@pytest.mark.parametrize(
    ("others", "step"),
    [((), "train the model again"), (("last.safetensors",), "graphpool train --resume --out run")],
)
def test_the_damaged_model_of_a_run_is_not_to_be_removed(cli, small, others, step):
    Path("run").mkdir()
    for name in ("best.safetensors", *others):
        Path("run", name).write_bytes(b"damaged")
    done = cli("predict", "run", small)
    assert done.code == 2
    assert step in done.err
    assert "remove" not in done.err


def test_a_damaged_model_is_named(cli, trained, small):
    content = bytearray((trained / "best.safetensors").read_bytes())
    content[-3] ^= 1
    Path("bad.safetensors").write_bytes(content)
    done = cli("predict", "bad.safetensors", small)
    assert done.code == 2
    assert done.err.startswith("graphpool: error: bad.safetensors: damaged")
    assert done.err.count("\n") == 1


def test_a_file_that_is_no_model_is_not_to_be_removed(cli, small):
    done = cli("predict", small, small)
    assert done.code == 2
    assert "not a checkpoint or model file" in done.err
    assert "remove" not in done.err


def test_an_unfinished_folder_is_named(cli, tmp_path):
    done = cli("predict", tmp_path, "MUTAG")
    assert done.code == 2
    assert "no trained model" in done.err


def test_report_of_a_run_is_one_page(cli, trained):
    done = cli("report", trained, "--out", "page.html")
    assert done.code == 0
    page = Path("page.html").read_text()
    assert "hap on small" in page
    assert "These are the 4 test graphs" in page
    assert "From nodes to one vector" in page


def test_report_of_an_unfinished_run_says_how_to_finish_it(cli, trained, tmp_path):
    (tmp_path / "cut").mkdir()
    (tmp_path / "cut" / "config.toml").write_text((trained / "config.toml").read_text())
    done = cli("report", "cut")
    assert done.code == 2
    assert "graphpool train --resume --out cut" in done.err


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_weights_that_are_not_finite_are_refused(cli, trained, small, number):
    _, tensors, header = read_checkpoint(trained / "best.safetensors")
    name = next(key for key, value in tensors.items() if value.is_floating_point())
    changed = tensors[name].clone()
    changed.view(-1)[-1] = number
    write_checkpoint(Path("bad.safetensors"), {**tensors, name: changed}, header)
    done = cli("predict", "bad.safetensors", small)
    assert (done.code, done.out) == (2, "")
    assert "not finite" in done.err
    assert "bad.safetensors" in done.err
    assert done.err.count("\n") == 1
