"""Arrangement sets: two classes of the same communities, joined in two ways.

The classes differ only in the arrangement of communities, so the sets measure what a coarsening
contributes: a network that looks a few steps far, or only at the roles of nodes, stays at chance.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from graphpool.data.synthetic.arrangements.draws import draw, make_streams
from graphpool.data.synthetic.arrangements.plans import CLASSES, TYPES
from graphpool.data.synthetic.arrangements.settings import (
    Settings,
    as_text,
    checked_settings,
    full_name,
    setting_names,
)
from graphpool.errors import DataError
from graphpool.graphs.graph import TRUE_COMMUNITIES
from graphpool.graphs.graphset import GraphSet

VERSION = 1  # of the graphs drawn for given settings; a set is cached under it
_BLOCK = 1 << 24  # random numbers held at a time; even a set of large communities fits in memory
_NOTE = f"{TRUE_COMMUNITIES}; graphpool.data.synthetic.arrangements.communities reads it"


def make(name: str, **settings: object) -> GraphSet:
    """Generate an arrangement set: ring, marks, marksmix, order or spider.

    Graphs are independent, so that any two parts of the set can train and test, and a set with
    fewer `graphs` is the beginning of one with more. Node numbers are shuffled. The node attribute
    is the true community (see `communities`); of the node features only `attributes` use it.

    Args:
        name: one of the five sets.
        settings: those that differ from `Settings`, such as `graphs=500, bridges=6, sizes=(8, 12)`.
    """
    return make_from(name, checked_settings(name, settings))


def make_from(name: str, settings: Settings) -> GraphSet:
    """Generate an arrangement set from checked settings."""
    streams = make_streams(name, settings.seed)
    blocks = [draw(name, settings, count, streams) for count in _blocks(settings)]
    drawn = {
        key: torch.from_numpy(np.concatenate([block[key] for block in blocks])) for key in blocks[0]
    }
    types = TYPES[name]
    used = ", ".join(
        f"{setting}={as_text(getattr(settings, setting))}" for setting in setting_names(name)
    )
    return GraphSet.build(
        full_name(name, settings),
        drawn["node_counts"],
        drawn["edge_counts"],
        drawn["edges"].T,
        undirected=True,
        node_label=drawn["labels"] if types else None,
        node_attr=drawn["communities"].float()[:, None],
        y=drawn["y"],
        classes=CLASSES[name],
        node_label_names=types,
        notes=(f"drawn with {used}", _NOTE),
    )


def communities(graphs: GraphSet) -> Tensor:
    """Return the true community of each node, `[nodes]`, numbered from 0 within its graph.

    It works for any selection of a generated set, also after it was saved and opened. Numbers are
    shuffled in each graph: equal numbers mean the same community, and nothing else.
    """
    if graphs.node_attr is None or not graphs.attr_is_truth:
        raise DataError(
            f"{graphs.name}: the communities of its nodes are not known; they are in sets that "
            "graphpool.data.synthetic.arrangements.make generates"
        )
    return graphs.node_attr[:, 0].long()


def _blocks(settings: Settings) -> Iterator[int]:
    """Yield numbers of graphs to draw together; all but the last are even, for classes in pairs."""
    pairs = settings.sizes[1] * (settings.sizes[1] - 1) // 2
    per_graph = settings.communities[1] * (pairs + settings.bridges)
    size = max(2, _BLOCK // per_graph // 2 * 2)
    for first in range(0, settings.graphs, size):
        yield min(size, settings.graphs - first)
