"""Calls of sets of graphs, of pairs and triplets, and of `gp.ged`."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from right_arguments import Call, fields_of, options_of, small_set

import graphpool as gp
from graphpool import ged
from graphpool.data.pairs import PairSet, TripletSet
from graphpool.graphs import Graph, GraphSet, PlaceRule, Places


def set_calls() -> Iterator[Call]:
    graphs = small_set()
    yield Call("GraphSet", GraphSet, fields_of(graphs), 12)
    built = {
        "name": "built", "node_counts": graphs.node_counts, "edge_counts": graphs.edge_counts,
        "edge_index": graphs.edge_index, "ids": list(graphs.ids), "undirected": True,
        "edge_weight": torch.ones(graphs.num_edges), "node_label": graphs.node_label,
        "node_label_names": graphs.node_label_names, "edge_label": graphs.edge_label,
        "edge_label_names": graphs.edge_label_names, "y": graphs.y, "classes": graphs.classes,
        "x": graphs.x,
    }  # fmt: skip
    yield Call("GraphSet.build", GraphSet.build, built, 8)
    yield Call("Graph", Graph, fields_of(graphs[0]), 4)
    chosen = {"item": torch.tensor([3, 0, 11])}
    for name in ("select", "batch"):
        yield Call(f"GraphSet.{name}", getattr(graphs, name), chosen, 2)
    yield Call("GraphSet.__getitem__", graphs.__getitem__, {"item": [1, 2]}, 2)
    yield Call("GraphSet.with_x", graphs.with_x, {"x": graphs.x})
    yield Call("GraphSet.places", graphs.places, {"rule": PlaceRule()}, 0.5)
    yield Call("PlaceRule", PlaceRule, fields_of(PlaceRule()))
    yield Call("Places", Places, fields_of(graphs.places()))
    yield Call("concatenate", gp.concatenate, {"sets": [graphs, graphs], "name": "both"})
    yield Call("statistics", gp.statistics, {"graphs": graphs}, 0.3)
    left, right = torch.tensor([0, 1, 2]), torch.tensor([3, 3, 11])
    pairs = PairSet(graphs, left, right, torch.tensor([0.0, 1.0, 1.0]))
    yield Call("PairSet", PairSet, fields_of(pairs), 2)
    yield Call("PairSet.batch", pairs.batch, {"index": [0, 2]})
    triplets = TripletSet(graphs, left, right, right.flip(0), torch.ones(3))
    yield Call("TripletSet", TripletSet, fields_of(triplets), 2)
    yield Call("TripletSet.batch", triplets.batch, {"index": torch.tensor([1])})


def ged_calls() -> Iterator[Call]:
    graphs = small_set()
    collection = ged.collect(graphs)
    pairs = np.array([[0, 1], [4, 7]], dtype=np.int64)
    two = {"first": graphs[0], "second": (["C", "N"], [(0, 1)])}
    limits = {"time_limit": 1.0, "max_nodes_expanded": 100}
    label = {**options_of(ged.distance), **two, **limits, "method": "label"}
    yield Call("ged.distance", ged.distance, label, 4)
    some = graphs[:4]
    matrix = {"graphs": some, "pairs": pairs[:1], "jobs": 1, "method": "label"}
    yield Call("ged.matrix", ged.matrix, {**options_of(ged.matrix), **matrix}, 3)
    yield Call("ged.collect", ged.collect, {**options_of(ged.collect), "graphs": list(some)}, 3)
    arrays = collection.arrays._asdict()

    def by_hand(ids: Any, node_names: Any, edge_names: Any, **given: Any) -> Any:
        made = ged.Collection(type(collection.arrays)(**given), ids, node_names, edge_names, False)
        return ged.matrix(made, "label", jobs=1)

    names = {key: getattr(collection, key) for key in ("ids", "node_names", "edge_names")}
    yield Call("ged.Collection", by_hand, {**arrays, **names}, 4)
    yield Call("ged.Costs", ged.Costs, fields_of(ged.Costs()), 2)
    yield Call("ged.Costs.from_dict", ged.Costs.from_dict, {"values": ged.Costs().to_dict()})
    yield Call("ged.Limits", ged.Limits, {"seconds": 1.0, "expanded": 5})
    yield Call("ged.isomorphic", ged.isomorphic, {"graphs": collection}, 0.5)
    yield Call("ged.identical", ged.identical, {"graphs": collection}, 0.5)
    yield Call("ged.make_problem", ged.make_problem, {"graphs": collection, "costs": ged.Costs()})
    yield Call("ged.sample_pairs", ged.sample_pairs, {"graphs": 5, "sample": 3, "seed": 0})
    yield Call("ged.find_method", ged.find_method, {"name": "exact"}, 0.5)


def method_calls() -> Iterator[Call]:
    """Every edit-distance method, whose search has to be compiled first."""
    some = small_set()[:4]
    problem = ged.make_problem(ged.collect(some), ged.Costs())
    pairs = np.array([[0, 1], [2, 3]], dtype=np.int64)
    two = {"first": some[0], "second": (["C", "N"], [(0, 1)])}
    limits = {"time_limit": 1.0, "max_nodes_expanded": 100}
    for name in ged.METHODS:
        yield Call(f"ged.distance/{name}", ged.distance, {**two, **limits, "method": name})
        yield Call(
            f"ged.solve/{name}",
            ged.METHODS[name].solve,
            {"problem": problem, "pairs": pairs, "limits": ged.Limits(1.0, 100)},
        )
    compared = {"graphs": some, "methods": ["label", "beam1"], "sample": 3}
    yield Call("ged.compare", ged.compare, {**options_of(ged.compare), **compared})
