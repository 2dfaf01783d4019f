import math

import pytest
import torch

from graphpool.errors import ConfigError
from graphpool.features import BinnedDegree, Degree, LogDegree
from graphpool.graphs import GraphSet


def star(leaves: int, name: str = "star") -> GraphSet:
    """One node with `leaves` neighbours and a self-loop, which no degree counts."""
    edges = torch.stack([torch.zeros(leaves + 1), torch.arange(leaves + 1)]).long()
    counts = torch.tensor([leaves + 1])
    return GraphSet.build(name, counts, counts, edges, undirected=True)


def test_one_hot_degree_has_a_column_for_each_degree() -> None:
    feature = Degree().fit(star(3))
    assert feature.names == ("degree=0", "degree=1", "degree=2", "degree>=3")
    assert feature.transform(star(3)).tolist() == [[0, 0, 0, 1], *[[0, 1, 0, 0]] * 3]


def test_larger_degrees_fall_into_the_last_column() -> None:
    assert Degree().fit(star(3)).transform(star(9))[0].tolist() == [0, 0, 0, 1]


def test_degree_is_capped_at_128_or_the_given_limit() -> None:
    assert len(Degree().fit(star(300)).names) == 129
    assert len(Degree.parse("64").fit(star(300)).names) == 65
    assert len(Degree.parse("64").fit(star(5)).names) == 6


def test_bins_double_in_width() -> None:
    feature = BinnedDegree().fit(star(9))
    assert feature.names == ("degree=0", "degree=1", "degree=2-3", "degree=4-7", "degree>=8")
    columns = [int(feature.transform(star(leaves))[0].argmax()) for leaves in range(20)]
    assert columns == [0, 1, 2, 2, *[3] * 4, *[4] * 12]


def test_number_of_bins_can_be_limited() -> None:
    feature = BinnedDegree.parse("3").fit(star(9))
    assert feature.names == ("degree=0", "degree=1", "degree>=2")
    assert feature.transform(star(9))[0].tolist() == [0, 0, 1]


def test_log_degree_is_standardised_on_the_fitted_graphs() -> None:
    feature = LogDegree().fit(star(3))
    values = [math.log(4), *[math.log(2)] * 3]
    mean = sum(values) / 4
    scale = math.sqrt(sum((value - mean) ** 2 for value in values) / 4)
    found = feature.transform(star(7)).flatten().tolist()
    expected = [(math.log(8) - mean) / scale, *[(math.log(2) - mean) / scale] * 7]
    assert found == pytest.approx(expected, rel=1e-6)


def test_log_degree_of_regular_graphs_is_zero() -> None:
    assert LogDegree().fit(star(1)).transform(star(1)).tolist() == [[0.0], [0.0]]


@pytest.mark.parametrize("argument", ["0", "-3", "many", "", "2.5"])
def test_limit_must_be_a_whole_number(argument: str) -> None:
    with pytest.raises(ConfigError, match="needs a whole number of at least 1, such as degree:8"):
        Degree.parse(argument)


@pytest.mark.parametrize("kind", [Degree, BinnedDegree, LogDegree])
def test_set_without_nodes_can_be_fitted(kind: type[Degree]) -> None:
    assert kind().fit(star(2)[[]]).transform(star(2)).shape[0] == 3
