"""Bytes of a set that is still being read, chunk by chunk: in memory, or in a temporary file."""

import json
import tempfile
from array import array
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from safetensors.torch import load as from_bytes
from safetensors.torch import save as to_bytes
from torch import Tensor

from graphpool.files import writing


class Spool:
    """Bytes by the number of their chunk and the name of their stream, in memory."""

    database = ":memory:"
    """Where `SeenIds` keeps ids."""

    def __init__(self) -> None:
        self._chunks: dict[int, dict[str, bytes]] = {}

    def put(self, chunk: int, stream: str, data: bytes) -> None:
        """Keep the bytes, in place of those that were there."""
        self._chunks.setdefault(chunk, {})[stream] = data

    def get(self, chunk: int, stream: str) -> bytes:
        """Return the bytes; none if there are none."""
        return self._chunks.get(chunk, {}).get(stream, b"")

    def forget(self, chunk: int) -> None:
        """Let go of a chunk that is not needed any more."""
        self._chunks.pop(chunk, None)

    def put_tensors(self, chunk: int, stream: str, tensors: dict[str, Tensor]) -> None:
        """Keep tensors that don't share memory."""
        self.put(chunk, stream, to_bytes(tensors))

    def get_tensors(self, chunk: int, stream: str) -> dict[str, Tensor]:
        """Return the tensors; none if there are none."""
        data = self.get(chunk, stream)
        return from_bytes(data) if data else {}

    def put_list(self, chunk: int, stream: str, values: Sequence[Any]) -> None:
        """Keep a list as JSON, which takes less than strings do."""
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
        self.put(chunk, stream, text.encode())

    def get_list(self, chunk: int, stream: str) -> list[Any]:
        """Return the list; an empty one if there is none."""
        values: list[Any] = json.loads(self.get(chunk, stream) or b"[]")
        return values


class FileSpool(Spool):
    """A spool in a temporary file without a name: nothing is left of it, however the process ends.

    Args:
        path: the file that is made of it, which errors name; the temporary one is in its folder.
    """

    database = ""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            # Without a buffer, which a full disk would keep from being closed.
            self._handle = tempfile.TemporaryFile(dir=path.parent, buffering=0)  # noqa: SIM115
        self._end = 0
        self._where: dict[str, array[int]] = {}  # start and length, by chunk

    def __enter__(self) -> "FileSpool":
        return self

    def __exit__(self, *_: object) -> None:
        self._handle.close()

    def put(self, chunk: int, stream: str, data: bytes) -> None:
        """Append the bytes to the file."""
        where = self._where.setdefault(stream, array("q"))
        where.extend([0] * (2 * (chunk + 1) - len(where)))
        where[2 * chunk], where[2 * chunk + 1] = self._end, len(data)
        rest = memoryview(data)
        with writing(self._path):
            self._handle.seek(self._end)
            while rest:
                rest = rest[self._handle.write(rest) :]
        self._end += len(data)

    def get(self, chunk: int, stream: str) -> bytes:
        """Read the bytes from the file."""
        where = self._where.get(stream, ())
        if 2 * chunk >= len(where):
            return b""
        start, left = where[2 * chunk], where[2 * chunk + 1]
        pieces = []
        with writing(self._path):
            self._handle.seek(start)
            while left and (piece := self._handle.read(left)):
                pieces.append(piece)
                left -= len(piece)
        return b"".join(pieces)

    def forget(self, chunk: int) -> None:
        """Do nothing: the file goes as a whole."""
