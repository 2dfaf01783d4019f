"""JSON documents and files packed by gzip: the same graphs as in JSON lines."""

import gzip
import json
import tracemalloc
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import torch

import graphpool as gp
from graphpool.data import content_hash
from graphpool.data.bad_rows import collect_bad_rows
from graphpool.data.formats import find_format
from graphpool.errors import DataError
from graphpool.limits import Limits, use_limits

GRAPHS: list[dict[str, Any]] = [
    {"id": "a", "node_labels": ["C", "O"], "edges": [[0, 1]], "y": "toxic"},
    {"id": "b", "node_labels": ["C"], "y": "safe"},
]


def lines(graphs: list[Any]) -> str:
    return "".join(json.dumps(graph) + "\n" for graph in graphs)


def read(path: Path, data: str | bytes) -> gp.GraphSet:
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return gp.read(path, features=None, cache=False)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("mine.json", json.dumps(GRAPHS)),
        ("mine.json", json.dumps(GRAPHS, indent=2)),
        ("mine.json", "\ufeff \n" + json.dumps(GRAPHS, indent=2)),
        ("mine.json", lines(GRAPHS)),
        ("mine.jsonl.gz", gzip.compress(lines(GRAPHS).encode(), mtime=0)),
        ("mine.json.gz", gzip.compress(json.dumps(GRAPHS).encode(), mtime=0)),
        ("mine.data", gzip.compress(lines(GRAPHS).encode(), mtime=0)),
    ],
)
def test_every_form_holds_the_same_graphs(tmp_path: Path, name: str, data: str | bytes) -> None:
    expected = read(tmp_path / "mine.jsonl", lines(GRAPHS))
    found = read(tmp_path / name, data)
    assert found.name == ("mine.data" if name == "mine.data" else "mine")
    assert found.ids == ("a", "b")
    assert content_hash(found) == content_hash(expected) or name == "mine.data"


def test_one_graph_over_several_lines(tmp_path: Path) -> None:
    assert read(tmp_path / "one.json", json.dumps(GRAPHS[0], indent=1)).ids == ("a",)
    assert find_format(tmp_path / "one.json").NAME == "json"


@pytest.mark.parametrize("name", ["mine.jsonl.gz", "mine.json"])
def test_a_set_by_its_name(tmp_path: Path, name: str) -> None:
    text = json.dumps(GRAPHS) if name == "mine.json" else lines(GRAPHS)
    (tmp_path / name).write_bytes(gzip.compress(text.encode()) if "gz" in name else text.encode())
    assert gp.load("mine", root=tmp_path).name == "mine"
    assert "mine" in [item.name for item in gp.data.available(tmp_path)]


@pytest.mark.parametrize("kind", [nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph])
@pytest.mark.parametrize("edges", ["edges", "links"])
@pytest.mark.parametrize("form", ["one", "list", "lines"])
def test_node_link_data_of_networkx(tmp_path: Path, kind: Any, edges: str, form: str) -> None:
    graph = kind([("a", "b"), ("b", "c")], y="toxic", name="mine")
    nx.set_node_attributes(graph, {"a": "C", "b": "N", "c": "C"}, "atom")
    nx.set_node_attributes(graph, {"a": 0.5, "b": 1.5, "c": 2}, "charge")
    nx.set_edge_attributes(graph, "single", "bond")
    value = nx.node_link_data(graph, edges=edges)
    text = {
        "one": json.dumps(value, indent=1),
        "list": json.dumps([value]),
        "lines": lines([value]),
    }
    found = read(tmp_path / "g.json", text[form])
    expected = gp.from_networkx(graph)
    for field in ("node_ptr", "edge_index", "node_label", "node_attr", "edge_label"):
        assert torch.equal(getattr(found, field), getattr(expected, field)), field
    assert (found.classes, found.ids, found.notes) == (("toxic",), ("mine",), ())


