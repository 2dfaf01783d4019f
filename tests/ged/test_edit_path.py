"""Edit paths as users read them."""

import json

from graphpool import ged
from graphpool.ged import Costs, Operation


def test_an_operation_reads_as_a_sentence() -> None:
    steps = [
        Operation("delete", "node", 3, None, ("Cl", None), 1.0),
        Operation("insert", "edge", None, (0, 2), (None, "double"), 1.0),
        Operation("insert", "node", None, 4, (None, None), 1.0),
        Operation("substitute", "node", 1, 0, ("C", "N"), 1.0),
        Operation("substitute", "edge", (0, 1), (2, 3), (1, 2), 1.0),
    ]
    assert [str(step) for step in steps] == [
        "delete node 3 (Cl)",
        "insert edge 0-2 (double)",
        "insert node 4",
        "substitute node 1 (C) by 0 (N)",
        "substitute edge 0-1 (1) by 2-3 (2)",
    ]


def test_the_path_between_two_small_molecules() -> None:
    found = ged.distance(("CCO", [(0, 1), (1, 2)]), ("CN", [(0, 1)]))
    assert found.distance == 3
    assert {step.kind for step in found.path} == {"delete", "substitute"}
    assert found.mapping.count(None) == 1


def test_deletions_come_first_and_nodes_are_inserted_before_their_edges() -> None:
    costs = Costs(node_substitution=9.0)
    found = ged.distance(("CO", [(0, 1)]), ("CN", [(0, 1)]), costs=costs)
    assert [(step.kind, step.what) for step in found.path] == [
        ("delete", "edge"),
        ("delete", "node"),
        ("insert", "node"),
        ("insert", "edge"),
    ]


def test_equal_graphs_have_an_empty_path() -> None:
    found = ged.distance(("CO", [(0, 1)]), ("OC", [(0, 1)]))
    assert found.path == ()
    assert found.mapping == (1, 0)


def test_a_change_for_nothing_is_still_an_operation() -> None:
    costs = Costs(node_labels={("C", "N"): 0.0})
    found = ged.distance(("C", []), ("N", []), costs=costs)
    assert found.distance == 0
    assert [str(step) for step in found.path] == ["substitute node 0 (C) by 0 (N)"]


def test_a_self_loop_is_an_edge_of_the_path() -> None:
    found = ged.distance((1, [(0, 0)]), (1, []))
    assert [str(step) for step in found.path] == ["delete edge 0-0"]


def test_an_undirected_edge_is_one_operation() -> None:
    found = ged.distance((2, []), (2, [(0, 1)]))
    assert [str(step) for step in found.path] == ["insert edge 0-1"]


def test_a_result_is_json() -> None:
    found = ged.distance(("CO", [(0, 1)]), ("C", []))
    written = json.loads(json.dumps(found.to_dict()))
    assert written["distance"] == 2
    assert written["optimal"] is True
    assert written["mapping"] == [0, None]
    assert {step["text"] for step in written["path"]} == {"delete edge 0-1", "delete node 1 (O)"}


def test_a_method_without_a_path_writes_no_upper_bound() -> None:
    found = ged.distance(("CO", [(0, 1)]), ("C", []), method="label")
    assert found.upper == float("inf")
    assert json.loads(json.dumps(found.to_dict()))["upper"] is None
    assert (found.mapping, found.path, found.optimal) == ((), (), False)
