"""Targets that are no classes are refused before anything is trained, as scikit-learn does."""

import dataclasses

import numpy as np
import pytest
import torch

from graphpool.data.load import load, read
from graphpool.errors import DataError, GraphpoolError
from graphpool.estimators.classifier import GraphClassifier
from graphpool.graphs.graphset import GraphSet
from graphpool.tasks.classification import ClassificationTask


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return load("MUTAG", features=None)[:20]


def quick() -> GraphClassifier:
    return GraphClassifier(epochs=1, hidden_channels=4)


def gap(kind: type, missing: object) -> np.ndarray:
    y = np.array([0, 1] * 10, dtype=kind)
    y[3] = missing
    return y


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (np.linspace(-4, 2, 20), "GraphRegressor"),
        (torch.linspace(-4, 2, 20), "GraphRegressor"),
        ([0.5, 1.5] * 10, "0.5"),
        (np.array([0.5, 1.5] * 10, dtype=object), "0.5"),
        (gap(float, np.inf), "inf"),
        (gap(float, np.nan), "position 3; leave these graphs out"),
        (gap(object, np.nan), "position 3; leave these graphs out"),
        (gap(object, None), "position 3; leave these graphs out"),
    ],
)
def test_numbers_on_a_scale_and_gaps_are_no_classes(graphs, y, message):
    with pytest.raises(ValueError, match=message) as error:
        quick().fit(graphs, y)
    assert isinstance(error.value, GraphpoolError)


def test_floats_that_are_whole_numbers_are_classes(graphs):
    assert quick().fit(graphs, np.array([0.0, 1.0] * 10)).classes_.tolist() == [0, 1]


def test_numbers_are_refused_when_scoring_too(graphs):
    fitted = quick().fit(graphs)
    with pytest.raises(ValueError, match="GraphRegressor"):
        fitted.score(graphs, np.linspace(0, 1, 20))


@pytest.mark.parametrize("value", [0.5, float("nan")])
def test_a_set_whose_y_holds_floats_is_refused(graphs, value):
    with pytest.raises(ValueError, match="GraphRegressor"):
        dataclasses.replace(graphs, y=torch.full((20,), value), classes=())


def test_a_file_with_floats_is_for_a_regressor(tmp_path):
    path = tmp_path / "esol.jsonl"
    path.write_text('{"nodes": 2, "y": 1}\n{"nodes": 2, "y": -0.77}\n')
    assert read(path).target.flatten().tolist() == pytest.approx([1, -0.77])
    with pytest.raises(DataError, match=r"numbers to predict.*--task regression"):
        ClassificationTask.open_training(str(path))
