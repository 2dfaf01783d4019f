"""Numbers to predict (targets) come through every format, and through parts and joins of sets."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

import graphpool as gp
from graphpool.data.formats import content_hash, open_set, save, write_jsonl
from graphpool.data.interop import as_graphs, from_numpy, to_networkx, to_pyg
from graphpool.errors import DataError, InputError
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.statistics import statistics

NAN = float("nan")


def lines(path: Path, *values: object, key: str = "y") -> Path:
    path.write_text("".join(json.dumps({"nodes": 2, key: value}) + "\n" for value in values))
    return path


def same(left: torch.Tensor | None, right: object) -> None:
    assert left is not None
    np.testing.assert_allclose(left.tolist(), np.asarray(torch.as_tensor(right)), rtol=1e-6)


@pytest.fixture
def named(tmp_path: Path) -> GraphSet:
    values = [{"logp": -0.77, "mass": 18}, {"logp": 0.5, "mass": None}, {"mass": 3.5}]
    return gp.read(lines(tmp_path / "a.jsonl", *values, key="targets"), features=None)


def test_lines_with_numbers_lists_and_names(tmp_path: Path, named: GraphSet) -> None:
    one = gp.read(lines(tmp_path / "one.jsonl", 1, -0.77, None), features=None)
    assert one.y is None
    assert one.target_names == ("y",)
    same(one.target, [[1], [-0.77], [NAN]])
    two = gp.read(lines(tmp_path / "two.jsonl", [1, 0], [None, 1]), features=None)
    assert two.target_names == ("y0", "y1")
    same(two.target, [[1, 0], [NAN, 1]])
    assert named.target_names == ("logp", "mass")
    same(named.target, [[-0.77, 18], [0.5, NAN], [NAN, 3.5]])


def test_whole_numbers_stay_classes(tmp_path: Path) -> None:
    graphs = gp.read(lines(tmp_path / "a.jsonl", 3, 1.0, 2), features=None)
    assert graphs.target is None
    assert graphs.classes == (1, 2, 3)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((0.5, "low"), "line 2: .*'low' in y is no number"),
        ((0.5, [1, 2]), "line 2: .*2 numbers in y, where 1"),
        ((0.5, 1e300), "line 2: .*not finite"),
        (([], []), "line 1: .*no numbers"),
        (([0.5], [[1]]), "line 2: .*is no number"),
    ],
)
def test_bad_targets_name_their_line(tmp_path: Path, values: tuple, message: str) -> None:
    with pytest.raises(DataError, match=message):
        gp.read(lines(tmp_path / "a.jsonl", *values), features=None)


def test_files_give_them_back(tmp_path: Path, named: GraphSet) -> None:
    write_jsonl(named, tmp_path / "b.jsonl")
    save(named, tmp_path / "b.safetensors")
    for back in (gp.read(tmp_path / "b.jsonl"), open_set(tmp_path / "b.safetensors")):
        assert back.target_names == named.target_names
        same(back.target, named.target)
    bare = named.with_target(None)
    assert content_hash(named) != content_hash(bare)
    assert content_hash(named.with_target(named.target, ("a", "b"))) != content_hash(named)


def test_networkx_and_pyg_give_them_back(named: GraphSet) -> None:
    with_classes = GraphSet.build(
        "c", torch.tensor([1, 2]), torch.tensor([0, 0]), torch.zeros(2, 0, dtype=torch.long),
        y=torch.tensor([1, 0]), classes=("a", "b"), target=torch.tensor([[0.5], [NAN]]),
        target_names=("z",),
    )  # fmt: skip
    for graphs in (named, with_classes):
        back = gp.from_networkx(to_networkx(graphs))
        assert back.target_names == graphs.target_names
        assert back.classes == graphs.classes
        same(back.target, graphs.target)
        back = gp.from_pyg(to_pyg(graphs), target_names=graphs.target_names)
        assert back.target_names == graphs.target_names
        same(back.target, graphs.target)
        assert len(back.classes) == len(graphs.classes)
        same(as_graphs(list(graphs)).target, graphs.target)


def test_attributes_of_networkx_and_arrays_of_numpy() -> None:
    graphs = [nx.path_graph(3), nx.cycle_graph(4)]
    for graph, value in zip(graphs, (0.25, 2), strict=True):
        graph.graph["logp"] = value
    same(gp.from_networkx(graphs, y="logp").target, [[0.25], [2]])
    same(gp.from_networkx(graphs, y=[[1, 2], [3, None]]).target, [[1, 2], [3, NAN]])
    matrices = [np.ones((2, 2)), np.ones((3, 3))]
    same(from_numpy(matrices, np.array([0.5, NAN])).target, [[0.5], [NAN]])
    same(from_numpy(matrices, np.array([[0, 1], [1, 0]])).target, [[0, 1], [1, 0]])
    assert from_numpy(matrices, np.array([0.0, 1.0])).classes == (0, 1)


def test_csv_and_tu(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("graph,source,target,y\na,1,2,0.5\nb,1,2,-3\n")
    same(gp.read(tmp_path / "a.csv", features=None).target, [[0.5], [-3]])
    for part, text in (("A", "1, 2\n2, 1\n"), ("graph_indicator", "1\n1\n2\n"),
                       ("graph_attributes", "0.5, 1\n2, 3\n")):  # fmt: skip
        (tmp_path / f"T_{part}.txt").write_text(text)
    graphs = gp.data.read_tu(tmp_path, "T")
    same(graphs.target, [[0.5, 1], [2, 3]])
    assert graphs.graph_attr is None
    assert graphs.target_names == ("y0", "y1")


def test_parts_and_joins(named: GraphSet) -> None:
    same(named[[2, 0]].target, named.target[[2, 0]])
    assert named[1].target_names == named.target_names
    same(named[1].target, [0.5, NAN])
    same(concatenate([named, named[:1]]).target, torch.cat([named.target, named.target[:1]]))
    with pytest.raises(DataError, match="give them the same"):
        concatenate([named, named.with_target(named.target, ("mass", "logp"))])
    batch = named.with_x(torch.ones(named.num_nodes, 1)).batch([1, 2])
    same(batch.target, named.target[[1, 2]])


def test_names_fit_the_columns(named: GraphSet) -> None:
    with pytest.raises(InputError, match="target_names"):
        named.with_target(named.target, ("a",))
    with pytest.raises(InputError, match="shape"):
        named.with_target(torch.zeros(2, 1))


def test_statistics_tell_mean_spread_and_gaps(named: GraphSet) -> None:
    logp, mass = statistics(named).targets
    assert (logp.name, logp.missing, mass.missing, mass.kinds) == ("logp", 1, 1, 2)
    assert mass.mean == pytest.approx(10.75)
    assert mass.std == pytest.approx(7.25)
