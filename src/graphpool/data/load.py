"""Data sets by name or by file: the front door to `graphpool.graphs` and `graphpool.features`."""

import importlib.util
import logging
import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from graphpool.data import catalogue
from graphpool.data.cache import cache_key, cache_root, cached, cached_pairs
from graphpool.data.download import Progress, fetch
from graphpool.data.formats import gexf_set, jsonl, tu
from graphpool.data.formats import npz as packed
from graphpool.data.formats import npz_arrays as npz
from graphpool.data.formats.gexf_files import GexfFiles
from graphpool.data.formats.safetensors import SUFFIX, open_set
from graphpool.data.formats.tu_files import Members
from graphpool.data.naming import is_path
from graphpool.data.pairs.distances import Distances, read_distances, read_test
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.splits import Split
from graphpool.data.synthetic.arrangements import build as arrangements
from graphpool.data.synthetic.arrangements import knobs as arrangement_knobs
from graphpool.data.synthetic.matching.names import is_matching_name, parse_matching_name
from graphpool.errors import DataError, nearest
from graphpool.files import sha256_file
from graphpool.graphs.graphset import GraphSet

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Found:
    """A data set on this machine: its name, its file or folder, and which place that is."""

    name: str
    path: Path
    place: str


def load(
    name: str,
    root: str | Path | None = None,
    features: str | None = "auto",
    cache: bool = True,
    download: bool = True,
    progress: Progress | None = None,
) -> GraphSet:
    """The data set `name`, with node features.

    It is looked for in the data root, in the installed grakel (which holds MUTAG and
    Cuneiform), among earlier downloads, and then online. Arrangement sets (`ring`, `marks`,
    `marksmix`, `order`, `spider`) are drawn here instead.

    Args:
        name: a name of `graphpool data list`; short forms such as IMDB-B are known. Knobs of an
            arrangement set follow a colon: `ring:graphs=500,bridges=6,noise=0.1,seed=3`.
        root: folder of data files; by default `GRAPHPOOL_DATA`, else `data` in the working
            folder.
        features: what `graphpool.features` makes `x` from; "auto" takes labels, else degrees.
            None leaves `x` unset.
        cache: keep the parsed set, so that it opens at once next time.
        download: whether the set may be fetched.
        progress: called with the bytes fetched so far and their total.
    """
    folder = data_root(root)
    graphs = _made(name, folder, cache)
    if graphs is None:
        path, full = _locate(name, folder, download, progress)
        graphs = _read(path, full, cache)
    return _with_features(graphs, features)


def read(path: str | Path, features: str | None = "auto", cache: bool = True) -> GraphSet:
    """Graphs of your own.

    Args:
        path: a `.jsonl`, `.npz` or `.safetensors` file, or a folder or zip of TU or GEXF files.
        features: as in `load`; `cache` likewise.
    """
    return _with_features(_read(Path(path), None, cache), features)


def find(data: str, root: str | Path | None = None, features: str | None = "auto") -> GraphSet:
    """The set of this name, or of this file or folder: `load` or `read`, as `data` is meant."""
    return read(data, features) if is_path(data) else load(data, root, features)


def pairs(name: str, count: int, seed: int = 0, cache: bool = True) -> PairSet:
    """Pairs of random graphs that match or don't, drawn here and kept for the next time.

    Args:
        name: of `graphpool.data.synthetic.matching.names`, such as `matching-balanced-hard-20`.
        count: number of pairs.
        seed: the same seed gives the same pairs.
        cache: as in `load`.
    """
    from graphpool.data.synthetic.matching.build import matching_key, matching_pairs

    arguments = parse_matching_name(name).arguments(count, seed)
    key = matching_key(**arguments)
    if not cache:
        return matching_pairs(**arguments)
    return cached_pairs(name, key, lambda: matching_pairs(**arguments))


def distances(name: str | Path, root: str | Path | None = None) -> Distances:
    """The edit distances published with the set `name`, and its published split.

    Rows are in the order of `load`. Published distances of AIDS700nef count labels of nodes and
    not those of edges: `gp.ged.matrix(graphs, edge_labels=False)` computes the same.

    Args:
        name: as in `load`, or the `.npz` file of a set.
        root: as in `load`.
    """
    path, full = _named_or_file(name, root)
    if path.suffix == npz.SUFFIX:
        return read_distances(path, full)
    raise DataError.at(
        path,
        "edit distances are not read from here",
        hint=f"published ones stand in {full}.npz: put it at {path.parent / f'{full}.npz'}; others "
        f"are computed by graphpool ged matrix {full}",
    )


