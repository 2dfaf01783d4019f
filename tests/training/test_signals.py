import signal
import subprocess
import sys
from pathlib import Path

import pytest
import standin
import torch

from graphpool.training import Interrupted, read_checkpoint
from graphpool.training.signals import interrupts_exit, watch_signals

PLATEAU = {"schedule": "plateau", "plateau_epochs": 1}


def train_in_a_process(folder, signum, at, checkpoint_seconds):
    script = Path(standin.__file__)
    command = [sys.executable, script, folder, int(signum), at, checkpoint_seconds]
    return subprocess.run(
        [str(part) for part in command], capture_output=True, text=True, timeout=60, check=False
    )


def assert_resumes_to_the_bit(folder):
    resumed, result = standin.train(folder, model=standin.make_model(8), resume=True, **PLATEAU)
    expected, wanted = standin.train(**PLATEAU)
    for name, value in expected.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], value), name
    assert result.best_metrics == wanted.best_metrics


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_mid_epoch_saves_exits_and_resumes_to_the_bit(tmp_path, signum, code):
    done = train_in_a_process(tmp_path, signum, at=7, checkpoint_seconds=1000)
    assert done.returncode == code, done.stderr
    assert done.stderr == f"stopped by {signum.name}\n"
    state = read_checkpoint(tmp_path / "last.safetensors").header["state"]
    assert (state["epoch"], state["position"]) == (1, 3)
    assert_resumes_to_the_bit(tmp_path)


def test_a_killed_process_resumes_to_the_bit_from_its_last_checkpoint(tmp_path):
    done = train_in_a_process(tmp_path, signal.SIGKILL, at=7, checkpoint_seconds=0)
    assert done.returncode == -signal.SIGKILL
    state = read_checkpoint(tmp_path / "last.safetensors").header["state"]
    assert (state["epoch"], state["position"]) == (1, 2)
    assert_resumes_to_the_bit(tmp_path)


def test_handlers_are_put_back():
    before = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with watch_signals() as request:
        assert signal.getsignal(signal.SIGTERM) == request.receive
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == before


def test_a_second_signal_does_not_wait():
    with watch_signals() as request:
        signal.raise_signal(signal.SIGTERM)
        assert request.signum == signal.SIGTERM
        with pytest.raises(Interrupted, match="at once"):
            signal.raise_signal(signal.SIGTERM)


def test_without_a_folder_signals_stay_with_the_caller():
    # A shell that starts Python in the background has it ignore SIGINT.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            standin.train(task=standin.SignallingTask(signal.SIGINT, 2))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_bare_keyboard_interrupt_exits_130():
    with pytest.raises(SystemExit) as exit_, interrupts_exit():
        raise KeyboardInterrupt
    assert exit_.value.code == 130
