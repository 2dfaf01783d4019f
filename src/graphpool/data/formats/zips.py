"""Sets of several files, in a folder or in a zip of any compression."""

import hashlib
import lzma
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from graphpool.errors import DataError
from graphpool.files import sha256_file
from graphpool.limits import current_limits

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    LookupError,  # a field that is cut off
    ValueError,  # a name that is not text, or a negative offset
    MemoryError,
    RuntimeError,  # an encrypted member; NotImplementedError is one too
)
"""Errors that a damaged zip, or one of an unknown kind, can cause."""


def list_zip(path: Path) -> list[str]:
    """Return the names of the members of a zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(member.file_size for member in archive.infolist())
            current_limits().check_archive(path, path.stat().st_size, unpacked)
            return archive.namelist()
    except DAMAGE as error:
        raise DataError.at(path, f"not a readable zip: {error}", hint="fetch it again") from None


def slashes(file: str) -> str:
    """Return a member's name with forward slashes; some zips are made with backslashes."""
    return file.replace("\\", "/")


@contextmanager
def open_files(path: Path) -> Iterator[Callable[[str], IO[bytes]]]:
    """Yield a function that opens a file of a folder or zip by its name."""
    if path.is_dir():
        yield lambda file: (path / file).open("rb")
    else:
        with zipfile.ZipFile(path) as archive:
            yield archive.open


@contextmanager
def damage_at(where: str) -> Iterator[None]:
    """Turn damage that is found while reading into a `DataError` about `where`."""
    try:
        yield
    except DAMAGE as error:
        raise DataError.at(
            where, f"can't be unpacked or read: {error}", hint="fetch it again"
        ) from None


def digest_files(path: Path, files: Iterable[tuple[str, str]], names: Iterable[str]) -> str:
    """SHA-256 over what a set is read from: the zip, or files of a folder.

    Args:
        files: what each file is, and its name.
        names: of files that are not read but mentioned in notes.
    """
    if not path.is_dir():
        return sha256_file(path)
    lines = [f"{key} {sha256_file(path / file)}" for key, file in files]
    return hashlib.sha256("\n".join([*lines, *names]).encode()).hexdigest()
