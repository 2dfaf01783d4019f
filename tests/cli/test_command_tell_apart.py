"""`graphpool tell-apart` on a file of pairs."""

import json
from pathlib import Path

import networkx as nx
import pytest
from hard_pairs import bicyclopentyl, decalin, triangles


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    graphs = [decalin(), bicyclopentyl(), nx.cycle_graph(6), triangles(),
              nx.path_graph(4), nx.path_graph(5)]  # fmt: skip
    path = tmp_path / "pairs.g6"
    path.write_bytes(b"".join(nx.to_graph6_bytes(graph, header=False) for graph in graphs))
    return path


def test_the_table_has_refinement_and_every_method(cli, pairs):
    done = cli("tell-apart", pairs, "--methods", "flat,hap", "--seeds", 1, "--encoder", "gin")
    assert done.code == 0
    assert done.err == ""
    cells = [line.split() for line in done.out.splitlines()[2:6]]
    assert [(row[0], row[-5]) for row in cells] == [
        ("size", "1"), ("colour", "1"), ("flat", "1"), ("hap", "3"),
    ]  # fmt: skip


def test_json_lists_the_pairs(cli, pairs):
    done = cli("tell-apart", pairs, "--methods", "flat", "--layers", 3, "--json")
    document = json.loads(done.out)
    (row,) = (row for row in document["methods"] if row["method"] == "flat")
    assert document["pairs"] == 3
    assert [each["pair"] for each in row["not_told_apart"]] == [0, 1]
    assert row["features"] == ["degree (4 columns)"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--methods", "happ"), "did you mean 'hap'"),
        (("--encoder", "gim"), "did you mean 'gin'"),
        (("--features", "lables"), "did you mean 'labels'"),
        (("--epochs", "3"), "no such option '--epochs'"),
        (("--methods", ""), "at least one method"),
        (("--methods", "flat,hap-paper", "--units", "rings"), "--units is about places"),
        (("--methods", "flat", "--resolution", "3"), "--resolution is about places"),
        (
            ("--methods", "sum,hap-paper", "--set", "model.units=rings"),
            "--set model.units=rings is about places",
        ),
    ],
)
def test_wrong_options_are_one_line(cli, pairs, arguments, says):
    done = cli("tell-apart", pairs, *arguments)
    assert done.code == 2
    assert says in done.err
    assert done.err.count("\n") == 1


def test_an_odd_file_is_refused(cli, pairs):
    pairs.write_bytes(pairs.read_bytes() + b"A_\n")
    done = cli("tell-apart", pairs)
    assert done.code != 0
    assert "pairs has 7 graphs; give pairs" in done.err
