"""Graphs of one's own as JSON lines: read, written, and blamed by file, line and graph."""

import dataclasses
from pathlib import Path

import pytest
import torch

from graphpool.data import content_hash, read_jsonl, write_jsonl
from graphpool.data.formats import jsonl
from graphpool.data.formats.jsonl import KEYS
from graphpool.errors import DataError
from graphpool.graphs import GraphSet


def write(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_a_file_is_read(tmp_path: Path) -> None:
    graphs = read_jsonl(
        write(
            tmp_path / "mine.jsonl",
            '{"id": "a", "node_labels": ["N", "C", "C"], "edges": [[0, 1, "x"], [1, 2, "b"]],'
            ' "y": "toxic", "node_attributes": [[1], [2], [3.5]], "graph_attributes": [7]}',
            "",
            '{"id": 5, "node_labels": ["C"], "node_attributes": [[0]], "y": "fine",'
            ' "graph_attributes": [8]}',
        )
    )
    assert graphs.name == "mine"
    assert graphs.ids == ("a", "5")
    assert graphs.node_ptr.tolist() == [0, 3, 4]
    assert graphs.edge_index.tolist() == [[1, 0, 2, 1], [0, 1, 1, 2]]
    assert graphs.undirected
    assert graphs.node_label_names == ("C", "N")
    assert graphs.node_label is not None
    assert graphs.node_label.tolist() == [1, 0, 0, 0]
    assert graphs.edge_label_names == ("b", "x")
    assert graphs.edge_label is not None
    assert graphs.edge_label.tolist() == [1, 1, 0, 0]
    assert graphs.classes == ("fine", "toxic")
    assert graphs.y is not None
    assert graphs.y.tolist() == [1, 0]
    assert graphs.node_attr is not None
    assert graphs.node_attr.flatten().tolist() == [1, 2, 3.5, 0]
    assert graphs.graph_attr is not None
    assert graphs.graph_attr.tolist() == [[7], [8]]
    assert graphs.notes == ()


def test_number_of_nodes_is_enough(tmp_path: Path) -> None:
    graphs = read_jsonl(write(tmp_path / "m.jsonl", '{"nodes": 3}', '{"nodes": 1, "edges": []}'))
    assert graphs.node_counts.tolist() == [3, 1]
    assert graphs.ids == ("0", "1")
    assert graphs.y is None


def test_a_directed_edge_leads_one_way(tmp_path: Path) -> None:
    line = '{"nodes": 2, "edges": [[0, 1]], "directed": true, "edge_weights": [0.5]}'
    graphs = read_jsonl(write(tmp_path / "m.jsonl", line))
    assert graphs.edge_index.tolist() == [[0], [1]]
    assert graphs.edge_weight is not None
    assert graphs.edge_weight.tolist() == [0.5]


def test_of_contradicting_labels_the_first_wins_both_ways(tmp_path: Path) -> None:
    line = '{"nodes": 2, "edges": [[1, 0], [0, 1]], "edge_labels": ["first", "second"]}'
    graphs = read_jsonl(write(tmp_path / "m.jsonl", line))
    assert graphs.edge_label is not None
    names = [graphs.edge_label_names[code] for code in graphs.edge_label.tolist()]
    assert names == ["first", "first"]
    assert graphs.notes == ("2 repeated edges were kept once",)


def test_a_self_loop_is_one_edge(tmp_path: Path) -> None:
    graphs = read_jsonl(write(tmp_path / "m.jsonl", '{"nodes": 1, "edges": [[0, 0]]}'))
    assert graphs.edge_index.tolist() == [[0], [0]]
    assert graphs.notes == ()


def test_true_and_false_are_classes(tmp_path: Path) -> None:
    lines = ['{"nodes": 1, "y": true}', '{"nodes": 1, "y": false}']
    graphs = read_jsonl(write(tmp_path / "m.jsonl", *lines))
    assert graphs.classes == (0, 1)
    assert graphs.y is not None
    assert graphs.y.tolist() == [1, 0]


def test_numbers_sort_as_numbers(tmp_path: Path) -> None:
    lines = [f'{{"nodes": 1, "y": {y}}}' for y in (10, 9, -1)]
    assert read_jsonl(write(tmp_path / "m.jsonl", *lines)).classes == (-1, 9, 10)


def full() -> GraphSet:
    """An undirected graph, a directed one, one whose labels differ by direction, one edgeless."""
    return GraphSet.build(
        "set",
        torch.tensor([3, 2, 2, 1]),
        torch.tensor([5, 1, 2, 0]),
        torch.tensor([[0, 1, 1, 2, 2, 1, 0, 1], [1, 0, 2, 1, 2, 0, 1, 0]]),
        ids=["ü", "b", "c", "d"],
        edge_label=torch.tensor([0, 0, 1, 1, 0, 1, 0, 1]),
        edge_attr=torch.tensor([[0.1], [0.1], [0.2], [0.2], [0.3], [1e-30], [5.0], [5.0]]),
        edge_weight=torch.tensor([1.0, 1.0, 2.0, 2.0, 3.0, 4.0, 5.0, 5.0]),
        node_label=torch.tensor([0, 1, 0, 1, 1, 0, 0, 0]),
        node_attr=torch.linspace(-1, 1, 16).reshape(8, 2),
        graph_attr=torch.tensor([[1.0], [2.0], [3.0], [1 / 3]]),
        y=torch.tensor([1, 0, 2, 0]),
        classes=("p", "q", "r"),
        node_label_names=(6, 8),
        edge_label_names=("s", "t"),
    )


def test_a_round_trip_changes_nothing(tmp_path: Path) -> None:
    write_jsonl(full(), tmp_path / "set.jsonl")
    assert content_hash(read_jsonl(tmp_path / "set.jsonl")) == content_hash(full())


def test_a_real_set_makes_the_round_trip(data_root: Path, tmp_path: Path) -> None:
    from graphpool.data import read_tu

    graphs = read_tu(data_root / "PTC_MR.zip")
    write_jsonl(graphs, tmp_path / "PTC_MR.jsonl")
    assert content_hash(read_jsonl(tmp_path / "PTC_MR.jsonl")) == content_hash(graphs)


def test_undirected_edges_are_written_once(tmp_path: Path) -> None:
    write_jsonl(full(), tmp_path / "set.jsonl")
    first, second = (tmp_path / "set.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    assert '"edges": [[0, 1], [2, 2], [1, 2]]' in first
    assert '"directed": true' in second


def test_numbers_that_json_cannot_say_are_refused(tmp_path: Path) -> None:
    graphs = dataclasses.replace(full(), node_attr=torch.full((8, 1), float("nan")))
    with pytest.raises(DataError, match="not finite"):
        write_jsonl(graphs, tmp_path / "set.jsonl")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"nodes": 2', "not JSON"),
        ("[1, 2]", "not a JSON object"),
        ('{"nodes": 2, "edgs": []}', "unknown key 'edgs'; did you mean 'edges'"),
        ('{"edges": [[0, 1]]}', "no nodes; give nodes"),
        ('{"nodes": 99999999999999999999}', "99999999999999999999 nodes are too many"),
        ('{"nodes": 0}', "at least one node"),
        ('{"nodes": "3"}', "nodes must be a whole number"),
        ('{"nodes": 2, "node_labels": ["a"]}', "2 in nodes, 1 in node_labels"),
        ('{"nodes": 2, "node_labels": "ab"}', "node_labels must be a list with one item for each"),
        ('{"nodes": 2, "edges": [[0, 2]]}', r"edge \[0, 2\] leads to a node that does not exist"),
        ('{"nodes": 2, "edges": [[0, -1]]}', r"edge \[0, -1\] leads to a node that does not exist"),
        ('{"nodes": 2, "edges": [[0, "1"]]}', "does not join two node numbers"),
        ('{"nodes": 2, "edges": [[0, 1.5]]}', "does not join two node numbers"),
        ('{"nodes": 2, "edges": [[0]]}', "every edge must be"),
        ('{"nodes": 2, "edges": [0, 1]}', "every edge must be"),
        ('{"nodes": 2, "edges": [[0, 1, "x"], [1, 1]]}', "every edge must be"),
        ('{"nodes": 2, "edges": 3}', "edges must be a list"),
        ('{"nodes": 2, "edges": [[0, 1, "x"]], "edge_labels": ["x"]}', "give them once"),
        ('{"nodes": 2, "edges": [[0, 1]], "edge_labels": []}', "each of its 1 edges"),
        ('{"nodes": 1, "node_labels": [null]}', "null in node_labels is neither"),
        ('{"nodes": 1, "node_attributes": [["a"]]}', "node_attributes must hold lists of numbers"),
        ('{"nodes": 2, "node_attributes": [[1], [1, 2]]}', "not equally long"),
        ('{"nodes": 1, "node_attributes": [[NaN]]}', "not finite"),
        ('{"nodes": 1, "directed": "no"}', "directed is neither"),
        ('{"nodes": 1, "y": {"a": 1}}', "in y is neither"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = write(tmp_path / "m.jsonl", '{"id": "fine", "nodes": 1}', line)
    with pytest.raises(DataError, match=message) as caught:
        read_jsonl(path)
    assert "m.jsonl, line 2" in str(caught.value)
    if line.startswith("{") and line.endswith("}"):
        assert "graph '1'" in str(caught.value)


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ('"id": "x"', '"id": "x"', "line 1 has the same id"),
        ('"y": 1', '"id": "b"', "graph 'b': no y, unlike graph '0'"),
        ('"id": "a"', '"y": 1', "has a y, unlike graph 'a'"),
        ('"y": 1', '"y": "one"', "y mixes words and numbers"),
        ('"node_labels": [1]', '"node_labels": ["C"]', "node_labels mixes words and numbers"),
        ('"node_labels": [1]', '"id": "b"', "no node_labels, but graph '0' has them"),
        ('"node_attributes": [[1]]', '"node_attributes": [[1, 2]]', "2 numbers in each item"),
    ],
)
def test_graphs_that_do_not_fit_together_are_named(
    tmp_path: Path, first: str, second: str, message: str
) -> None:
    lines = [f'{{"nodes": 1, {each}}}' for each in (first, second)]
    with pytest.raises(DataError, match=rf"m\.jsonl, line 2: .*{message}"):
        read_jsonl(write(tmp_path / "m.jsonl", *lines))


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="empty"):
        read_jsonl(write(tmp_path / "m.jsonl", ""))


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_jsonl(tmp_path / "m.jsonl")


def test_a_key_that_appears_twice_is_named_with_its_line(tmp_path: Path) -> None:
    path = write(tmp_path / "t.jsonl", '{"nodes": 1}', '{"nodes": 1, "y": 0, "nodes": 2}')
    with pytest.raises(DataError, match=r"t\.jsonl, line 2: the key 'nodes' appears twice"):
        read_jsonl(path)


def test_no_edges_given_are_no_edges(tmp_path: Path) -> None:
    graphs = read_jsonl(write(tmp_path / "t.jsonl", '{"nodes": 2}'))
    assert (graphs.num_nodes, graphs.num_edges) == (2, 0)


def test_the_docstring_names_every_key() -> None:
    assert all(f"`{key}`" in (jsonl.__doc__ or "") for key in KEYS)
