"""Throw wrong arguments at every public call, and print what came back.

A program of its own, because a call that is not checked can take its process with it:

    python tests/helpers/wrong_calls.py SEED CALLS [PART …]

The last line that it prints before a call says which one; the last line of all is a JSON object
with the number of calls and everything that was neither an answer nor one of our errors.
"""

import dataclasses
import inspect
import json
import math
import random
import resource
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import networkx as nx
import numpy as np
import torch
from torch import Tensor

import graphpool as gp
from graphpool import ged
from graphpool.config import ModelConfig
from graphpool.data.pairs import PairSet, TripletSet
from graphpool.errors import GraphpoolError
from graphpool.graphs import Adjacency, Graph, GraphBatch, GraphSet, PlaceRule, Places, Segments
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

CHANNELS = 8
SECONDS, MEGABYTES = 20.0, 2000


class Call(NamedTuple):
    """A call with right arguments, and how often it is made compared with others."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    weight: float = 1.0
    inner: bool = False  # of products, which are no entrance: a crash alone is a fault


# ---------------------------------------------------------------------- right arguments


def small_set(classes: bool = True) -> GraphSet:
    """Twelve rings and paths with labels, attributes, features and classes."""
    made = []
    for at in range(12):
        graph = nx.cycle_graph(4 + at % 3) if at % 2 else nx.path_graph(3 + at % 4)
        for node in graph:
            graph.nodes[node]["label"] = "CNO"[node % 3]
        nx.set_edge_attributes(graph, "single", "label")
        made.append(graph)
    graphs = gp.from_networkx(made, name="rings")
    generator = torch.Generator().manual_seed(0)
    return dataclasses.replace(
        graphs,
        x=torch.randn(graphs.num_nodes, CHANNELS, generator=generator),
        node_attr=torch.randn(graphs.num_nodes, 2, generator=generator),
        y=torch.arange(12) % 2 if classes else None,
        classes=("path", "ring") if classes else (),
    )


def fields_of(instance: Any) -> dict[str, Any]:
    return {item.name: getattr(instance, item.name) for item in dataclasses.fields(instance)}


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments with defaults, to be made wrong one by one."""
    return {
        name: each.default
        for name, each in inspect.signature(function).parameters.items()
        if each.default is not inspect.Parameter.empty
    }


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


def estimator_calls() -> Iterator[Call]:
    graphs = small_set()
    quick = {"pooler": "sum", "encoder": "gcn", "hidden_channels": 4, "epochs": 1, "batch_size": 4,
             "features": "given", "validation": 0.0, "seed": 0}  # fmt: skip
    positions = np.stack([np.arange(6), np.arange(6) + 6], axis=1)
    far = np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0)))
    matches, half = (
        np.arange(6) % 2,
        PairSet(graphs, torch.arange(6), torch.arange(6) + 6, torch.arange(6).float() % 2),
    )
    training = {
        gp.GraphClassifier: {"graphs": graphs, "y": np.arange(12) % 3, "sample_weight": None},
        gp.GraphMatcher: {"graphs": graphs, "y": matches, "pairs": positions},
        gp.GraphComparer: {"graphs": graphs, "y": far, "triplets": 8},
    }
    using: dict[type[Any], dict[str, dict[str, Any]]] = {
        gp.GraphClassifier: {
            **{name: {} for name in ("predict", "predict_proba", "transform", "levels")},
            "score": {"y": np.arange(12) % 3, "sample_weight": np.ones(12)},
        },
        gp.GraphMatcher: {
            "predict": {"pairs": positions},
            "predict_proba": {"pairs": positions},
            "score": {"y": matches, "pairs": positions, "sample_weight": np.ones(6)},
        },
        gp.GraphComparer: {
            "distances": {"others": graphs[:3]},
            "kneighbors": {"n_neighbors": 2, "among": graphs[:3]},
            "score": {"y": far[:, :3], "among": graphs[:3]},
        },
    }
    for kind, given in training.items():
        name = kind.__name__

        def fit(kind: Any = kind, **given: Any) -> Any:
            settings = {key: given.pop(key) for key in [*given] if key in kind().get_params()}
            if isinstance(settings["epochs"], int):  # no fault, but it takes for ever
                settings["epochs"] = min(settings["epochs"], 3)
            return kind(**settings).fit(**given)

        trained = fit(**given, **quick)
        yield Call(f"{name}.fit", fit, {**given, **quick}, 2)
        settings = kind().get_params()
        yield Call(f"{name}.fit (settings)", fit, {**settings, **given, **quick}, 2)
        yield Call(f"{name}.set_params", kind().set_params, settings, 0.5)
        for method, arguments in using[kind].items():
            bound = getattr(trained, method)

            def use(graphs: Any, bound: Any = bound, **arguments: Any) -> Any:
                return bound(graphs, **arguments)  # scikit-learn renames that of `transform`

            yield Call(f"{name}.{method}", use, {"graphs": graphs, **arguments})
    matcher = gp.GraphMatcher(**quick)
    yield Call("GraphMatcher.fit (pairs)", matcher.fit, {"graphs": half, "y": matches}, 2)


