import math

import pytest
import torch
from standin import make_graphs, make_model, train

from graphpool.config import TrainConfig
from graphpool.errors import ConfigError, DataError, TrainingWarning, collect_warnings
from graphpool.evaluation.metrics import CLASS_METRICS
from graphpool.tasks.classification import ClassificationTask
from graphpool.training import read_events
from graphpool.training.environment import suitable_threads


class Scripted(ClassificationTask):
    """Validation metrics as written down; the weights at each epoch are remembered."""

    def __init__(self, *metrics):
        super().__init__(2)
        self.metrics, self.seen = list(metrics), []

    def evaluate(self, model, graphs, batch_size):
        self.seen.append(model.head.weight.detach().clone())
        accuracy, loss = self.metrics[len(self.seen) - 1]
        return {"accuracy": accuracy, "loss": loss}


def test_a_small_set_can_be_learnt_by_heart():
    _, result = train(model=make_model(hidden=32, dropout=0.0), epochs=60, valid=False)
    assert result.best_metrics["accuracy"] == 1.0
    assert result.history[-1]["train"]["loss"] < 0.5 * result.history[0]["train"]["loss"]


def test_the_epoch_is_selected_on_validation_and_ties_by_loss():
    task = Scripted((0.5, 1.0), (0.7, 0.9), (0.7, 0.8), (0.6, 0.1))
    model, result = train(task=task)
    assert result.best_epoch == 3
    assert result.best_metrics == {"accuracy": 0.7, "loss": 0.8}
    assert torch.equal(model.head.weight, task.seen[2])
    assert not torch.equal(model.head.weight, task.seen[3])


class Ranked(Scripted):
    """The same with a metric of its own, NaN where it is undefined."""

    def evaluate(self, model, graphs, batch_size):
        metrics = super().evaluate(model, graphs, batch_size)
        ranks = (0.2, 0.9, math.nan, 0.9, 0.9)
        return {**metrics, "roc_auc": ranks[len(self.seen) - 1]}


@pytest.mark.parametrize(("scoring", "epoch"), [("accuracy", 3), ("roc_auc", 4), ("loss", 5)])
def test_the_metric_that_selects_can_be_set(scoring, epoch):
    last = (0.4, 0.2) if scoring == "loss" else (0.4, 0.6)
    task = Ranked((0.5, 1.0), (0.7, 0.9), (0.8, 0.8), (0.6, 0.5), last)
    _, result = train(task=task, epochs=5, scoring=scoring)
    assert result.best_epoch == epoch


def test_training_stops_early_by_default():
    task = Scripted((0.5, 1.0), *[(0.4, 1.0)] * 40)
    _, result = train(task=task, epochs=40)
    assert (result.stopped, result.best_epoch) == ("patience", 1)
    assert len(result.history) == 1 + TrainConfig().patience


def test_patience_counts_epochs_since_the_best():
    task = Scripted((0.5, 1.0), (0.6, 1.0), (0.6, 1.0), (0.1, 1.0), (0.9, 0.0))
    _, result = train(task=task, epochs=5, patience=2)
    assert result.stopped == "patience"
    assert len(result.history) == 4
    assert result.best_epoch == 2


def test_without_validation_graphs_the_last_epoch_is_kept():
    model, result = train(valid=False, epochs=3)
    longer, _ = train(valid=False, epochs=4)
    assert (result.best_epoch, result.stopped) == (3, "epochs")
    assert not torch.equal(model.head.weight, longer.head.weight)
    expected = ClassificationTask(2).evaluate(model, make_graphs(), 5)
    assert result.best_metrics["loss"] == pytest.approx(expected["loss"])


def test_without_validation_graphs_all_epochs_are_trained():
    _, result = train(valid=False, epochs=4, patience=1)
    assert result.stopped == "epochs"
    assert len(result.history) == 4


def test_an_empty_training_set_is_refused():
    with pytest.raises(DataError, match="has no graphs"):
        train(graphs=make_graphs()[[]])


def test_a_device_that_is_not_there_is_refused():
    with pytest.raises(ConfigError, match=r"train\.device 'cuda:77' can't be used here"):
        train(device="cuda:77")


def test_the_training_loss_is_the_mean_over_graphs():
    """With a learning rate of almost nothing it is the loss of the untrained weights."""
    _, result = train(
        model=make_model(dropout=0.0), valid=False, epochs=1, learning_rate=1e-12, batch_size=22
    )
    model = make_model(dropout=0.0)
    expected = ClassificationTask(2).losses(model, make_graphs().batch()).mean().item()
    assert result.history[0]["train"]["loss"] == pytest.approx(expected, rel=1e-6)


def test_clipping_bounds_the_gradient():
    norms = []

    class Watched(ClassificationTask):
        def step(self, model, batch):
            grads = [p.grad for p in model.parameters() if p.grad is not None]
            if grads:
                norms.append(torch.cat([grad.flatten() for grad in grads]).norm().item())
            return super().step(model, batch)

    train(task=Watched(2), clip_norm=0.01)
    assert norms
    assert max(norms) <= 0.01 * (1 + 1e-4)


def test_the_seed_decides_the_run():
    first, again, other = (train(seed=seed)[0].head.weight for seed in (0, 0, 1))
    assert torch.equal(first, again)
    assert not torch.equal(first, other)


def test_switches_of_torch_are_put_back():
    threads = torch.get_num_threads()
    train(threads=2)
    assert torch.get_num_threads() == threads
    assert not torch.are_deterministic_algorithms_enabled()


def test_the_model_comes_back_in_eval_mode_without_gradients():
    model, _ = train()
    assert not model.training
    assert all(weight.grad is None for weight in model.parameters())


def test_history_and_events_tell_the_same(tmp_path):
    def diagnose(trace):
        return {"level1/effective_rank": 2.0}

    _, result = train(tmp_path, task=ClassificationTask(2, diagnose))
    events = read_events(tmp_path / "events.jsonl")
    assert [event["event"] for event in events] == ["start", *["epoch"] * 4, "stop"]
    assert [{"event": "epoch", **row} for row in result.history] == events[1:-1]
    row = events[1]
    assert (row["epoch"], row["step"], row["lr"]) == (1, 4, 0.01)
    assert row["train"].keys() == {"loss", "accuracy"}
    assert row["valid"].keys() == {"loss", *CLASS_METRICS}
    assert row["diagnostics"] == {"level1/effective_rank": 2.0}
    assert events[-1]["reason"] == "epochs"


def test_a_collapsed_level_is_warned_of_once():
    def diagnose(trace):
        return {"level1/effective_rank": 1.01, "level1/clusters": 8.0}

    with collect_warnings(TrainingWarning) as messages:
        _, result = train(task=ClassificationTask(2, diagnose))
    assert len(messages) == 1
    assert messages[0].startswith("level 1 has collapsed")
    assert result.warnings == tuple(messages)


def test_nothing_is_written_without_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    train()
    assert list(tmp_path.iterdir()) == []


def test_frozen_weights_stay(tmp_path):
    model = make_model()
    model.inner.requires_grad_(False)
    before = model.inner.weight.clone()
    train(tmp_path, model=model)
    assert torch.equal(model.inner.weight, before)


def test_small_batches_run_on_one_thread_and_large_ones_on_as_many_as_torch_likes():
    graphs = make_graphs()
    whole = graphs.num_nodes + graphs.num_edges
    assert suitable_threads(graphs, batch_size=len(graphs)) == 1
    assert suitable_threads(graphs, batch_size=len(graphs) * (30_000 // whole + 1)) == 0
