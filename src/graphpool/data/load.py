"""Load data sets by name or by file: `load`, `read`, `pairs`, `distances`, `published_split`."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from graphpool.data import catalogue
from graphpool.data.cache import cache_key, cached
from graphpool.data.data_string import split_data
from graphpool.data.download import Progress
from graphpool.data.formats import Format, find_format, npz, open_set, safetensors
from graphpool.data.formats import smiles as smiles_csv
from graphpool.data.formats.chunked_set import ChunkedSet, LineFormat
from graphpool.data.formats.gexf import GexfFiles
from graphpool.data.formats.spool import FileSpool
from graphpool.data.locate import data_root, download_set, locate_here, locate_molecules
from graphpool.data.molecules.published import MOLECULES, MoleculeSet
from graphpool.data.pairs.distances import Distances, read_distances, read_test
from graphpool.data.pairs.pairset import PairSet
from graphpool.data.pairs.storage import open_pairs, save_pairs
from graphpool.data.paths import exists
from graphpool.data.published_molecules import SPLIT, VERSION, read_published, source_digest
from graphpool.data.read_options import ReadOptions
from graphpool.data.splits import Split
from graphpool.data.synthetic.arrangements import build as arrangements
from graphpool.data.synthetic.arrangements.settings import (
    checked_settings,
    full_name,
    parse_settings,
)
from graphpool.data.synthetic.matching.names import parse_matching_name
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet


def load(
    data: str | Path,
    root: str | Path | None = None,
    features: str | None = "auto",
    cache: bool = True,
    download: bool = True,
    progress: Progress | None = None,
    *,
    smiles: str | None = None,
    y: str | Sequence[str] | None = None,
    id: str | None = None,
    skip_bad: bool = False,
) -> GraphSet:
    """Load a data set by its name, or graphs from a file or folder.

    A name is looked for in the data root, among the sets that graphpool ships (MUTAG), among
    earlier downloads, and then online. Arrangement sets (`ring`, `marks`, `marksmix`, `order`,
    `spider`) are generated instead. The format of a file is found by its content.

    The features `x` are for exploring a set and for networks of your own: `graphs.batch()` needs
    them. They are fitted on all graphs of the set. Estimators and `graphpool train` ignore them and
    fit features on the training graphs alone; with `features="given"` they take `x` as it is. An
    `x` of the graphs' own, which `GraphSet.x_from` tells from a made one, is used by them.

    Args:
        data: a name of `graphpool data list`, short forms such as IMDB-B included, or a path in a
            format of docs/formats.md. What has a slash or the suffix of such a format is a path,
            and so is any other word that is no known name and exists as a file or folder. Settings
            of an arrangement set follow a colon: `ring:graphs=500,bridges=6,noise=0.1,seed=3`.
        root: folder of data files; by default `GRAPHPOOL_DATA`, else `data` in the working
            folder.
        features: what `graphpool.features` makes `x` from; "auto" takes node labels and
            attributes, without labels also degrees. None leaves `x` unset.
        cache: store the parsed set, so that it opens at once next time.
        download: whether the set may be downloaded.
        progress: called with the bytes received so far and their total.
        smiles: column of SMILES in a CSV file; by default the one that is called so.
        y: column of the values to predict in such a file, or several; by default the one called y.
        id: column of the names of graphs; by default they are numbered.
        skip_bad: leave out lines that can't be read, of CSV files with SMILES and of JSON lines;
            `notes` say which. By default the first one is an error.
    """
    given = ReadOptions.of(smiles, y, id, skip_bad)
    if isinstance(data, str) and given == ReadOptions() and not skip_bad:
        data, given = split_data(data)
    return _with_features(load_with(data, given, root, cache, download, progress), features)


def load_with(
    data: str | Path,
    options: ReadOptions,
    root: str | Path | None = None,
    cache: bool = True,
    download: bool = True,
    progress: Progress | None = None,
) -> GraphSet:
    """Load a set without features, as `load` does; `options.bad` lists what was left out."""
    found = _find(data, options, root, cache, download, progress)
    return found if isinstance(found, GraphSet) else _read(*found, cache, options)


def import_set(
    data: str | Path, path: str | Path, root: str | Path | None = None
) -> GraphSet | ChunkedSet:
    """Read a set as `load` does, without features, and write it to a `.safetensors` file.

    Lines of SMILES and of JSON are read and written in chunks: the memory that it takes does not
    grow with them. Nothing is cached.

    Returns:
        The set, for its name, size, classes and notes.
    """
    data, options = split_data(data) if isinstance(data, str) else (data, ReadOptions())
    graphs = _find(data, options, root, cache=False)
    if not isinstance(graphs, GraphSet):
        reader, _ = _reader(*graphs, options)
        if isinstance(reader, LineFormat):
            return _stream(reader, *graphs, options, Path(path))
        graphs = _read(*graphs, False, options)
    safetensors.save(graphs, path)
    return graphs


def _stream(
    reader: LineFormat,
    path: Path,
    name: str | None,
    options: ReadOptions,
    target: Path,
    source: str = "",
) -> GraphSet | ChunkedSet:
    """Read a file chunk by chunk, and write the set to `target`."""
    with FileSpool(target) as spool:
        graphs = reader.collect(path, name, options, spool)
        if isinstance(graphs, GraphSet):
            safetensors.save(graphs, target, source=source)
        else:
            safetensors.save_chunks(graphs, target, source=source)
    return graphs


def _find(
    data: str | Path,
    options: ReadOptions,
    root: str | Path | None,
    cache: bool,
    download: bool = True,
    progress: Progress | None = None,
) -> GraphSet | tuple[Path, str | None]:
    """Return a set that is generated or published; else the path of a set, and its name."""
    if isinstance(data, Path) or catalogue.is_path(data):
        return Path(data), None
    folder = data_root(root)
    graphs = _generate(data, folder, cache)
    if graphs is not None:
        options.check_used(data, ())
        return graphs
    path, set_name = locate_here(data, folder)
    if path is None and (entry := MOLECULES.get(set_name)) is not None:
        options.check_used(data, ())
        return _published(entry, locate_molecules(entry, folder, download, progress), cache)
    return path or download_set(set_name, folder, download, progress), set_name


def _published(entry: MoleculeSet, path: Path, cache: bool) -> GraphSet:
    key = cache_key(
        source_digest(path),
        reader="published",
        version=VERSION,
        name=entry.name,
        of=smiles_csv.VERSION,
    )

    def build() -> GraphSet:
        return read_published(entry, path)

    return cached(entry.name, key, build, open_set, safetensors.save) if cache else build()


def read(
    data: str | Path,
    features: str | None = "auto",
    cache: bool = True,
    *,
    root: str | Path | None = None,
    smiles: str | None = None,
    y: str | Sequence[str] | None = None,
    id: str | None = None,
    skip_bad: bool = False,
) -> GraphSet:
    """Read graphs from a file or folder, or load a set by its name; the same as `load`.

    A path comes first here: a folder called like a known set is read, and not the set.

    Args:
        data, features, cache, root, smiles, y, id, skip_bad: as in `load`.
    """
    data = Path(data) if exists(Path(data)) else data
    columns = {"smiles": smiles, "y": y, "id": id}
    return load(data, root, features, cache, skip_bad=skip_bad, **columns)  # type: ignore[arg-type]


def find(
    data: str | Path, root: str | Path | None = None, features: str | None = "auto"
) -> GraphSet:
    """Load a set that is given by its name or by its path, as `load` does."""
    return load(data, root, features)


def pairs(name: str, count: int, seed: int = 0, cache: bool = True) -> PairSet:
    """Generate pairs of random graphs that match or do not, and cache them.

    Args:
        name: such as `matching-balanced-hard-20`; see `graphpool.data.synthetic.matching.names`.
        count: number of pairs.
        seed: the same seed gives the same pairs.
        cache: as in `load`.
    """
    from graphpool.data.synthetic.matching.build import MatchingSettings, matching_pairs

    arguments = parse_matching_name(name).arguments(count, seed)
    key = MatchingSettings.of(**arguments).key

    def build() -> PairSet:
        return matching_pairs(**arguments)

    return cached(name, key, build, open_pairs, save_pairs) if cache else build()


def distances(name: str | Path, root: str | Path | None = None) -> Distances:
    """Return the edit distances published with the set `name`, and its published split.

    Rows are in the order of `load`. Published distances of AIDS700nef count labels of nodes and
    not those of edges: `gp.ged.matrix(graphs, edge_labels=False)` computes the same.

    Args:
        name: as in `load`, or the `.npz` file of a set.
        root: as in `load`.
    """
    path, set_name = _named_or_file(name, root)
    if path.suffix == npz.SUFFIX:
        return read_distances(path, set_name)
    raise DataError.at(
        path,
        "edit distances are not read from here",
        hint=f"published ones are in {set_name}.npz: put it at "
        f"{path.parent / f'{set_name}.npz'}; others are computed by graphpool ged matrix "
        f"{set_name}",
    )


def published_split(name: str | Path, root: str | Path | None = None) -> Split:
    """Return the split into training and test graphs published with a set.

    `valid` is empty, but for sets of molecules.

    Args:
        name: as in `load`, or the file or folder of a set.
        root: as in `load`.
    """
    if isinstance(name, str) and catalogue.resolve(name) in MOLECULES:
        part = load(name, root, features=None).columns.get(SPLIT)
        if part is not None:
            return Split(*(tuple(np.flatnonzero(np.array(part) == each).tolist())
                           for each in ("train", "valid", "test")))  # fmt: skip
    path, set_name = _named_or_file(name, root)
    test = None
    if path.suffix == npz.SUFFIX:
        test = read_test(path)
    elif path.is_dir() or path.suffix == ".zip":
        files = GexfFiles.find(path, set_name)
        test = None if files is None else files.is_test()
    if test is None:
        raise DataError.at(
            path, f"{set_name} has no published split", hint="make one with graphpool.data.splits"
        )
    train, tested = (tuple(np.flatnonzero(part).tolist()) for part in (~test, test))
    return Split(train=train, valid=(), test=tested)


def _named_or_file(name: str | Path, root: str | Path | None) -> tuple[Path, str]:
    """Return the path and the name of a set that is given by either."""
    path = Path(name)
    if isinstance(name, Path) or path.suffix in (npz.SUFFIX, ".zip"):
        if not path.exists():
            raise DataError.at(path, "no such file or folder", hint="check the path")
        return path, path.resolve().name.removesuffix(path.suffix)
    folder = data_root(root)
    found, set_name = locate_here(name, folder)
    if found is not None:
        return found, set_name
    set_name = _generated_name(str(name)) or set_name
    entry = catalogue.KNOWN.get(set_name)
    if entry is not None and (entry.url or entry.generated):
        raise DataError(
            f"{set_name} has no published edit distances and no published split; compute "
            f"distances with graphpool ged matrix {set_name}"
        )
    return download_set(set_name, folder, download=False, progress=None), set_name


def _generated_name(name: str) -> str | None:
    """Return the plain name of a generated set, given with settings or without."""
    entry = catalogue.KNOWN.get(catalogue.resolve(name.partition(":")[0]))
    return entry.name if entry is not None and entry.generated else None


def _generate(name: str, root: Path | None, cache: bool) -> GraphSet | None:
    """Generate the arrangement set of this name; a file of the same name comes before it."""
    base, (_, colon, given) = _generated_name(name), name.partition(":")
    if base is None or (not colon and locate_here(name, root)[0] is not None):
        return None
    settings = checked_settings(base, parse_settings(given))
    key = cache_key(
        "", reader="arrangements", version=arrangements.VERSION, name=base, **asdict(settings)
    )

    def build() -> GraphSet:
        return arrangements.make_from(base, settings)

    return (
        cached(full_name(base, settings), key, build, open_set, safetensors.save)
        if cache
        else build()
    )


def _reader(path: Path, name: str | None, options: ReadOptions) -> tuple[Format, bool]:
    """Return the format of a file or folder, and whether it takes options."""
    named = options.strict or smiles_csv.has_column(path, options.smiles)
    molecules = options.smiles and named and smiles_csv.may_be_table(path)
    reader = smiles_csv if molecules else find_format(path, name)
    takes: frozenset[str] = getattr(reader, "OPTIONS", frozenset())
    options.check_used(path, takes)
    return reader, bool(takes)


def _read(path: Path, name: str | None, cache: bool, options: ReadOptions) -> GraphSet:
    """Read any known format, through the cache where parsing takes time."""
    reader, takes_options = _reader(path, name, options)
    if reader.NAME == safetensors.NAME:
        return reader.read(path, name)
    set_name, digest = reader.identify(path, name)
    about = {"name": set_name, **options.key()}
    key = cache_key(digest, reader=reader.NAME, version=reader.VERSION, **about)

    def build() -> GraphSet:
        return reader.read(path, name, *([options] if takes_options else []))

    def write(target: Path, source: str) -> None:
        assert isinstance(reader, LineFormat)
        _stream(reader, path, name, options, target, source)

    # What is left out is listed by reading the file: a cached set only says how much it was.
    if not cache or options.bad.skip:
        return build()
    in_chunks = write if isinstance(reader, LineFormat) else None
    return cached(set_name, key, build, open_set, safetensors.save, write_file=in_chunks)


def _with_features(graphs: GraphSet, features: str | None) -> GraphSet:
    """Make `x`; a saved set that already has it keeps it, unless other features are named."""
    if features is None or (features == "auto" and graphs.x is not None):
        return graphs
    from graphpool.features.pipeline import FeaturePipeline

    return FeaturePipeline(features).fit(graphs).transform(graphs)
