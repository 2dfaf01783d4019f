"""Locks: only one process at a time writes to a run folder, a distance matrix or records.

The lock belongs to an open file, so that it ends with its process, however that ends. The file
says who holds it.
"""

import logging
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from graphpool.errors import LockedError
from graphpool.files import lock_file, writing

log = logging.getLogger(__name__)

LOCK = ".graphpool.lock"


@contextmanager
def folder_lock(folder: str | Path) -> Iterator[None]:
    """Make a folder and keep others from writing to it; `LockedError` if another process does."""
    with _locked(Path(folder) / LOCK, Path(folder)):
        yield


@contextmanager
def file_lock(file: str | Path) -> Iterator[None]:
    """Keep others from writing a file and what belongs to it."""
    file = Path(file)
    with _locked(file.with_name(f".{file.name}.lock"), file):
        yield


@contextmanager
def _locked(path: Path, subject: Path) -> Iterator[None]:
    new = not path.parent.exists()
    with writing(subject):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = _acquire(path, subject)
    try:
        yield
    finally:
        # Removed while it is locked: a process that has opened it sees that it is gone.
        with suppress(OSError):
            path.unlink()
            if new:  # and still empty, because nothing came of it
                path.parent.rmdir()
        os.close(descriptor)


def _acquire(path: Path, subject: Path) -> int:
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        locked = lock_file(descriptor)
        if locked is False:
            holder = os.read(descriptor, 200).decode(errors="replace").strip()
            os.close(descriptor)
            raise LockedError(
                f"{subject}: in use by {holder or 'another process'}; wait until it ends, or "
                "choose another path (--out)"
            )
        if locked is None:
            log.warning(
                "%s: its file system has no locks; make sure that no other process writes there",
                subject,
            )
        elif not _is_same(path, descriptor):
            os.close(descriptor)
            continue
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        with suppress(OSError):  # a full disk: the lock holds without the text
            os.ftruncate(descriptor, 0)
            os.write(
                descriptor,
                f"process {os.getpid()} on {socket.gethostname()} since {since}".encode(),
            )
        return descriptor


def _is_same(path: Path, descriptor: int) -> bool:
    """Whether the path still leads to the open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
