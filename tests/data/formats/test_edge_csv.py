"""Lists of edges in CSV files."""

from pathlib import Path

import pytest

import graphpool as gp
from graphpool.errors import DataError


def read(folder: Path, text: str) -> gp.GraphSet:
    (folder / "edges.csv").write_text(text, encoding="utf-8")
    return gp.read(folder / "edges.csv", features=None, cache=False)


def test_one_graph(tmp_path: Path) -> None:
    graphs = read(tmp_path, "source,target\na,b\nb,c\n")
    assert (graphs.name, graphs.ids) == ("edges", ("0",))
    assert graphs.edge_index.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graphs.edge_weight is graphs.edge_label is graphs.y is None


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_every_column_in_any_order(tmp_path: Path, separator: str) -> None:
    rows = [
        ("y", "Label", "graph_id", "from", "to", "weight"),
        ("toxic", "single", "g1", "C 1", "O", "0.5"),
        ("safe", "double", "g2", "x", "y", "2"),
        ("toxic", "double", "g1", "O", "N", "1"),
        ("toxic", "", "g1", "alone", "", ""),
    ]
    text = "\ufeff" + "".join(separator.join(row) + "\r\n" for row in rows)
    graphs = read(tmp_path, text)
    assert graphs.ids == ("g1", "g2")
    assert graphs.node_counts.tolist() == [4, 2]
    assert graphs.class_labels.tolist() == ["toxic", "safe"]
    assert graphs.edge_label_names == ("double", "single")
    first = graphs[0]
    assert first.edge_index.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert first.edge_weight.tolist() == [0.5, 0.5, 1, 1]
    assert first.edge_label.tolist() == [1, 1, 0, 0]


def test_whole_numbers_are_numbers(tmp_path: Path) -> None:
    graphs = read(tmp_path, 'source,target,label,graph,y\n1,2,3,a,-1\n"1",3,4,b,1\n')
    assert graphs.edge_label_names == (3, 4)
    assert graphs.classes == (-1, 1)


def test_other_columns_of_numbers_are_attributes_of_edges(tmp_path: Path) -> None:
    text = "source,target,km,kind,speed\na,b,1.5,road,50\nb,c,2,rail,120\nd,,,,\n"
    graphs = read(tmp_path, text)
    assert graphs.edge_label_names == ("rail", "road")
    assert graphs.edge_attr.tolist() == [[1.5, 50], [1.5, 50], [2, 120], [2, 120]]
    with pytest.raises(DataError, match="line 2: the km 'far' is not a finite number; columns but"):
        read(tmp_path, "source,target,km\na,b,far\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "edges.csv: the file is empty"),
        (f"source,target{',x' * 100_000}\n", "line 1: 100,002 columns, over 1,000"),
        ("source,target\n", "no edges"),
        ("source,goal\na,b\n", "line 1: there is no column 'target'"),
        ("source,target,wieght\na,b,1\n", "line 1: unknown column 'wieght'; did you mean 'weight'"),
        ("source,target,from\na,b,c\n", "line 1: two columns 'source'"),
        ("source,target\na,b,c\n", "line 2: 3 cells where 2 are expected"),
        ("source,target\n\n,b\n", "line 3: no source"),
        ("source,target,weight\na,b,x\n", "line 2: the weight 'x' is not a finite number"),
        ("source,target,weight\na,b,1e99\n", "line 2: the weight '1e99' is not a finite number"),
        ("source,target,label\na,b,\n", "line 2: no label"),
        ("source,target,graph\na,b,\n", "line 2: no graph"),
        ("source,target,y\na,b,1\nb,c,2\n", "line 3: y is '2' here and '1' in line 2 of the same"),
        ('source,target\n"a,b\n', "line 2: can't be read as CSV"),
        ("source,target\n" + "a" * 200_000 + ",b\n", "line 2: can't be read as CSV"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(DataError, match=said) as caught:
        read(tmp_path, text)
    assert "\n" not in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_bytes(b"source,target\n\xff\xfe,b\n")
    with pytest.raises(DataError, match="UTF-8"):
        gp.read(tmp_path / "edges.csv", cache=False)