def published_split(name: str | Path, root: str | Path | None = None) -> Split:
    """The graphs that train and test by the set's own account; `valid` is empty.

    Args:
        name: as in `load`, or the file or folder of a set.
        root: as in `load`.
    """
    path, full = _named_or_file(name, root)
    test = None
    if path.suffix == npz.SUFFIX:
        test = read_test(path)
    elif path.is_dir() or path.suffix == ".zip":
        files = GexfFiles.find(path, full)
        test = None if files is None else files.is_test()
    if test is None:
        raise DataError.at(
            path, f"{full} has no published split", hint="make one with graphpool.data.splits"
        )
    train, tested = (tuple(np.flatnonzero(part).tolist()) for part in (~test, test))
    return Split(train=train, valid=(), test=tested)


def data_root(root: str | Path | None = None) -> Path | None:
    """The folder of data files: `root`, else `GRAPHPOOL_DATA`, else `data` if it exists."""
    chosen = root if root is not None else os.environ.get("GRAPHPOOL_DATA") or None
    if chosen is None:
        return Path("data") if Path("data").is_dir() else None
    folder = Path(chosen).expanduser()
    if not folder.is_dir():
        origin = "--data-root (root=)" if root is not None else "GRAPHPOOL_DATA"
        raise DataError.at(folder, "no such folder of data", hint=f"fix the path given by {origin}")
    return folder


def available(root: str | Path | None = None) -> list[Found]:
    """The sets that `load` finds without a download, by name; earlier places hide later ones."""
    found: dict[str, Found] = {}
    for place, folder in _places(data_root(root)):
        for path in sorted(folder.iterdir()):
            name = path.name if path.is_dir() else path.stem
            if name not in found and _is_set(path, name):
                found[name] = Found(name, path, place)
    return sorted(found.values(), key=lambda item: item.name.casefold())


def _named_or_file(name: str | Path, root: str | Path | None) -> tuple[Path, str]:
    """The file and the name of a set that is given by either."""
    path = Path(name)
    if isinstance(name, Path) or path.suffix in (npz.SUFFIX, ".zip"):
        if not path.exists():
            raise DataError.at(path, "no such file or folder", hint="check the path")
        return path, path.resolve().name.removesuffix(path.suffix)
    folder = data_root(root)
    found, full = _here(name, folder)
    if found is not None:
        return found, full
    full = _made_name(str(name)) or full
    if (entry := catalogue.KNOWN.get(full)) is not None and (entry.url or entry.made):
        raise DataError(
            f"{full} has no published edit distances and no published split; compute distances "
            f"with graphpool ged matrix {full}"
        )
    return _fetched(full, folder, download=False, progress=None), full


def _made_name(name: str) -> str | None:
    """The plain name of a set that is drawn here, from its name with knobs or without."""
    entry = catalogue.KNOWN.get(catalogue.resolve(name.partition(":")[0]))
    return entry.name if entry is not None and entry.made else None


def _made(name: str, root: Path | None, cache: bool) -> GraphSet | None:
    """The arrangement set of this name; a file of one's own called like it comes first."""
    full, (_, mark, settings) = _made_name(name), name.partition(":")
    if full is None or (not mark and _here(name, root)[0] is not None):
        return None
    knobs = arrangement_knobs.turned(full, arrangement_knobs.parse(settings))
    spelled, version = arrangement_knobs.spelled(full, knobs), arrangements.VERSION
    key = cache_key("", reader="arrangements", version=version, name=full, **asdict(knobs))
    return _kept(cache, spelled, key, lambda: arrangements.make_from(full, knobs))


def _locate(
    name: str, root: Path | None, download: bool, progress: Progress | None
) -> tuple[Path, str]:
    """Where the set lies, fetched if need be, and its full name."""
    path, full = _here(name, root)
    return path or _fetched(full, root, download, progress), full


def _here(name: str, root: Path | None) -> tuple[Path | None, str]:
    """Where the set lies on this machine, and its name: as written, else the full one."""
    if (path := _local(name, root)) is not None:
        return path, name
    full = catalogue.resolve(name)
    return _local(full, root), full


def _places(root: Path | None) -> list[tuple[str, Path]]:
    """Where sets may lie on this machine, best first; only folders that exist."""
    places = [("downloads", _downloads())]
    if (embedded := _grakel()) is not None:
        places.insert(0, ("grakel", embedded))
    if root is not None:
        places.insert(0, ("data root", root))
    return [(place, folder) for place, folder in places if _readable(folder)]