NODES = [{"id": 0}, {"id": 1}]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ([], "the file is empty; give a list of JSON objects"),
        ([5], "not a JSON object"),
        ([GRAPHS[0], GRAPHS[0]], "graph 'a': another graph has the same id"),
        ([{"nodes": 2, "egdes": []}], "unknown key 'egdes'; did you mean 'edges'"),
        ([{"nodes": NODES}, GRAPHS[0]], "graph 1: it has no list of nodes"),
        ([{"nodes": NODES, "egdes": []}], "graph 0: unknown key 'egdes'"),
        ([{"nodes": [0, 1]}], "an object with an id of its own"),
        ([{"nodes": [{"id": 0}, {"id": 0}]}], "an object with an id of its own"),
        ([{"nodes": [{"id": [1]}]}], "an object with an id of its own"),
        ([{"nodes": NODES, "edges": [[0, 1]]}], "an object with source and target"),
        ([{"nodes": NODES, "edges": [{"source": 0, "target": 2}]}], "node '2', which does not"),
        ([{"nodes": NODES, "edges": {}}], "edges must be a list"),
        ([{"nodes": NODES, "directed": "yes"}], "must be true or false"),
        ([{"nodes": NODES, "graph": {"name": 5}}], "its name is not a word"),
        ([{"nodes": []}], "needs at least one node"),
        ([{"nodes": [{"id": 0, "label": {}}]}], "labels and classes are integers or strings"),
    ],
)  # fmt: skip
def test_bad_documents_are_one_error(tmp_path: Path, value: Any, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        read(tmp_path / "bad.json", json.dumps(value))
    assert "bad.json" in str(caught.value)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"[" * 100_000, "brackets"),
        (b"[{", "brackets|not JSON"),
        (gzip.compress(lines(GRAPHS).encode(), mtime=0)[:-12], "can't be read"),
        (b"\x1f\x8bnothing", "can't be read"),
        (gzip.compress(b'{"id": "' + b"a" * (1 << 25) + b'"}', mtime=0), "times its size"),
        (b'{"nodes": 1, "y": "' + b"a" * 20_000 + b'"}', "name_length"),
        (b'[{"nodes": [{"id": 0, "label": "' + b"a" * 20_000 + b'"}]}]', "name_length"),
    ],
)
def test_hostile_and_damaged_files(tmp_path: Path, data: bytes, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read(tmp_path / ("bad.jsonl.gz" if data.startswith(b"\x1f") else "bad.json"), data)


def test_a_word_among_numbers_takes_no_room_for_each_of_them(tmp_path: Path) -> None:
    """NumPy would take the room of the longest word for every number: here 180 MB."""
    rows = [["a" * 9_000], *[[1.0]] * 5_000]
    nodes = [{"id": n, "size": row} for n, row in enumerate(rows)]
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="must hold lists of numbers"):
            read(tmp_path / "a.jsonl", json.dumps({"node_attributes": rows}))
        found = read(tmp_path / "b.jsonl", json.dumps({"nodes": nodes}))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 50e6
    assert found.node_attr is None
    assert found.notes == ("not used: 'size' of nodes",)


def test_a_larger_file_is_refused_until_the_limit_is_raised(tmp_path: Path) -> None:
    with use_limits(Limits(line_bytes=100)), pytest.raises(DataError, match="line_bytes"):
        read(tmp_path / "big.json", json.dumps(GRAPHS))


def test_bad_node_link_lines_can_be_left_out(tmp_path: Path) -> None:
    line = json.dumps(nx.node_link_data(nx.path_graph(3), edges="edges"))
    path = tmp_path / "a.jsonl"
    path.write_text(f'{line}\n{{"nodes": [5]}}\nnot JSON\n{line}\n')
    with pytest.raises(DataError, match=r"line 2: graph 1: every node must be an object"):
        gp.read(path)
    with collect_bad_rows() as bad:
        graphs = gp.read(path, features=None, skip_bad=True)
    assert len(graphs) == 2
    assert [(row.line, row.text) for row in bad] == [(2, '{"nodes": [5]}'), (3, "not JSON")]
    assert any(note.startswith("2 lines of 4 were left out: line 2") for note in graphs.notes)
