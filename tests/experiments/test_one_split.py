"""Experiments and evaluations on the split that a set brings: other seeds, the same graphs."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from small import QUICK, mutag

import graphpool as gp
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.errors import ConfigError
from graphpool.evaluation.protocols import CV10
from graphpool.experiments.block_text import block_text
from graphpool.experiments.experiment_file import read_experiment
from graphpool.experiments.experiment_records import ExperimentRecords
from graphpool.experiments.methods import main_metric
from graphpool.experiments.project import run
from graphpool.experiments.report import methods_page
from graphpool.experiments.results import one_split
from graphpool.graphs.graphset import GraphSet

TOY = """
title = "Toy"
task = "classification"
protocol = "published"
seeds = [0, 1, 2]

[settings]
features = "auto"
[settings.model]
encoder = "gcn"
hidden_channels = 4
[settings.train]
epochs = 1

[[data]]
name = "toy"
set = "{path}"

[methods.sum]
model = {{pooler = "sum"}}

[methods.majority]
rule = "majority"

[[blocks]]
page = "README.md"
name = "toy"
rows = ["sum", "majority", {{method = "sum", against = "majority", figure = "interval"}}]
"""


def published() -> GraphSet:
    graphs = mutag()
    parts = tuple(("train", "train", "train", "valid", "test")[at % 5] for at in range(len(graphs)))
    site = tuple(str(at % 9) for at in range(len(graphs)))
    return replace(graphs, columns={"split": parts, "site": site})


@pytest.fixture
def project(tmp_path: Path) -> Path:
    write_jsonl(published(), tmp_path / "toy.jsonl")
    (tmp_path / "experiments").mkdir()
    text = TOY.format(path=tmp_path / "toy.jsonl")
    (tmp_path / "experiments" / "toy.toml").write_text(text)
    return tmp_path


def test_an_experiment_has_one_split_and_a_figure_for_each_seed(project: Path) -> None:
    outcome = run("toy", project, progress=False)["toy"]
    assert not outcome.failures
    networks = [record for record in outcome.records if record.kind == "network"]
    assert [record.seed for record in networks] == [0, 1, 2]
    assert len({record.split for record in networks}) == 1
    assert len({record.valid["loss"] for record in networks}) == 3  # other weights
    assert one_split(networks)
    own = read_experiment(project / "experiments" / "toy.toml")
    text = block_text(own, own.blocks[0], {"toy": ExperimentRecords(own, project)})
    text = " ".join(text.split())
    assert "the split published with the set, the same for every seed" in text
    assert "3 seeds" in text


def test_the_smallest_form_has_graphs_of_every_part(project: Path) -> None:
    assert not run("toy", project, smoke=True, progress=False)["toy"].failures


def test_the_interval_over_seeds_of_one_split_is_the_textbook_one(tmp_path: Path) -> None:
    options = {"config": QUICK, "jobs": 1, "progress": False, "baselines": False, "seeds": 3}
    result = gp.evaluate(published(), ["sum"], folder=tmp_path / "a", **options)
    assert result.protocol is not None
    assert result.protocol.name == "published"
    assert result.overlap == 0.0
    summary, values = result.summary("sum"), result.values("sum")
    assert summary is not None
    assert summary.error == pytest.approx(np.std(values, ddof=1) / np.sqrt(3))
    random = gp.evaluate(published(), ["sum"], split="random", folder=tmp_path / "b", **options)
    assert random.overlap > 0
    grouped = gp.evaluate(
        published(), ["majority"], split="group:site", folder=tmp_path / "c", **options
    )
    assert {unit.facts["protocol"] for unit in grouped.units} == {"group:site"}


def test_the_page_says_over_what_the_mean_is(tmp_path: Path) -> None:
    graphs = published().with_target(torch.arange(float(len(published()))).unsqueeze(1) / 7)
    graphs = replace(graphs, y=None, classes=())  # no settings: numbers are regression
    options = {"jobs": 1, "progress": False, "baselines": False, "seeds": 2}
    for split, words in (("published", "over seeds, on one split"), ("random", "over all splits")):
        result = gp.evaluate(graphs, ["constant"], split=split, folder=tmp_path / split, **options)
        assert result.task == "regression"
        assert {figure.below for figure in methods_page(result).hero} == {words}


def test_protocol_and_split_are_one_thing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="mean the same"):
        gp.evaluate(published(), ["sum"], CV10, folder=tmp_path, split="random")


def test_tables_take_the_metric_that_is_published_with_a_set() -> None:
    assert main_metric("regression", "ESOL") == "rmse"
    assert main_metric("regression", "ZINC-12k") == "mae"
    assert main_metric("classification", "BBBP") == "roc_auc"
    assert main_metric("classification", "MUTAG") == "accuracy"
    assert main_metric("similarity", "ESOL") == "accuracy"


@pytest.mark.slow
@pytest.mark.parametrize("name", ["ESOL", "FreeSolv", "BBBP", "BACE"])
def test_our_scaffold_split_is_the_published_one(name: str, data_root: Path) -> None:
    pytest.importorskip("rdkit")
    from graphpool.evaluation.protocols import find_protocol, splits_for

    graphs = gp.load(name, data_root, features=None)
    ours, theirs = (
        splits_for(find_protocol(text), graphs, 0) for text in ("scaffold", "published")
    )
    assert ours == theirs
