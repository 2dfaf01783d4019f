"""Costs as users write them, and the tables that compiled loops read."""

import json
import re
from typing import Any

import numpy as np
import pytest

from graphpool.errors import ConfigError, GraphpoolError
from graphpool.ged import Costs
from graphpool.ged.costs import check_tables


@pytest.mark.parametrize("value", [-1.0, float("inf"), float("nan")])
def test_a_cost_is_a_number_that_is_not_negative(value: float) -> None:
    with pytest.raises(ConfigError, match="edge_deletion"):
        Costs(edge_deletion=value)


def test_a_bad_cost_of_two_labels_is_named() -> None:
    with pytest.raises(ConfigError, match=r"node_labels \('C', 'N'\)"):
        Costs(node_labels={("C", "N"): -0.5})


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"node_insertion": "1"}, "cost of node_insertion is '1'"),
        ({"node_insertion": None}, "cost of node_insertion is None"),
        ({"node_insertion": True}, "cost of node_insertion is True"),
        ({"edge_labels": [["a", "b", "1"]]}, "cost of edge_labels ('a', 'b') is '1'"),
    ],
)
def test_a_cost_from_a_file_must_be_a_number(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(problem)):
        Costs.from_dict(given)


@pytest.mark.parametrize("given", [[["C", "N"]], [1, 2], 5])
def test_label_costs_from_a_file_must_be_triples(given: Any) -> None:
    with pytest.raises(ConfigError, match=r"node_labels must be a list of \[first, second, cost\]"):
        Costs.from_dict({"node_labels": given})


def test_a_label_stays_itself_for_nothing() -> None:
    with pytest.raises(ConfigError, match="equal labels must cost 0"):
        Costs(edge_labels={("single", "single"): 0.5})


def test_a_huge_cost_is_refused() -> None:
    with pytest.raises(ConfigError, match="too large"):
        Costs(node_deletion=1e9).tables("C", "a")


def test_an_unknown_cost_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'node_insertion'"):
        Costs.from_dict({"node_insert": 1})


def test_costs_survive_json() -> None:
    costs = Costs(
        node_insertion=0.5,
        edge_substitution=2.0,
        node_labels={("C", "N"): 0.25, ("N", "C"): 0.75},
        edge_labels={("single", "double"): 0.5},
    )
    assert Costs.from_dict(json.loads(json.dumps(costs.to_dict()))) == costs


def test_label_costs_hold_both_ways_unless_told_otherwise() -> None:
    costs = Costs(node_labels={("C", "N"): 0.5, ("C", "O"): 0.25, ("O", "C"): 0.75})
    table = costs.tables("CNO", "a")
    assert table.scale == 4
    np.testing.assert_array_equal(
        table.node, [[0, 2, 1, 4], [2, 0, 4, 4], [3, 4, 0, 4], [4, 4, 4, 0]]
    )


def test_labels_that_do_not_occur_change_nothing() -> None:
    costs = Costs(node_labels={("C", "Xe"): 3.0})
    table = costs.tables("CN", "a")
    np.testing.assert_array_equal(table.node, [[0, 1, 1], [1, 0, 1], [1, 1, 0]])
    assert not table.deletes


def test_insertion_and_deletion_have_their_own_row_and_column() -> None:
    table = Costs(node_insertion=2.0, node_deletion=3.0, edge_insertion=4.0, edge_deletion=5.0)
    made = table.tables("C", "a")
    np.testing.assert_array_equal(made.node, [[0, 3], [2, 0]])
    np.testing.assert_array_equal(made.edge, [[0, 4], [5, 0]])


def test_an_edge_costs_no_more_than_its_replacement() -> None:
    made = Costs(edge_substitution=9.0, edge_insertion=1.5).tables("C", "ab")
    np.testing.assert_array_equal(made.edge, [[0, 3, 3], [2, 0, 5], [2, 5, 0]])
    assert made.edge_rate.change == 5


def test_thirds_are_whole_numbers_of_thirds() -> None:
    made = Costs(node_substitution=1 / 3).tables("CN", "a")
    assert made.scale == 3
    assert made.node[0, 1] == 1


def test_distances_are_multiples_of_the_unit() -> None:
    made = Costs(4.0, 6.0, 2.0, 4.0, 4.0, 8.0).tables("CN", "ab")
    assert (made.scale, made.unit) == (1, 2)


@pytest.mark.parametrize(
    ("substitution", "deletes"), [(1.0, 0), (2.0, 0), (2.5, 1)], ids=["less", "equal", "more"]
)
def test_nodes_are_deleted_only_where_substitution_is_dearer(
    substitution: float, deletes: int
) -> None:
    assert Costs(node_substitution=substitution).tables("CN", "a").deletes == deletes


def test_a_dear_substitution_of_a_single_label_does_not_count() -> None:
    assert not Costs(node_substitution=9.0).tables("C", "a").deletes


def test_a_cost_that_would_be_rounded_to_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match="node_insertion is 1e-07; costs have six decimals"):
        Costs(node_insertion=1e-7)


def test_a_word_does_not_stand_for_a_number() -> None:
    costs = Costs(node_labels={("0", "1"): 0.5})
    with pytest.raises(ConfigError, match=r"the label '\d', but the graphs have \d; strings and"):
        costs.tables([0, 1], [None])


def test_tables_made_by_hand_are_checked() -> None:
    right = Costs().tables("CN", "ab")
    check_tables(right)
    for wrong in (
        {"node": right.node[:, :-1]},
        {"node": right.node[:1, :1]},
        {"edge": right.edge - 1},
        {"edge": np.full_like(right.edge, 2**62)},
        {"edge": np.asfortranarray(right.edge)},
        {"unit": 0},
        {"deletes": 2},
        {"edge_rate": right.edge_rate._replace(take=-1)},
    ):
        with pytest.raises(GraphpoolError):
            check_tables(right._replace(**wrong))
