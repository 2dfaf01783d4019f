"""Parts that recur are found, do not depend on numbering or codes, and survive JSON."""

import json
from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import torch
from helpers.literal_parts import (
    as_networkx,
    chains,
    edge_type,
    is_free,
    part_type,
    parts_of,
)

import graphpool as gp
from graphpool.data.interop import from_networkx
from graphpool.errors import CheckpointError, DataError
from graphpool.graphs import GraphSet, PlaceRule, RecurringParts, reordered
from graphpool.graphs.parts.colours import DEPTHS, ColouredGraphs


def members(graphs: GraphSet, parts: RecurringParts) -> list[tuple[frozenset[int], int]]:
    """Each part as a set of nodes, and its type."""
    found = parts.apply(graphs)
    cluster, counts = found.places.cluster.numpy(), found.places.counts.numpy()
    begin = np.cumsum(counts) - counts
    whole = cluster + begin[graphs.node_graph.numpy()]
    return [
        (frozenset(np.flatnonzero(whole == part).tolist()), int(found.type[part]))
        for part in range(int(counts.sum()))
    ]


def test_units_that_follow_each_other_at_random_are_found() -> None:
    graphs, other = chains(0, graphs=80), chains(1)
    parts = RecurringParts.fit(graphs)
    assert "cut C(=O, C) - N(C)" in parts.words
    assert {each.nodes for each in parts.vocabulary} == {4, 7, 9}
    assert "C7NO · 1 ring" in {each.name for each in parts.vocabulary}
    assert parts.covered == 1.0
    units = [
        [*map(int, each.split()), nodes]
        for each, nodes in zip(other.columns["units"], other.node_counts.tolist(), strict=True)
    ]
    expected = {
        frozenset(range(begin + low, begin + high))
        for begin, starts in zip(other.node_ptr.tolist(), units, strict=False)
        for low, high in pairwise(starts)
    }
    assert {nodes for nodes, _ in members(other, parts)} == expected


def test_apply_is_the_literal_list() -> None:
    train, other = chains(0), chains(1, graphs=12)
    parts = RecurringParts.fit(train)
    literal: dict[tuple[int, int], object] = {}  # the literal type of each hash
    coloured, plain = ColouredGraphs.of(train), as_networkx(train)
    free = {frozenset(e) for g in plain for e in g.edges if is_free(g, *e)}
    of_node = {node: graph for graph in plain for node in graph}
    for depth in DEPTHS:
        for edge, (i, j) in enumerate(coloured.ends.T.tolist()):
            kind = edge_type(of_node[i], free, i, j, depth)
            known = literal.setdefault((depth, int(coloured.types[depth + 1][edge])), kind)
            assert known == kind
    expected = []
    for graph in as_networkx(other):
        free = {frozenset(edge) for edge in graph.edges if is_free(graph, *edge)}
        cut: set[frozenset[int]] = set()
        for i, j in graph.edges:
            if frozenset((i, j)) not in free:
                continue
            for entry in parts.entries:
                if literal[entry.depth, entry.type] == edge_type(graph, free, i, j, entry.depth):
                    (cut.add if entry.cut else cut.discard)(frozenset((i, j)))
        for part in parts_of(graph, cut):
            expected.append((frozenset(part), part_type(graph, free, part)))
    result = members(other, parts)
    assert {nodes for nodes, _ in result} == {nodes for nodes, _ in expected}
    kinds = dict(expected)
    pairs = {(kinds[nodes], kind) for nodes, kind in result}
    assert len(pairs) == len({kind for kind, _ in pairs}) == len({kind for _, kind in pairs})


def test_parts_and_types_do_not_depend_on_the_numbering() -> None:
    graphs = chains(2)
    draw = np.random.default_rng(0)
    order = np.concatenate([draw.permutation(count) for count in graphs.node_counts.tolist()])
    other = reordered(graphs, torch.from_numpy(order))
    parts, again = RecurringParts.fit(graphs), RecurringParts.fit(other)
    assert parts.entries == again.entries
    assert parts.digest == again.digest
    assert parts.bits == again.bits
    types = [sorted(found.apply(each).type.tolist()) for found, each in
             ((parts, graphs), (again, other))]  # fmt: skip
    assert types[0] == types[1]
    move = torch.from_numpy(order) + graphs.node_ptr[graphs.node_graph]
    moved = {
        (frozenset(move[sorted(nodes)].tolist()), kind) for nodes, kind in members(graphs, parts)
    }
    assert moved == set(members(other, again))


def test_fit_twice_is_equal() -> None:
    first, second = (RecurringParts.fit(chains(3)).to_dict() for _ in range(2))
    assert first == second


def test_other_codes_of_the_same_names_give_the_same_parts() -> None:
    graphs, other = chains(4), chains(4, shift=2)
    assert graphs.node_label_names != other.node_label_names
    parts = RecurringParts.fit(graphs)
    assert parts.to_dict() == RecurringParts.fit(other).to_dict()
    assert parts.apply(graphs).type.tolist() == parts.apply(other).type.tolist()


