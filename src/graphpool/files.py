"""Write files: complete or not at all, and an error that names the path and what to do.

Everything that graphpool writes goes through this module. A file is written under a temporary
name beside its own, synced and renamed, so that a reader sees the old content or the new one,
never a part of it. Temporary files are locked while they are written; one without a lock belongs
to a process that was killed, and is removed by the next one that writes to the same folder.
"""

import errno
import functools
import hashlib
import json
import math
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from graphpool.errors import ConfigError, WriteError

if sys.platform != "win32":
    import fcntl

_DAY = 86400.0
_TEMPORARY = re.compile(r"\.graphpool-[a-z0-9_]{8}\.tmp")
_SCRATCH = "graphpool-scratch-"
_OTHER_PATH = "choose another path (--out)"
# What is wrong, and what to do about it.
_PROBLEMS = {
    errno.ENOSPC: ("the disk is full", f"free some space there, or {_OTHER_PATH}"),
    errno.EDQUOT: ("your disk quota is used up", f"remove files there, or {_OTHER_PATH}"),
    errno.EFBIG: (
        "larger than the limit on the size of files",
        f"raise the limit (ulimit -f), or {_OTHER_PATH}",
    ),
    errno.EROFS: ("the file system is read-only", _OTHER_PATH),
    errno.EACCES: ("no permission to write there", _OTHER_PATH),
    errno.EPERM: ("no permission to write there", _OTHER_PATH),
    errno.ENAMETOOLONG: ("the name is too long", "choose a shorter path (--out)"),
    errno.ENOTDIR: ("a file stands where a folder is needed", _OTHER_PATH),
    errno.EEXIST: ("a file stands where a folder is needed", _OTHER_PATH),
    errno.EISDIR: ("is a folder", "give the name of a file"),
}


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn every `OSError` of the block into a `WriteError` that names `path`."""
    try:
        yield
    except WriteError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        problem, hint = _PROBLEMS.get(error.errno or 0, (reason, _OTHER_PATH))
        if _SCRATCH in str(path):
            hint = hint.replace(_OTHER_PATH, "set TMPDIR to another folder")
        made = WriteError(f"{path}: can't be written: {problem}; {hint}")
        made.strerror = problem
        raise made from None


@contextmanager
def atomic_write(path: str | Path, mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file beside `path`; on success fsync it and rename it over `path`."""
    path = Path(path)
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder")
        remove_abandoned(path.parent.absolute())
        descriptor, temporary = _temporary_file(path.parent)
        # Keeps the lock until the file has its name; Windows can't rename an open file.
        lock = os.dup(descriptor) if sys.platform != "win32" else None
        try:
            encoding = None if "b" in mode else "utf-8"
            # By its name, so that `handle.name` is the path.
            with open(temporary, mode, encoding=encoding, opener=lambda *_: descriptor) as handle:
                yield handle
                handle.flush()
                os.fsync(handle.fileno())
            temporary.chmod(0o644)
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        finally:
            if lock is not None:
                os.close(lock)
    # Make the rename durable, where the file system allows it.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_free(path: str | Path, overwrite: bool, how: str, what: str = "") -> Path:
    """Return the path of a file to write; refuse to replace one without being asked to.

    Args:
        how: what asks for it, such as `--overwrite`.
        what: what the path was given as, such as `--out `.
    """
    if not overwrite and Path(path).exists():
        raise ConfigError(
            f"{what}{path}: exists already; give {how} to replace it, or choose another name"
        )
    return Path(path)


@contextmanager
def path_option(option: str) -> Iterator[None]:
    """Name this option of the command line, such as `--html`, where errors of writing say --out."""
    try:
        yield
    except WriteError as error:
        made = WriteError(str(error.args[0]).replace("(--out)", f"({option})"))
        made.strerror = error.strerror
        raise made from None


