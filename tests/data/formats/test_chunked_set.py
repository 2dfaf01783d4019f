"""Sets that are read in chunks: the same as whole ones, in memory that does not grow."""

import gzip
import json
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch

import graphpool as gp
from graphpool.data.bad_rows import collect_bad_rows
from graphpool.data.data_string import join_data
from graphpool.data.formats import jsonl, open_set, save
from graphpool.data.formats import smiles as smiles_format
from graphpool.data.formats.chunked_set import ChunkedSet, narrow
from graphpool.data.formats.spool import FileSpool, Spool
from graphpool.data.load import import_set
from graphpool.errors import DataError, WriteError
from graphpool.limits import Limits, use_limits

CSV = """smiles,v,w,list,name,note
BrCC,2,1,"[1, 2]",a,
CCO,10,0.5,"[0, null]",b,
c1cc,1,0.5,"[0, 1]",c,lost
[Na+].[Cl-],2,,"[3, 1]",d,
C,x,1e999,"[1]",e,é
CN(C)(C)C,1,1,"[1, 1]",f,
c1ccccc1,1,2,no,g,
C[C@H](O)C(=O)O,,3,"[5, 5]",h,"a, b"
CCC,1,0,"[5, 5]",b,
CC=O,1,7,"[5, 5]",i,
"""
LINES: list[dict[str, Any]] = [
    {"node_labels": ["N", "C"], "edges": [[1, 0], [0, 1]], "edge_weights": [2, 3]},
    {"node_labels": ["B"], "edges": []},
    {"node_labels": ["C", "C"], "edges": [[1, 1], [0, 1]], "edge_weights": [0, 1]},
    {"id": "é", "node_labels": ["Zn"], "edges": [[0, 0]], "edge_weights": [0.5]},
    {"node_labels": ["A", "N"], "edges": [[1, 0]], "edge_weights": [1], "directed": True},
]
"""Repeated edges, a loop of weight 0, none at all, one direction; labels not in their order."""


def lines(path: Path, graphs: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(graph, ensure_ascii=False) + "\n" for graph in graphs))
    return path


def with_key(key: str, values: list[Any]) -> list[dict[str, Any]]:
    return [{**graph, key: value} for graph, value in zip(LINES, values, strict=True)]


def left_out(graphs: list[Any]) -> list[Any]:
    return [(row.line, row.row, row.reason, row.text, row.id, row.cells) for row in graphs]


def check_same(path: Path, monkeypatch: pytest.MonkeyPatch, **options: Any) -> None:
    """Import a file in chunks of 2, and compare it with what reading it whole and saving give."""
    skip = options.pop("skip_bad", False)
    whole, chunked = path.parent / "whole.safetensors", path.parent / "chunked.safetensors"
    with collect_bad_rows() as expected:
        save(gp.read(path, features=None, cache=False, skip_bad=skip, **options), whole)
    monkeypatch.setattr(jsonl, "CHUNK", 2)
    monkeypatch.setattr(smiles_format, "CHUNK", 2)
    columns = options.get("smiles"), options.get("y", []), options.get("id")
    with collect_bad_rows() as found:
        graphs = import_set(join_data(str(path), *columns, skip), chunked)
    assert isinstance(graphs, ChunkedSet)
    assert graphs.num_chunks > 1
    assert chunked.read_bytes() == whole.read_bytes()
    assert left_out(found) == left_out(expected)
    opened = open_set(chunked)
    assert (graphs.name, len(graphs), graphs.num_nodes) == (
        opened.name, len(opened), opened.num_nodes
    )  # fmt: skip
    assert (graphs.classes, graphs.target_names) == (opened.classes, opened.target_names)


@pytest.mark.parametrize(
    "options",
    [{}, {"y": ["v"]}, {"y": ["w"]}, {"y": ["w", "v"]}, {"y": ["list"]}, {"id": "name"},
     {"id": "name", "y": ["v"]}],
    ids=str,
)  # fmt: skip
def test_molecules_in_chunks_are_those_of_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: dict[str, Any]
) -> None:
    path = tmp_path / "a.csv.gz"
    path.write_bytes(gzip.compress(CSV.encode()))
    check_same(path, monkeypatch, skip_bad=True, **options)


