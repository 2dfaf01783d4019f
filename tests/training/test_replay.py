"""Recorded steps: padded batches say the same of their graphs, and a replayed run ends the same."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import tape
import torch

import graphpool as gp
from graphpool.config import ModelConfig, TrainConfig, resolve_model
from graphpool.errors import GraphpoolWarning
from graphpool.features import FeaturePipeline
from graphpool.graphs import GraphSet
from graphpool.graphs.padded import PaddedSizes
from graphpool.nn.ops.switch import GROUPS, plain_operations
from graphpool.nn.random import seeded_weights
from graphpool.nn.zoo import build_model
from graphpool.tasks.classification import ClassificationTask
from graphpool.tasks.multilabel import MultiLabelTask
from graphpool.tasks.regression import RegressionTask
from graphpool.training import fit
from graphpool.training.loop import _Run
from graphpool.training.objective import trace
from graphpool.training.replay import ReplayedSteps, can_replay

SETTINGS: dict[str, dict[str, Any]] = {
    "hap": {},
    "hap, two levels": {"pooler": "hap", "clusters": (20, 4)},
    "hap, whole graph": {"pooler": "hap", "whole_graph": True},
    "hap, gine": {"pooler": "hap", "encoder": "gine", "norm": "batch"},
    "hap, gat": {"pooler": "hap", "encoder": "gat"},
    "flat": {"encoder": "gine", "norm": "batch"},
    "flat, gated": {"pooler": "flat", "encoder": "gated", "norm": "layer"},
    "flat, gatv2": {"pooler": "flat", "encoder": "gatv2"},
    "sum": {"encoder": "gcn", "norm": "batch"},
    "mean": {},
    "max": {},
    "mean-att": {},
    "gated": {},
    "set2set": {},
    "concat": {},
    "structure-free": {},
    "hap-paper": {"clusters": (4, 1), "encoder": "gcn", "norm": "none"},
}


@pytest.fixture(autouse=True)
def as_on_a_gpu() -> Iterator[None]:
    """Compiled loops run on a CPU alone, and no tape hears of them."""
    with plain_operations(*(set(GROUPS) - {"products"})):
        yield


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    plain = gp.load("MUTAG", features=None)
    made = FeaturePipeline("labels+edge_labels").fit_transform(plain)
    assert made.x is not None
    assert made.edge_x is not None
    weight = torch.ones(made.num_edges, dtype=torch.float64)
    return replace(made, x=made.x.double(), edge_x=made.edge_x.double(), edge_weight=weight)


def network(name: str, graphs: GraphSet, outputs: int = 2) -> torch.nn.Module:
    given = {"pooler": name, "hidden_channels": 8, "num_layers": 2, **SETTINGS.get(name, {})}
    assert graphs.x is not None
    edges = 0 if graphs.edge_x is None else graphs.edge_x.shape[1]
    config = resolve_model(ModelConfig(**given), edges > 0)
    mean = float(graphs.node_counts.double().mean())
    with seeded_weights(1):
        return build_model(config, graphs.x.shape[1], outputs, mean, edges).double()


@pytest.mark.parametrize("name", SETTINGS)
def test_a_padded_batch_gives_its_graphs_the_same_logits_and_gradients(
    name: str, graphs: GraphSet
) -> None:
    model = network(name, graphs).train()
    assert can_replay(model)
    index = torch.tensor([3, 50, 7, 120, 99, 180])
    sizes = PaddedSizes(graphs, 8, getattr(model, "rules", ()))
    padded = sizes.batch(index, sizes.of(index.numpy()))
    answers = []
    for batch in (graphs.batch(index), padded):
        for weight in model.parameters():
            weight.grad = None
        buffers = {key: value.clone() for key, value in model.named_buffers()}
        torch.manual_seed(0)
        logits = trace(model, batch).logits
        logits.square().mean().backward()
        after = {key: value.clone() for key, value in model.named_buffers()}
        for key, value in model.named_buffers():
            value.copy_(buffers[key])
        answers.append((logits, [weight.grad for weight in model.parameters()], after))
    (logits, grads, buffers), (padded_logits, padded_grads, padded_buffers) = answers
    if name != "hap-paper":  # its noise is drawn for the padding, too
        torch.testing.assert_close(padded_logits, logits, rtol=1e-4, atol=1e-5)
        for grad, other in zip(grads, padded_grads, strict=True):
            torch.testing.assert_close(other, grad, rtol=1e-3, atol=1e-5)
    assert padded_logits.shape == logits.shape
    for key, value in buffers.items():
        torch.testing.assert_close(padded_buffers[key], value, rtol=1e-4, atol=1e-6)


def replayed(monkeypatch: pytest.MonkeyPatch) -> list[ReplayedSteps]:
    """Let `fit` replay on the CPU, by tapes."""
    made: list[ReplayedSteps] = []

    def of(update: Any, model: Any, train: Any, config: Any, device: Any) -> ReplayedSteps:
        rate = torch.tensor(config.learning_rate)
        rules = getattr(model, "rules", ())
        made.append(ReplayedSteps(update, rules, config.batch_size, rate, tape.record))
        return made[-1]

    monkeypatch.setattr(ReplayedSteps, "of", of)
    return made


@pytest.mark.parametrize("name", ["hap", "hap, gine", "sum", "flat", "set2set", "hap, whole graph"])
def test_a_replayed_run_ends_with_the_same_weights(
    name: str, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = TrainConfig(epochs=4, batch_size=16, schedule="cosine", clip_norm=1.0)
    ends = []
    for replays in (False, True):
        model = network(name, graphs)
        if replays:
            steps = replayed(monkeypatch)
        result = fit(
            model, ClassificationTask(2), graphs[:100], graphs[100:], config, progress=False
        )
        ends.append((result.history, model.state_dict()))
    assert len(steps[0].recorded) >= 2  # whole batches, and the rest of four
    assert not steps[0].broken
    (history, weights), (again, same) = ends
    for row, other in zip(history, again, strict=True):
        assert other["train"]["loss"] == pytest.approx(row["train"]["loss"], rel=1e-3)
        assert other["lr"] == pytest.approx(row["lr"])
    for key, value in weights.items():
        torch.testing.assert_close(same[key], value, rtol=2e-3, atol=2e-4)


@pytest.mark.parametrize("task", ["regression", "multilabel", "weighted classes"])
def test_runs_of_other_tasks_are_replayed(
    task: str, graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = TrainConfig(epochs=3, batch_size=16)
    objective: Any = ClassificationTask(2)
    if task == "regression":
        size = graphs.node_counts.double()
        graphs = graphs.with_target(torch.stack([size, size.sqrt()], 1), ("nodes", "root"))
        objective = RegressionTask(("nodes", "root"), (18.0, 4.2), (4.0, 0.5), interval="gaussian")
    elif task == "multilabel":
        values = torch.stack([graphs.node_counts > 17, graphs.node_counts > 20], 1).double()
        values[5, 0] = float("nan")
        graphs = graphs.with_target(values, ("a", "b"))
        objective = MultiLabelTask(("a", "b"), (0.5, 0.3), class_weight="balanced")
    else:
        graphs = graphs.with_weight(torch.linspace(0.5, 1.5, len(graphs), dtype=torch.float64))
    ends = []
    for replays in (False, True):
        model = network("hap", graphs, 4 if task == "regression" else 2)
        if replays:
            steps = replayed(monkeypatch)
        result = fit(model, objective, graphs, None, config, progress=False)
        ends.append([row["train"]["loss"] for row in result.history])
    assert steps[0].recorded
    assert not steps[0].broken
    assert ends[1] == pytest.approx(ends[0], rel=1e-3)


def test_a_padded_batch_of_one_node_leaves_finite_statistics(graphs: GraphSet) -> None:
    alone = GraphSet.build("one", torch.tensor([1]), torch.tensor([0]), torch.zeros(2, 0).long())
    assert graphs.x is not None
    alone = replace(alone, x=graphs.x[:1], edge_weight=torch.zeros(0, dtype=torch.float64))
    model = network("sum", graphs).train()
    sizes = PaddedSizes(alone, 1)
    padded = sizes.batch(torch.tensor([0]), sizes.of(torch.tensor([0]).numpy()))
    trace(model, padded).logits.sum().backward()
    assert all(value.isfinite().all() for value in model.state_dict().values())
    assert all(weight.grad.isfinite().all() for weight in model.parameters())


def test_a_run_that_is_not_replayed_says_so(graphs: GraphSet) -> None:
    config = TrainConfig(epochs=1, replay=True)
    with pytest.warns(
        GraphpoolWarning, match="train.replay changes nothing: .* this run is on cpu"
    ):
        fit(network("sum", graphs), ClassificationTask(2), graphs, None, config, progress=False)
    model, device = network("sort", graphs), torch.device("cuda")
    with pytest.warns(GraphpoolWarning, match="this network can't be recorded"):
        ReplayedSteps.of(lambda batch, count: None, model, graphs, config, device)


def test_networks_that_ask_the_device_are_not_replayed(graphs: GraphSet) -> None:
    for name in ("sagpool", "asap", "sort", "hap-one-way", "gmt"):
        assert not can_replay(network(name, graphs)), name


def test_batches_of_one_size_have_tensors_of_one_size(graphs: GraphSet) -> None:
    sizes = PaddedSizes(graphs, 16, getattr(network("hap", graphs), "rules", ()))
    found = {}
    for start in range(0, 160, 16):
        index = torch.arange(start, start + 16)
        size = sizes.of(index.numpy())
        shapes = [tuple(value.shape) for value in sizes.batch(index, size).tensors()]
        assert found.setdefault(size, shapes) == shapes
    assert 1 < len(found) < 6


def test_recordings_are_dropped_when_the_state_of_a_run_is_restored(
    graphs: GraphSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = replayed(monkeypatch)
    healthy = iter([*[True] * 2, False])
    monkeypatch.setattr(_Run, "_healthy", lambda run: next(healthy, True))
    monkeypatch.setattr("graphpool.training.loop.CHECK_STEPS", 10)
    forgotten = []
    monkeypatch.setattr(ReplayedSteps, "forget", lambda steps: forgotten.append(steps.recorded))
    config = TrainConfig(epochs=4, batch_size=16)
    fit(network("sum", graphs), ClassificationTask(2), graphs, None, config, progress=False)
    assert len(forgotten) == 1
    assert forgotten[0] is made[0].recorded


def test_what_cannot_be_recorded_is_trained_as_before(
    graphs: GraphSet, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = replayed(monkeypatch)

    def fails(run: Any, generator: torch.Generator) -> Any:
        raise RuntimeError("no")

    monkeypatch.setattr(tape, "record", fails)
    result = fit(
        network("sum", graphs), ClassificationTask(2), graphs, None, TrainConfig(epochs=2),
        progress=False,
    )  # fmt: skip
    assert made[0].broken
    assert len(result.history) == 2
    assert "can't be replayed: no" in caplog.text


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("name", ["hap", "hap, gine", "sum", "hap-paper"])
def test_a_gpu_replays_what_it_would_compute(name: str, graphs: GraphSet) -> None:
    losses = []
    for replays in (False, True):
        config = TrainConfig(epochs=3, batch_size=16, device="cuda", replay=replays)
        result = fit(
            network(name, graphs), ClassificationTask(2), graphs, None, config, progress=False
        )
        losses.append([row["train"]["loss"] for row in result.history])
    if name != "hap-paper":  # its noise is drawn for the padding, too
        assert losses[1] == pytest.approx(losses[0], rel=1e-4)
