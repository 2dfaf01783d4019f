"""What holds graphs in PyTorch Geometric is read as the list of its graphs is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils.data import random_split
from torch_geometric.data import Batch, Data
from torch_geometric.datasets import FakeDataset, TUDataset
from torch_geometric.loader import DataLoader

import graphpool as gp
from graphpool.data.source import data_digest
from graphpool.errors import DataError


@pytest.fixture(scope="module")
def fake() -> FakeDataset:
    torch.manual_seed(0)
    return FakeDataset(num_graphs=12, avg_num_nodes=8, num_channels=3)


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        (lambda data: data, 12),
        (lambda data: data[:10], 10),
        (lambda data: data[torch.tensor([3, 1])], 2),
        (lambda data: random_split(data, [8, 4], torch.Generator().manual_seed(0))[0], 8),
        (lambda data: [data[3]], 1),
        (lambda data: data[3], 1),
        (lambda data: Batch.from_data_list(list(data)), 12),
        (lambda data: next(iter(DataLoader(data, batch_size=5))), 5),
        (lambda data: list(DataLoader(data, batch_size=5)), 12),
        (lambda data: DataLoader(data, batch_size=5), 12),
    ],
    ids=["dataset", "slice", "index", "split", "list", "graph", "batch", "loaded", "batches",
         "loader"],
)  # fmt: skip
def test_every_source_gives_its_graphs(
    fake: FakeDataset, kind: Callable[[Any], Any], count: int
) -> None:
    source = kind(fake)
    graphs = gp.from_pyg(source)
    assert len(graphs) == count
    if isinstance(source, Data) and not isinstance(source, Batch):
        source = [source]
    if isinstance(source, (list, DataLoader)) and count == 12:
        source = fake
    listed = source.to_data_list() if isinstance(source, Batch) else [*source]
    expected = gp.from_pyg(listed)
    assert data_digest(graphs) == data_digest(expected)
    assert data_digest(gp.data.as_graphs(kind(fake))) == data_digest(expected)


def test_a_tu_data_set_of_pyg_holds_the_graphs_of_ours(tmp_path: Path) -> None:
    ours = gp.load("MUTAG", features=None)[:20]
    raw = tmp_path / "MINE" / "MINE" / "raw"
    raw.mkdir(parents=True)
    offset = ours.node_ptr[ours.edge_graph]
    columns = {
        "A": ((ours.edge_index + offset + 1).T.tolist()),
        "graph_indicator": [[graph + 1] for graph in ours.node_graph.tolist()],
        "graph_labels": [[code] for code in ours.y.tolist()],
        "node_labels": [[code] for code in ours.node_label.tolist()],
    }
    for part, rows in columns.items():
        text = "".join(", ".join(map(str, row)) + "\n" for row in rows)
        (raw / f"MINE_{part}.txt").write_text(text)
    theirs = gp.from_pyg(TUDataset(str(tmp_path / "MINE"), "MINE"))
    assert torch.equal(theirs.edge_index, ours.edge_index)
    assert torch.equal(theirs.y, ours.y)
    assert torch.equal(theirs.x.argmax(1), ours.node_label)


def test_fields_that_are_not_used_are_named() -> None:
    data = Data(x=torch.ones(2, 1), edge_index=torch.tensor([[0, 1], [1, 0]]), z=torch.ones(2))
    with pytest.warns(UserWarning, match="not used: 'z' of PyG; put numbers of nodes"):
        graphs = gp.from_pyg([data])
    assert graphs.notes == ("not used: 'z' of PyG",)


def test_targets_that_are_no_classes_can_be_left_out_or_replaced() -> None:
    data = [Data(x=torch.ones(1, 2), y=torch.tensor([[0.5, 1.5]])) for _ in range(2)]
    assert gp.from_pyg(data).target.tolist() == [[0.5, 1.5]] * 2
    assert gp.from_pyg(data, y=None).y is None
    assert gp.from_pyg(data, y=["b", "a"]).classes == ("a", "b")
    with pytest.raises(DataError, match="y has 1 value for 2 graphs"):
        gp.from_pyg(data, y=["b"])


def test_a_graph_set_is_not_of_pyg() -> None:
    with pytest.raises(DataError, match="is a GraphSet already"):
        gp.from_pyg(gp.load("MUTAG", features=None))


def test_what_pyg_users_carry_is_read() -> None:
    edges = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    given = [
        Data(
            edge_index=edges,
            z=torch.tensor([6, 6, 8]),
            pos=torch.arange(9.0).reshape(3, 3),
            edge_type=torch.tensor([1, 1, 2, 2]),
            edge_attr=torch.tensor([True, True, False, False]),
            edge_weight=torch.full((4, 1), 0.5),
            smiles="CCO",
            y=1.5,
        )
    ]
    graphs = gp.from_pyg(given)
    assert (graphs.node_label_names, graphs.edge_label_names) == ((6, 8), (1, 2))
    assert graphs.node_attr.tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert graphs.edge_attr.tolist() == [[1], [1], [0], [0]]
    assert graphs.edge_weight.tolist() == [0.5] * 4
    assert graphs.columns == {"smiles": ("CCO",)}
    assert graphs.notes == ()


def test_one_whole_number_for_each_node_and_edge_is_a_label_as_in_zinc() -> None:
    ends = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    kinds = {"x": torch.tensor([[5], [0], [5]]), "edge_attr": torch.tensor([1, 1, 3, 3])}
    graphs = gp.from_pyg([Data(edge_index=ends, **kinds)])
    assert (graphs.node_label_names, graphs.edge_label_names) == ((0, 5), (1, 3))
    assert graphs.node_label.tolist() == [1, 0, 1]
    assert graphs.x is None
    assert graphs.edge_attr is None
    numbers = {key: value.float() for key, value in kinds.items()}
    graphs = gp.from_pyg([Data(edge_index=ends, **numbers)])
    assert graphs.node_label is None
    assert graphs.edge_label is None
    assert graphs.x.shape == (3, 1)
    assert graphs.edge_attr.shape == (4, 1)


@pytest.mark.parametrize(
    ("key", "values", "says"),
    [
        ("x", torch.zeros(3, 1, dtype=torch.long), "graph 1: x has 3 rows for 2 nodes"),
        ("x", torch.zeros(3, 2), "graph 1: x has 3 rows for 2 nodes"),
        ("z", torch.zeros(1, dtype=torch.long), "graph 1: z has 1 row for 2 nodes"),
        ("pos", torch.zeros(3, 3), "graph 1: pos has 3 rows for 2 nodes"),
        ("edge_type", torch.zeros(3, dtype=torch.long), "edge_type has 3 rows for 2 edges"),
        ("edge_attr", torch.zeros(1, 4), "edge_attr has 1 row for 2 edges"),
        ("graph_attr", torch.zeros(2, 4), "graph_attr has 2 rows for 1 graph"),
    ],
)
def test_rows_fit_each_graph_and_not_only_all_of_them(key: str, values: Tensor, says: str) -> None:
    edges = torch.tensor([[0, 1], [1, 0]])
    fitting = 1 if key == "graph_attr" else 2
    total = 3 * fitting  # of three graphs

    def graph(value: Tensor) -> Data:
        return Data(num_nodes=2, edge_index=edges, **{key: value})

    like = values[:1].expand(fitting, *values.shape[1:])
    rest = values[:1].expand(total - len(values) - fitting, *values.shape[1:])
    with pytest.raises(DataError, match=says):
        gp.from_pyg([graph(like), graph(values), graph(rest)])
    assert len(gp.from_pyg([graph(like)] * 3)) == 3
