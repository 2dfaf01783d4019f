"""Calls of `gp.nn`: modules, the structures that they take, whole networks."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import torch
from right_arguments import CHANNELS, Call, fields_of, options_of, small_set

import graphpool as gp
from graphpool.config import ModelConfig
from graphpool.graphs import Adjacency, GraphBatch, PlaceRule, Segments
from graphpool.nn import ClusterMask, Encoder, Level
from graphpool.nn import encoders as layer_classes
from graphpool.nn.encoders import encoder_names
from graphpool.nn.encoders.base import EncoderLayer
from graphpool.nn.ops import (
    form_clusters,
    row_mm,
    segment_max,
    segment_mean,
    segment_mm,
    segment_sum,
    spmm,
    spread,
)
from graphpool.nn.pairs.siamese import MULTISETS
from graphpool.nn.zoo import METHODS, build_model
from graphpool.nn.zoo.pairs import PAIR_METHODS, build_pair_model


def module_calls() -> Iterator[Call]:
    batch = small_set().batch()
    flat = {"x": batch.x, "edge_index": batch.edge_index, "batch": batch.batch,
            "edge_weight": batch.edge_weight}  # fmt: skip
    dense = {"x": torch.randn(3, 5, CHANNELS), "edge_index": torch.rand(3, 5, 5),
             "batch": torch.arange(5) < torch.tensor([[5], [2], [4]])}  # fmt: skip
    given = {"x": batch.x, "edge_index": batch.adjacency, "batch": batch.segments}
    modules: dict[str, Callable[..., Any]] = {
        f"pooler/{row['name']}": gp.nn.pooler(row["name"], CHANNELS) for row in gp.list_poolers()
    }
    for name in layer_classes.__all__:
        kind = getattr(layer_classes, name)
        if inspect.isclass(kind) and issubclass(kind, EncoderLayer) and kind is not EncoderLayer:
            modules[f"layer/{name}"] = kind(CHANNELS, 4)
            yield Call(f"make/{name}", kind, {"in_channels": 8, "out_channels": 4}, 0.3)
    for name in encoder_names():
        modules[f"encoder/{name}"] = Encoder(name, CHANNELS, 8)
    for name, module in modules.items():
        yield Call(name, module, flat)
        yield Call(f"{name} (dense)", module, dense, 0.4)
        yield Call(f"{name} (objects)", module, given, 0.3)
        yield Call(f"{name} (level)", module, {"x": Level.from_batch(batch)}, 0.2)
    for row in gp.list_poolers():
        made = METHODS[row["name"]].module
        assert made is not None
        options = {"name": row["name"], "in_channels": 8, **options_of(made)}
        yield Call(f"make/{row['name']}", gp.nn.pooler, options, 0.3)
    yield Call("make/Encoder", Encoder, {"kind": "gcn", "in_channels": 8, "hidden_channels": 8,
                                         **options_of(Encoder)}, 0.5)  # fmt: skip
    for name in ("HAP", "FlatNetwork", "ConcatNetwork", "StructureFree"):
        kind = getattr(gp.nn, name)
        options = options_of(kind) | {"in_channels": 8}
        if name == "StructureFree":
            options |= {"dropout": 0.0}
        yield Call(f"make/{name}", kind, options, 0.5)
    yield Call("Readout", gp.nn.Readout(("sum", "max")), {"level": Level.from_batch(batch)})
    yield Call("make/Readout", gp.nn.Readout, {"reductions": ("sum",)}, 0.3)


def structure_calls() -> Iterator[Call]:
    graphs = small_set()
    batch = graphs.batch()
    level = Level.from_batch(batch)
    places = batch.places(PlaceRule())
    for instance in (batch.adjacency, places, level):
        yield Call(type(instance).__name__, type(instance), fields_of(instance), 3)
    yield Call("GraphBatch", GraphBatch, fields_of(batch), 3)
    mask = torch.arange(5) < torch.tensor([[5], [2], [4]])
    dense = {"x": torch.randn(3, 5, CHANNELS), "adjacency": torch.rand(3, 5, 5),
             "mask": ClusterMask(mask)}  # fmt: skip
    yield Call("Level (dense)", Level, dense)
    yield Call("ClusterMask", ClusterMask, {"mask": mask})
    yield Call("Segments", Segments, {"ptr": batch.ptr, "batch": batch.batch})
    yield Call("Segments.from_batch", Segments.from_batch, {"batch": batch.batch})
    edges = {"edge_index": batch.edge_index, "num_nodes": batch.num_nodes,
             "edge_weight": batch.edge_weight}  # fmt: skip
    yield Call("Adjacency.from_edge_index", Adjacency.from_edge_index, edges)
    yield Call("Level.with_x", level.with_x, {"x": batch.x})
    yield Call("GraphBatch.with_x", batch.with_x, {"x": batch.x})
    adjacency, segments, x = batch.adjacency, batch.segments, batch.x
    for name, function in (("sum", segment_sum), ("max", segment_max), ("mean", segment_mean)):
        yield Call(f"segment_{name}", function, {"x": x, "segments": segments}, 0.5, True)
    vectors = segment_sum(x, segments)
    share = torch.rand(x.shape[0], 3)
    yield Call("spread", spread, {"y": vectors, "segments": segments}, 0.5, True)
    yield Call("segment_mm", segment_mm, {"a": share, "b": x, "segments": segments}, 0.5, True)
    blocks = torch.rand(len(graphs), 3, 4)
    yield Call("row_mm", row_mm, {"a": share, "y": blocks, "segments": segments}, 0.5, True)
    yield Call("spmm", spmm, {"adjacency": adjacency, "value": adjacency.weight, "x": x}, 0.5, True)
    formed = {"assignment": share, "x": x, "adjacency": adjacency, "segments": segments}
    yield Call("form_clusters", form_clusters, formed, 0.5, True)


def network_calls() -> Iterator[Call]:
    batch = small_set().batch()
    for name in METHODS:
        network = build_model(ModelConfig(name, hidden_channels=8), CHANNELS, 2, mean_nodes=5.0)
        yield Call(f"network/{name}", network, {"batch": batch}, 0.3)
    left, right = torch.tensor([0, 1, 2, 5]), torch.tensor([3, 3, 2, 11])
    pairs = {"graphs": batch, "left": left, "right": right}
    for name in ("hap", "sum", *PAIR_METHODS):
        settings = ModelConfig(name, hidden_channels=8)
        network = build_pair_model(settings, CHANNELS, 5.0)
        yield Call(f"pairs/{name}", network, pairs, 1.5)
        yield Call(f"pairs/{name}.compare", network.compare, pairs, 0.5)
    level = Level.from_batch(batch)
    for name, kind in MULTISETS.items():
        measure = kind((CHANNELS,))
        given = {"levels": (level,), "left": left, "right": right}
        yield Call(f"distance/{name}", measure, given)
