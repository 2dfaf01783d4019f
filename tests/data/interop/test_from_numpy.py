"""Adjacency matrices: arrays, sparse matrices, and files of them."""

import io
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import sparse

import graphpool as gp
from graphpool.errors import DataError

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])


@pytest.mark.parametrize(
    "given",
    [PATH, [PATH], PATH[None], torch.from_numpy(PATH), sparse.csr_matrix(PATH),
     [sparse.coo_array(PATH)], PATH.astype(bool), PATH.astype(np.float32)],
)  # fmt: skip
def test_one_graph_in_every_form(given: Any) -> None:
    graphs = gp.from_numpy(given)
    assert graphs.node_counts.tolist() == [3]
    assert graphs.edge_index.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graphs.edge_weight is None
    assert graphs.undirected


def test_graphs_of_networkx_come_out_the_same() -> None:
    networks = [nx.gnp_random_graph(n, 0.4, seed=n, directed=n % 2 == 0) for n in range(3, 9)]
    for number, graph in enumerate(networks):
        nx.set_edge_attributes(graph, 0.5 + number, "weight")
    expected = gp.from_networkx(networks, y=list("ababab"))
    graphs = gp.from_numpy([nx.to_numpy_array(graph) for graph in networks], y=list("ababab"))
    for field in ("node_ptr", "edge_ptr", "edge_index", "edge_weight", "y"):
        assert torch.equal(getattr(graphs, field), getattr(expected, field)), field
    assert graphs.classes == ("a", "b")


def test_labels_and_attributes_of_nodes() -> None:
    graphs = gp.from_numpy(
        [PATH, np.zeros((1, 1))],
        node_label=[["C", "N", "C"], np.array(["O"])],
        node_attr=[[1, 2, 3], [[4]]],
        ids=["x", 5],
        name="mine",
    )
    assert graphs.node_label_names == ("C", "N", "O")
    assert graphs.node_attr.tolist() == [[1], [2], [3], [4]]
    assert (graphs.ids, graphs.name) == (("x", "5"), "mine")


@pytest.mark.parametrize(
    ("given", "options", "said"),
    [
        (np.zeros((2, 3)), {}, r"graph 0: an adjacency of shape \(2, 3\)"),
        (np.zeros(3), {}, "give \\[nodes, nodes\\]"),
        (np.zeros((0, 0)), {}, r"shape \(0, 0\)"),
        ([], {}, "there are no graphs"),
        (5, {}, "no adjacency matrices"),
        (np.array([[0, np.nan], [1, 0]]), {}, "graph 0: its adjacency holds a number that is not"),
        (np.array([["a", "b"], ["c", "d"]]), {}, "not of numbers"),
        (np.eye(2, dtype=complex), {}, "not of numbers"),
        (PATH, {"y": [1, 2]}, "y has 2 values for 1 graph;"),
        (PATH, {"node_label": [["C"]]}, "graph 0: node_label has 1 entries for 3 nodes"),
        (PATH, {"node_label": []}, "node_label of 0 graphs for 1"),
        ([PATH, PATH], {"node_attr": [np.ones((3, 1)), np.ones((3, 2))]}, "as many for every node"),
        (PATH, {"node_attr": [["a", "b", "c"]]}, "must hold numbers"),
        (PATH, {"node_attr": [[1, 2, np.inf]]}, "not finite"),
    ],
)
def test_what_is_no_adjacency_is_refused(given: Any, options: Any, said: str) -> None:
    with pytest.raises(DataError, match=said):
        gp.from_numpy(given, **options)


def test_files(tmp_path: Path) -> None:
    np.save(tmp_path / "one.npy", PATH)
    np.save(tmp_path / "two.npy", np.stack([PATH, PATH]))
    np.savez(tmp_path / "stack.npz", adj=np.stack([PATH, PATH]), y=[1, 0])
    np.savez(tmp_path / "named.npz", adj_2=PATH, adj_10=np.eye(1), adj_b=PATH, y=list("aab"), z=1)
    assert [len(gp.read(tmp_path / name)) for name in ("one.npy", "two.npy", "stack.npz")] == [
        1, 2, 2
    ]  # fmt: skip
    named = gp.load("named", root=tmp_path)
    assert (named.name, named.ids, named.classes) == ("named", ("2", "10", "b"), ("a", "b"))
    assert named.node_counts.tolist() == [3, 1, 3]
    assert named.notes == ("array 'z' was not read",)


def shortened() -> bytes:
    """A file that declares 80 GB and holds a few bytes."""
    handle = io.BytesIO()
    header = {"descr": "<f8", "fortran_order": False, "shape": (100_000, 100_000)}
    np.lib.format.write_array_header_1_0(handle, header)
    return handle.getvalue() + b"\0" * 64


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (shortened(), "not a whole array"),
        (b"\x93NUMPY\x01\x00", "not a whole array"),
        (b"\x93NUMPY\x01\x00\x10\x00{'descr': 'O'}   \n", "not a whole array"),
        (b"\x93NUMPY\x01\x00\x10\x00{'descr': ((((((\n", "not a whole array"),
    ],
)
def test_damaged_and_hostile_files(tmp_path: Path, data: bytes, said: str) -> None:
    (tmp_path / "bad.npy").write_bytes(data)
    with pytest.raises(DataError, match=said):
        gp.read(tmp_path / "bad.npy", cache=False)


def test_arrays_that_are_no_graphs_are_refused_with_their_file(tmp_path: Path) -> None:
    np.save(tmp_path / "vector.npy", np.zeros(3))
    np.savez(tmp_path / "classes.npz", adj_0=PATH, y=np.zeros((1, 1, 1)))
    with pytest.raises(DataError, match=r"vector.npy: .*shape \(3,\)"):
        gp.read(tmp_path / "vector.npy", cache=False)
    with pytest.raises(DataError, match=r"classes.npz: array 'y'"):
        gp.read(tmp_path / "classes.npz", cache=False)
    objects = np.array([PATH, None], dtype=object)
    np.save(tmp_path / "pickle.npy", objects, allow_pickle=True)
    with pytest.raises(DataError, match=r"pickle\.npy: not a whole array"):
        gp.read(tmp_path / "pickle.npy", cache=False)


def test_an_empty_y_of_many_rows_is_refused_before_it_fills_the_memory(tmp_path: Path) -> None:
    np.savez(tmp_path / "hollow.npz", adj=np.ones((3, 3)), y=np.zeros((10**9, 0)))
    with pytest.raises(DataError, match="'y': is empty"):
        gp.read(tmp_path / "hollow.npz")
