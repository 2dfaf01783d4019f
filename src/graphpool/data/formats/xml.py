"""Read GraphML and GEXF files: one file, or a folder or zip of them, a graph each.

A file may be packed by gzip, alone and in a folder.

NetworkX parses them, and attributes are understood as `from_networkx` understands them: labels
called `label`, `atom`, `type` and the like, numbers as attributes, and `y` or `class` of a graph as
its class. A GraphML file may hold several graphs.

Document types are refused: they declare entities, the way by which an XML file can make a parser
open other files or fill the memory.
"""

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any
from xml.parsers import expat

from graphpool.data.formats import gexf
from graphpool.data.formats.base import check_names, first_bytes, natural
from graphpool.data.formats.zips import damage_at, digest_files, list_zip, open_files, slashes
from graphpool.data.interop.networkx import Keys, convert
from graphpool.data.paths import stem
from graphpool.documents import read_binary
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet

if TYPE_CHECKING:
    import networkx as nx

NAME = "xml"
VERSION = 2
SUFFIXES = (".graphml", ".gexf")
PACKED = ".gz"

_DEEPEST = 100  # elements inside each other
_ROOT = re.compile(rb"<(?:\w+:)?(graphml|gexf)[\s/>]")
_FETCH = "fetch the file again, or write it again with NetworkX"


def recognises(path: Path, name: str | None = None) -> bool:
    """Whether a file is GraphML or GEXF, or a folder or zip has such files.

    Those in `train` and `test` folders are a set that the format `gexf` reads.
    """
    if _kind(first_bytes(path, 1 << 12, unpack=True)) is not None:
        return True
    try:
        return bool(_list_files(path)) and not gexf.recognises(path, name)
    except DataError:
        return False


def identify(path: Path, name: str | None = None) -> tuple[str, str]:
    """Return the name of the set and the SHA-256 of its files."""
    files = _list_files(path) if path.is_dir() else []
    return _set_name(path, name), digest_files(path, zip(files, files, strict=True), ())


def read(path: str | Path, name: str | None = None) -> GraphSet:
    """Read the graphs; ids are the names of the files, or of the graphs in one file."""
    path = Path(path)
    name = _set_name(path, name)
    found = [(where, graph) for where, data in _contents(path) for graph in _parse(data, where)]
    if not found:
        raise DataError.at(path, "holds no graphs", hint=_FETCH)
    for where, graph in found:
        if not len(graph):
            raise DataError.at(where, "a graph needs at least one node", hint="leave it out")
    try:
        return check_names(path, convert([graph for _, graph in found], Keys(), name)[0])
    except DataError as error:
        raise DataError.at(path, str(error)) from None


def _set_name(path: Path, name: str | None) -> str:
    return name or stem(path.resolve())


def _kind(begin: bytes) -> str | None:
    """Return `graphml` or `gexf` for the beginning of such a file."""
    if not begin.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        return None
    root = _ROOT.search(begin)
    return None if root is None else root[1].decode()


def _list_files(path: Path) -> list[str]:
    """List the files of a folder, of those directly in it, or of a zip, by their names."""
    if path.is_dir():
        every = [*path.iterdir(), *path.glob("*/*")]
        files = [file.relative_to(path).as_posix() for file in every if file.is_file()]
    else:
        files = [file for file in list_zip(path) if not file.endswith(PACKED)]
    chosen = [
        file
        for file in files
        if _unpacked(file).suffix in SUFFIXES and not _base(file).startswith(".")
    ]
    return sorted(chosen, key=lambda file: natural(_base(file)))


def _unpacked(file: str) -> PurePosixPath:
    """The path of a file without the suffix of gzip."""
    return PurePosixPath(slashes(file).removesuffix(PACKED))


def _base(file: str) -> str:
    return _unpacked(file).stem


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the path of each file, for messages, and its bytes."""
    if path.is_file() and not zipfile.is_zipfile(path):
        yield str(path), read_binary(path, "unpacked_bytes")
        return
    if path.is_dir():
        for file in _list_files(path):
            yield f"{path}/{file}", read_binary(path / file, "unpacked_bytes")
        return
    with open_files(path) as open_file:
        for file in _list_files(path):
            where = f"{path}/{file}"
            with damage_at(where), open_file(file) as stream:
                data = stream.read()
            yield where, data


def _parse(data: bytes, where: str) -> "list[nx.Graph]":
    """Parse the graphs of a file, each named like the file, and by number if there are several."""
    import networkx as nx

    kind = _kind(data[: 1 << 12])
    if kind is None:
        raise DataError.at(where, "neither GraphML nor GEXF", hint=_FETCH)
    _check(data, where)
    try:
        if kind == "gexf":
            graphs = [_without_ids(nx.read_gexf(io.BytesIO(data)))]
        else:
            graphs = list(nx.readwrite.graphml.GraphMLReader()(path=io.BytesIO(data)))
    except (nx.NetworkXException, LookupError, ValueError, TypeError, AttributeError,
            ArithmeticError, SyntaxError) as error:  # fmt: skip
        reason = " ".join(str(error).split()) or type(error).__name__
        raise DataError.at(where, f"not valid {kind}: {reason[:200]}", hint=_FETCH) from None
    stem = _base(where)
    for number, graph in enumerate(graphs):
        graph.graph["name"] = stem if len(graphs) == 1 else f"{stem}/{number}"
    return graphs


def _without_ids(graph: "nx.Graph") -> "nx.Graph":
    """Remove the labels of a GEXF graph if they only repeat the ids of nodes."""
    if all(values.get("label") in (None, node) for node, values in graph.nodes(data=True)):
        for _, values in graph.nodes(data=True):
            values.pop("label", None)
    return graph


def _check(data: bytes, where: str) -> None:
    """Refuse document types, elements nested too deeply, and XML that is not whole."""
    parser = expat.ParserCreate()
    depth = 0

    def wrong(problem: str, hint: str) -> DataError:
        return DataError.at(where, problem, line=parser.CurrentLineNumber, hint=hint)

    def doctype(*_: object) -> None:
        raise wrong("a document type is declared, which GraphML and GEXF don't need", "remove it")

    def start(tag: str, attributes: dict[str, Any]) -> None:
        nonlocal depth
        depth += 1
        if depth > _DEEPEST:
            raise wrong(f"more than {_DEEPEST} elements are inside each other", _FETCH)

    def end(tag: str) -> None:
        nonlocal depth
        depth -= 1

    parser.StartDoctypeDeclHandler = doctype
    parser.StartElementHandler = start
    parser.EndElementHandler = end
    try:
        parser.Parse(data, True)
    except expat.ExpatError as error:
        problem = f"not whole XML: {expat.errors.messages[error.code]}"
        raise DataError.at(where, problem, line=error.lineno, hint=_FETCH) from None
    except (LookupError, ValueError) as error:  # an unknown encoding
        raise wrong(f"can't be read: {error}", _FETCH) from None
