"""Parts of a distance matrix on disk, from which an interrupted computation continues.

Every part is one file, written atomically, with the settings that it was made with. After a
kill -9 each part is therefore complete and has the right settings, or is refused.
"""

import logging
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import DataError
from graphpool.files import writing
from graphpool.ged.array_file import read_arrays, write_arrays
from graphpool.shapes import fit

log = logging.getLogger(__name__)

# A kill loses what was not written: at most this share of all pairs or of the time so far.
SHARE = 0.002
LEAST_SECONDS = 1.0
_KIND = "part of distances"
_SUFFIX = ".part"


class _PartHeader(TypedDict):
    format: int
    settings: dict[str, Any]
    seconds: float


class SolvedPairs(NamedTuple):
    """Bounds of some pairs as integers; `position` is their index in the list of pairs to solve."""

    position: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]


def parts_folder(out: str | Path) -> Path:
    """Return the folder with the parts of the matrix file `out` until it is complete."""
    return Path(f"{out}.parts")


class PartialResults:
    """The folder with the parts of one matrix.

    Args:
        folder: created with the first part, and removed by `remove`.
        settings: everything that determines the result; parts with other settings are refused.
        total: number of pairs of the whole matrix.
        overwrite: remove parts with other settings instead of refusing them.
    """

    def __init__(
        self, folder: Path, settings: Mapping[str, Any], total: int, overwrite: bool
    ) -> None:
        self.folder = folder
        self._settings, self._total, self._overwrite = dict(settings), total, overwrite
        self._waiting: list[SolvedPairs] = []
        self._begun = self._written = time.monotonic()

    def load(self) -> tuple[list[SolvedPairs], float]:
        """Read the results of earlier runs, and the seconds they took."""
        parts: list[SolvedPairs] = []
        seconds = 0.0
        for path in sorted(self.folder.glob(f"*{_SUFFIX}")):
            try:
                header, arrays = read_arrays(path, _KIND)
                part = SolvedPairs(*(arrays[name] for name in SolvedPairs._fields))
                self._check(path, part)
                fit(_PartHeader, header, path.name, DataError)
            except (DataError, KeyError) as error:
                log.warning("%s is ignored and computed again: %s", path.name, error)
                _remove(path)
                continue
            if (stored := header["settings"]) != self._settings:
                if not self._overwrite:
                    raise DataError.at(
                        self.folder,
                        f"holds an unfinished matrix {difference(stored, self._settings)}",
                        hint="use another file, or overwrite this one (overwrite=True, "
                        "--overwrite)",
                    )
                _remove(path)
                continue
            seconds += header["seconds"]
            parts.append(part)
        return parts, seconds

    def _check(self, path: Path, part: SolvedPairs) -> None:
        complete = {(column.shape, column.dtype.kind) for column in part} == {
            ((part.position.size,), "i")
        }
        if not complete or not bool(((part.position >= 0) & (part.position < self._total)).all()):
            raise DataError.at(path, "names pairs that don't exist")

    def add(self, pieces: list[SolvedPairs]) -> None:
        """Add results, and write a part if there are enough."""
        self._waiting += pieces
        pairs = sum(len(piece.position) for piece in self._waiting)
        now = time.monotonic()
        # Long runs write less often, so that the number of files grows with the logarithm of time.
        patience = max(LEAST_SECONDS, SHARE * (now - self._begun))
        if pairs >= SHARE * self._total or now - self._written >= patience:
            self.flush()

    def flush(self) -> None:
        """Write the results that are not written yet."""
        if not self._waiting:
            return
        part = SolvedPairs(*map(np.concatenate, zip(*self._waiting, strict=True)))
        now = time.monotonic()
        header = {"settings": self._settings, "seconds": now - self._written}
        path = self.folder / f"{int(part.position[0]):012d}{_SUFFIX}"
        write_arrays(path, _KIND, header, part._asdict())
        self._waiting, self._written = [], now

    def remove(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self.folder, ignore_errors=True)


def _remove(path: Path) -> None:
    with writing(path):
        path.unlink()


def difference(stored: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """Describe how stored settings differ from the wanted ones."""
    for key, value in wanted.items():
        if stored.get(key) != value:
            if key in ("content", "work"):
                return f"of other {'graphs' if key == 'content' else 'pairs'}"
            return f"with {key} = {stored.get(key)!r}, not {value!r}"
    return "with other settings"
