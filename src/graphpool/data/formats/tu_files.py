"""The text files of a TU set, in a folder or in a zip of any compression."""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graphpool.data.formats.number_csv import Readable
from graphpool.data.formats.zips import DAMAGE, list_zip
from graphpool.errors import DataError, nearest
from graphpool.files import sha256_file

PARTS = (
    "A",
    "graph_indicator",
    "graph_labels",
    "node_labels",
    "node_attributes",
    "edge_labels",
    "edge_attributes",
    "graph_attributes",
)


@dataclass(frozen=True)
class TUFiles:
    """The files of the set `name`.

    Args:
        path: the folder or zip.
        name: of the set.
        files: the file of each part that exists; parts are those of `PARTS`.
        unknown: files whose names begin like the set's but that are no part of it.
    """

    path: Path
    name: str
    files: dict[str, str]
    unknown: tuple[str, ...] = ()

    @classmethod
    def find(cls, path: str | Path, name: str | None = None) -> "TUFiles":
        """Look for the set in a folder (its `raw` or `NAME` folder included) or a zip."""
        path = Path(path)
        if not path.exists():
            raise DataError.at(path, "no such file or folder", hint="check the path")
        listed = _folder_files(path) if path.is_dir() else list_zip(path)
        sets: dict[str, dict[str, str]] = {}
        others: list[str] = []
        for file in listed:
            base = _base(file)
            part = next((part for part in PARTS if base.endswith(f"_{part}.txt")), None)
            if part is None:
                others.append(file)
            elif not base.startswith("."):
                sets.setdefault(base.removesuffix(f"_{part}.txt"), {}).setdefault(part, file)
        name = _choose(path, name, sets)
        unknown = [file for file in others if _looks_like_a_part(_base(file), name)]
        return cls(path, name, sets[name], tuple(unknown))

    def notes(self) -> list[str]:
        """Return a note for each unknown file, with the part it may be meant as."""
        return [
            f"{file} was not read, because it is no part of a TU set; "
            + nearest(_base(file), [f"{self.name}_{part}.txt" for part in PARTS])
            for file in self.unknown
        ]

    def where(self, part: str) -> str:
        """Return the path of a part for error messages, whether it exists or not."""
        return f"{self.path}/{self.files.get(part, f'{self.name}_{part}.txt')}"

    def __contains__(self, part: str) -> bool:
        return part in self.files

    @contextmanager
    def open(self, part: str) -> Iterator[Readable]:
        """Open the file of a part; damage found while reading is a `DataError`."""
        if part not in self.files:
            raise DataError.at(
                self.where(part), "the file is missing", hint="a TU set needs it: fetch it again"
            )
        try:
            if self.path.is_dir():
                with (self.path / self.files[part]).open("rb") as stream:
                    yield stream
            else:
                with (
                    zipfile.ZipFile(self.path) as archive,
                    archive.open(self.files[part]) as stream,
                ):
                    yield stream
        except DAMAGE as error:
            raise DataError.at(
                self.where(part), f"can't be unpacked or read: {error}", hint="fetch it again"
            ) from None

    def digest(self) -> str:
        """SHA-256 over the bytes that the set is read from."""
        if not self.path.is_dir():
            return sha256_file(self.path)
        parts = [f"{part} {sha256_file(self.path / self.files[part])}" for part in PARTS
                 if part in self.files]  # fmt: skip
        # Notes name the unknown files, so that a set which gains one has another digest.
        return hashlib.sha256("\n".join([*parts, *self.unknown]).encode()).hexdigest()


def _base(file: str) -> str:
    """The name of a file without its folders; some zips are made with backslashes."""
    return PurePosixPath(file.replace("\\", "/")).name


def _looks_like_a_part(base: str, name: str) -> bool:
    """Whether a file may be meant as a part of the set `name`."""
    named = base.startswith(f"{name}_") and base.endswith(".txt")
    return named and "readme" not in base.casefold()


def _folder_files(path: Path) -> list[str]:
    """Text files of a folder and of the folders directly in it, nearest first."""
    found = [*sorted(path.glob("*.txt")), *sorted(path.glob("*/*.txt"))]
    return [file.relative_to(path).as_posix() for file in found]


def _choose(path: Path, name: str | None, sets: Iterable[str]) -> str:
    """The set that is asked for, or the only one there is."""
    names = sorted(sets)
    if name is not None and name in names:
        return name
    if not names:
        wanted = name or "NAME"
        raise DataError.at(
            path,
            f"holds no TU set: there is no {wanted}_A.txt in it",
            hint=f"a TU set is {wanted}_A.txt, {wanted}_graph_indicator.txt and more",
        )
    if name is not None:
        raise DataError.at(path, f"holds no set {name!r}", hint=f"it holds {', '.join(names)}")
    if len(names) > 1:
        raise DataError.at(
            path, f"holds several sets: {', '.join(names)}", hint="say which one with name="
        )
    return names[0]
