"""Which graphs are drawn with their clusters, and what is kept of them."""

import json
from pathlib import Path

import numpy as np
import pytest
from small import mutag
from toy_figures import CLUSTERS, count_trainings, write_project

from graphpool.errors import ConfigError, DataError
from graphpool.experiments.figure_entry import FigureEntry
from graphpool.experiments.figures import make_figures
from graphpool.experiments.figures.clusters import (
    ClusterKind,
    drawn_graphs,
    in_turn,
    medium_graphs,
)
from graphpool.experiments.figures.kind import MeasuredSet, Numbers
from graphpool.experiments.pages import write_pictures


def graph_numbers(predicted: int) -> Numbers:
    return {"predicted": predicted, "places": False, "clusters": 2, "used": 1,
            "effective rank": 1.0, "shares": "500 500 500 500"}  # fmt: skip


def measured(predicted: dict[str, list[int]], classes: list[int]) -> MeasuredSet:
    """Graphs `a`, `b` … of these classes, and what each method predicts of them."""
    names = "abcdefgh"[: len(classes)]
    facts = {
        name: {"class": each, "labels": ["C", "a b"], "nodes": 2, "edges": "0-1"}
        for name, each in zip(names, classes, strict=True)
    }
    methods = [
        (
            title,
            {
                "asked": 2,
                "graphs": dict(zip(names, map(graph_numbers, answers), strict=True)),
            },
        )
        for title, answers in predicted.items()
    ]
    return MeasuredSet("A", {"graphs": facts}, methods)


def test_graphs_of_medium_size_come_first_and_classes_in_turn() -> None:
    graphs = mutag()
    tested = [0, 3, 4, 7, 9, 12, 20, 33]
    order = medium_graphs(graphs, tested)
    assert sorted(order) == tested
    assert graphs.y is not None
    sizes = graphs.node_counts.numpy()
    off = np.abs(sizes - np.median(sizes[tested]))
    own = {each: [at for at in order if graphs.y[at] == each] for each in (0, 1)}
    for positions in own.values():
        assert positions == sorted(positions, key=lambda at: (off[at], at))
    few = min(map(len, own.values()))
    assert few > 1
    assert all(graphs.y[order[2 * at]] != graphs.y[order[2 * at + 1]] for at in range(few))


def test_items_stand_in_turn_by_class() -> None:
    assert in_turn(["a", "b", "c", "d", "e"], [1, 1, 1, 0, 0]) == ["a", "d", "b", "e", "c"]


def test_graphs_that_all_networks_classify_correctly_are_drawn_first() -> None:
    data = measured({"hap": [0, 1, 0, 1], "sum": [1, 1, 0, 1]}, classes=[0, 1, 0, 1])
    assert drawn_graphs(data, 2) == ["b", "c"]
    assert drawn_graphs(data, 4) == ["b", "c", "d", "a"]


def test_a_wrong_prediction_stands_above_the_graph() -> None:
    data = measured({"hap": [0], "sum": [1]}, classes=[0])
    figure = FigureEntry("clusters", "clusters.svg", "clusters")
    picture = ClusterKind().draw(figure, [data])
    assert picture is not None
    assert "A, test graph a: 2 nodes, 1 edges, class 0; wrong: sum<" in picture


def test_shares_of_every_node_are_kept(tmp_path: Path) -> None:
    write_project(tmp_path, CLUSTERS)
    (path,) = make_figures("toy", tmp_path)
    document = json.loads(path.read_text())["sets"]["MUTAG"]
    kept = document["methods"]["hap-paper"]["graphs"]
    assert kept.keys() == document["graphs"].keys()
    assert len(kept) == 8  # four for each of the two that are drawn
    for name, numbers in kept.items():
        share = np.array(numbers["shares"].split(), dtype=float).reshape(-1, 3) / 1000
        assert len(share) == document["graphs"][name]["nodes"]
        assert np.allclose(share.sum(axis=1), 1.0, atol=2e-3)
        assert 1.0 <= numbers["effective rank"] <= 3.0


def test_graphs_are_chosen_by_their_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_project(tmp_path, CLUSTERS)
    (path,) = make_figures("toy", tmp_path)
    name = list(json.loads(path.read_text())["sets"]["MUTAG"]["graphs"])[-1]
    write_project(tmp_path, CLUSTERS + f'ids = {{MUTAG = ["{name}"]}}\n')
    assert write_pictures(tmp_path) == []  # other graphs were asked for
    trained = count_trainings(monkeypatch)
    make_figures("toy", tmp_path)
    assert trained == ["hap-paper"]
    assert list(json.loads(path.read_text())["sets"]["MUTAG"]["graphs"]) == [name]
    assert write_pictures(tmp_path) == [tmp_path / "clusters.svg"]


def test_a_graph_that_is_not_tested_is_named(tmp_path: Path) -> None:
    write_project(tmp_path, CLUSTERS + 'ids = {MUTAG = ["none"]}\n')
    with pytest.raises(DataError) as error:
        make_figures("toy", tmp_path)
    start = "experiments/toy.toml: figure clusters: MUTAG has no test graph 'none'"
    assert str(error.value).startswith(start)


def test_a_pooler_that_groups_around_kept_nodes_is_refused(tmp_path: Path) -> None:
    asap = ("[methods.sum]", '[methods.asap]\nmodel = {pooler = "asap"}\n[methods.sum]')
    write_project(tmp_path, CLUSTERS.replace("hap-paper", "asap"), changes=asap)
    with pytest.raises(ConfigError, match="figure clusters: asap assigns no nodes to clusters"):
        make_figures("toy", tmp_path)
