import json
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from graphpool.config import ModelConfig, RunConfig, TrainConfig, resolve_model
from graphpool.data.load import load
from graphpool.data.splits import cv_splits
from graphpool.errors import CheckpointError, ConfigError
from graphpool.graphs.graphset import GraphSet
from graphpool.graphs.places.rule import PlaceRule
from graphpool.models.model import TrainedModel
from graphpool.nn.zoo.build import build_model
from graphpool.tasks.classification import ClassificationTask
from graphpool.training import select_place_rule as module
from graphpool.training.select_place_rule import (
    candidates,
    check_choice,
    choice_from,
    pilot_epochs,
    place_rules,
    select_place_rule,
)

ASKED = ModelConfig(pooler="hap-one-way", hidden_channels=8, cluster_count="validation")
QUICK = RunConfig(model=ASKED, train=TrainConfig(epochs=2, threads=1))
PARTS = replace(QUICK, model=ModelConfig(hidden_channels=8, units="validation"))


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return load("MUTAG", features=None)[:60]


def train(graphs, config=QUICK, **options):
    model = TrainedModel.fit(graphs[:45], graphs[45:], config, **options)
    return model, model.result


def weights(model):
    return {name: value.tolist() for name, value in model.network.state_dict().items()}


def pretend(monkeypatch, reached):
    """Pilots that reach what is given, in turn; returns the calls that were made for them."""
    calls, left = [], iter(reached)

    def fit(model, task, train, valid, config, **options):
        accuracy, loss = next(left)
        calls.append((model, config, options))
        return SimpleNamespace(
            best_epoch=1, best_metrics={"accuracy": accuracy, "loss": loss, "level1/clusters": 3.0}
        )

    monkeypatch.setattr(module, "fit", fit)
    return calls


def choose(graphs, model=ASKED, settings=QUICK.train, **options):
    graphs = graphs.with_x(torch.ones(graphs.num_nodes, 2))
    return select_place_rule(
        model, settings, ClassificationTask(2), graphs[:40], graphs[40:],
        lambda config: build_model(config, 2, 2), **options,
    )  # fmt: skip


def test_the_number_that_shows_the_arrangement_is_chosen():
    # Paths of 6 communities: 15 places cut them up, and the order of types is lost.
    graphs = load("order:graphs=240,noise=0.0", features=None)
    split = cv_splits(graphs.y, 5, 0)[0]
    config = RunConfig(
        model=ModelConfig(pooler="hap-one-way", cluster_count="validation"),
        train=TrainConfig(epochs=25, batch_size=16, threads=1),
    )
    model = TrainedModel.fit(graphs[split.train], graphs[split.valid], config)
    reached = {pilot.resolution: pilot for pilot in model.choice.pilots[:4]}
    assert reached[6.0].places > 14
    assert reached[6.0].metrics["accuracy"] < 0.75
    counts = model.levels(graphs[split.test])[0].counts.double()
    assert float(counts.mean()) == pytest.approx(6, abs=0.1)
    assert model.score(graphs[split.test])["accuracy"] > 0.9


def test_candidates_are_modularity_from_coarse_to_fine_and_the_eigengap():
    tried = [
        (each.cluster_count, each.resolution) for each in candidates(replace(ASKED, resolution=2.0))
    ]
    coarse_to_fine = [("modularity", resolution) for resolution in (0.75, 1.5, 3.0, 6.0)]
    assert tried == [*coarse_to_fine, ("eigengap", 2.0)]
    assert all(each.hidden_channels == 8 for each in candidates(ASKED))


def test_accuracy_decides_then_loss(graphs, monkeypatch):
    pretend(monkeypatch, [(0.7, 0.1), (0.9, 0.5), (0.9, 0.4), (0.8, 0.1), (0.9, 0.6)])
    assert choose(graphs).resolution == 3.0


def test_the_earlier_of_two_equals_wins(graphs, monkeypatch):
    pretend(monkeypatch, [(0.7, 0.1), (0.9, 0.5), (0.8, 0.1), (0.9, 0.5), (0.9, 0.5)])
    assert choose(graphs).resolution == 1.5


@pytest.mark.parametrize(("epochs", "expected"), [(3, 5), (25, 5), (26, 5), (30, 6), (100, 20)])
def test_a_pilot_has_a_fifth_of_the_epochs_and_at_least_five(epochs, expected):
    assert pilot_epochs(epochs) == expected


