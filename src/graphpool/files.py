"""Write files atomically: a reader sees the old content or the new one, never a part of it."""

import hashlib
import json
import math
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from graphpool.errors import ConfigError


@contextmanager
def atomic_write(path: str | Path, mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a temporary file beside `path`; on success fsync it and rename it over `path`."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, mode, encoding=None if "b" in mode else "utf-8") as handle:
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    # Make the rename durable, where the file system allows it.
    with suppress(OSError):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def check_free(path: str | Path, overwrite: bool, how: str, what: str = "") -> None:
    """Refuse to replace a file without being asked to.

    Args:
        how: what asks for it, such as `--overwrite`.
        what: what the path was given as, such as `--out `.
    """
    if not overwrite and Path(path).exists():
        raise ConfigError(
            f"{what}{path}: exists already; give {how} to replace it, or choose another name"
        )


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
