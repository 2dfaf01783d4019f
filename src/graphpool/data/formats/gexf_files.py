"""Where the GEXF files of a set lie: `NAME/train/ID.gexf` and `NAME/test/ID.gexf`, folder or zip.

This is the layout of the edit-distance sets (AIDS700nef, LINUX and their like). They come with a
`ged.pickle`, which is never opened: loading a pickle runs whatever code is in it.
"""

import hashlib
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from graphpool.data.formats.tu_files import DAMAGE, zip_files
from graphpool.errors import DataError
from graphpool.files import sha256_file

_FILE = re.compile(r"(?:(?P<base>.*)/)?(?P<part>train|test)/(?P<id>[^/.][^/]*)\.gexf")


@dataclass(frozen=True)
class GexfFiles:
    """The files of the set `name`, by ascending id, named from `path` on."""

    path: Path
    name: str
    train: tuple[str, ...]
    test: tuple[str, ...]
    pickles: tuple[str, ...] = ()

    @classmethod
    def find(cls, path: str | Path, name: str | None = None) -> "GexfFiles | None":
        """Look for such a set in a folder or a zip; None where there is none."""
        path = Path(path)
        listed = _folder_files(path, name) if path.is_dir() else zip_files(path)
        sets: dict[str, dict[str, list[str]]] = {}
        for file in listed:
            if match := _FILE.fullmatch(file.replace("\\", "/")):
                parts = sets.setdefault(match["base"] or "", {"train": [], "test": []})
                parts[match["part"]].append(file)
        if not sets:
            return None
        base = _choose(path, name, sorted(sets))
        inside = PurePosixPath(base).name
        return cls(
            path,
            name or (inside if inside not in ("", "raw") else path.resolve().stem),
            tuple(sorted(sets[base]["train"], key=_by_id)),
            tuple(sorted(sets[base]["test"], key=_by_id)),
            tuple(file for file in listed if file.endswith(".pickle")),
        )

    def ids(self) -> tuple[str, ...]:
        """The names of the graphs: train, then test."""
        ids: dict[str, str] = {}
        for file in (*self.train, *self.test):
            if (other := ids.setdefault(graph_id(file), file)) != file:
                raise DataError.at(
                    f"{self.path}/{file}", f"{other} has the same id", hint="keep one of them"
                )
        return tuple(ids)

    def is_test(self) -> NDArray[np.bool_]:
        """Which graphs test, `[graphs]`: train, then test."""
        return np.arange(len(self.train) + len(self.test)) >= len(self.train)

    def contents(self) -> Iterator[tuple[str, bytes]]:
        """What error messages call each file, and its bytes: train, then test."""
        if self.path.is_dir():
            yield from self._contents(lambda file: (self.path / file).read_bytes())
        else:
            with zipfile.ZipFile(self.path) as archive:
                yield from self._contents(archive.read)

    def _contents(self, read: Callable[[str], bytes]) -> Iterator[tuple[str, bytes]]:
        for file in (*self.train, *self.test):
            where = f"{self.path}/{file}"
            try:
                data = read(file)
            except DAMAGE as error:
                raise DataError.at(
                    where, f"can't be unpacked or read: {error}", hint="fetch it again"
                ) from None
            yield where, data

    def digest(self) -> str:
        """SHA-256 over the bytes that the set is read from."""
        if not self.path.is_dir():
            return sha256_file(self.path)
        lines = [f"{file} {sha256_file(self.path / file)}" for file in (*self.train, *self.test)]
        return hashlib.sha256("\n".join([*lines, *self.pickles]).encode()).hexdigest()


def graph_id(file: str) -> str:
    """The id of the graph in a file."""
    return PurePosixPath(file.replace("\\", "/")).stem


def _by_id(file: str) -> tuple[bool, int, str]:
    """Numbers ascend as numbers, and words follow them."""
    name = graph_id(file)
    number = name.isascii() and name.isdecimal()
    return not number, int(name) if number else 0, name


def _folder_files(path: Path, name: str | None) -> list[str]:
    """Files of the set in a folder: in it, in its `raw` folder, and in folders of its name."""
    name = name or path.resolve().name
    places = (path, path / name, path / "raw", path / "raw" / name)
    found = (
        file
        for place in places
        for pattern in ("train/*.gexf", "test/*.gexf", "*.pickle")
        for file in place.glob(pattern)
    )
    return [file.relative_to(path).as_posix() for file in found]


def _choose(path: Path, name: str | None, bases: list[str]) -> str:
    """The folder of the set that is asked for, or the only one there is."""
    named = [base for base in bases if PurePosixPath(base).name == name]
    if len(chosen := named or bases) == 1:
        return chosen[0]
    told = ", ".join(base or "." for base in bases)
    raise DataError.at(path, f"holds several sets: {told}", hint="keep one of them here")
