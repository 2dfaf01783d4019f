"""Models that graphpool 0.1.0 wrote are read, and give the answers that they gave then."""

import json
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
import torch

from graphpool.data.interop import from_networkx
from graphpool.data.pairs.pairset import PairSet
from graphpool.estimators.classifier import GraphClassifier
from graphpool.estimators.comparer import GraphComparer
from graphpool.estimators.matcher import GraphMatcher
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel

FILES = Path(__file__).resolve().parents[1] / "files"
ANSWERS = json.loads((FILES / "answers-0.1.0.json").read_text())


def path_of(name: str) -> Path:
    return FILES / f"{name}-0.1.0.safetensors"


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    """Paths and cycles of 4 to 15 nodes, whose labels alternate."""
    shapes = [shape(n) for n in range(4, 16) for shape in (nx.path_graph, nx.cycle_graph)]
    for shape in shapes:
        nx.set_node_attributes(shape, {v: "a" if v % 2 else "b" for v in shape}, "label")
    return from_networkx(shapes, "label")


def test_a_classifier(graphs: GraphSet) -> None:
    loaded = GraphClassifier.load(path_of("classifier"))
    np.testing.assert_allclose(loaded.predict_proba(graphs), ANSWERS["classifier"], rtol=1e-5)
    assert loaded.classes_.tolist() == ["cycle", "path"]
    # Settings that had other names then.
    assert (loaded.max_clusters, loaded.cluster_count, loaded.cut_loss) == (5, "eigengap", 0.1)
    assert (loaded.jumping_knowledge, loaded.cluster_profile) == (True, False)
    assert (loaded.num_layers, loaded.clip_norm) == (1, 1.0)


def test_a_comparer_that_learned_distances(graphs: GraphSet) -> None:
    loaded = GraphComparer.load(path_of("similarity"))
    np.testing.assert_allclose(
        loaded.distances(graphs[:5]), ANSWERS["similarity"], rtol=1e-4, atol=1e-6
    )


def test_a_comparer_that_learned_matches(graphs: GraphSet) -> None:
    pairs = PairSet(graphs, torch.arange(12), torch.arange(12) + 12, torch.tensor([0.0, 1.0] * 6))
    model = TrainedModel.load(path_of("matching"))
    assert model.score(pairs) == pytest.approx(ANSWERS["matching"], rel=1e-5)
    assert model.config.compare.pairs == "somewhere.csv"
    assert GraphMatcher.load(path_of("matching")).max_clusters == 6
