import io
import json
import math
import sys
from contextlib import closing

import pytest
from standin import train

from graphpool.errors import ConfigError
from graphpool.training import read_events
from graphpool.training.events import EventLog
from graphpool.training.loop import show_epoch, training_bar

ROW = {
    "epoch": 1, "step": 4, "train": {"loss": 0.5, "accuracy": 0.5}, "valid": {"accuracy": 0.75},
}  # fmt: skip


def test_numbers_that_json_does_not_know_become_null(tmp_path):
    log = EventLog(tmp_path)
    log.write("epoch", epoch=1, valid={"loss": math.nan, "more": [math.inf, 1.0]})
    line = json.loads((tmp_path / "events.jsonl").read_text(), parse_constant=pytest.fail)
    assert line["valid"] == {"loss": None, "more": [None, 1.0]}


def test_lines_can_be_read_while_the_run_goes_on(tmp_path):
    log = EventLog(tmp_path)
    log.write("epoch", epoch=1)
    assert read_events(tmp_path / "events.jsonl") == [{"event": "epoch", "epoch": 1}]


def test_rewinding_drops_later_epochs_and_stops_and_goes_on(tmp_path):
    log = EventLog(tmp_path)
    log.write("start")
    for epoch in (1, 2, 3):
        log.write("epoch", epoch=epoch)
    log.write("stop", epoch=3, step=9)
    log.rewind(epoch=2, step=7)
    log.write("epoch", epoch=3, again=True)
    events = read_events(tmp_path / "events.jsonl")
    assert [event.get("epoch") for event in events] == [None, 1, 2, 3]
    assert events[-1]["again"]


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_the_bar_is_silent_when_nobody_watches(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := io.StringIO())
    with closing(training_bar(8, 2, active=True)) as bar:
        bar.update_often(1, epoch=1)
        show_epoch(bar, ROW)
    assert not bar.shown
    assert stream.getvalue() == ""


def test_the_bar_is_silent_when_it_is_turned_off(monkeypatch):
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with closing(training_bar(8, 2, active=False)) as bar:
        show_epoch(bar, ROW)
    assert stream.getvalue() == ""


def test_the_bar_shows_epoch_loss_and_accuracy_on_a_terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setattr(sys, "stderr", stream := Terminal())
    with closing(training_bar(8, 2, active=True)) as bar:
        bar.update_often(1, epoch=1)
        show_epoch(bar, ROW)
    assert "epoch 1/2" in stream.getvalue()
    assert "loss 0.5000  valid 75.0%" in stream.getvalue()


def test_tensorboard_that_is_not_installed_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(ConfigError, match=r"pip install 'graphpool\[track\]'"):
        train(tmp_path, tensorboard=True)


def test_tensorboard_needs_a_folder():
    with pytest.raises(ConfigError, match="needs a run folder"):
        train(tensorboard=True)


def test_tensorboard_gets_the_curves(tmp_path):
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    _, result = train(tmp_path, tensorboard=True)
    events = EventAccumulator(str(tmp_path / "tensorboard"))
    events.Reload()
    values = [item.value for item in events.Scalars("valid/loss")]
    assert values == pytest.approx([row["valid"]["loss"] for row in result.history], rel=1e-6)
