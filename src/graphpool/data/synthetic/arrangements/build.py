"""Arrangement sets: two classes of the same communities, joined in two ways.

Only the arrangement of communities tells the classes apart, so they show what a coarsening is
worth: a network that sees a few steps far, or only which roles there are, stays at chance.
"""

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from graphpool.data.synthetic.arrangements.draws import Streams, draw
from graphpool.data.synthetic.arrangements.knobs import Knobs, spelled, text, turnable, turned
from graphpool.data.synthetic.arrangements.plans import CLASSES, TYPES
from graphpool.errors import DataError
from graphpool.graphs.graphset import GraphSet

VERSION = 1  # of the graphs drawn for given knobs; a set is cached under it
_BLOCK = 1 << 24  # random numbers held at a time; even a set of large communities fits in memory
_READ_BY = "graphpool.data.synthetic.arrangements.build.communities"
_NOTE = f"the node attribute is the community that a node was drawn for; {_READ_BY} reads it"


def make(name: str, **knobs: object) -> GraphSet:
    """Draw an arrangement set: ring, marks, marksmix, order or spider.

    Graphs are drawn one by one and independently, so any two parts of the set can train and test,
    and a set with fewer `graphs` is the beginning of one with more. Node numbers are shuffled.
    The node attribute is the true community (see `communities`); features are made from labels,
    or degrees where there are none, and never from it unless `attributes` are asked for.

    Args:
        name: one of the five sets.
        knobs: what differs from `Knobs`, such as `graphs=500, bridges=6, sizes=(8, 12)`.
    """
    return make_from(name, turned(name, knobs))


def make_from(name: str, knobs: Knobs) -> GraphSet:
    """The same for knobs that are checked already."""
    streams = Streams(name, knobs.seed)
    blocks = [draw(name, knobs, count, streams) for count in _blocks(knobs)]

    def whole(field: str) -> Tensor:
        return torch.from_numpy(np.concatenate([getattr(block, field) for block in blocks]))

    types = TYPES[name]
    used = ", ".join(f"{knob}={text(getattr(knobs, knob))}" for knob in turnable(name))
    return GraphSet.build(
        spelled(name, knobs),
        whole("node_counts"),
        whole("edge_counts"),
        whole("edges").T,
        undirected=True,
        node_label=whole("labels") if types else None,
        node_attr=whole("communities").float()[:, None],
        y=whole("y"),
        classes=CLASSES[name],
        node_label_names=types,
        notes=(f"drawn with {used}", _NOTE),
    )


def communities(graphs: GraphSet) -> Tensor:
    """The true community of each node, `[nodes]`, numbered from 0 within its graph.

    It works for any selection of a set made here, saved and opened again too. Numbers are
    shuffled in each graph: they tell which nodes belong together and nothing else.
    """
    if graphs.node_attr is None or not any(_NOTE in note for note in graphs.notes):
        raise DataError(
            f"{graphs.name}: the communities of its nodes are not known; they are in sets that "
            "graphpool.data.synthetic.arrangements.build makes"
        )
    return graphs.node_attr[:, 0].long()


def _blocks(knobs: Knobs) -> Iterator[int]:
    """Numbers of graphs to draw together; even but for the last, as classes come in pairs."""
    pairs = knobs.sizes[1] * (knobs.sizes[1] - 1) // 2
    per_graph = knobs.communities[1] * (pairs + knobs.bridges)
    size = max(2, _BLOCK // per_graph // 2 * 2)
    for first in range(0, knobs.graphs, size):
        yield min(size, knobs.graphs - first)