def test_other_names_are_other_material() -> None:
    parts = RecurringParts.fit(chains(5, graphs=60))
    found = parts.apply(chains(5, graphs=60, words=("P", "Q", "X", "Y")))
    assert (found.kind == -1).all()


def test_graphs_apart_from_each_other_have_the_same_parts_together() -> None:
    graphs = chains(6, graphs=8)
    parts = RecurringParts.fit(chains(7))
    alone = [kind for at in range(8) for kind in parts.apply(graphs[[at]]).type.tolist()]
    assert alone == parts.apply(graphs).type.tolist()


def test_json_round_trip_and_attached_places() -> None:
    graphs = chains(8)
    parts = RecurringParts.fit(graphs)
    again = RecurringParts.from_dict(json.loads(json.dumps(parts.to_dict())))
    assert again.to_dict() == parts.to_dict()
    assert again.rule == parts.rule
    attached = again.attach(graphs)
    assert attached.places(parts.rule).cluster.equal(parts.apply(graphs).places.cluster)
    some = attached[[3, 1]].with_x(torch.ones(attached[[3, 1]].num_nodes, 1))
    assert some.batch([1]).places(parts.rule).counts.equal(attached[[1]].places(parts.rule).counts)
    with pytest.raises(DataError, match=r"RecurringParts\.attach"):
        graphs.places(parts.rule)


@pytest.mark.parametrize(
    "change",
    [
        {"entries": 3}, {"entries": [{"depth": 9}]}, {"vocabulary": [1]}, {"largest": -1},
        {"bits": [float("nan"), 1.0]}, {"bits": [10**400, 1.0]}, {"graphs": "many"},
        {"nodes": True}, {"entries": [{}] * 99},
        {"vocabulary": [{"type": "0x0000000000000z"}]},
    ],
)  # fmt: skip
def test_documents_of_others_are_refused(change: dict[str, object]) -> None:
    document = RecurringParts.fit(chains(9)).to_dict()
    with pytest.raises(CheckpointError, match="fit them again"):
        RecurringParts.from_dict({**document, **change})
    for missing in document:
        rest = {key: value for key, value in document.items() if key != missing}
        with pytest.raises(CheckpointError, match="fit them again"):
            RecurringParts.from_dict(rest)


def test_large_parts_of_other_material_are_divided() -> None:
    parts = RecurringParts.fit(chains(10))
    path = from_networkx([nx.path_graph(80), nx.path_graph(30), nx.path_graph(1000)])
    found = parts.apply(path)
    assert found.places.counts[0] > 2
    assert found.places.counts[1] == 1
    assert found.places.counts[2] > 16
    assert (found.kind == -1).all()


def test_without_recurrence_parts_are_places() -> None:
    graphs = from_networkx([nx.lollipop_graph(5 + size, 1) for size in range(5)])
    parts = RecurringParts.fit(graphs)
    assert parts.entries == ()
    mutag = gp.load("MUTAG", features=None)
    expected = mutag.places(PlaceRule(steps=0, units="auto"))
    assert parts.apply(mutag).places.cluster.equal(expected.cluster)


def test_odd_graphs() -> None:
    """One node, no edges, self-loops, two components, directed edges, labels that are missing."""
    edges = torch.tensor([[0, 0, 1, 0, 2, 0, 1, 0], [0, 1, 2, 1, 3, 1, 1, 1]])
    graphs = GraphSet.build(
        "odd",
        torch.tensor([1, 3, 4, 5, 2]),
        torch.tensor([1, 0, 2, 2, 3]),
        edges,
        node_label=torch.tensor([0, 1, -1, 1, 0, 1, 0, 1, 0, 0, 0, 1, 1, -1, 0]),
        node_label_names=("a", "b"),
    )
    parts = RecurringParts.fit(graphs)
    found = parts.apply(graphs)
    assert found.places.counts.sum() == len(found.type) == len(found.kind)
    assert found.places.counts.tolist()[:2] == [1, 3]
    assert (found.kind >= 0).all()
    with pytest.raises(DataError, match="no graphs"):
        RecurringParts.fit(graphs[[]])


def test_a_direction_is_part_of_a_type() -> None:
    def chain(ends: list[tuple[int, int]]) -> GraphSet:
        return GraphSet.build(
            "way", torch.tensor([3]), torch.tensor([2]), torch.tensor(ends).t(),
            node_label=torch.tensor([0, 1, 0]), node_label_names=("a", "b"),
        )  # fmt: skip

    inward, outward = chain([(0, 1), (2, 1)]), chain([(1, 0), (1, 2)])
    same = chain([(2, 1), (0, 1)])
    types = [ColouredGraphs.of(each).types[1].tolist() for each in (inward, outward, same)]
    assert types[0] == types[2] != types[1]
