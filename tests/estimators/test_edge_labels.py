"""Every estimator, and edit distance, on graphs that differ in the labels of edges alone."""

import numpy as np
import pytest
from helpers.rings import ARRANGED, ONE_DOUBLE, rings

import graphpool as gp

QUICK = {"hidden_channels": 8, "num_layers": 2, "threads": 1}


def test_edit_distance_counts_changed_labels_of_edges() -> None:
    one, other = rings(ONE_DOUBLE)[0], rings(ONE_DOUBLE)[1]
    assert gp.ged.distance(one, other).distance == 1
    alternating, grouped = rings(ARRANGED)[0], rings(ARRANGED)[1]
    assert gp.ged.distance(alternating, grouped).distance == 2


@pytest.mark.parametrize("encoder", ["gine", "graphconv"])
def test_a_matcher_needs_an_encoder_that_uses_edges(encoder: str) -> None:
    graphs = rings(count=20)
    left, right = np.divmod(np.arange(400), 20)
    pairs = np.stack([left, right], 1)
    y = (left + right) % 2 == 0
    model = gp.GraphMatcher(encoder=encoder, features="auto", epochs=15, batch_size=32, **QUICK)
    model.fit(graphs, y, pairs=pairs)
    accuracy = model.score(graphs, y, pairs=pairs)
    assert accuracy == (1.0 if encoder == "gine" else 0.5)
    unused = () if encoder == "gine" else ("2 edge labels (encoder graphconv)",)
    assert model.model_.features.unused == unused


def test_a_comparer_learns_distances_of_edge_labels() -> None:
    graphs = rings(count=16)
    far = (np.arange(16)[:, None] + np.arange(16)) % 2.0
    options = {"encoder": "gine", "epochs": 5, "triplets": 300, **QUICK}
    model = gp.GraphComparer(**options).fit(graphs, far)
    found = model.distances(graphs)
    assert found[far == 1].min() > found[far == 0].max()
