"""Find data sets on this machine, or download them.

A set is looked for in the data root, among the sets that graphpool ships, and among earlier
downloads; the first hit counts.
"""

import glob
import hashlib
import logging
import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from graphpool.data import catalogue
from graphpool.data.cache import cache_root
from graphpool.data.download import Progress, fetch
from graphpool.data.formats import FORMATS, adjacency, gexf, npz, xml
from graphpool.data.formats.tu_files import PARTS, TUFiles
from graphpool.data.molecules.published import FOLDER, MOLECULES, MoleculeSet
from graphpool.data.paths import SUFFIXES, stem
from graphpool.data.published_molecules import check_zip
from graphpool.data.synthetic.matching.names import is_matching_name
from graphpool.errors import DataError, DownloadError, WriteError, nearest
from graphpool.files import atomic_write, sha256_file

log = logging.getLogger(__name__)

EMBEDDED = Path(__file__).parent / "embedded"
"""Folder of the sets that are part of the package."""

ACCEPT = "GRAPHPOOL_ACCEPT_DOWNLOADS"
"""Environment variable: sets, joined by commas, whose download may have another content."""

CHECKSUM = ".sha256"

_LONGEST_NAME = 200  # file systems allow 255 bytes, with a suffix


@dataclass(frozen=True)
class LocatedSet:
    """A data set on this machine; `origin` is `data root`, `embedded` or `downloads`."""

    name: str
    path: Path
    origin: str


def data_root(root: str | Path | None = None) -> Path | None:
    """Return the folder of data files: `root`, else `GRAPHPOOL_DATA`, else `data` if it exists."""
    chosen = root if root is not None else os.environ.get("GRAPHPOOL_DATA") or None
    if chosen is None:
        return Path("data") if Path("data").is_dir() else None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        given_by = "--data-root (root=)" if root is not None else "GRAPHPOOL_DATA"
        raise DataError.at(
            folder, "no such folder of data", hint=f"fix the path given by {given_by}"
        )
    return folder


def available(root: str | Path | None = None) -> list[LocatedSet]:
    """List the sets that `load` finds without a download, by name."""
    sets: dict[str, LocatedSet] = {}
    for origin, folder in _folders(data_root(root)):
        for name, entry in MOLECULES.items():
            if name not in sets and (path := entry.find_in(folder)) is not None:
                sets[name] = LocatedSet(name, path, origin)
        for path in sorted(folder.iterdir()):
            name = path.name if path.is_dir() else stem(path)
            if name not in sets and _is_set(path, name):
                sets[name] = LocatedSet(name, path, origin)
    return sorted(sets.values(), key=lambda item: item.name.casefold())


def locate_here(name: str, root: Path | None) -> tuple[Path | None, str]:
    """Return the path of a set on this machine, if there is one, and its full name.

    A file that is called exactly `name` comes before the set that `name` is short for.
    """
    if (path := _local(name, root)) is not None:
        return path, name
    full_name = catalogue.resolve(name)
    return _local(full_name, root), full_name


def locate_molecules(
    entry: MoleculeSet, root: Path | None, download: bool, progress: Progress | None
) -> Path:
    """Return the path of a published set of molecules; download it if it is not here."""
    for _, folder in _folders(root):
        if (path := entry.find_in(folder)) is not None:
            return path
    target = (root or Path("data")) / FOLDER / entry.file
    if entry.url is None or not download:
        where = f"get {entry.url} and put it there" if entry.url else "it is not offered online"
        raise DataError(f"{entry.name} is not on this machine ({target}); {where}")
    ogb = entry.url.endswith(".zip")
    target = _downloads() / FOLDER / (f"{entry.name}.zip" if ogb else entry.file)

    def check(path: Path) -> None:
        if ogb:
            check_zip(path)
        _check_content(entry.name, sha256_file(path), target.with_suffix(CHECKSUM))

    return fetch(entry.url, target, sha256=entry.sha256, check=check, progress=progress)


def find_in_folder(name: str, folder: str | Path) -> Path | None:
    """Return the path of the set `name` in a folder, in any format.

    These are, in this order, `NAME.npz`, which opens fastest and may hold distances too,
    `NAME.zip`, the folder `NAME` (its `raw` folder included), and files of other formats.
    """
    folder = Path(folder)
    for path in (folder / f"{name}.npz", folder / f"{name}.zip", folder / name):
        if _may_hold(path, name):
            return path
    suffixes = [*SUFFIXES[2:], ".jsonl.gz", ".json.gz"]
    files = (folder / f"{name}{suffix}" for suffix in suffixes)
    return next((path for path in files if path.is_file()), None)


