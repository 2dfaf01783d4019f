"""Multi-label classification: the masked loss, weights, which task a set poses, what is refused."""

import math
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import pytest
import torch

from graphpool.config import RunConfig, TrainConfig, defaults_for
from graphpool.data.load import load
from graphpool.data.splits import cv_splits, strata_of
from graphpool.errors import ConfigError, DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.tasks import TASKS, task_of_graphs
from graphpool.tasks.multilabel import MultiLabelTask
from graphpool.tasks.regression import RegressionTask

NAN = float("nan")


class Outputs(NamedTuple):
    """What a task reads of a trace; there are no auxiliary losses."""

    logits: torch.Tensor

    @property
    def losses(self) -> dict[str, torch.Tensor]:
        return {}


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    """40 molecules with three labels, some of them unknown."""
    graphs = load("MUTAG", features=None)[:40]
    target = torch.stack(
        [(graphs.node_counts > 17).float(), (graphs.edge_counts > 44).float(), torch.zeros(40)], 1
    )
    target[:4, 2] = 1
    target[::3, 1] = NAN
    target[5, :2] = NAN
    return replace(graphs, y=None, classes=(), target=target, target_names=("a", "b", "c"))


def quick(**train: object) -> RunConfig:
    start = defaults_for("multilabel")
    model = replace(start.model, pooler="sum", encoder="gcn", hidden_channels=8)
    asked = replace(start.train, epochs=3, threads=1, **train)
    return replace(start, data="small", model=model, train=asked)


def literal_loss(logits: torch.Tensor, target: torch.Tensor, ones: list[float]) -> list[float]:
    """Mean over the known labels of each graph, one after the other."""
    found = []
    for row, values in zip(logits.tolist(), target.tolist(), strict=True):
        losses = []
        for logit, value, share in zip(row, values, ones, strict=True):
            if math.isnan(value):
                continue
            p = 1 / (1 + math.exp(-logit))
            weight = 0.5 / share if value else 0.5 / (1 - share)
            losses.append(-weight * math.log(p if value else 1 - p))
        found.append(sum(losses) / len(losses))
    return found


def test_the_loss_is_that_of_a_literal_loop(graphs: GraphSet) -> None:
    batch = replace(graphs, x=torch.ones(graphs.num_nodes, 1)).batch()
    logits = torch.randn(40, 3, generator=torch.Generator().manual_seed(0))
    assert graphs.target is not None
    plain, balanced = (
        MultiLabelTask.of(graphs, class_weight=weight) for weight in ("", "balanced")
    )
    for task, ones in ((plain, [0.5] * 3), (balanced, balanced.prevalence)):
        losses = task.graph_losses(Outputs(logits), batch)
        expected = literal_loss(logits, graphs.target, ones)
        assert losses.tolist() == pytest.approx(expected, rel=1e-5)


def test_unknown_labels_have_no_gradient(graphs: GraphSet) -> None:
    batch = replace(graphs, x=torch.ones(graphs.num_nodes, 1)).batch()
    logits = torch.zeros(40, 3, requires_grad=True)
    MultiLabelTask.of(graphs).graph_losses(Outputs(logits), batch).sum().backward()
    assert logits.grad is not None
    assert graphs.target is not None
    assert ((logits.grad == 0) == graphs.target.isnan()).all()


def test_every_known_value_counts_the_same(graphs: GraphSet) -> None:
    task = MultiLabelTask.of(graphs)
    weighted, _ = task.weighted(graphs, None, TrainConfig())
    batch = replace(weighted, x=torch.ones(graphs.num_nodes, 1)).batch()
    logits = torch.randn(40, 3, generator=torch.Generator().manual_seed(1))
    target = graphs.target
    assert target is not None
    known = ~target.isnan()
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits[known], target[known])
    mean = task.graph_losses(Outputs(logits), batch).mean()
    assert float(mean) == pytest.approx(float(loss), rel=1e-5)


def test_balanced_weights_let_zeros_and_ones_count_the_same(graphs: GraphSet) -> None:
    task = MultiLabelTask.of(graphs, class_weight="balanced")
    target = graphs.target
    assert target is not None
    losses = task.target_losses(torch.zeros(40, 3), target.nan_to_num())
    for column in range(3):
        zeros, ones = (losses[target[:, column] == value, column].sum() for value in (0, 1))
        assert float(zeros) == pytest.approx(float(ones), rel=1e-5)
    named = MultiLabelTask.of(graphs, class_weight="b=3")
    ratio = named.target_losses(torch.zeros(1, 3), torch.ones(1, 3)) / math.log(2)
    assert ratio.flatten().tolist() == pytest.approx([1, 3, 1])
    with pytest.raises(ConfigError, match=r"class_weight 'z'"):
        MultiLabelTask.of(graphs, class_weight="z=3")


