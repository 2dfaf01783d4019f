import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
import torch

from graphpool.errors import ConfigError, TrainingError
from graphpool.experiments.executor import DIED, ItemFailure, LocalExecutor


def work(item: int) -> int:
    if item == 2:
        raise ValueError("two")
    if item == 3:
        os._exit(9)
    if item == 4:
        raise ConfigError("mend four")
    return 10 * item


def test_failures_and_deaths_do_not_stop_the_rest():
    found = dict(LocalExecutor(2).run(work, [1, 2, 3, 4, 5, 6]))
    assert found == {
        1: 10,
        2: ItemFailure("ValueError: two"),
        3: ItemFailure(DIED),
        4: ItemFailure("mend four"),
        5: 50,
        6: 60,
    }


def test_in_one_process_failures_do_not_stop_the_rest_either():
    found = dict(LocalExecutor().run(work, [1, 2, 4, 5]))
    assert found == {1: 10, 2: ItemFailure("ValueError: two"), 4: ItemFailure("mend four"), 5: 50}


@dataclass(frozen=True)
class LosesDevice:
    """Work whose device is lost while item 2 is done for the first time."""

    mark: Path

    def __call__(self, item: int) -> int:
        if item == 2 and not self.mark.exists():
            self.mark.touch()
            raise torch.AcceleratorError("CUDA error: an illegal memory access\nmore lines")
        return 10 * item


def test_a_lost_device_costs_a_process_and_no_item(tmp_path):
    work = LosesDevice(tmp_path / "lost")
    assert dict(LocalExecutor(2).run(work, [1, 2, 3])) == {1: 10, 2: 20, 3: 30}
    assert work.mark.exists()


def lose_device(item: int) -> int:
    if item == 2:
        raise torch.AcceleratorError("CUDA error: an illegal memory access\nmore lines")
    return 10 * item


def test_an_item_that_loses_its_device_twice_has_failed_and_says_why():
    lost = ItemFailure(
        "the device was lost twice: CUDA error: an illegal memory access; use fewer jobs"
    )
    assert dict(LocalExecutor(2).run(lose_device, [1, 2, 3])) == {1: 10, 2: lost, 3: 30}


def test_without_other_processes_a_lost_device_ends_the_run(tmp_path):
    run = LocalExecutor().run(LosesDevice(tmp_path / "lost"), [1, 2, 3])
    assert next(run) == (1, 10)
    with pytest.raises(
        TrainingError, match="device is lost: CUDA error: an illegal memory access;"
    ):
        next(run)


def test_nothing_is_begun_after_the_deadline():
    for jobs in (1, 2):
        assert dict(LocalExecutor(jobs).run(work, [1, 5], deadline=time.monotonic())) == {}
    later = time.monotonic() + 600
    assert dict(LocalExecutor(2).run(work, [1, 5], later)) == {1: 10, 5: 50}


def test_an_executor_needs_a_job():
    with pytest.raises(ConfigError, match="at least 1"):
        LocalExecutor(0)


# ---------------------------------------------------------------------- signals


def tell(folder: Path) -> None:
    """Leave a note of this process's id, and be long about it."""
    (folder / f"{os.getpid()}.pid").write_text("")
    time.sleep(60)


def start(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, __file__, str(folder)], stderr=subprocess.PIPE, text=True,
        start_new_session=True,
    )  # fmt: skip
    until = time.monotonic() + 30
    while len(list(folder.glob("*.pid"))) < 2:
        assert time.monotonic() < until
        time.sleep(0.05)
    return process


def gone(folder: Path) -> bool:
    """Whether all workers end within a few seconds."""
    pids = [int(path.stem) for path in folder.glob("*.pid")]
    until = time.monotonic() + 10
    while time.monotonic() < until:
        alive = [pid for pid in pids if Path(f"/proc/{pid}/stat").exists() and not zombie(pid)]
        if not alive:
            return True
        time.sleep(0.05)
    return False


def zombie(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_ctrl_c_ends_workers_at_once_and_quietly(tmp_path):
    process = start(tmp_path)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert gone(tmp_path)
    assert errors == "stopped by SIGINT\n"


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks at processes in /proc")
def test_workers_do_not_outlive_their_parent(tmp_path):
    process = start(tmp_path)
    process.kill()
    process.communicate(timeout=20)
    assert gone(tmp_path)


if __name__ == "__main__":
    from graphpool.training.signals import interrupts_exit

    place = Path(sys.argv[1])
    with interrupts_exit():
        list(LocalExecutor(2).run(tell, [place, place]))
