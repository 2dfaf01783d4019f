"""`train`, `predict`, `evaluate` and `report` on graphs with several labels of 0 and 1."""

import csv
import io
import json
from pathlib import Path

import pytest
import torch

from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load

QUICK = ("--pooler", "sum", "--epochs", "2", "--hidden", "8")


@pytest.fixture(scope="module")
def labelled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """60 graphs with two labels, some of them unknown."""
    graphs = load("MUTAG", features=None)[:60]
    target = torch.stack([(graphs.node_counts > 17), (graphs.edge_counts > 40)], 1).float()
    target[::4, 1] = float("nan")
    path = tmp_path_factory.mktemp("labels") / "labelled.jsonl"
    write_jsonl(graphs.with_target(target, ("large", "dense")), path)
    # Without classes, as a file of a user's own.
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    for row in rows:
        row.pop("y", None)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_from_a_file_to_predictions_and_a_page(cli, labelled, tmp_path):
    done = cli("train", labelled, *QUICK, "--out", "run")
    assert done.code == 0, done.err
    assert "labels of 0 and 1 to predict (large, dense)" in done.err
    assert "--task multilabel is assumed" in done.err
    assert "ROC-AUC" in done.out
    result = json.loads((tmp_path / "run" / "result.json").read_text("utf-8"))
    assert set(result["labels"]) == {"large", "dense"}
    assert set(result["prevalence"]) >= {"roc_auc", "average_precision"}

    done = cli("predict", "run", labelled)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0]) == ["id", "p(large)", "p(dense)"]
    assert len(rows) == 60
    assert all(0 < float(row["p(dense)"]) < 1 for row in rows)

    done = cli("evaluate", labelled, "--model", "run")
    assert done.code == 0, done.err
    assert "average precision" in done.out
    assert "Held-out test graphs alone" in done.out

    assert cli("report", "run").code == 0
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "Label by label" in page
    assert "Calibration" in page


def test_methods_are_compared_beside_the_prevalence(cli, labelled, tmp_path):
    done = cli(
        "evaluate", labelled, "--methods", "sum", "--protocol", "cv3", "--seeds", 1,
        "--epochs", "2", "--hidden", "8", "--jobs", 1, "--out", "out", "--report",
        "--metric", "average_precision",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "average precision, %" in done.out
    results = json.loads((tmp_path / "out" / "results.json").read_text("utf-8"))
    assert set(results["methods"]) == {"sum", "structure-free", "prevalence"}
    assert results["methods"]["prevalence"]["mean"] == 0.5
    table = (tmp_path / "out" / "results.md").read_text("utf-8")
    assert "2 labels (large, dense)" in table
    assert "micro F1" in table
    page = (tmp_path / "out" / "report.html").read_text("utf-8")
    assert "the best first" in page


def test_a_class_weight_names_a_label(cli, labelled):
    assert cli("train", labelled, *QUICK, "--class-weight", "dense=3").code == 0
    done = cli("train", labelled, *QUICK, "--class-weight", "nope=3", "--out", "other")
    assert done.code == 2
    assert "unknown label in train.class_weight 'nope'" in done.err


def test_the_metric_of_another_task_is_refused(cli, labelled):
    done = cli("train", labelled, *QUICK, "--scoring", "mae")
    assert done.code == 2
    assert "mae" in done.err
    assert "roc_auc" in done.err
