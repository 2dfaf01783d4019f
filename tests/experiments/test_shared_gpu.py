"""A daemon is started for many processes on a GPU, and stopped whatever happens."""

import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from graphpool.experiments import shared_gpu as module
from graphpool.experiments.shared_gpu import CONTROL, LOGS, PIPES, shared_gpu


@pytest.fixture
def daemon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """A program in the daemon's place that notes how it is called."""
    monkeypatch.delenv(PIPES, raising=False)
    monkeypatch.setattr(module, "USUAL", tmp_path / "nowhere")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    def make(code: int) -> Path:
        calls, program = tmp_path / "calls", tmp_path / CONTROL
        program.write_text(
            f'#!/bin/sh\necho "$1 $(cat) ${PIPES}" >> {calls}\nexit {code}\n', encoding="utf-8"
        )
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        calls.touch()
        return calls

    return make


def test_it_is_there_for_the_processes_inside_and_gone_afterwards(
    daemon: Callable[[int], Path],
) -> None:
    calls = daemon(0)
    with shared_gpu("cuda", 4) as started:
        assert started
        folder = os.environ[PIPES]
        assert Path(folder).is_dir()
        assert os.environ[LOGS] == folder
        assert calls.read_text(encoding="utf-8").split() == ["-d", folder]
    assert calls.read_text(encoding="utf-8").split()[2:] == ["quit", folder]
    assert PIPES not in os.environ
    assert LOGS not in os.environ
    assert not Path(folder).exists()


def test_an_error_inside_stops_it_too(daemon: Callable[[int], Path]) -> None:
    calls = daemon(0)
    with pytest.raises(RuntimeError, match="inside"), shared_gpu("cuda:1", 2):
        raise RuntimeError("inside")
    assert "quit" in calls.read_text(encoding="utf-8")
    assert PIPES not in os.environ


@pytest.mark.parametrize(("device", "jobs"), [("cpu", 8), ("cuda", 1)])
def test_nothing_is_started_without_use(
    daemon: Callable[[int], Path], device: str, jobs: int
) -> None:
    calls = daemon(0)
    with shared_gpu(device, jobs) as started:
        assert not started
    assert calls.read_text(encoding="utf-8") == ""


def test_a_daemon_of_somebody_else_is_left_alone(
    daemon: Callable[[int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = daemon(0)
    monkeypatch.setenv(PIPES, "/theirs")
    with shared_gpu("cuda", 4) as started:
        assert not started
        assert os.environ[PIPES] == "/theirs"
    monkeypatch.delenv(PIPES)
    monkeypatch.setattr(module, "USUAL", calls)
    with shared_gpu("cuda", 4) as started:
        assert not started
    assert calls.read_text(encoding="utf-8") == ""


def test_one_that_does_not_start_is_done_without(
    daemon: Callable[[int], Path], caplog: pytest.LogCaptureFixture
) -> None:
    calls = daemon(1)
    with shared_gpu("cuda", 4) as started:
        assert not started
        assert PIPES not in os.environ
    assert "take turns" in caplog.text
    assert "quit" not in calls.read_text(encoding="utf-8")


def test_variables_of_the_user_are_given_back(
    daemon: Callable[[int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(LOGS, "/mine")
    for code in (0, 1):
        daemon(code)
        with shared_gpu("cuda", 2) as started:
            assert (os.environ[LOGS] == "/mine") is not started
        assert os.environ[LOGS] == "/mine"


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_killed_process_leaves_no_daemon(daemon: Callable[[int], Path], number: int) -> None:
    calls = daemon(0)
    # A shell that starts Python in the background has it ignore SIGINT.
    script = (
        "import signal, sys, time; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from pathlib import Path; from graphpool.experiments import shared_gpu\n"
        "shared_gpu.USUAL = Path(sys.argv[1])\n"
        "with shared_gpu.shared_gpu('cuda', 2) as started:\n"
        "    print(started, flush=True); time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script, str(calls.parent / "nowhere")], stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, start_new_session=True,
    )  # fmt: skip
    assert process.stdout is not None
    assert process.stdout.readline() == "True\n"
    assert "quit" not in calls.read_text(encoding="utf-8")
    os.killpg(process.pid, number)  # as a terminal does
    process.communicate(timeout=30)
    until = time.monotonic() + 30
    while "quit" not in calls.read_text(encoding="utf-8"):
        assert time.monotonic() < until
        time.sleep(0.05)
