"""The format of a file is found by its content; the suffix only chooses who explains damage."""

import gzip
import zipfile
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import graphpool as gp
from graphpool.data import content_hash
from graphpool.data.formats import FORMATS, Format, find_format
from graphpool.errors import DataError


def put(folder: Path, kind: str, name: str) -> Path:
    """A smallest file of each format: one graph of two nodes and an edge."""
    path = folder / name
    if kind == "jsonl":
        path.write_text('\ufeff\n {"nodes": 2, "edges": [[0, 1]]}\n', encoding="utf-8")
    elif kind == "safetensors":
        gp.save(gp.read(put(folder, "jsonl", "one.jsonl"), features=None, cache=False), path)
    elif kind == "npz":
        with path.open("wb") as handle:
            np.savez(handle, node_ptr=[0, 2], edge_ptr=[0, 1], edges=[[0, 1]])
    elif kind == "adjacency":
        with path.open("wb") as handle:
            np.save(handle, [[0, 1], [1, 0]])
    elif kind == "json":
        path.write_text('[{"nodes": 2, "edges": [[0, 1]]}]')
    elif kind == "smiles":
        path.write_text("smiles,y\nCO,1\n")
    elif kind == "graph6":
        path.write_text(">>graph6<<A_\n")
    elif kind == "csv":
        path.write_text("source,target\na,b\n")
    elif kind == "xml":
        nx.write_graphml(nx.path_graph(2), path)
    else:
        edges = '<edges><edge source="0" target="1"/></edges>'
        nodes = '<nodes><node id="0"/><node id="1"/></nodes>'
        files = {
            "gexf": {"T/train/0.gexf": f"<gexf><graph>{nodes}{edges}</graph></gexf>"},
            "tu": {"T/T_A.txt": "1, 2\n2, 1\n", "T/T_graph_indicator.txt": "1\n1\n"},
        }[kind]
        with zipfile.ZipFile(path, "w") as archive:
            for file, text in files.items():
                archive.writestr(file, text)
    return path


KINDS = [
    "safetensors", "graph6", "jsonl", "json", "npz", "adjacency", "csv", "smiles", "gexf", "tu",
    "xml",
]  # fmt: skip


def test_every_format_has_the_interface() -> None:
    assert [reader.NAME for reader in FORMATS] == KINDS
    assert all(isinstance(reader, Format) for reader in FORMATS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_is_recognised_by_one_format_whatever_its_name(tmp_path: Path, kind: str) -> None:
    path = put(tmp_path, kind, "graphs.data")
    assert [reader.NAME for reader in FORMATS if reader.recognises(path)] == [kind]
    assert kind == find_format(path).NAME


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_read_is_one_graph_of_an_edge(tmp_path: Path, kind: str) -> None:
    graphs = gp.read(put(tmp_path, kind, "graphs.data"), features=None, cache=False)
    assert (graphs.node_counts.tolist(), graphs.edge_index.tolist()) == ([2], [[1, 0], [0, 1]])


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("x.jsonl", "the file is empty"),
        ("x.npz", "not a readable zip"),
        ("x.safetensors", "not a safetensors file"),
        ("x.zip", "not a readable zip"),
        ("x.npy", "not a whole array|not a readable zip"),
        ("x.csv", "the file is empty"),
        ("x.graphml", "neither GraphML nor GEXF"),
        ("x.gexf", "neither GraphML nor GEXF"),
        ("x.g6", "no graphs"),
        ("x.s6", "no graphs"),
        ("x.txt", "graphs can't be read from a .txt file"),
    ],
)
def test_an_empty_file_is_explained_by_the_reader_of_its_suffix(
    tmp_path: Path, name: str, says: str
) -> None:
    (tmp_path / name).write_text("")
    with pytest.raises(DataError, match=says):
        gp.read(tmp_path / name, cache=False)


def test_a_name_does_not_change_the_content_of_our_own_file(tmp_path: Path) -> None:
    own = put(tmp_path, "safetensors", "own.safetensors")
    other = put(tmp_path, "safetensors", "other.bin")
    read = [gp.read(path, features=None) for path in (own, other)]
    assert content_hash(read[0]) == content_hash(read[1])


def test_binary_files_packed_by_gzip_are_named(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.eye(3))
    path = tmp_path / "a.npy.gz"
    path.write_bytes(gzip.compress((tmp_path / "a.npy").read_bytes()))
    with pytest.raises(DataError, match=r"a.npy.gz: a .npy file packed by gzip; unpack it"):
        gp.read(path)
