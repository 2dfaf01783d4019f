"""Intervals of regression are calibrated on validation graphs: split conformal prediction."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.models import RunFolder, TrainedModel, train_run
from graphpool.tasks.number_output import NumberOutput
from graphpool.training.checkpoint import read_checkpoint

QUICK: dict[str, Any] = {
    "pooler": "sum", "encoder": "gcn", "epochs": 3, "hidden_channels": 8, "threads": 1,
}  # fmt: skip
intervals = pytest.mark.parametrize("interval", ["gaussian", "quantile"])


def literal_stretch(value: Any, lower: Any, upper: Any, actual: Any) -> float:
    """The rank of the sorted errors, each in units of the interval on its side, by a loop."""
    scores = []
    for v, low, high, y in zip(value, lower, upper, actual, strict=True):
        if not math.isnan(y):
            scores.append((y - v) / (high - v) if y >= v else (v - y) / (v - low))
    rank = -(-9 * (len(scores) + 1) // 10)
    return sorted(scores)[min(rank, len(scores)) - 1]


@intervals
@pytest.mark.parametrize("count", [1, 5, 9, 19, 50, 200])
def test_the_stretch_is_that_of_a_literal_loop(interval: str, count: int) -> None:
    draw = torch.Generator().manual_seed(count)
    output = NumberOutput((1.0, -2.0), (2.0, 0.5), interval=interval)
    outputs = torch.randn(count, output.width, generator=draw)
    target = 3 * torch.randn(count, 2, generator=draw).double()
    target[1::4, 1] = float("nan")
    value, lower, upper = output.values(outputs)
    assert lower is not None
    assert upper is not None
    found = output.calibrated(outputs, target)
    for column in range(2):
        columns = (each[:, column].tolist() for each in (value, lower, upper, target))
        assert found.stretch[column] == pytest.approx(literal_stretch(*columns))
    again, low, high = found.values(outputs)
    assert low is not None
    assert high is not None
    assert torch.equal(value, again)
    assert bool((low <= value).all())
    assert bool((value <= high).all())
    known = (~target.isnan()).sum(0)
    inside = ((low <= target + 1e-9) & (target - 1e-9 <= high)).sum(0)
    assert bool((inside >= (0.9 * known).floor()).all())
    # Nothing else depends on it.
    known_target = target.nan_to_num(0.0).float()
    assert torch.equal(found.losses(outputs, known_target), output.losses(outputs, known_target))
    assert found.calibrated(outputs, target).stretch == found.stretch


@intervals
@pytest.mark.parametrize("wrong", [0.05, 1.0, 20.0])
def test_new_values_lie_inside_as_often_as_promised(interval: str, wrong: float) -> None:
    """Over 200 draws, whatever the learned intervals are worth, 90 to 92 % of them do."""
    draw = torch.Generator().manual_seed(0)
    output = NumberOutput((0.0,), (1.0,), interval=interval)
    shares = []
    for _ in range(200):
        outputs = torch.randn(250, output.width, generator=draw)
        value, lower, _ = output.values(outputs)
        assert lower is not None
        noise = torch.randn(250, 1, generator=draw).double()
        target = value + wrong * (value - lower) * noise
        found = output.calibrated(outputs[:50], target[:50])
        _, low, high = found.values(outputs[50:])
        assert low is not None
        assert high is not None
        shares.append(float(((low <= target[50:]) & (target[50:] <= high)).double().mean()))
    assert 0.89 < np.mean(shares) < 0.93  # 46 / 51 is 0.902


def test_intervals_of_no_width_are_calibrated_too() -> None:
    output = NumberOutput((0.0,), (1.0,), interval="quantile")
    outputs = torch.full((20, 3), -200.0)  # softplus underflows to 0
    found = output.calibrated(outputs, torch.linspace(-1, 1, 20).double()[:, None])
    assert all(map(math.isfinite, found.stretch))
    exact = output.calibrated(outputs, torch.full((20, 1), -200.0).double())
    assert exact.stretch == (0.0,)


@pytest.fixture(scope="module")
def graphs() -> gp.GraphSet:
    """Molecules with a number that their graph says only in part."""
    graphs = gp.load("MUTAG", features=None)
    draw = torch.Generator().manual_seed(0)
    target = graphs.node_counts + 3 * torch.randn(len(graphs), generator=draw)
    return replace(graphs, y=None, classes=()).with_target(target[:, None].float())


@intervals
def test_it_is_kept_with_the_model(interval: str, graphs: gp.GraphSet, tmp_path: Path) -> None:
    model = gp.GraphRegressor(**QUICK, interval=interval, validation=0.3).fit(graphs)
    (stretch,) = model.model_.task.output.stretch
    assert stretch > 0
    loaded = gp.GraphRegressor.load(model.save(tmp_path / "model.safetensors"))
    assert loaded.model_.task.output == model.model_.task.output
    plain = replace(model.model_.task.output, stretch=())
    assert (
        not gp.GraphRegressor(**QUICK, interval=interval, validation=0)
        .fit(graphs)
        .model_.task.output.stretch
    )
    assert plain.stretch == ()


def test_a_run_folder_keeps_it_and_says_so(graphs: gp.GraphSet, tmp_path: Path) -> None:
    write_jsonl(graphs, tmp_path / "graphs.jsonl")
    config = RunConfig(
        task="regression",
        data=str(tmp_path / "graphs.jsonl"),
        model=ModelConfig(pooler="sum", hidden_channels=8),
        train=TrainConfig(epochs=2, threads=1, interval="quantile", scoring="mae"),
    )
    model, document = train_run(config, tmp_path / "run", progress=False)
    assert 0 <= document["as_learned"] <= 1
    lines = "\n".join(map(str, model.task.result_lines(document)))
    assert "calibrated on the validation graphs" in lines
    loaded = TrainedModel.load(tmp_path / "run")
    assert loaded.task.output == model.task.output
    assert loaded.task.output.stretch
    # Going on with a finished run finds the same.
    before = read_checkpoint(tmp_path / "run" / "best.safetensors").header
    again, _ = train_run(config, RunFolder(tmp_path / "run", config, resume=True), progress=False)
    assert again.task.output == model.task.output
    assert read_checkpoint(tmp_path / "run" / "best.safetensors").header == before
    stored = json.loads((tmp_path / "run" / "result.json").read_text())
    assert stored["as_learned"] == document["as_learned"]


def test_methods_with_intervals_are_compared_by_numbers(
    graphs: gp.GraphSet, tmp_path: Path
) -> None:
    """An interval has outputs of its own, which are no prediction."""
    settings: dict[str, Any] = {
        "protocol": "cv2", "seeds": (0,), "jobs": 1, "progress": False, "folder": tmp_path
    }  # fmt: skip
    config = RunConfig(
        task="regression",
        model=ModelConfig(pooler="sum", hidden_channels=8),
        train=TrainConfig(epochs=30, learning_rate=0.02, interval="quantile", scoring="mae"),
    )
    result = gp.evaluate(graphs, ["sum"], config=config, baselines=False, **settings)
    assert result.summary("sum").mean < 8
