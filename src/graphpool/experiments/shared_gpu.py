"""Many processes on one GPU: a daemon of CUDA (MPS) lets their kernels run side by side.

Without it a GPU gives its time to one process after another. Networks of small graphs leave most
of it idle, so that many of them together are several times faster (docs/training.md).
"""

import logging
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from graphpool.files import scratch_folder

log = logging.getLogger(__name__)

CONTROL = "nvidia-cuda-mps-control"
# Clients look for a daemon here, or where the variable says.
USUAL = Path("/tmp/nvidia-mps")
PIPES, LOGS = "CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_LOG_DIRECTORY"
_SECONDS = 20


@contextmanager
def shared_gpu(device: str, jobs: int) -> Iterator[bool]:
    """Start a daemon for the processes that are started inside, and stop it afterwards.

    Nothing is started where there is no use for it or one is there: on a CPU, for one process, if
    the machine has no such daemon, or if somebody else has started it.

    Yields:
        Whether a daemon was started.
    """
    if not device.startswith("cuda") or jobs < 2 or not _is_needed():
        yield False
        return
    with scratch_folder() as folder, _environment({PIPES: folder, LOGS: folder}):
        started = _control("-d")
        if not started:
            for name in (PIPES, LOGS):
                del os.environ[name]
            log.warning("%s does not start; processes take turns on the GPU", CONTROL)
        try:
            yield started
        finally:
            if started:
                _control(commands="quit\n")


def _is_needed() -> bool:
    return shutil.which(CONTROL) is not None and PIPES not in os.environ and not USUAL.exists()


def _control(*options: str, commands: str = "") -> bool:
    """Call the program that starts and stops the daemon; return whether it did."""
    try:
        done = subprocess.run(
            [CONTROL, *options], input=commands, text=True, timeout=_SECONDS, check=False,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


@contextmanager
def _environment(values: Mapping[str, Path]) -> Iterator[None]:
    os.environ.update({name: str(value) for name, value in values.items()})
    try:
        yield
    finally:
        for name in values:
            os.environ.pop(name, None)
