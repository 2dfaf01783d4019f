from dataclasses import fields

import torch
from random_graphs import packed, random_graphs

from graphpool.graphs import GraphSet
from graphpool.graphs.bare import bare


def test_structure_and_features_stay_and_nothing_else() -> None:
    graphs = packed(random_graphs(1))
    graphs = graphs.with_weight(torch.ones(len(graphs)))
    stripped = bare(graphs)
    GraphSet(**{item.name: getattr(stripped, item.name) for item in fields(stripped)})  # checks
    kept = {"node_ptr", "edge_ptr", "edge_index", "edge_weight", "x", "edge_x"}
    for item in fields(GraphSet):
        if item.name in kept:
            assert getattr(stripped, item.name) is getattr(graphs, item.name), item.name
        elif item.name != "ids":
            assert not getattr(stripped, item.name), item.name
    assert stripped.ids == tuple(map(str, range(len(graphs))))


def test_known_places_stay() -> None:
    graphs = packed(random_graphs(1))
    places = graphs.places()
    assert bare(graphs).places() is places
