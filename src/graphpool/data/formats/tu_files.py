"""The text files of a TU set, in a folder or in a zip of any compression."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from graphpool.data.formats.zips import damage_at, digest_files, list_zip, open_files, slashes
from graphpool.errors import DataError, nearest

PARTS = (
    "A", "graph_indicator", "graph_labels", "node_labels", "node_attributes", "edge_labels",
    "edge_attributes", "graph_attributes",
)  # fmt: skip


@dataclass(frozen=True)
class TUFiles:
    """The files of the set `name` in a folder or zip.

    Args:
        files: the file of each of the `PARTS` that exists.
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
        sets: dict[str, dict[str, str]] = {}
        others: list[str] = []
        for file in _list_files(path):
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
    def open(self, part: str) -> Iterator[IO[bytes]]:
        """Open the file of a part; damage found while reading is a `DataError`."""
        if part not in self.files:
            raise DataError.at(
                self.where(part), "the file is missing", hint="a TU set needs it: fetch it again"
            )
        with (
            damage_at(self.where(part)),
            open_files(self.path) as open_file,
            open_file(self.files[part]) as stream,
        ):
            yield stream

    def digest(self) -> str:
        """SHA-256 over the bytes that the set is read from."""
        files = [(part, self.files[part]) for part in PARTS if part in self.files]
        return digest_files(self.path, files, self.unknown)


def _base(file: str) -> str:
    """The name of a file without its folders."""
    return PurePosixPath(slashes(file)).name


def _looks_like_a_part(base: str, name: str) -> bool:
    """Whether a file may be meant as a part of the set `name`."""
    named = base.startswith(f"{name}_") and base.endswith(".txt")
    return named and "readme" not in base.casefold()


def _list_files(path: Path) -> list[str]:
    """List a zip, or the text files of a folder and of those directly in it, nearest first."""
    if not path.is_dir():
        return list_zip(path)
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
