"""What every command says of the features that are used, and of what a set has beside them."""

import json
from pathlib import Path

import pytest
import torch

from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.graphs import GraphSet
from graphpool.models import TrainedModel

QUICK = ("--epochs", "12", "--learning-rate", "0.02", "--hidden", "8", "--threads", "1",
         "--encoder", "gcn")  # fmt: skip
NODES = "Features: 1 node label, 1 node attribute (standardised)"
USED = f"{NODES}; not used: 2 edge labels (encoder gcn)"


@pytest.fixture(scope="module")
def attributed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Equal triangles whose classes differ in an attribute alone, far from 0."""
    count, y = 40, torch.arange(40) % 2
    graphs = GraphSet.build(
        "triangles",
        torch.full((count,), 3),
        torch.full((count,), 3),
        torch.tensor([[0, 1, 2], [1, 2, 0]]).repeat(1, count),
        undirected=True,
        node_label=torch.zeros(3 * count, dtype=torch.long),
        node_label_names=("C",),
        edge_label=torch.arange(3 * count) % 2,
        edge_label_names=("single", "double"),
        node_attr=(1000.0 + y).repeat_interleave(3).unsqueeze(1),
        y=y,
        classes=("low", "high"),
    )
    path = tmp_path_factory.mktemp("data") / "triangles.jsonl"
    write_jsonl(graphs, path)
    return path


def test_attributes_are_used_by_default_and_every_command_says_so(cli, attributed):
    done = cli("train", attributed, "--pooler", "sum", *QUICK, "--out", "run")
    assert USED in done.out
    assert "Test accuracy   100.0 %" in done.out
    scored = cli("evaluate", attributed, "--model", "run")
    assert USED in scored.out
    assert f"{NODES}, 2 edge labels\n" in cli("data", "show", attributed).out
    assert USED in cli("predict", "run", attributed, "--out", "classes.csv").err
    assert cli("report", "run").code == 0
    assert USED.removeprefix("Features: ") in Path("run/report.html").read_text()


def test_documents_and_the_model_file_say_what_is_not_used(cli, attributed):
    only = ("--features", "labels", "--pooler", "sum")
    done = cli("train", attributed, *only, *QUICK, "--out", "run", "--json")
    unused = ["1 node attribute", "2 edge labels (encoder gcn)"]
    expected = {"used": ["1 node label"], "unused": unused}
    assert json.loads(done.out)["features"] == expected
    assert TrainedModel.load("run").features.about() == expected
    scored = json.loads(cli("evaluate", attributed, "--model", "run", "--json").out)
    assert scored["scores"][0]["features"] == expected
    shown = json.loads(cli("data", "show", attributed, "--json").out)
    assert shown["features"]["unused"] == []


def test_a_comparison_says_which_features_its_networks_have(cli, attributed):
    methods = ("--methods", "sum", "--no-baselines", "--seeds", "1", "--epochs", "1", "--jobs", "1")
    settings = ("--hidden", "8", "--encoder", "gcn")
    done = cli("evaluate", attributed, *methods, *settings, "--out", "compared", "--report")
    assert USED in done.out
    document = json.loads(Path("compared/results.json").read_text())
    assert document["features"]["unused"] == ["2 edge labels (encoder gcn)"]
    assert USED.removeprefix("Features: ") in Path("compared/report.html").read_text()


def test_labels_of_edges_are_used_by_default_and_every_command_says_so(cli, attributed):
    quick = ("--pooler", "sum", "--epochs", "1", "--hidden", "8", "--threads", "1")
    done = cli("train", attributed, *quick, "--out", "run")
    assert f"{NODES}, 2 edge labels\n" in done.out
    assert "encoder gine, 3 layers" in done.err
    assert f"{NODES}, 2 edge labels\n" in cli("evaluate", attributed, "--model", "run").out
    assert cli("report", "run").code == 0
    assert f"{NODES}, 2 edge labels".removeprefix("Features: ") in (
        Path("run/report.html").read_text()
    )
    assert cli("train", attributed, *quick, "--out", "run", "--resume").code == 0
