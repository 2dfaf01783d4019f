"""The text files of a TU set, whether they lie in a folder or in a zip of any compression."""

import hashlib
import lzma
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from graphpool.data.formats.number_csv import Readable
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
DAMAGE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    RuntimeError,  # an encrypted member; NotImplementedError is one too
)


@dataclass(frozen=True)
class Members:
    """Which file holds which part of the set `name`; parts are those of `PARTS`.

    `strange` are files that are called like the set but hold no part of it.
    """

    path: Path
    name: str
    files: dict[str, str]
    strange: tuple[str, ...] = ()

    @classmethod
    def find(cls, path: str | Path, name: str | None = None) -> "Members":
        """Look for the set in a folder (its `raw` or `NAME` folder included) or a zip."""
        path = Path(path)
        if not path.exists():
            raise DataError.at(path, "no such file or folder", hint="check the path")
        listed = _folder_files(path) if path.is_dir() else zip_files(path)
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
        strange = [file for file in others if _looks_like_a_part(_base(file), name)]
        return cls(path, name, sets[name], tuple(strange))

    def notes(self) -> list[str]:
        """What to tell of files whose names are nearly those of parts."""
        return [
            f"{file} was not read, for it is no part of a TU set; "
            + nearest(_base(file), [f"{self.name}_{part}.txt" for part in PARTS])
            for file in self.strange
        ]

    def where(self, part: str) -> str:
        """What error messages call the file of a part, whether it exists or not."""
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
        # Notes tell of strange files, so a set that gains one is not the same any more.
        return hashlib.sha256("\n".join([*parts, *self.strange]).encode()).hexdigest()


def _base(file: str) -> str:
    """The name of a file without its folders; some zips are made with backslashes."""
    return PurePosixPath(file.replace("\\", "/")).name


def _looks_like_a_part(base: str, name: str) -> bool:
    """Whether a file that is no part may be meant as one of the set `name`."""
    named = base.startswith(f"{name}_") and base.endswith(".txt")
    return named and "readme" not in base.casefold()


def _folder_files(path: Path) -> list[str]:
    """Text files of a folder and of the folders directly in it, nearest first."""
    found = [*sorted(path.glob("*.txt")), *sorted(path.glob("*/*.txt"))]
    return [file.relative_to(path).as_posix() for file in found]


def zip_files(path: Path) -> list[str]:
    """Names of the members of a zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            return archive.namelist()
    except DAMAGE as error:
        raise DataError.at(path, f"not a readable zip: {error}", hint="fetch it again") from None


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
