import time
from dataclasses import replace

import numpy as np
import pytest

from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.load import load
from graphpool.experiments.demo import picture_split, run_demo
from graphpool.graphs.batch import GraphBatch
from graphpool.graphs.places.rule import PlaceRule
from graphpool.models.model import TrainedModel
from graphpool.nn.zoo.build import place_rule
from graphpool.tasks.pages.classes import true_and_predicted
from graphpool.tasks.pages.levels import health_rows, hierarchy_example, typical_graph
from graphpool.training.select_place_rule import place_rules

QUICK = RunConfig(model=ModelConfig(hidden_channels=8), train=TrainConfig(epochs=2))


@pytest.fixture(scope="module")
def graphs():
    return load("MUTAG", features=None)


@pytest.fixture(scope="module")
def model(graphs):
    return TrainedModel.fit(graphs[:60], graphs[60:80], QUICK, progress=False)


@pytest.fixture(scope="module")
def one_way(graphs):
    settings = replace(QUICK.model, pooler="hap-one-way")
    config = replace(QUICK, model=settings)
    return TrainedModel.fit(graphs[:60], graphs[60:80], config, progress=False)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo")
    said = []
    made = run_demo(
        folder, methods=("hap", "majority"), config=QUICK, jobs=1, progress=False, tell=said.append
    )
    return made, said


def test_demo_shows_accuracy_curves_map_and_hierarchy(demo):
    page = demo[0].report.read_text()
    for section in (
        "Results beside baselines", "Learning curves", "Map of the graphs",
        "From nodes to one vector", "Health of the coarsening", "How to repeat it",
    ):  # fmt: skip
        assert section in page
    assert "places per graph</dt><dd>2 to 7, mean 3.6<" in page
    assert "a first look, not a ranking" in page
    assert "the 76 graphs that the one model of these pictures has not seen" in page


def test_demo_measures_every_fold_once(demo):
    made, said = demo
    assert len(made.experiment.accuracies("hap")) == 10
    # Stratified folds leave 12 or 13 of 125 graphs of the larger class in each test part.
    records = made.experiment.of("majority")
    tested = sum(record.sizes["test"] for record in records)
    right = sum(round(record.accuracy * record.sizes["test"]) for record in records)
    assert (tested, right) == (188, 125)
    assert said[0].startswith("MUTAG: 188 graphs.")


def test_the_map_holds_no_graph_that_was_learnt_from(graphs):
    split = picture_split(graphs)
    parts = [set(split.train), set(split.valid), set(split.test)]
    assert sum(map(len, parts)) == len(set.union(*parts)) == 188
    assert (len(split.valid), len(split.test)) == (19, 76)
    for part in parts:
        assert abs(float(graphs.y[list(part)].double().mean()) - 125 / 188) < 0.05


def example_of(model, graphs, position):
    places = place_rule(model.config.model) is not None
    answers = true_and_predicted(
        model.task.classes, graphs[[position]], model.probabilities(graphs[[position]]), 0
    )
    return hierarchy_example(model, graphs, position, answers, places)


def test_hierarchy_is_the_models_own(one_way, graphs):
    example = example_of(one_way, graphs, 100)
    graph, levels = graphs[100], one_way.levels(graphs[[100]])
    first, second, last = example.levels
    assert first.adjacency.sum() == graph.edge_index.shape[1]
    np.testing.assert_allclose(first.assignment, levels[0].assignment.numpy())
    np.testing.assert_allclose(second.adjacency, levels[0].adj[0].numpy())
    assert last.adjacency.shape == (1, 1)
    assert last.assignment is None
    elements = ["C", "N", "O", "F", "I", "Cl", "Br"]
    assert first.node_labels == [elements[code] for code in graph.node_label.tolist()]


def test_a_graph_is_shown_with_the_places_that_it_has_and_no_padding(model, one_way, graphs):
    for trained in (model, one_way):
        counts = graphs.places(place_rule(trained.config.model)).counts
        assert counts.min() < counts.max()
        for position in (int(counts.argmin()), int(counts.argmax())):
            example = example_of(trained, graphs, position)
            assert example.places
            assert example.levels[1].adjacency.shape[0] == counts[position]
            np.testing.assert_allclose(example.levels[0].assignment.sum(1), 1.0, rtol=1e-5)
            assert ("places in use" in example.levels[0].health) == (trained is one_way)


def test_clusters_that_a_graph_is_padded_to_are_not_shown(graphs):
    settings = ModelConfig("hap-one-way", hidden_channels=8, clusters=(8, 3, 1))
    padded = TrainedModel.fit(graphs[:40], None, replace(QUICK, model=settings), progress=False)
    counts = graphs.places(PlaceRule("given", clusters=8, most=8)).counts
    position = int(counts.argmin())
    assert counts[position] < 8
    example = example_of(padded, graphs, position)
    sizes = [level.adjacency.shape[0] for level in example.levels]
    assert sizes == [len(example.levels[0].adjacency), counts[position], 3, 1]
    assert (example.levels[1].assignment.sum(1) > 0.99).all()


def test_clusters_of_other_methods_are_not_called_places(graphs):
    config = replace(QUICK, model=replace(QUICK.model, pooler="diffpool"))
    other = TrainedModel.fit(graphs[:40], None, config, progress=False)
    example = example_of(other, graphs, 0)
    assert not example.places
    assert example.levels[1].adjacency.shape == (8, 8)
    assert "clusters in use" in example.levels[0].health


def test_a_flat_model_has_the_graph_and_nothing_above(graphs):
    config = RunConfig(model=ModelConfig(pooler="sum", hidden_channels=8), train=QUICK.train)
    flat = TrainedModel.fit(graphs[:40], None, config, progress=False)
    assert len(example_of(flat, graphs, 0).levels) == 1
    assert 0 <= typical_graph(flat, graphs) < 188


def test_the_typical_graph_is_near_the_mean_size(model, graphs):
    position = typical_graph(model, graphs)
    sizes = graphs.node_counts.double()
    assert abs(float(sizes[position] - sizes.mean())) <= float(sizes.std())


def test_health_rows_leave_out_what_was_not_measured():
    rows = health_rows({"level1/clusters": 5.25, "level1/effective_rank": 2.5, "loss": 1.0})
    assert [(row.level, row.clusters, row.effective_rank, row.entropy) for row in rows] == [
        (1, 5.25, 2.5, None)
    ]


@pytest.mark.parametrize(
    ("model", "places"),
    [
        (ModelConfig(), True),
        (ModelConfig(cluster_count="validation"), True),
        (ModelConfig(assignment="content"), False),
        (ModelConfig(pooler="hap-paper"), False),
    ],
)
def test_health_rows_know_whether_the_first_clusters_are_places(model, places):
    found = health_rows({"level1/clusters": 5.0, "level2/clusters": 2.0}, bool(place_rules(model)))
    assert [row.places for row in found] == [places, False]


def test_batches_are_made_with_the_models_features(model, graphs):
    batch = model.prepare(graphs[:3]).batch()
    assert isinstance(batch, GraphBatch)
    assert batch.x.shape[1] == model.features.channels


@pytest.mark.slow
def test_the_whole_demo_takes_less_than_three_minutes(tmp_path):
    begin = time.monotonic()
    made = run_demo(tmp_path)
    assert time.monotonic() - begin < 180
    assert made.experiment.summary("hap").mean > made.experiment.summary("majority").mean