def test_values_are_told_again_without_the_lines_that_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole numbers and one that is too large are targets; without that one they are classes."""
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\nC,3\nCC,1\nCCC,1e999\nCO,3\nCN,1\n")
    check_same(path, monkeypatch, skip_bad=True)
    assert open_set(tmp_path / "chunked.safetensors").classes == (1, 3)


@pytest.mark.parametrize("names", ["abcde", "abcda", "abc e", "     "])
def test_names_of_smi_files_are_ids_if_each_has_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: str
) -> None:
    path = tmp_path / "a.smi"
    path.write_text("".join(f"C {name}\n" for name in names))
    check_same(path, monkeypatch)
    ids = open_set(tmp_path / "chunked.safetensors").ids
    assert ids == (tuple(names) if names == "abcde" else tuple("01234"))


@pytest.mark.parametrize(
    "graphs",
    [
        LINES,
        with_key("y", ["t", "s", "t", "a", "s"]),
        with_key("y", [5, 1.0, True, 5, -3]),
        with_key("y", [5, 1, 2, 0.5, 1]),
        with_key("y", [[1, 2], [None, 0], [1, 1], [0, 0], None]),
        with_key("targets", [None, {"b": 1}, {"a": None}, {"c": 2.5, "a": 1}, {}]),
        with_key("columns", [{}, {}, {"z": "1"}, {"a": 'q"', "z": "é"}, {}]),
        with_key("node_attributes", [[[1, 2]] * count for count in (2, 1, 2, 1, 2)]),
        with_key("graph_attributes", [[1, 2], [0.5, 1], [1, 1], [0, 0], [3, 3]]),
        [{"nodes": 2}, {"nodes": 1}, {"nodes": 3}],
    ],
    ids=["plain", "words", "whole", "numbers", "lists", "targets", "columns", "attributes",
         "graph attributes", "no edges"],
)  # fmt: skip
def test_json_lines_in_chunks_are_those_of_the_whole_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graphs: list[dict[str, Any]]
) -> None:
    check_same(lines(tmp_path / "a.jsonl", graphs), monkeypatch)


@pytest.mark.parametrize(
    "large",
    [{"nodes": 2, "edges": [[0, 1]] * 20}, {"node_labels": ["C"] * 20},
     {"node_attributes": [[0] * 30]}, {"nodes": 1, "columns": {"text": "x" * 30}}],
    ids=["edges", "labels", "attributes", "text"],
)  # fmt: skip
def test_a_large_graph_ends_its_chunk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, large: dict[str, Any]
) -> None:
    monkeypatch.setattr(jsonl, "_MOST_SIZE", 25)
    graphs = jsonl.collect(lines(tmp_path / "a.jsonl", [large] * 3))
    assert isinstance(graphs, ChunkedSet)
    assert graphs.num_chunks == 3


def test_bad_json_lines_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graphs = [*LINES, {"id": "é", "nodes": 1}, {"nodes": 0}, {"node_labels": ["C"]}]
    check_same(lines(tmp_path / "a.jsonl", graphs), monkeypatch, skip_bad=True)


ODD = {
    "node_labels missing": (
        [*LINES, {"nodes": 1}], "line 6: graph '5': no node_labels, but graph '0' has them"),
    "node_labels too late": (
        [{"nodes": 1}] * 4 + LINES, "line 1: graph '0': no node_labels, but graph '4' has them"),
    "the same id": (
        [*LINES, {"id": 0, "node_labels": ["C"]}], "line 6: graph '0': line 1 has the same id"),
    "words and numbers": (
        [*LINES, {"node_labels": [1]}], "line 6: graph '5': node_labels mixes words and numbers"),
    "no y": (
        [{"nodes": 1, "y": 1}] * 4 + [{"nodes": 1}], "line 5: graph '4': no y, unlike graph '0'"),
    "classes of two kinds": (
        [{"nodes": 1, "y": y} for y in (1, 2, 3, "a")], "line 4: graph '3': y mixes words and num"),
    "a word among numbers": (
        [{"nodes": 1, "y": y} for y in (1, 2, 0.5, "a")], "line 4: graph '3': 'a' in y is no numb"),
    "widths": (
        [{"node_attributes": [[0] * width]} for width in (1, 1, 1, 2)],
        "line 4: graph '3': 2 numbers in each item of node_attributes, 1 in the graphs before"),
}  # fmt: skip


@pytest.mark.parametrize(("graphs", "message"), ODD.values(), ids=ODD)
def test_graphs_of_different_chunks_that_do_not_fit_together_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, graphs: list[dict[str, Any]], message: str
) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 2)
    path = lines(tmp_path / "a.jsonl", graphs)
    with pytest.raises(DataError) as error:
        import_set(path, tmp_path / "out.safetensors")
    assert f"{path}, {message}" in str(error.value)
    assert sorted(tmp_path.iterdir()) == [path]


def test_an_id_that_comes_twice_is_refused_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smiles_format, "CHUNK", 2)
    path = tmp_path / "a.csv"
    path.write_text("name,smiles\n" + "".join(f"{name},C\n" for name in "abcdea"))
    with pytest.raises(DataError, match=r"a.csv, line 7: another line has the id 'a'"):
        import_set(join_data(str(path), "", [], "name", False), tmp_path / "out.safetensors")
    assert sorted(tmp_path.iterdir()) == [path]


def test_limits_hold_for_all_chunks_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "CHUNK", 2)
    monkeypatch.setattr(smiles_format, "CHUNK", 2)
    (tmp_path / "a.smi").write_text("CC\n" * 5)
    lines(tmp_path / "a.jsonl", [{"node_labels": ["C", "C"]}] * 5)
    for name in ("a.smi", "a.jsonl"):
        with use_limits(Limits(nodes=9)), pytest.raises(DataError, match=r"10 nodes are over"):
            import_set(tmp_path / name, tmp_path / "out.safetensors")


def test_chunks_are_small_and_let_go_while_the_set_is_made() -> None:
    """So that reading takes little memory beside the set itself."""
    parts = ChunkedSet(Path("many.jsonl"), "many")
    graphs = gp.GraphSet.build("a", *map(torch.tensor, ([2, 3], [1, 1], [[0, 1], [1, 2]])))
    for _ in range(3):
        parts.add(graphs)
    kept = parts.spool.get_tensors(0, "graphs")
    assert {value.dtype for value in kept.values()} == {torch.uint8}
    made = parts.build()
    assert not parts.spool.get(0, "graphs")
    assert made.node_counts.tolist() == [2, 3] * 3
    assert made.edge_index.tolist() == [[0, 1] * 3, [1, 2] * 3]
    assert (made.edge_index.dtype, made.node_ptr.dtype) == (torch.int32, torch.int64)
    wide = narrow(torch.tensor([0, 300]))
    assert (wide.dtype, wide.tolist()) == (torch.int16, [0, 300])
    assert narrow(torch.tensor([-1, 70_000])).dtype == torch.int32
    assert narrow(torch.tensor([1 << 40])).dtype == torch.int64


@pytest.mark.parametrize("kind", ["memory", "file"])
def test_a_spool_gives_back_the_last_of_what_was_put(tmp_path: Path, kind: str) -> None:
    with nullcontext(Spool()) if kind == "memory" else FileSpool(tmp_path / "a") as spool:
        check_spool(spool)
        assert list(tmp_path.iterdir()) == []


def check_spool(spool: Spool) -> None:
    spool.put_list(3, "late", ["é", 1])
    spool.put_tensors(0, "numbers", {"a": torch.arange(3)})
    spool.put(3, "bytes", b"first")
    spool.put(3, "bytes", b"second")
    assert spool.get(3, "bytes") == b"second"
    assert spool.get_list(3, "late") == ["é", 1]
    assert spool.get_list(0, "late") == []
    assert spool.get(7, "late") == b""
    assert spool.get_tensors(0, "numbers")["a"].tolist() == [0, 1, 2]


def test_a_folder_that_takes_no_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")
    with pytest.raises(WriteError, match=r"out.safetensors: can't be written: a file stands"):
        FileSpool(tmp_path / "a" / "out.safetensors")


GROWTH = """
import resource, sys
from pathlib import Path
from graphpool.data.formats import jsonl, smiles
from graphpool.data.load import import_set

jsonl.CHUNK = smiles.CHUNK = 50
peaks = []
for name in sys.argv[1:]:
    import_set(name, Path(name).with_suffix(".safetensors"))
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
print(*peaks)
"""


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    """Files with long text and many attributes become sets of 15 MiB and more."""
    text, count = "x" * 10_000, {"few": 300, "many": 1500}
    graph = {"node_labels": ["C"] * 60, "node_attributes": [[0.5] * 20] * 60,
             "columns": {"text": text}}  # fmt: skip
    paths = []
    for size in count:
        table, objects = tmp_path / f"{size}-m.csv", tmp_path / f"{size}-g.jsonl"
        table.write_text("smiles,text\n" + f"{'C' * 40},{text}\n" * count[size])
        objects.write_text((json.dumps(graph) + "\n") * count[size])
        paths += [table, objects]
    done = subprocess.run(
        [sys.executable, "-c", GROWTH, *map(str, paths)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    _, before, *after = map(float, done.stdout.split())
    sizes = [path.with_suffix(".safetensors").stat().st_size / 2**20 for path in paths]
    assert min(sizes[2:]) > 15
    assert max(after) - before < 3
