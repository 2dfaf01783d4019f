"""Warnings go through `warnings`; the command line prints each as one line."""

import subprocess
import sys
import warnings
from dataclasses import replace
from pathlib import Path

import pytest

import graphpool as gp
from graphpool.cli import errors
from graphpool.errors import FeatureWarning, TrainingWarning, collect_warnings, warn


def test_warnings_are_of_one_family() -> None:
    assert issubclass(gp.GraphpoolWarning, UserWarning)
    assert issubclass(FeatureWarning, gp.GraphpoolWarning)
    assert issubclass(TrainingWarning, gp.GraphpoolWarning)


def test_a_warning_can_be_made_an_error() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error", gp.GraphpoolWarning)
        with pytest.raises(gp.GraphpoolWarning, match="learns nothing"):
            gp.nn.HAP(3, 8, (4,), 2, assignment="content")


def test_other_warnings_are_not_collected() -> None:
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        with collect_warnings(FeatureWarning) as texts:
            warn("one", FeatureWarning)
            warn("other", TrainingWarning)
    assert texts == ["one"]
    assert [str(each.message) for each in shown] == ["other"]


def test_the_command_line_prints_each_once_and_on_one_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with errors.showing_warnings():
        for _ in range(2):
            warn("100 % of the labels\nare new", FeatureWarning)
    assert capsys.readouterr().err == "graphpool: warning: 100 % of the labels are new\n"


def test_python_shows_them_with_the_line_of_the_caller(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text('import graphpool as gp\ngp.nn.HAP(3, 8, (4,), 2, assignment="content")\n')
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert "script.py:2: GraphpoolWarning: the last coarsening" in done.stderr


def test_fit_warns_once_of_what_the_graphs_have_and_the_model_does_not_use():
    graphs = gp.load("MUTAG", features=None)[::6]
    quick = {"epochs": 1, "hidden_channels": 4, "validation": 0, "progress": False}
    with collect_warnings(FeatureWarning) as texts:
        gp.GraphClassifier("sum", encoder="gcn", **quick).fit(graphs)
    (text,) = texts
    assert text.startswith("the model does not use 4 edge labels")
    bare = replace(graphs, edge_label=None, edge_label_names=())
    with collect_warnings(FeatureWarning) as texts:
        gp.GraphClassifier("sum", **quick).fit(bare)
    assert texts == []
    with collect_warnings(FeatureWarning) as texts:
        gp.GraphClassifier("sum", features="degree", **quick).fit(bare)
    assert texts == ["the model does not use 7 node labels of the graphs"]