def download_set(name: str, root: Path | None, download: bool, progress: Progress | None) -> Path:
    """Download the set `name`, or raise an error that says why it is not available."""
    entry = catalogue.KNOWN.get(name)
    if is_matching_name(name):
        raise DataError(
            f"{name} is a set of pairs, not of single graphs: train on it with graphpool train "
            "--task matching"
        )
    if entry is None:
        here = sorted(item.name for item in available(root))
        hint = nearest(name.partition(":")[0], {*catalogue.KNOWN, *catalogue.ALIASES, *here})
        listed = f"; on this machine: {', '.join(here)}" if hint.startswith("did") else ""
        raise DataError(
            f"there is no data set {name!r}; {hint}{listed}; there is no file or folder {name!r} "
            "either"
        )
    target = (root or Path("data")) / f"{name}{entry.suffix}"
    if entry.url is None:
        raise DataError(
            f"{name} ({entry.about}) is not offered online in a format that graphpool reads; put "
            f"it at {target}, or name its folder with --data-root (root=) or GRAPHPOOL_DATA"
        )
    if not download:
        raise DataError(
            f"{name} is not on this machine; allow the download, or get {entry.url} and put it "
            f"at {target}"
        )
    target = _downloads() / f"{name}.zip"
    return fetch(
        entry.url,
        target,
        sha256=entry.sha256,
        check=lambda path: _check_download(path, name, target.with_suffix(CHECKSUM)),
        progress=progress,
    )


def _folders(root: Path | None) -> list[tuple[str, Path]]:
    """Return the folders that may hold sets, best first; only those that exist."""
    folders = [("embedded", EMBEDDED)]
    with suppress(WriteError):  # an account without a home and without temporary files
        folders.append(("downloads", _downloads()))
    if root is not None:
        folders.insert(0, ("data root", root))
    return [
        (origin, folder)
        for origin, folder in folders
        if os.access(folder, os.R_OK | os.X_OK) and folder.is_dir()
    ]


def _downloads() -> Path:
    return cache_root() / "downloads"


def _local(name: str, root: Path | None) -> Path | None:
    if len(name.encode("utf-8", "replace")) > _LONGEST_NAME:
        return None
    for origin, folder in _folders(root):
        if (path := find_in_folder(name, folder)) is not None:
            log.debug("%s: found in %s, %s", name, origin, path)
            return path
    return None


def _is_set(path: Path, name: str) -> bool:
    """Whether a file or folder is a set: by its content, but for files that are one by suffix."""
    if path.suffix in (".jsonl", ".safetensors"):
        return path.is_file()
    if path.suffix not in SUFFIXES and not path.is_dir():
        return False
    return any(reader.recognises(path, name) for reader in FORMATS)


def _may_hold(path: Path, name: str) -> bool:
    """Whether a path is worth trying: a zip by its name, others by their content.

    A folder counts with any file of the set in it, and so does a damaged `.npz`: reading it then
    raises an error that says what is missing.
    """
    if path.suffix == ".npz" and path.is_file():
        readers = (npz, adjacency)
        return any(each.recognises(path) for each in readers) or not npz.is_readable(path)
    if path.suffix == ".zip":
        return path.is_file()
    pattern = f"{glob.escape(name)}_*.txt"
    if any(any(folder.glob(pattern)) for folder in (path, path / "raw")):
        return True
    return path.is_dir() and any(each.recognises(path, name) for each in (gexf, xml))


def _check_download(path: Path, name: str, stored: Path) -> None:
    """Refuse a download that is not a complete zip of the set, or has another content than before.

    Args:
        stored: file with the checksum of the first download, for sets whose content is not in the
            catalogue; it is written if there is none.
    """
    _check_content(name, _content(TUFiles.find(path, name)), stored)


def _check_content(name: str, content: str, stored: Path) -> None:
    """Compare a checksum with the one that is known of the set, or with that of its first download.

    Args:
        stored: as in `_check_download`.
    """
    expected = catalogue.CONTENT.get(name)
    whose = "graphpool's results were made with"
    if expected is None and stored.exists():
        expected = stored.read_text(encoding="ascii", errors="replace").strip()
        whose = f"were downloaded first ({stored})"
    if expected not in (None, content):
        accepted = [each.strip() for each in os.environ.get(ACCEPT, "").split(",")]
        if name not in accepted:
            raise DownloadError(
                f"{name}: the downloaded files are not those that {whose}: their SHA-256 is "
                f"{content}, not {expected}; they are not kept, and {ACCEPT}={name} in the "
                "environment accepts them"
            )
        log.warning("%s: accepted with another content than %s", name, expected)
    if name not in catalogue.CONTENT:
        with atomic_write(stored, "w") as handle:
            handle.write(f"{content}\n")


def _content(files: TUFiles) -> str:
    """SHA-256 over the SHA-256 of each part, unpacked, in the order of `PARTS`."""
    digest = hashlib.sha256()
    for part in (part for part in PARTS if part in files):
        with files.open(part) as stream:
            own = hashlib.sha256()
            while block := stream.read(1 << 20):  # the zip's own check sums are compared, too
                own.update(block)
        digest.update(f"{part} {own.hexdigest()}\n".encode())
    return digest.hexdigest()
