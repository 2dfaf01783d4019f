"""Figures that can't be drawn are refused with the file, the figure and what to do."""

from pathlib import Path

import pytest
from toy_figures import CLUSTERS, CURVES, MAPS, write_project

from graphpool.errors import ConfigError
from graphpool.experiments.experiment_file import list_experiments, read_experiment


def test_a_figure_is_a_map_by_default(tmp_path: Path) -> None:
    kinds = [each.kind for each in read_experiment(write_project(tmp_path, MAPS, CURVES)).figures]
    assert kinds == ["map", "curves"]


def test_each_kind_draws_its_own_number_of_graphs(tmp_path: Path) -> None:
    figures = [MAPS.replace("graphs = 40\n", ""), CLUSTERS]
    made = read_experiment(write_project(tmp_path, *figures)).figures
    assert [each.most_graphs for each in made] == [1000, 2]


@pytest.mark.parametrize(
    ("figure", "message"),
    [
        (CURVES + "graphs = 3", "a figure of curves draws no graphs; leave out graphs"),
        (CLUSTERS + "graphs = -1", "graphs is -1; give the most that are drawn"),
        (CLUSTERS.replace('["hap-paper"]', '["sum"]'), "sum has no clusters, its pooler is flat"),
        (CLUSTERS.replace('methods = ["hap-paper"]', ""), "sum has no clusters"),
        (CLUSTERS + "ids = {MUTAG = [17]}", 'ids.MUTAG is no list of graphs; write it as ["17"'),
        (CLUSTERS + 'ids = {MUTAK = ["17"]}', "ids: no data 'MUTAK'; did you mean 'MUTAG'"),
        (MAPS + 'ids = {MUTAG = ["17"]}', 'ids go with kind = "clusters"; leave them out'),
        (MAPS + 'methods = ["majority"]', "majority is a rule"),
        (MAPS + 'methods = ["hapx"]', "no method 'hapx'"),
        (MAPS + 'data = ["PTC"]', "no data 'PTC'"),
        (MAPS + MAPS, "two figures have this name; rename one of them"),
        (MAPS.replace("maps.svg", "maps.png"), "end it with .svg"),
        (MAPS.replace("maps.svg", "../maps.svg"), "give a path in it, such as docs/maps.svg"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, figure: str, message: str) -> None:
    path = write_project(tmp_path, figure)
    with pytest.raises(ConfigError) as error:
        read_experiment(path)
    assert message in str(error.value)
    assert str(error.value).startswith("experiments/toy.toml: figure ")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            ("[settings]", "[search]\ntries = 2\ntrain.epochs = [1, 2]\n[settings]"),
            "move it to an experiment without [search]",
        ),
        (
            ('"classification"', '"regression"'),
            "networks that classify graphs, not of the task regression",
        ),
    ],
)
def test_networks_that_are_not_drawn_are_refused(
    tmp_path: Path, changes: tuple[str, str], message: str
) -> None:
    text = write_project(tmp_path, CURVES, changes=changes).read_text(encoding="utf-8")
    path = tmp_path / "experiments" / "toy.toml"
    metric = text.replace("epochs = 3", 'epochs = 3\nscoring = "loss"')
    path.write_text(metric.replace('rule = "majority"', 'model = {pooler = "sum"}'), "utf-8")
    with pytest.raises(ConfigError) as error:
        read_experiment(path)
    assert message in str(error.value)


def test_two_experiments_with_a_figure_of_one_name_are_refused(tmp_path: Path) -> None:
    path = write_project(tmp_path, CURVES)
    path.with_stem("other").write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"toy\.toml: figure curves: .*other\.toml has one of"):
        list_experiments(tmp_path)


def test_an_unknown_kind_is_refused(tmp_path: Path) -> None:
    path = write_project(tmp_path, CURVES.replace('kind = "curves"', 'kind = "curve"'))
    with pytest.raises(ConfigError, match=r"figures.*kind.*'curve'"):
        read_experiment(path)
