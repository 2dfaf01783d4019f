"""Files of graphs: one module a format, all with the interface `Format`.

The format of a file or folder is found by its content (`find_format`).
"""

from pathlib import Path

from graphpool.data.formats import (
    adjacency,
    edge_csv,
    gexf,
    graph6,
    json,
    jsonl,
    npz,
    safetensors,
    smiles,
    tu,
    xml,
)
from graphpool.data.formats.base import Format
from graphpool.data.formats.gexf import read as read_gexf
from graphpool.data.formats.jsonl import read as read_jsonl
from graphpool.data.formats.jsonl_write import write_jsonl
from graphpool.data.formats.npz import read as read_npz
from graphpool.data.formats.safetensors import content_hash, open_set
from graphpool.data.formats.tu import read as read_tu
from graphpool.data.paths import exists
from graphpool.errors import DataError
from graphpool.files import check_free
from graphpool.graphs.graphset import GraphSet

__all__ = [
    "Format", "FORMATS", "find_format", "read_tu", "read_gexf", "read_npz", "read_jsonl",
    "write_jsonl", "open_set", "save", "content_hash",
]  # fmt: skip

FORMATS: tuple[Format, ...] = (
    safetensors, graph6, jsonl, json, npz, adjacency, edge_csv, smiles, gexf, tu, xml,
)  # fmt: skip
"""All formats, in the order in which a file is tried.

graph6 stands before JSON: a line of graph6 may begin with a bracket.
"""

_BY_SUFFIX: dict[str, Format] = {
    ".safetensors": safetensors, ".jsonl": jsonl, ".npz": npz, ".npy": adjacency, ".zip": tu,
    ".csv": edge_csv, ".graphml": xml, ".gexf": xml, ".json": json, ".gz": jsonl,
    ".smi": smiles, ".g6": graph6, ".s6": graph6,
}  # fmt: skip
_BINARY = (".safetensors", ".npz", ".npy", ".zip")


def save(graphs: GraphSet, path: str | Path, *, overwrite: bool = False) -> None:
    """Write a set to one file in graphpool's own format, atomically.

    Args:
        overwrite: replace a file that exists; else it is an error.
    """
    check_free(path, overwrite, "overwrite=True")
    safetensors.save(graphs, path)


def find_format(path: Path, name: str | None = None) -> Format:
    """Return the format of a file or folder.

    Content that no format recognises, such as a damaged file, is left to the reader that its
    suffix stands for, whose error says what is wrong. `name` is that of the set, where a folder
    or zip holds several.
    """
    if not exists(path):
        hint = "check the path, or give a name that graphpool data list shows"
        raise DataError.at(path, "no such file or folder", hint=hint)
    for candidate in FORMATS:
        if candidate.recognises(path, name):
            return candidate
    if path.is_dir():
        return tu
    suffix = Path(path.name.removesuffix(".gz")).suffix or path.suffix
    if suffix in _BINARY and path.suffix == ".gz":
        raise DataError.at(path, f"a {suffix} file packed by gzip", hint="unpack it with gunzip")
    if suffix not in _BY_SUFFIX:
        raise DataError.at(
            path,
            f"graphs can't be read from a {suffix or 'nameless'} file",
            hint="docs/formats.md lists the formats: .jsonl, .json, .csv, .graphml, .gexf, .npz, "
            ".npy, .g6, .s6, .safetensors, and folders or zips of TU, GraphML or GEXF files",
        )
    return _BY_SUFFIX[suffix]