PARTS: dict[str, Callable[[], Iterator[Call]]] = {
    "modules": module_calls,
    "structures": structure_calls,
    "networks": network_calls,
    "sets": set_calls,
    "ged": ged_calls,
    "methods": method_calls,
    "estimators": estimator_calls,
}
# Of all calls.
SHARES = {"modules": 0.35, "structures": 0.15, "networks": 0.12, "sets": 0.15, "ged": 0.08,
          "methods": 0.05, "estimators": 0.1}  # fmt: skip

# ---------------------------------------------------------------------- wrong arguments

_ANYTHING: tuple[Any, ...] = (
    None, "", "text", "\ud800", b"bytes", 0, -1, 3, 2.5, True, math.nan, math.inf, -math.inf, 10**9,
    10**30, -(10**30), 1e300, [], [1, 2], [[1], [2, 3]], {}, {"a": 1}, (), object(), 1j, range(3),
    np.zeros(3), np.array("word"), torch.zeros(()), torch.ones(3),
)  # fmt: skip


def wrong(draw: random.Random, value: Any) -> Any:
    """Return a value that is not, or hardly, what a call needs."""
    if draw.random() < 0.12:
        return draw.choice(_ANYTHING)
    if isinstance(value, Tensor):
        return wrong_tensor(draw, value)
    if isinstance(value, np.ndarray):
        made = wrong_tensor(draw, torch.from_numpy(np.ascontiguousarray(value)))
        has_array = isinstance(made, Tensor) and made.is_cpu and made.layout is torch.strided
        return made.numpy() if has_array and made.dtype is not torch.bfloat16 else made
    if isinstance(value, bool) or value is None or not isinstance(value, (int, float, str)):
        if hasattr(value, "_replace"):
            key = draw.choice(value._fields)
            return value._replace(**{key: wrong(draw, getattr(value, key))})
        if isinstance(value, (list, tuple)) and len(value):
            return wrong_list(draw, value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            return wrong_fields(draw, value)
        if isinstance(value, Segments):
            return Segments(wrong(draw, value.ptr))
        return draw.choice(_ANYTHING)
    return draw.choice(_ANYTHING)


def wrong_tensor(draw: random.Random, value: Tensor) -> Any:
    shapes: list[Callable[[Tensor], Any]] = [
        lambda v: v[:-1], lambda v: v[1:], lambda v: v[:0], lambda v: torch.cat([v, v]),
        lambda v: torch.cat([v, v[:3]]), lambda v: v.unsqueeze(0), lambda v: v.unsqueeze(-1),
        lambda v: v.flatten(), lambda v: v.mT, lambda v: v.flip(0), lambda v: v[:, :-1],
        lambda v: v[:, :0], lambda v: v[0], lambda v: v.reshape(1, *v.shape),
        lambda v: v[torch.randperm(v.shape[0])], lambda v: v.expand(2, *v.shape),
    ]  # fmt: skip
    kinds: list[Callable[[Tensor], Any]] = [
        lambda v: v.double(), lambda v: v.half(), lambda v: v.bfloat16(), lambda v: v.long(),
        lambda v: v.int(), lambda v: v.to(torch.uint8), lambda v: v.bool(), lambda v: v.float(),
        lambda v: v.to(torch.complex64), lambda v: v.to("meta"), lambda v: v.to_sparse(),
        lambda v: v.tolist(), lambda v: v.numpy(),
    ]  # fmt: skip
    if draw.random() < 0.35:
        numbers: list[Any] = [-1, 1_000_000, 2**31, 2**62, -(2**62), value.numel(), 255]
        if value.is_floating_point():
            numbers = [math.nan, math.inf, -math.inf, 1e30, -1e30, 1e-40, 3e38, 0.0]
        made = value.clone(memory_format=torch.contiguous_format)
        if made.numel():
            for _ in range(draw.choice((1, 1, 3))):
                number = draw.choice(numbers)
                if not made.is_floating_point() and made.dtype is not torch.bool:
                    limits = torch.iinfo(made.dtype)
                    number = max(limits.min, min(limits.max, number))
                made.view(-1)[draw.randrange(made.numel())] = number
        return made
    try:
        return draw.choice(shapes if draw.random() < 0.55 else kinds)(value)
    except Exception:  # this shape has no such form
        return value[:-1] if value.ndim else value.unsqueeze(0)


def wrong_list(draw: random.Random, value: Any) -> Any:
    made = list(value)
    at = draw.randrange(len(made))
    how = draw.randrange(4)
    if how == 0:
        made.pop(at)
    elif how == 1:
        made.append(made[at])
    else:
        made[at] = wrong(draw, made[at])
    return made if draw.random() < 0.2 else type(value)(made)


def wrong_fields(draw: random.Random, value: Any) -> Any:
    """The same kind of object made by hand, with a wrong field."""
    values = fields_of(value)
    key = draw.choice([*values])
    return type(value)(**(values | {key: wrong(draw, values[key])}))


# ---------------------------------------------------------------------- the calls


def throw(draw: random.Random, call: Call) -> str | None:
    """Make one call with one or two wrong arguments; return what is wrong with its outcome."""
    arguments = dict(call.arguments)
    began = time.perf_counter()
    described = ""
    try:
        for key in draw.sample([*arguments], min(len(arguments), draw.choice((1, 1, 2)))):
            arguments[key] = wrong(draw, arguments[key])
            described += f" {key}={described_value(arguments[key])}"
        call.function(**arguments)
    except GraphpoolError:
        pass
    except Exception as error:
        if call.inner:
            return None
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error}".split("\n")[0][:200]
        return f"{call.name}:{described}: {text} ({where.filename}:{where.lineno})"
    seconds = time.perf_counter() - began
    if seconds > SECONDS:
        return f"{call.name}:{described}: took {seconds:.0f} s"
    return None


def described_value(value: Any) -> str:
    if isinstance(value, Tensor):
        return f"{value.dtype}{list(value.shape)}@{value.device.type}"
    return ascii(value)[:80].replace("\n", " ")


def main(seed: int, count: int, parts: list[str]) -> None:
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    faults, made = [], 0
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).joinpath("here").touch()
        for part in parts:
            calls = list(PARTS[part]())
            for call in calls:  # right arguments give an answer
                with suppress(GraphpoolError):  # Top-K poolers refuse dense graphs
                    call.function(**call.arguments)
            draw = random.Random(f"{seed} {part}")
            weights = [call.weight for call in calls]
            share = SHARES[part] / sum(SHARES[name] for name in parts)
            for number in range(max(1, round(count * share))):
                call = draw.choices(calls, weights)[0]
                say(f"{part} {number} {call.name}")
                fault = throw(draw, call)
                made += 1
                if fault:
                    faults.append(fault)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    say(json.dumps({"calls": made, "faults": faults, "peak_mb": peak}))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:] or [*PARTS])
