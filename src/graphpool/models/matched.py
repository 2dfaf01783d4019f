"""Two graphs compared by a trained network: distance and score, level by level and overall."""

from dataclasses import dataclass

import torch

from graphpool.data.formats.safetensors import content_hash
from graphpool.graphs.combine import concatenate
from graphpool.graphs.graphset import GraphSet
from graphpool.models.comparer import Comparer, bare
from graphpool.tasks.base import device_of, evaluating


@dataclass(frozen=True)
class Matched:
    """What a network says of two graphs.

    Args:
        distances: one per level, 0 for equal graphs (SimGNN's are what it has learned).
        scores: likewise, how likely the graphs match, between 0 and 1.
        distance, score: of all levels together.
    """

    distances: tuple[float, ...]
    scores: tuple[float, ...]
    distance: float
    score: float


def compare_two(comparer: Comparer, one: GraphSet, other: GraphSet) -> Matched:
    """Compare the graph of one set with that of the other; neither comes first.

    The graphs are put into an order of their own before the network sees them, so that both
    ways round are the same computation, to the bit; equal graphs are one and the same to it.

    Args:
        one: a set of a single graph; `other` likewise.
    """
    network = comparer.network
    sides = [bare(comparer.features.transform(side)) for side in (one, other)]
    first, second = sorted(sides, key=_key)
    alone = _key(first) == _key(second)
    graphs = (first if alone else concatenate([first, second], "")).to(device_of(network))
    with evaluating(network):
        left, right = (torch.tensor([at], device=graphs.device) for at in (0, 0 if alone else 1))
        compared = network.compare(graphs.batch(), left, right)
        scores = network.scores(compared)
        rows = (compared.distances, scores)
        distance, score = (float(network.overall(row)) for row in rows)
    # A last row that sums the levels up is no level.
    own = slice(None, -1 if getattr(network, "multisets", None) else None)
    distances, levels = (tuple(row[own, 0].double().tolist()) for row in rows)
    return Matched(distances, levels, distance, score)


def _key(graphs: GraphSet) -> tuple[int, int, str]:
    """What orders graphs: size first, so that a relabelled copy mostly keeps its place."""
    return graphs.num_nodes, graphs.num_edges, content_hash(graphs)