def test_every_pilot_begins_with_the_same_weights_and_seed(graphs, monkeypatch):
    calls = pretend(monkeypatch, [(0.5, 1.0)] * 5)
    settings = TrainConfig(epochs=50, seed=7, learning_rate=0.01, tensorboard=True)
    assert choose(graphs, settings=settings).epochs == 10
    assert all(config == replace(settings, epochs=10, tensorboard=False) for _, config, _ in calls)
    first = calls[0][0].state_dict()
    for model, _, _ in calls[1:]:
        assert all(torch.equal(first[name], value) for name, value in model.state_dict().items())


def test_pilots_say_how_many_places_they_had(graphs):
    prepared = graphs.with_x(torch.ones(graphs.num_nodes, 2))[:40]
    pilots = choose(graphs).pilots
    for pilot, rule in zip(pilots, place_rules(ASKED), strict=True):
        assert pilot.places == pytest.approx(float(prepared.places(rule).counts.double().mean()))
        assert set(pilot.metrics) == {"accuracy", "loss"}


def test_all_rules_of_a_training_are_known_beforehand():
    hard = PlaceRule(units="auto", steps=0, most=1024)
    assert place_rules(ModelConfig()) == (hard,)
    assert place_rules(ModelConfig(units="nodes")) == ()
    assert place_rules(ModelConfig(pooler="hap-one-way")) == (PlaceRule(),)
    assert place_rules(ModelConfig(pooler="hap-one-way", assignment="content")) == ()
    every = place_rules(replace(PARTS.model, parts="abc"))
    assert [rule.units for rule in every] == ["auto", "none", "recurring", "none"]
    assert [rule.most == 1 for rule in every] == [False, False, False, True]
    resolutions = [rule.resolution for rule in place_rules(ASKED)]
    assert resolutions == [0.75, 1.5, 3.0, 6.0, 1.5]
    assert [rule.count for rule in place_rules(ASKED)] == ["auto"] * 4 + ["eigengap"]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"clusters": (8, 1)}, r"model\.clusters = \(8, 1\) sets it; leave out one"),
        ({"ratio": 0.25}, r"model\.ratio = 0\.25 sets it; leave out one"),
        (
            {"pooler": "sum"},
            "the pooler 'sum' does not use places; remove model.cluster_count, or use",
        ),
        ({"pooler": "hap-paper"}, "the pooler 'hap-paper' does not use places"),
        ({"assignment": "content"}, "the assignment 'content' does not use places"),
        ({"assignment": "static"}, "the assignment 'static' does not use places"),
    ],
)
def test_where_nothing_is_left_to_choose_it_is_an_error(graphs, changes, problem):
    config = replace(QUICK, model=replace(ASKED, **changes))
    with pytest.raises(ConfigError, match=problem):
        check_choice(config.model)
    with pytest.raises(ConfigError, match=problem):
        train(graphs, config)
    check_choice(replace(config.model, cluster_count="modularity"))


def test_without_validation_graphs_it_says_what_to_do(graphs):
    with pytest.raises(ConfigError, match="give some, or leave"):
        TrainedModel.fit(graphs[:20], None, QUICK)


def test_the_training_is_that_of_the_settings_that_won(graphs):
    chosen, _ = train(graphs)
    config = replace(QUICK, model=resolve_model(chosen.choice.applied(ASKED), True))
    assert chosen.config == config
    assert weights(chosen) == weights(train(graphs, config)[0])


def test_the_choice_lies_in_the_folder_and_in_the_model(graphs, tmp_path):
    model, _ = train(graphs, folder=tmp_path)
    kept = json.loads((tmp_path / "places.json").read_text())
    assert choice_from(kept["choice"]) == model.choice
    assert not (tmp_path / "pilots").exists()
    loaded = TrainedModel.load(tmp_path)
    assert loaded.choice == model.choice
    assert loaded.config.model == model.config.model


def test_a_resumed_run_does_not_choose_again(graphs, tmp_path, monkeypatch):
    train(graphs, folder=tmp_path)
    longer = replace(QUICK, train=replace(QUICK.train, epochs=4))
    calls = pretend(monkeypatch, [])
    model, result = train(graphs, longer, folder=tmp_path, resume=True)
    assert len(result.history) == 4
    assert not calls
    monkeypatch.undo()
    # Both give every pilot five epochs.
    assert weights(model) == weights(train(graphs, longer)[0])


