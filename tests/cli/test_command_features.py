"""What every command says of the features that are used, and of what a set has beside them."""

import json
from pathlib import Path

import pytest
import torch

from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.graphs import GraphSet
from graphpool.models import TrainedModel

QUICK = ("--epochs", "12", "--learning-rate", "0.02", "--hidden", "8", "--threads", "1")
USED = "Features: 1 node label, 1 node attribute (standardised); not used: 2 edge labels"


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
    assert USED in cli("data", "show", attributed).out
    assert USED in cli("predict", "run", attributed, "--out", "classes.csv").err
    assert cli("report", "run").code == 0
    assert USED.removeprefix("Features: ") in Path("run/report.html").read_text()


def test_documents_and_the_model_file_say_what_is_not_used(cli, attributed):
    only = ("--features", "labels", "--pooler", "sum")
    done = cli("train", attributed, *only, *QUICK, "--out", "run", "--json")
    expected = {"used": ["1 node label"], "unused": ["1 node attribute", "2 edge labels"]}
    assert json.loads(done.out)["features"] == expected
    assert TrainedModel.load("run").features.about() == expected
    scored = json.loads(cli("evaluate", attributed, "--model", "run", "--json").out)
    assert scored["scores"][0]["features"] == expected
    shown = json.loads(cli("data", "show", attributed, "--json").out)
    assert shown["features"]["unused"] == ["2 edge labels"]


def test_a_comparison_says_which_features_its_networks_have(cli, attributed):
    methods = ("--methods", "sum", "--no-baselines", "--seeds", "1", "--epochs", "1", "--jobs", "1")
    done = cli("evaluate", attributed, *methods, "--hidden", "8", "--out", "compared", "--report")
    assert USED in done.out
    document = json.loads(Path("compared/results.json").read_text())
    assert document["features"]["unused"] == ["2 edge labels"]
    assert USED.removeprefix("Features: ") in Path("compared/report.html").read_text()
