"""Many processes on one GPU: a daemon of CUDA (MPS) lets their kernels run side by side.

Without it a GPU gives its time to one process after another. Networks of small graphs leave most
of it idle, so that many of them together are several times faster (docs/training.md).
"""

import logging
import os
import select
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
    with (
        scratch_folder() as folder,
        _environment({PIPES: folder, LOGS: folder}) as before,
        _daemon() as started,
    ):
        if not started:
            _set(before)
            log.warning("%s does not start; processes take turns on the GPU", CONTROL)
        yield started


def _is_needed() -> bool:
    return shutil.which(CONTROL) is not None and PIPES not in os.environ and not USUAL.exists()


# In a session of its own, which Ctrl-C does not reach. It waits for the end of its input, which
# ends with this process, however that ends.
_SCRIPT = f"""
{CONTROL} -d </dev/null >/dev/null 2>&1 || exit 1
echo started
read -r _
echo quit | {CONTROL} >/dev/null 2>&1
"""


@contextmanager
def _daemon() -> Iterator[bool]:
    """Start the daemon, and stop it afterwards or when this process is killed."""
    try:
        process = subprocess.Popen(
            ["sh", "-c", _SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            start_new_session=True,
        )  # fmt: skip
    except OSError:
        yield False
        return
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        ready, _, _ = select.select([process.stdout], [], [], _SECONDS)
        yield bool(ready) and bool(process.stdout.readline())
    finally:
        process.stdin.close()
        process.stdout.close()
        try:
            process.wait(_SECONDS)
        except subprocess.TimeoutExpired:
            log.warning("%s has not stopped yet; it does when its processes end", CONTROL)


@contextmanager
def _environment(values: Mapping[str, Path]) -> Iterator[dict[str, str | None]]:
    """Set variables inside; yields what they were before."""
    before = {name: os.environ.get(name) for name in values}
    _set({name: str(value) for name, value in values.items()})
    try:
        yield before
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    """Set variables of the environment; None removes one."""
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