def _readable(folder: Path) -> bool:
    return os.access(folder, os.R_OK | os.X_OK) and folder.is_dir()


def _downloads() -> Path:
    return cache_root() / "downloads"


def _grakel() -> Path | None:
    """Folder of the sets inside the installed grakel, found without importing it."""
    spec = importlib.util.find_spec("grakel")
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "tests" / "data"


def _is_set(path: Path, name: str) -> bool:
    if path.suffix in (".jsonl", SUFFIX):
        return path.is_file()
    if path.suffix not in (".zip", npz.SUFFIX) and not path.is_dir():
        return False
    try:
        if path.suffix == npz.SUFFIX and path.is_file():
            return npz.holds_graphs(path)
        if GexfFiles.find(path, name) is not None:
            return True
        return Members.find(path, name).files.keys() >= {"A", "graph_indicator"}
    except DataError:
        return False


def _local(name: str, root: Path | None) -> Path | None:
    for place, folder in _places(root):
        if (path := catalogue.find(name, folder)) is not None:
            log.debug("%s: found in %s, %s", name, place, path)
            return path
    return None


def _fetched(name: str, root: Path | None, download: bool, progress: Progress | None) -> Path:
    """Download the set, or say why it can't be had."""
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
        raise DataError(f"there is no data set {name!r}; {hint}{listed}")
    target = (root or Path("data")) / f"{name}{entry.form}"
    if entry.url is None:
        raise DataError(
            f"{name} ({entry.about}) is not offered online in a form that we read; put it at "
            f"{target}, or name the folder that has it with root= (--data-root) or GRAPHPOOL_DATA"
        )
    if not download:
        raise DataError(
            f"{name} is not on this machine; allow the download, or get {entry.url} and put it "
            f"at {target}"
        )
    return fetch(
        entry.url,
        _downloads() / f"{name}.zip",
        sha256=entry.sha256,
        check=lambda path: _check_download(path, name),
        progress=progress,
    )


def _check_download(path: Path, name: str) -> None:
    """Refuse a download that is not a whole zip of the set."""
    members = Members.find(path, name)
    for part in members.files:
        with members.open(part) as stream:
            while stream.read(1 << 20):  # the zip's own check sums are compared on the way
                pass


def _read(path: Path, name: str | None, cache: bool) -> GraphSet:
    """Read any form that we know, through the cache where parsing takes time."""
    if path.suffix == SUFFIX:
        return open_set(path)
    if not path.exists():
        raise DataError.at(path, "no such file or folder", hint="check the path")
    if path.suffix == ".jsonl":
        name = name or path.stem
        key = cache_key(sha256_file(path), reader="jsonl", version=jsonl.VERSION, name=name)
        return _kept(cache, name, key, lambda: jsonl.read_jsonl(path, name))
    if path.suffix == npz.SUFFIX:
        name = name or path.stem
        key = cache_key(sha256_file(path), reader="npz", version=packed.VERSION, name=name)
        return _kept(cache, name, key, lambda: packed.read_packed(path, name))
    if not path.is_dir() and path.suffix != ".zip":
        raise DataError.at(
            path,
            f"graphs can't be read from a {path.suffix or 'nameless'} file",
            hint="give a .jsonl or .safetensors file, a .npz of graphs, or a folder or zip of "
            "TU or GEXF files",
        )
    if (files := GexfFiles.find(path, name)) is not None:
        key = cache_key(files.digest(), reader="gexf", version=gexf_set.VERSION, name=files.name)
        return _kept(cache, files.name, key, lambda: gexf_set.read_gexf_set(path, name))
    members = Members.find(path, name)
    key = cache_key(members.digest(), reader="tu", version=tu.VERSION, name=members.name)
    return _kept(cache, members.name, key, lambda: tu.read_tu(path, name))


def _kept(cache: bool, name: str, key: str, build: Callable[[], GraphSet]) -> GraphSet:
    return cached(name, key, build) if cache else build()


def _with_features(graphs: GraphSet, features: str | None) -> GraphSet:
    """Make `x`; a saved set that already has it keeps it, unless other features are named."""
    if features is None or (features == "auto" and graphs.x is not None):
        return graphs
    from graphpool.features.pipeline import FeaturePipeline

    return FeaturePipeline(features).fit(graphs).transform(graphs)