def test_a_new_run_chooses_anew(graphs, tmp_path, monkeypatch):
    train(graphs, folder=tmp_path)
    calls = pretend(monkeypatch, [(0.5, 1.0)] * 4 + [(0.9, 1.0)])
    model, _ = train(graphs, folder=tmp_path)
    assert len(calls) == 5
    assert model.config.model.cluster_count == "eigengap"


def test_pilots_that_were_cut_short_go_on(graphs, tmp_path):
    real, finished = module.fit, []

    def stopping(*values, **options):
        if len(finished) == 2:
            raise KeyboardInterrupt
        finished.append(real(*values, **options))
        return finished[-1]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "fit", stopping)
        with pytest.raises(KeyboardInterrupt):
            train(graphs, folder=tmp_path)
    assert {path.name for path in (tmp_path / "pilots").iterdir()} == {"0", "1"}
    model, _ = train(graphs, folder=tmp_path, resume=True)
    whole, _ = train(graphs)
    assert model.choice == whole.choice
    assert weights(model) == weights(whole)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"dropout": 0.5}, "model.dropout is 0.0 in the checkpoint"),
        ({"max_clusters": 3}, "model.max_clusters"),
    ],
)
def test_the_choice_of_another_run_is_refused(graphs, tmp_path, changes, problem):
    train(graphs, folder=tmp_path)
    other = replace(QUICK, model=replace(ASKED, **changes))
    with pytest.raises(CheckpointError, match=rf"places\.json: {problem}"):
        train(graphs, other, folder=tmp_path, resume=True)


def test_a_damaged_choice_is_named(graphs, tmp_path):
    train(graphs, folder=tmp_path)
    (tmp_path / "places.json").write_text('{"choice": {}}')
    with pytest.raises(CheckpointError, match=r"places\.json.*'count' is missing"):
        train(graphs, folder=tmp_path, resume=True)


def test_candidates_for_units_are_all_that_the_network_has():
    tried = [each.units for each in candidates(PARTS.model)]
    assert tried == ["auto", "none", "graph", "nodes"]  # no parts are learned
    learned = replace(PARTS.model, parts="abc")
    assert [(each.units, each.parts) for each in candidates(learned)] == [
        ("auto", ""), ("none", ""), ("recurring", "abc"), ("graph", ""), ("nodes", ""),
    ]  # fmt: skip
    one_way = replace(learned, pooler="hap-one-way")
    assert [each.units for each in candidates(one_way)] == ["auto", "none", "recurring"]


@pytest.mark.parametrize(("best", "units"), [(1, "none"), (2, "recurring"), (3, "graph")])
def test_the_training_has_the_units_that_won(graphs, tmp_path, best, units):
    real, reached = module.fit, iter(range(10))

    def judged(*values, **options):
        result = real(*values, **options)
        won = next(reached) == best
        metrics = {**result.best_metrics, "accuracy": 1.0 if won else 0.1}
        return replace(result, best_metrics=metrics)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "fit", judged)
        model, _ = train(graphs, PARTS, folder=tmp_path)
    assert [pilot.units for pilot in model.choice.pilots] == [
        "auto", "none", "recurring", "graph", "nodes",
    ]  # fmt: skip
    assert model.choice.pilots[-1].places == 0
    assert model.config.model.units == units
    assert (model.features.parts is not None) == (units == "recurring")
    loaded = TrainedModel.load(tmp_path)
    assert loaded.choice == model.choice
    assert (loaded.embed(graphs) == model.embed(graphs)).all()
    if units != "recurring":
        plain = replace(PARTS, model=replace(PARTS.model, units=units))
        assert weights(model) == weights(train(graphs, plain)[0])


def test_units_that_change_no_place_are_not_tried():
    dense = load("ring:graphs=40,seed=0", features=None)
    model = TrainedModel.fit(dense[:30], dense[30:], PARTS)
    tried = [pilot.units for pilot in model.choice.pilots]
    assert "none" not in tried  # no rings are kept whole in dense graphs
    assert tried[0] == "auto"


def test_random_numbers_of_others_are_left_alone(graphs):
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    train(graphs)
    assert torch.equal(torch.rand(2), expected)
