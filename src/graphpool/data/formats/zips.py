"""Zip files of data: what they hold, and what damage to them looks like."""

import lzma
import zipfile
import zlib
from pathlib import Path

from graphpool.errors import DataError

DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,  # an encrypted member; NotImplementedError is one too
)
"""Errors that a damaged zip, or one of an unknown kind, can cause."""


def list_zip(path: Path) -> list[str]:
    """Return the names of the members of a zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except DAMAGE as error:
        raise DataError.at(path, f"not a readable zip: {error}", hint="fetch it again") from None
