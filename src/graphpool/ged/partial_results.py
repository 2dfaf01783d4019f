"""Parts of a distance matrix on disk while it is being computed, to go on from after a stop.

Every part is one file, written in one step, and states the settings that it was made with. What
is there after a kill -9 is therefore whole and fits, or is refused.
"""

import logging
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphpool.errors import DataError
from graphpool.ged.array_file import read_arrays, write_arrays

log = logging.getLogger(__name__)

# A kill loses what was not written: at most this share of all pairs, or of the time so far.
SHARE = 0.002
LEAST_SECONDS = 1.0
_KIND = "part of distances"
_SUFFIX = ".part"


class Solved(NamedTuple):
    """Bounds of some pairs, in whole numbers; `position` is their place in the list of work."""

    position: NDArray[np.int64]
    lower: NDArray[np.int64]
    upper: NDArray[np.int64]

    @classmethod
    def join(cls, pieces: "list[Solved]") -> "Solved":
        """All of them as one."""
        return cls(*(np.concatenate(column) for column in zip(*pieces, strict=True)))


def parts_folder(out: str | Path) -> Path:
    """Where the parts of the matrix file `out` lie until it is whole."""
    return Path(f"{out}.parts")


class Parts:
    """The folder of parts of one matrix.

    Args:
        folder: made with the first part, and removed by `remove`.
        settings: all that decides the result; parts of other settings are refused.
        total: pairs of the whole matrix.
    """

    def __init__(self, folder: Path, settings: Mapping[str, Any], total: int) -> None:
        self.folder = folder
        self._settings, self._total = dict(settings), total
        self._waiting: list[Solved] = []
        self._begun = self._written = time.monotonic()

    def load(self, overwrite: bool) -> tuple[list[Solved], float]:
        """What earlier runs left, and the seconds they took.

        Args:
            overwrite: remove parts of other settings instead of refusing them.
        """
        found: list[Solved] = []
        seconds = 0.0
        for path in sorted(self.folder.glob(f"*{_SUFFIX}")):
            try:
                header, arrays = read_arrays(path, _KIND)
                part = Solved(*(arrays[name] for name in Solved._fields))
                self._check(path, part)
            except (DataError, KeyError) as error:
                log.warning("%s is left out and computed again: %s", path.name, error)
                path.unlink()
                continue
            if (made := header["settings"]) != self._settings:
                if not overwrite:
                    raise DataError.at(
                        self.folder,
                        f"holds an unfinished matrix {difference(made, self._settings)}",
                        hint="choose another file, or overwrite this one (overwrite=True, "
                        "--overwrite)",
                    )
                path.unlink()
                continue
            seconds += header["seconds"]
            found.append(part)
        return found, seconds

    def _check(self, path: Path, part: Solved) -> None:
        whole = len({column.shape for column in part}) == 1
        if not whole or not bool(((part.position >= 0) & (part.position < self._total)).all()):
            raise DataError.at(path, "names pairs that are not there")

    def add(self, pieces: list[Solved]) -> None:
        """Keep these, and write a part if enough has come together."""
        self._waiting += pieces
        pairs = sum(len(piece.position) for piece in self._waiting)
        now = time.monotonic()
        # Longer runs wait longer, so that the number of files grows with the logarithm of time.
        patience = max(LEAST_SECONDS, SHARE * (now - self._begun))
        if pairs >= SHARE * self._total or now - self._written >= patience:
            self.flush()

    def flush(self) -> None:
        """Write what is waiting."""
        if not self._waiting:
            return
        part = Solved.join(self._waiting)
        now = time.monotonic()
        header = {"settings": self._settings, "seconds": now - self._written}
        path = self.folder / f"{int(part.position[0]):012d}{_SUFFIX}"
        write_arrays(path, _KIND, header, part._asdict())
        self._waiting, self._written = [], now

    def remove(self) -> None:
        """Take the folder away."""
        shutil.rmtree(self.folder, ignore_errors=True)


def difference(made: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """In words, how settings of something on disk differ from those asked for."""
    for key, value in wanted.items():
        if made.get(key) != value:
            if key in ("content", "work"):
                return f"of other {'graphs' if key == 'content' else 'pairs'}"
            return f"with {key} = {made.get(key)!r}, not {value!r}"
    return "with other settings"
