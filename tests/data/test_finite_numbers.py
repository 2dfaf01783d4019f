"""Numbers that are not finite are refused wherever graphs come from: graph, edge, what to do."""

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.errors import DataError

# Where the number stands, its graph being the second of two paths of three nodes.
WHERE = {"node": "node 1", "edge": "edge (1|1-2|2-1)", "weight": "edge (1|1-2|2-1)"}
KEYS = {"node": "charge", "edge": "length", "weight": "weight"}


def paths(kind: str, value: float) -> list[nx.Graph]:
    """Two paths whose nodes or edges have a number each."""
    made = []
    for number in (1.0, value):
        graph = nx.path_graph(3)
        if kind == "node":
            nx.set_node_attributes(graph, {0: 1.0, 1: number, 2: 2.0}, KEYS[kind])
        else:
            nx.set_edge_attributes(graph, {(0, 1): 1.0, (1, 2): number}, KEYS[kind])
        made.append(graph)
    return made


def from_networkx(kind: str, value: float, folder: Path) -> Any:
    return gp.from_networkx(paths(kind, value))


def from_named(kind: str, value: float, folder: Path) -> Any:
    key = {"node": "node_attr", "edge": "edge_attr", "weight": "edge_weight"}[kind]
    return gp.from_networkx(paths(kind, value), **{key: KEYS[kind]})


def from_pyg(kind: str, value: float, folder: Path) -> Any:
    data = pytest.importorskip("torch_geometric.data")
    edge_index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    made = []
    for number in (1.0, value):
        numbers = torch.tensor([1.0, 1.0, number, number])
        fields = {
            "node": {"node_attr": torch.tensor([[1.0], [number], [2.0]])},
            "edge": {"edge_attr": numbers[:, None]},
            "weight": {"edge_weight": numbers},
        }[kind]
        made.append(data.Data(x=torch.ones(3, 1), edge_index=edge_index, **fields))
    return gp.from_pyg(made)


def from_file(suffix: str, write: Callable[..., None]) -> Callable[..., Any]:
    def read(kind: str, value: float, folder: Path) -> Any:
        write(paths(kind, value)[1], folder / f"graphs.{suffix}")
        return gp.read(folder / f"graphs.{suffix}", cache=False)

    return read


def from_jsonl(kind: str, value: float, folder: Path) -> Any:
    key, rows = {
        "node": ("node_attributes", [[1.0], [value], [2.0]]),
        "edge": ("edge_attributes", [[1.0], [value]]),
        "weight": ("edge_weights", [1.0, value]),
    }[kind]
    row = {"nodes": 3, "edges": [[0, 1], [1, 2]], key: rows}
    (folder / "graphs.jsonl").write_text(json.dumps(row))
    return gp.read(folder / "graphs.jsonl", cache=False)


def from_set(kind: str, value: float, folder: Path) -> Any:
    """A set can hold such numbers; its file can't."""
    numbers = torch.tensor([1.0, value, value, 1.0])
    fields: dict[str, Any] = {
        "node": {"node_attr": torch.tensor([[1.0], [value], [2.0]])},
        "edge": {"edge_attr": numbers[:, None]},
        "weight": {"edge_weight": numbers},
    }[kind]
    edges = torch.tensor([[0, 1, 2, 1], [1, 2, 1, 0]])
    graphs = gp.GraphSet.build("b", torch.tensor([3]), torch.tensor([4]), edges, **fields)
    return gp.save(graphs, folder / "graphs.safetensors")


READERS = {
    "networkx": from_networkx,
    "networkx by name": from_named,
    "pyg": from_pyg,
    "jsonl": from_jsonl,
    "graphml": from_file("graphml", nx.write_graphml),
    "gexf": from_file("gexf", nx.write_gexf),
    "json": from_file("json", lambda graph, path: path.write_text(
        json.dumps(nx.node_link_data(graph, edges="edges")))),
    "safetensors": from_set,
}  # fmt: skip


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=str)
@pytest.mark.parametrize("kind", WHERE)
@pytest.mark.parametrize("reader", READERS)
def test_it_is_refused(reader: str, kind: str, value: float, tmp_path: Path) -> None:
    if (reader, kind) == ("pyg", "node") and math.isnan(value):  # a missing value
        assert READERS[reader](kind, value, tmp_path).node_attr.isnan().sum() == 1
        return
    with pytest.raises(DataError, match=rf"graph.*{WHERE[kind]}\b") as refused:
        READERS[reader](kind, value, tmp_path)
    said = str(refused.value)
    assert "not finite" in said
    assert "; correct" in said
    assert "\n" not in said


@pytest.mark.parametrize("value", [math.nan, math.inf], ids=str)
def test_tu_and_csv_name_the_line(value: float, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(f"graph,source,target,weight\na,0,1,1\na,1,2,{value}\n")
    with pytest.raises(DataError, match=r"edges\.csv, line 3: .*not a finite number; correct"):
        gp.read(tmp_path / "edges.csv", cache=False)
    folder = tmp_path / "SET"
    folder.mkdir()
    for part, text in {
        "A": "1, 2\n2, 1\n", "graph_indicator": "1\n1\n", "graph_labels": "1\n",
        "edge_attributes": f"1.0\n{value}\n",
    }.items():  # fmt: skip
        (folder / f"SET_{part}.txt").write_text(text)
    with pytest.raises(DataError, match=r"edge_attributes.txt, line 2: .*not a finite number"):
        gp.read(folder, cache=False)


def test_matrices_name_the_edge() -> None:
    wrong = np.array([[0, 1, 0], [1, 0, np.inf], [0, np.inf, 0]])
    with pytest.raises(DataError, match=r"graph 1: .*inf for edge 1-2; correct"):
        gp.from_numpy([np.eye(2), wrong])
    with pytest.raises(DataError, match=r"graph 1: node_attr of node 1 .*; correct"):
        gp.from_numpy([np.eye(2), np.eye(3)], node_attr=[[1, 2], [1, np.nan, 2]])


def test_what_is_missing_is_still_no_number() -> None:
    graph = nx.path_graph(2)
    nx.set_node_attributes(graph, {0: 1.0, 1: None}, "charge")
    with pytest.warns(UserWarning, match="not used: 'charge' of nodes"):
        assert gp.from_networkx([graph]).node_attr is None
