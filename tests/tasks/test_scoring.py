"""`scoring="auto"`: the published metric of a set chooses the epoch, unless somebody says else."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.config import RunConfig, TrainConfig, defaults_for, resolve
from graphpool.config.run import SCORING
from graphpool.data.molecules.published import MOLECULES, published_metric
from graphpool.errors import ConfigError

QUICK: dict[str, Any] = {"pooler": "sum", "epochs": 2, "hidden_channels": 4, "threads": 1}


@pytest.mark.parametrize("name", MOLECULES)
def test_every_published_metric_can_choose_the_epoch(name: str) -> None:
    entry = MOLECULES[name]
    assert published_metric(("another note", *entry.notes)) == entry.metric
    assert entry.metric in SCORING[entry.task]
    config = replace(defaults_for(entry.task), data=name)  # type: ignore[arg-type]
    assert config.train.scoring == "auto"
    assert resolve(config, metric=entry.metric).train.scoring == entry.metric


@pytest.mark.parametrize(
    ("task", "usual"),
    [("classification", "accuracy"), ("regression", "mae"), ("multilabel", "roc_auc")],
)
def test_without_a_published_metric_the_task_decides(task: Any, usual: str) -> None:
    config = defaults_for(task)
    assert resolve(config).train.scoring == usual
    # Of another task, as for a set whose y somebody replaced.
    assert resolve(config, metric="beauty").train.scoring == usual
    asked = replace(config, train=TrainConfig(scoring="loss"))
    assert resolve(asked, metric="rmse").train.scoring == "loss"


def test_pairs_have_no_choice() -> None:
    with pytest.raises(ConfigError, match="no metric of matching"):
        RunConfig(task="matching", train=TrainConfig(scoring="auto"))


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    """Molecules with labels, as a set with a published metric."""
    graphs = gp.load("MUTAG", features=None)[:60]
    target = torch.stack([(graphs.node_counts > 17), (graphs.edge_counts > 40)], 1).float()
    graphs = replace(graphs, y=None, classes=(), notes=("published metric: average_precision",))
    return graphs.with_target(target, ("large", "dense"))


def chosen(estimator: Any, graphs: gp.GraphSet) -> str:
    """The metric that chose the epoch of the fitted model."""
    fitted = estimator.fit(graphs)
    metric = str(fitted.model_.config.train.scoring)
    best = min if metric == "loss" else max
    assert fitted.result_.best_metrics[metric] == best(
        row["valid"][metric] for row in fitted.result_.history
    )
    return metric


def test_estimators_take_it_from_the_set(graphs: gp.GraphSet, tmp_path: Path) -> None:
    labeller = gp.GraphMultiLabelClassifier(**QUICK)
    assert labeller.get_params()["scoring"] == "auto"
    assert chosen(labeller, graphs) == "average_precision"
    loaded = gp.GraphMultiLabelClassifier.load(labeller.save(tmp_path / "m.safetensors"))
    assert loaded.get_params()["scoring"] == "average_precision"
    assert chosen(gp.GraphMultiLabelClassifier(**QUICK, scoring="loss"), graphs) == "loss"
    plain = replace(graphs, notes=())
    assert chosen(gp.GraphMultiLabelClassifier(**QUICK), plain) == "roc_auc"
    numbers = gp.GraphRegressor(**QUICK).fit(graphs, np.linspace(0, 1, 60))
    assert numbers.model_.config.train.scoring == "mae"
