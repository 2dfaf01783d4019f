"""graph6 and sparse6 give the graphs that NetworkX writes."""

import gzip
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import graphpool as gp
from graphpool.data.formats import find_format
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet
from graphpool.limits import Limits, use_limits

COUNTS = (1, 2, 3, 5, 28, 60, 62, 63, 64, 300)
GRAPHS = [
    nx.gnp_random_graph(count, p, seed=count) for count in COUNTS for p in (0.0, 0.1, 0.6, 1.0)
]


def read(path: Path) -> GraphSet:
    return gp.read(path, features=None, cache=False)


def check(graphs: GraphSet, expected: list[nx.Graph]) -> None:
    assert graphs.node_counts.tolist() == [len(graph) for graph in expected]
    for at, graph in enumerate(expected):
        edges = {tuple(edge) for edge in graphs[at].edge_index.t().tolist()}
        assert edges == {*graph.edges, *((j, i) for i, j in graph.edges)}


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_graph6_of_networkx(tmp_path: Path, header: bool, packed: bool) -> None:
    text = b"".join(nx.to_graph6_bytes(graph, header=header) for graph in GRAPHS)
    path = tmp_path / ("mine.g6.gz" if packed else "mine.g6")
    path.write_bytes(gzip.compress(text) if packed else text)
    graphs = read(path)
    assert graphs.name == "mine"
    check(graphs, GRAPHS)


def test_sparse6_of_networkx(tmp_path: Path) -> None:
    rings = [nx.cycle_graph(count) for count in (2, 4, 8, 16, 17, 5000)]
    loops = nx.path_graph(5)
    loops.add_edges_from([(0, 0), (3, 3)])
    expected = [*GRAPHS, *rings, loops]
    path = tmp_path / "mine.s6"
    path.write_bytes(b"".join(nx.to_sparse6_bytes(graph, header=False) for graph in expected))
    check(read(path), expected)


def test_lines_of_both_kinds_and_a_header_of_its_own(tmp_path: Path) -> None:
    ring = nx.cycle_graph(4)
    lines = [nx.to_graph6_bytes(ring, header=False), nx.to_sparse6_bytes(ring, header=False)]
    path = tmp_path / "mine.txt"
    path.write_bytes(b">>graph6<<\r\n" + lines[0].replace(b"\n", b"\r\n") + b"\n" + lines[1])
    check(read(path), [ring, ring])


@pytest.mark.parametrize("count", [28, 60])  # whose lines begin with [ and {
def test_the_suffix_decides_where_lines_look_like_json(tmp_path: Path, count: int) -> None:
    path = tmp_path / "mine.g6"
    path.write_bytes(nx.to_graph6_bytes(nx.cycle_graph(count), header=False) * 2)
    assert find_format(path).NAME == "graph6"
    check(read(path), [nx.cycle_graph(count)] * 2)


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("a.csv", "source,target\na,b\n", "csv"),
        ("a.smi", "CCO\n", "smiles"),
        ("a.jsonl", '{"nodes": 1}\n', "jsonl"),
    ],
)
def test_other_files_are_left_alone(tmp_path: Path, name: str, text: str, kind: str) -> None:
    (tmp_path / name).write_text(text)
    assert kind == find_format(tmp_path / name).NAME


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("A_\n?\n", "line 2: a graph needs at least one node"),
        ("A_\nDQ\n", "line 2: 1 bytes of edges; 5 nodes take 2"),
        ("A_\n\nDQcc\n", "line 3: 3 bytes of edges"),
        ("~~~~~~~~\n", "68719476735 nodes are too many"),
        ("~~?A????\n", "0 bytes of edges; 33554432 nodes take"),
        ("~~??\n", "line 1: the line ends within the number of nodes"),
        (":\n", "line 1: the line ends within the number of nodes"),
        (":~~?A????\n", "line 1: 33,554,432 nodes without an edge are over the limit"),
        (":~~?~~~~~\n", "1,073,741,823 nodes are over the limit"),
        ("A_ B\n", "line 1: a byte 32"),
        ("A_\nAé\n", "line 2: a byte 195"),
        ("&A?\n", "line 1: digraph6 is not read"),
        (";A?\n", "line 1: incremental sparse6 is not read"),
        (">>planar_code<<\n", "line 1: a byte 62"),
        ("\n\n", "no graphs"),
    ],
)
def test_a_wrong_line_is_one_error(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "bad.g6"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=says) as error:
        read(path)
    assert "bad.g6" in str(error.value)
    assert "\n" not in str(error.value)


def test_limits_of_nodes_and_edges(tmp_path: Path) -> None:
    path = tmp_path / "many.g6"
    path.write_bytes(nx.to_graph6_bytes(nx.complete_graph(20)) * 3)
    for limits in (Limits(nodes=59), Limits(edges=569), Limits(graphs=2)):
        with use_limits(limits), pytest.raises(DataError, match="over the limit"):
            read(path)
    with use_limits(Limits(nodes=60, edges=570, graphs=3)):
        assert len(read(path)) == 3


def test_pickled_strings_are_refused_with_the_way_to_read_them(tmp_path: Path) -> None:
    np.save(tmp_path / "brec.npy", np.array([b"A_", b"A?"], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match=r"nothing is unpickled; write graph6 strings.* \.g6 file"):
        read(tmp_path / "brec.npy")
