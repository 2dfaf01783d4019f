"""A stopped run goes on to the same bits, whatever its task over single graphs.

`test_command_compared` has matching and similarity.
"""

import json
import signal
from pathlib import Path

import pytest
import torch

from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.load import load
from graphpool.tasks.graph_task import GraphTask
from graphpool.training.checkpoint import read_checkpoint

TASKS = {
    "classification": (),
    "regression": ("--interval", "quantile", "--loss", "mae"),
    "multilabel": ("--class-weight", "balanced"),
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same 40 molecules with classes, with numbers, and with labels; some are unknown."""
    folder = tmp_path_factory.mktemp("data")
    graphs = load("MUTAG", features=None)[:40]
    write_jsonl(graphs, folder / "classification.jsonl")
    numbers = torch.stack([graphs.node_counts / 3, graphs.edge_counts / 7], dim=1)
    labels = (numbers > numbers.median(0).values).float()
    for name, target in (("regression", numbers), ("multilabel", labels)):
        target[::7, 1] = float("nan")
        write_jsonl(graphs.with_target(target, ("one", "two")), folder / f"{name}.jsonl")
    return folder


@pytest.mark.parametrize("task", TASKS)
def test_a_stopped_run_goes_on_to_the_same_bits(cli, files, monkeypatch, task):
    begun = ("train", files / f"{task}.jsonl", "--task", task, "--epochs", 4, "--hidden", 8,
             "--threads", 1, "--set", "train.batch_size=8", *TASKS[task])  # fmt: skip
    assert (done := cli(*begun, "--out", "whole")).code == 0, done.err
    steps = iter(range(100))

    def stopped(task, model, batch, plain=GraphTask.step):
        if next(steps) == 6:  # in the middle of the second epoch
            signal.raise_signal(signal.SIGINT)
        return plain(task, model, batch)

    with monkeypatch.context() as patch:
        patch.setattr(GraphTask, "step", stopped)
        done = cli(*begun, "--out", "cut")
    assert done.code == 130
    assert not Path("cut/result.json").exists()
    assert cli("train", "--resume", "--out", "cut").code == 0
    for name in ("best.safetensors", "last.safetensors"):
        ours, theirs = (read_checkpoint(Path(run) / name) for run in ("whole", "cut"))
        assert ours.tensors.keys() == theirs.tensors.keys()
        assert all(torch.equal(ours.tensors[key], theirs.tensors[key]) for key in ours.tensors)
        assert ours.header["extra"] == theirs.header["extra"]
    results = [json.loads((Path(run) / "result.json").read_text()) for run in ("whole", "cut")]
    for key in ("test", "valid", "best_epoch"):
        assert results[0][key] == results[1][key]
    answers = [cli("predict", run, files / f"{task}.jsonl").out for run in ("whole", "cut")]
    assert answers[0] == answers[1]
    # A finished run is not trained again.
    assert cli("train", "--resume", "--out", "cut").code == 0
    assert cli("predict", "cut", files / f"{task}.jsonl").out == answers[0]
