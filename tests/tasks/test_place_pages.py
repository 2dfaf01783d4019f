"""What pages about models say of places: how they are found, and what was tried for them."""

from typing import Any

import pytest

from graphpool.config import ModelConfig, to_dict
from graphpool.tasks.pages.places import choice_tables
from graphpool.tasks.place_text import choice_facts
from graphpool.training.select_place_rule import Pilot, PlaceChoice

COUNTS = {"least": 1, "mean": 4.5, "most": 9}


def tried(metric: str, *values: float | None) -> dict[str, Any]:
    """A document of a model whose second way to find places was chosen."""
    units = ("auto", "graph", "nodes")
    pilots = tuple(
        Pilot("modularity", 1.5, 3.0 + at, 2 + at, {metric: value, "loss": 0.5}, unit)
        for at, (value, unit) in enumerate(zip(values, units, strict=True))
    )
    choice = PlaceChoice("modularity", 1.5, 5, pilots, "graph")
    return {"places": COUNTS, "choice": to_dict(choice)}


def test_a_table_has_all_that_was_tried_and_marks_what_was_chosen() -> None:
    (table,) = choice_tables(tried("accuracy", 0.5, 0.75, None))
    assert [row.name for row in table.rows] == [
        "rings and modularity",
        "the whole graph",
        "no places",
    ]
    assert [row.main for row in table.rows] == [False, True, False]
    assert [row.share for row in table.rows] == [0.5, 0.75, 0.0]
    assert dict(table.rows[1].figures) == {
        "accuracy": "75.0 %", "loss": "0.500", "places a graph": "4.0", "best epoch": "3",
    }  # fmt: skip
    assert table.rows[2].figures["accuracy"] == "–"
    assert list(table.rows[0].figures) == table.columns
    assert "tried for 5 epochs" in table.words
    assert "the best accuracy was chosen, and the lowest loss among equals" in table.words


def test_bars_of_errors_are_shares_of_the_largest() -> None:
    (table,) = choice_tables(tried("mae", 4.0, 1.0, 2.0))
    assert [row.share for row in table.rows] == [1.0, 0.25, 0.5]
    assert "the lowest MAE was chosen" in table.words


def test_there_is_no_table_where_nothing_was_chosen() -> None:
    assert choice_tables({"choice": None}) == []


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        (
            {"units": "recurring", "parts": "0123"},
            "parts that recur, learned from the training graphs",
        ),
        ({"units": "auto"}, "rings and modularity"),
        ({"units": "none"}, "modularity"),
        ({"units": "rings"}, "rings, and modularity between them"),
        ({"units": "graph"}, "the whole graph"),
        ({"units": "nodes", "whole_graph": True}, "the whole graph"),
        ({"cluster_count": "eigengap"}, "rings and modularity, as many as the eigengap says"),
        ({"clusters": (8,)}, "modularity, 8 at most"),
        ({"ratio": 0.25}, "rings and modularity, 0.25 times as many as nodes"),
        ({"pooler": "hap-one-way"}, "modularity"),
    ],
)  # fmt: skip
def test_a_page_says_by_what_places_are_found(settings: dict[str, Any], says: str) -> None:
    facts = choice_facts({"places": COUNTS, "choice": None}, ModelConfig(**settings))
    assert facts == {"places": "1 to 9, mean 4.5", "places found by": says}


def test_a_choice_is_named_and_a_model_without_places_has_no_facts() -> None:
    facts = choice_facts(tried("accuracy", 0.5, 0.75, None), ModelConfig(units="graph"))
    assert facts["places found by"] == "the whole graph, chosen on validation graphs"
    assert choice_facts({"places": None, "choice": None}, ModelConfig(pooler="sum")) == {}
