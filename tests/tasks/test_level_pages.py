"""Reports of a model that keeps nodes: its levels are drawn, and have no clusters to judge."""

import numpy as np
import pytest

from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.load import load
from graphpool.graphs.graphset import GraphSet
from graphpool.models.model import TrainedModel
from graphpool.nn.zoo.build import place_rule
from graphpool.report.draw.hierarchy import draw_hierarchy
from graphpool.tasks.pages.levels import health_rows, hierarchy_example, typical_graph


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return load("MUTAG", features=None)


@pytest.fixture(scope="module", params=["sagpool", "hap-sagpool", "asap"])
def model(request: pytest.FixtureRequest, graphs: GraphSet) -> TrainedModel:
    settings = ModelConfig(request.param, hidden_channels=8)
    config = RunConfig(model=settings, train=TrainConfig(epochs=1))
    return TrainedModel.fit(graphs[:40], None, config, progress=False)


def test_a_kept_node_becomes_itself_and_the_others_are_dropped(
    model: TrainedModel, graphs: GraphSet
) -> None:
    places = place_rule(model.config.model) is not None
    example = hierarchy_example(model, graphs, 100, ("1", "-1"), places)
    kept = model.levels(graphs[[100]])[0]
    assert kept.selection is not None
    share = example.levels[0].assignment
    assert share is not None
    assert share.sum(1).nonzero()[0].tolist() == kept.selection.index.tolist()
    assert share.argmax(0).tolist() == kept.selection.index.tolist()
    np.testing.assert_allclose(example.levels[1].adjacency, kept.adjacency.dense().numpy())
    assert example.levels[0].health == {"nodes kept": len(kept.selection.index)}
    drawn = draw_hierarchy(example)
    assert drawn.count("node dropped") == share.shape[0] - share.shape[1]


def test_a_typical_graph_is_found_without_clusters(model: TrainedModel, graphs: GraphSet) -> None:
    sizes = graphs.node_counts.double()
    chosen = sizes[typical_graph(model, graphs)]
    assert abs(float(chosen - sizes.mean())) < 1


def test_kept_nodes_are_no_clusters_to_judge(model: TrainedModel, graphs: GraphSet) -> None:
    metrics = model.score(graphs[:40])
    assert 5 < metrics["level1/kept"] < 15
    assert health_rows(metrics, True) == []
