"""Places tell graphs apart that colour refinement, and with it any flat network, can't."""

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import graphpool as gp
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.graphs.refinement import graph_colours
from graphpool.nn import HAP, FlatNetwork, Hierarchy


def wl_pairs(graphs: GraphSet) -> Tensor:
    """Positions of graphs with the same stable colours, `[pairs, 2]`."""
    _, kind, count = np.unique(graph_colours(graphs), return_inverse=True, return_counts=True)
    assert count.max() == 2
    alike = np.argsort(kind, kind="stable")[count[np.sort(kind)] == 2]
    return torch.from_numpy(alike.reshape(-1, 2))


@torch.no_grad()
def apart(model: Hierarchy, graphs: GraphSet, pairs: Tensor) -> Tensor:
    """How far the vectors of each pair are from each other, relative to their length."""
    one, other = (model.eval().embed(graphs.batch(part)) for part in pairs.t())
    return (one - other).norm(dim=-1) / one.norm(dim=-1)


@pytest.mark.parametrize(("name", "count"), [("EXP", 600), ("CEXP", 300)])
def test_every_pair_that_refinement_finds_alike_has_two_vectors(
    name: str, count: int, data_root: Path
) -> None:
    graphs = gp.load(name, root=data_root, cache=False)
    assert graphs.x is not None
    assert graphs.y is not None
    pairs = wl_pairs(graphs)
    assert len(pairs) == count
    assert (graphs.y[pairs[:, 0]] != graphs.y[pairs[:, 1]]).all()
    torch.manual_seed(0)
    channels = graphs.x.shape[1]
    # Rounding is below 1e-5; what places see is above it for all pairs, at first weights.
    assert apart(FlatNetwork(channels, layers=6), graphs, pairs).max() < 1e-5
    assert apart(HAP(channels, assignment="content"), graphs, pairs).max() < 1e-5
    for rule in (PlaceRule(), PlaceRule(units="auto")):
        found = apart(HAP(channels, rule=rule), graphs, pairs)
        assert found.min() > 1e-5
        assert found.median() > 1e-2
