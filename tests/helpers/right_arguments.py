"""A public call with right arguments, for `wrong_calls`, and a small set to make them with."""

import dataclasses
import inspect
from collections.abc import Callable
from typing import Any, NamedTuple

import networkx as nx
import torch

import graphpool as gp
from graphpool.graphs import GraphSet

CHANNELS = 8


class Call(NamedTuple):
    """A call with right arguments, and how often it is made compared with others."""

    name: str
    function: Callable[..., Any]
    arguments: dict[str, Any]
    weight: float = 1.0
    inner: bool = False  # of products, which are no entrance: a crash alone is a fault


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
    """The arguments that the instance would be made with again."""
    names = inspect.signature(type(instance)).parameters
    return {name: getattr(instance, name) for name in names}


def options_of(function: Callable[..., Any]) -> dict[str, Any]:
    """Arguments with defaults, to be made wrong one by one."""
    return {
        name: each.default
        for name, each in inspect.signature(function).parameters.items()
        if each.default is not inspect.Parameter.empty
    }