def append_text(path: str | Path, text: str, *, sync: bool = True) -> None:
    """Append all of `text` to a file, or nothing of it if it can't be written.

    Args:
        sync: wait until the disk has it.
    """
    path, data = Path(path), text.encode()
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            before = os.fstat(descriptor).st_size
            try:
                while data:
                    data = data[os.write(descriptor, data) :]
                if sync:
                    os.fsync(descriptor)
            except BaseException:
                os.ftruncate(descriptor, before)
                raise
        finally:
            os.close(descriptor)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """Make a private folder for files that don't outlive this process, and remove it afterwards.

    Folders of processes that were killed are removed when the next one is made.
    """
    parent = temporary_root()
    _remove_abandoned_scratch(parent)
    while True:
        with writing(parent):
            folder = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=parent))
            lock = os.open(folder, os.O_RDONLY) if sys.platform != "win32" else None
        try:
            if lock is not None:
                lock_file(lock, wait=True)
                if not folder.exists():  # removed by another process before it was locked
                    continue
            yield folder
            return
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            if lock is not None:
                os.close(lock)


def temporary_root() -> Path:
    """Return the system's folder for temporary files."""
    try:
        return Path(tempfile.gettempdir())
    except OSError:
        raise WriteError(
            "no folder for temporary files can be written to; set TMPDIR to one that can"
        ) from None


def private_folder(path: Path) -> Path:
    """Make a folder that only this user can look into; refuse one of somebody else.

    For a name that others can guess, in a folder that they can write to.
    """
    with writing(path):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.lstat()
    if sys.platform != "win32" and (
        path.is_symlink() or found.st_uid != os.getuid() or found.st_mode & 0o077
    ):
        raise WriteError(
            f"{path}: not used, because others may write to it; remove it or change its "
            "permissions (chmod 700)"
        )
    return path


def lock_file(descriptor: int, *, wait: bool = False) -> bool | None:
    """Lock an open file until it is closed, or its process ends in any way.

    Returns:
        True; False if another process has locked it; None if the file system has no locks.
    """
    if sys.platform == "win32":
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError:
        return None
    return True


@functools.cache
def remove_abandoned(folder: Path) -> None:
    """Remove temporary files of killed processes from a folder; once in each process."""
    for path in _listed(folder, ".graphpool-"):
        if not _TEMPORARY.fullmatch(path.name):
            continue
        with suppress(OSError), _opened(path, os.O_RDWR) as descriptor:
            free = lock_file(descriptor)
            age = time.time() - os.fstat(descriptor).st_mtime
            if free or (free is None and age > _DAY):
                path.unlink()


def _remove_abandoned_scratch(parent: Path) -> None:
    if sys.platform == "win32":
        return
    for folder in _listed(parent, _SCRATCH):
        with suppress(OSError), _opened(folder, os.O_RDONLY | os.O_DIRECTORY) as descriptor:
            if os.fstat(descriptor).st_uid == os.getuid() and lock_file(descriptor):
                shutil.rmtree(folder, ignore_errors=True)


def _listed(folder: Path, prefix: str) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if entry.name.startswith(prefix)]
    except OSError:  # a folder that can be written to, but not listed
        return []


@contextmanager
def _opened(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0))
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _temporary_file(folder: Path) -> tuple[int, Path]:
    """Make a temporary file, and lock it."""
    while True:
        descriptor, name = tempfile.mkstemp(dir=folder, prefix=".graphpool-", suffix=".tmp")
        lock_file(descriptor, wait=True)
        if Path(name).exists():
            return descriptor, Path(name)
        os.close(descriptor)  # removed by another process before it was locked


def strict_json(value: Any) -> Any:
    """Return the value with None for NaN and infinities, which JSON does not have."""
    if isinstance(value, dict):
        return {key: strict_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [strict_json(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def write_json(path: str | Path, value: Any) -> None:
    """Write `value` as indented JSON, atomically; numbers that are not finite become null."""
    with atomic_write(path, "w") as handle:
        json.dump(strict_json(value), handle, indent=2, allow_nan=False)
        handle.write("\n")


def sha256_file(path: str | Path) -> str:
    """Return the SHA-256 of a file in hexadecimal."""
    with Path(path).open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()
