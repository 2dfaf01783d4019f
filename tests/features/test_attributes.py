import numpy as np
import pytest
import torch

from graphpool.errors import DataError, FeatureWarning, collect_warnings
from graphpool.features import Attributes, OwnX
from graphpool.graphs import GraphSet


def attributed(values: list[list[float]]) -> GraphSet:
    """One graph for each row."""
    ones = torch.ones(len(values)).long()
    return GraphSet.build("set", ones, 0 * ones, torch.zeros(2, 0), node_attr=torch.tensor(values))


def test_values_are_standardised_with_moments_of_the_fitted_graphs() -> None:
    train = np.random.default_rng(0).normal(5, 3, (40, 2))
    feature = Attributes().fit(attributed(train.tolist()))
    found = feature.transform(attributed([[1.0, 2.0]])).numpy()
    expected = (np.array([[1.0, 2.0]]) - train.mean(0)) / train.std(0)
    assert np.allclose(found, expected, atol=1e-5)
    assert feature.names == ("attribute 0", "attribute 1")


@pytest.mark.parametrize("value", [0.0, 1e8, 0.1])
def test_constant_column_is_shifted_and_not_blown_up(value: float) -> None:
    feature = Attributes().fit(attributed([[value]] * 7))
    assert feature.transform(attributed([[value]])).tolist() == [[0.0]]
    assert float(feature.transform(attributed([[value + 64]]))) == pytest.approx(64, rel=1e-5)


def test_other_number_of_attributes_is_refused() -> None:
    feature = Attributes().fit(attributed([[1.0, 2.0]]))
    with pytest.raises(DataError, match=r"has 1 node attributes, but .* fitted on 2"):
        feature.transform(attributed([[1.0]]))


def test_infinite_number_is_refused_with_its_graph() -> None:
    with pytest.raises(DataError, match="set, graph 1: node 0 has an infinite number among its"):
        Attributes().fit(attributed([[1.0], [float("inf")]]))


def test_missing_value_is_the_mean_of_the_others_and_is_told_once() -> None:
    nan = float("nan")
    holes = attributed([[1.0, nan, nan], [3.0, 4.0, nan], [nan, 4.0, nan]])
    with collect_warnings(FeatureWarning) as texts:
        feature = Attributes().fit(holes)
        made = feature.transform(holes)
        feature.transform(holes)
    assert made.tolist() == [[-1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert texts == [
        "set: 5 of 9 values of the node attributes are missing (NaN), the first of them in graph "
        "0: node 0; they are taken for the mean"
    ]


def test_x_is_standardised_except_for_columns_of_0_and_1() -> None:
    x = torch.tensor([[0.0, 10.0], [1.0, 30.0]])
    graphs = attributed([[0.0], [0.0]]).with_x(x)
    feature = OwnX().fit(graphs)
    assert feature.transform(graphs).tolist() == [[0, -1], [1, 1]]
    assert feature.names == ("x0", "x1")
    with pytest.raises(DataError, match="has no features x; the model was trained on graphs"):
        feature.transform(attributed([[0.0]]))


def test_set_without_attributes_names_the_next_step() -> None:
    bare = GraphSet.build("bare", torch.tensor([1]), torch.tensor([0]), torch.zeros(2, 0))
    with pytest.raises(DataError, match="bare has no node attributes; use features='auto'"):
        Attributes().fit(bare)


def test_answering_for_graphs_without_attributes_asks_for_attributes() -> None:
    bare = GraphSet.build("bare", torch.tensor([1]), torch.tensor([0]), torch.zeros(2, 0))
    with pytest.raises(DataError, match="bare has no node attributes; the model was trained on"):
        Attributes().fit(attributed([[1.0]])).transform(bare)


def test_small_whole_numbers_stay_as_they_are_and_rare_flags_with_them() -> None:
    nodes = 1000
    columns = torch.zeros(nodes, 3)
    columns[0, 0], columns[:3, 1], columns[::2, 2] = 1, torch.tensor([-1.0, 8, 2]), 9
    given = attributed(columns.tolist())
    made = Attributes().fit(given).transform(given)
    assert torch.equal(made[:, :2], columns[:, :2])
    assert made[:, 2].std(correction=0) == pytest.approx(1)