def test_the_task_is_found_from_the_values(graphs: GraphSet) -> None:
    assert task_of_graphs(graphs) == "multilabel"
    assert graphs.target is not None
    assert task_of_graphs(graphs.with_target(graphs.target * 2)) == "regression"
    assert task_of_graphs(graphs.with_target(graphs.target * NAN)) == "regression"
    assert task_of_graphs(load("MUTAG", features=None)[:5]) == "classification"


def test_values_that_are_no_labels_are_refused(graphs: GraphSet) -> None:
    assert graphs.target is not None
    target = graphs.target.clone()
    target[7, 2] = 0.5
    with pytest.raises(DataError, match=r"graph 7: c is 0.5; labels are 0, 1 or unknown"):
        MultiLabelTask.open_training(graphs.with_target(target, graphs.target_names))
    with pytest.raises(DataError, match="every label is the same"):
        MultiLabelTask.open_training(graphs.with_target(torch.ones(40, 2)))
    with pytest.raises(DataError, match=r"y is -1; labels are 0, 1"):
        MultiLabelTask.open_set(load("MUTAG", features=None)[:20])


def test_the_metric_that_chooses_the_epoch_is_one_of_the_task() -> None:
    for scoring in ("roc_auc", "average_precision", "loss"):
        quick(scoring=scoring)
    with pytest.raises(ConfigError, match="mae"):
        quick(scoring="mae")


def test_folds_have_the_ones_of_rare_labels(graphs: GraphSet) -> None:
    assert graphs.target is not None
    strata = strata_of(graphs)
    assert strata[:4].tolist() == [2] * 4
    for split in cv_splits(strata, 4):
        assert float(graphs.target[list(split.test), 2].sum()) == 1


def test_a_saved_model_is_the_same_and_its_training_deterministic(
    graphs: GraphSet, tmp_path: Path
) -> None:
    models = [
        TrainedModel.fit(graphs[:30], graphs[30:], quick(class_weight="balanced")) for _ in range(2)
    ]
    shares = models[0].probabilities(graphs)
    assert (shares == models[1].probabilities(graphs)).all()
    models[0].save(tmp_path / "model.safetensors")
    loaded = TrainedModel.load(tmp_path / "model.safetensors")
    assert loaded.task.names == ("a", "b", "c")
    assert loaded.task.class_weight == "balanced"
    assert (loaded.probabilities(graphs) == shares).all()
    assert loaded.score(graphs) == models[0].score(graphs)


def test_a_resumed_training_gives_the_same_model(graphs: GraphSet, tmp_path: Path) -> None:
    whole = TrainedModel.fit(graphs[:30], graphs[30:], quick())
    short = replace(quick(), train=replace(quick().train, epochs=1))
    TrainedModel.fit(graphs[:30], graphs[30:], short, folder=tmp_path)
    resumed = TrainedModel.fit(graphs[:30], graphs[30:], quick(), folder=tmp_path, resume=True)
    assert (resumed.probabilities(graphs) == whole.probabilities(graphs)).all()


def test_the_prevalence_is_a_rule_that_ranks_nothing(graphs: GraphSet) -> None:
    task = MultiLabelTask.of(graphs)
    rule = task.beside(graphs)["prevalence"]
    assert rule["roc_auc"] == 0.5
    assert rule["average_precision"] == pytest.approx(sum(task.prevalence) / 3, rel=1e-6)
    assert set(TASKS["multilabel"].standard_baselines()) == {"structure-free", "prevalence"}


def test_both_tasks_over_targets_mask_in_the_same_way(graphs: GraphSet) -> None:
    batch = replace(graphs, x=torch.ones(graphs.num_nodes, 1)).batch()
    task = RegressionTask.of(graphs, loss="mae")
    outputs = torch.zeros(40, 3)
    losses = task.graph_losses(Outputs(outputs), batch)
    assert graphs.target is not None
    scaled = (graphs.target - torch.tensor(task.mean)) / torch.tensor(task.spread)
    assert losses.tolist() == pytest.approx(scaled.abs().nanmean(1).tolist(), rel=1e-5)
