"""`hap` in every task: it trains, resumes, saves and answers as other networks do."""

import json
import signal
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from standin import SignallingTask, train

import graphpool as gp
from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.graphs import PlaceRule
from graphpool.graphs.graphset import GraphSet
from graphpool.models import RunFolder, TrainedModel, train_run
from graphpool.nn.two_way import TwoWayHAP
from graphpool.training import Interrupted

QUICK: dict[str, Any] = {
    "pooler": "hap", "hidden_channels": 8, "epochs": 2, "batch_size": 16, "threads": 1,
}  # fmt: skip


@pytest.fixture(scope="module")
def graphs() -> GraphSet:
    return gp.load("MUTAG", features=None)[::3]


@pytest.fixture(scope="module")
def fitted(graphs: GraphSet) -> gp.GraphClassifier:
    return gp.GraphClassifier(**QUICK, whole_graph=True).fit(graphs)


def network() -> TwoWayHAP:
    torch.manual_seed(0)
    return TwoWayHAP(
        3,
        6,
        2,
        rules=(PlaceRule(steps=0, most=64),),
        layers=2,
        norm="batch",
        dropout=0.3,
        gate=True,
    )


def test_a_resumed_run_equals_the_uninterrupted_one_to_the_bit(tmp_path: Path) -> None:
    with pytest.raises(Interrupted):
        train(tmp_path, model=network(), task=SignallingTask(signal.SIGINT, 6))
    torch.manual_seed(5)
    resumed, result = train(tmp_path, model=network(), resume=True)
    whole, expected = train(model=network())
    for name, value in whole.state_dict().items():
        assert torch.equal(resumed.state_dict()[name], value), name
    assert result.best_metrics == expected.best_metrics


def test_a_second_fit_gives_the_same_weights(fitted: gp.GraphClassifier, graphs: GraphSet) -> None:
    again = gp.GraphClassifier(**QUICK, whole_graph=True).fit(graphs)
    weights = again.model_.network.state_dict()
    for name, value in fitted.model_.network.state_dict().items():
        assert torch.equal(weights[name], value), name


def test_sizes_are_those_of_the_training_graphs(
    fitted: gp.GraphClassifier, graphs: GraphSet
) -> None:
    network: Any = fitted.model_.network
    sizes = network.sizes.tolist()
    assert sizes[0] == pytest.approx(fitted.model_.mean_nodes)
    assert 2 < sizes[1] < sizes[0]
    assert sizes[2] == 1


def test_a_loaded_model_answers_the_same_to_the_bit(
    fitted: gp.GraphClassifier, graphs: GraphSet, tmp_path: Path
) -> None:
    loaded = gp.GraphClassifier.load(fitted.save(tmp_path / "model.safetensors"))
    np.testing.assert_array_equal(loaded.predict_proba(graphs), fitted.predict_proba(graphs))
    np.testing.assert_array_equal(loaded.transform(graphs), fitted.transform(graphs))


def test_a_page_draws_the_places(
    fitted: gp.GraphClassifier, graphs: GraphSet, tmp_path: Path
) -> None:
    page = fitted.report(tmp_path / "page.html", graphs)
    text = Path(page).read_text(encoding="utf-8")
    assert "there is nothing to collapse" in text


def test_levels_have_the_places_of_each_graph(fitted: gp.GraphClassifier, graphs: GraphSet) -> None:
    level = fitted.levels(graphs)[0]
    assert level.assignment.shape == (graphs.num_nodes, level.clusters)
    assert bool((level.assignment.sum(1) == 1).all())


def test_numbers_and_several_labels_are_learned(graphs: GraphSet) -> None:
    size = graphs.node_counts.float().unsqueeze(1)
    regressor = gp.GraphRegressor(**{**QUICK, "epochs": 30}, learning_rate=0.01)
    regressor.fit(graphs.with_target(size, ["nodes"]))
    assert regressor.score(graphs.with_target(size, ["nodes"])) > 0.5
    both = torch.cat([(size > 17).float(), (size > 22).float()], 1)
    labels = gp.GraphMultiLabelClassifier(**QUICK).fit(graphs.with_target(both, ["a", "b"]))
    assert labels.predict(graphs).shape == (len(graphs), 2)


@pytest.mark.parametrize("distance", ["aligned", "euclidean"])
def test_pairs_are_compared(distance: str, tmp_path: Path) -> None:
    pairs = matching_pairs("paper", 8, 24, seed=0, verify=False)
    matcher = gp.GraphMatcher(**{**QUICK, "epochs": 1}, distance=distance).fit(pairs)
    shares = matcher.predict_proba(pairs)
    assert np.isfinite(shares).all()
    loaded = gp.GraphMatcher.load(matcher.save(tmp_path / "matcher.safetensors"))
    np.testing.assert_array_equal(loaded.predict_proba(pairs), shares)


def test_triplets_are_compared(graphs: GraphSet) -> None:
    few = graphs[:12]
    size = few.node_counts.double().numpy()
    true = np.abs(size[:, None] - size)
    comparer = gp.GraphComparer(**{**QUICK, "epochs": 1}, triplets=60).fit(few, true)
    distances = comparer.distances(few)
    assert distances.shape == (12, 12)
    assert np.isfinite(distances).all()


def test_many_training_graphs_go_without_gates(
    graphs: GraphSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gates(answer: TrainedModel) -> str:
        has = any(name.endswith(".gate") for name, _ in answer.network.named_parameters())
        assert answer.config.model.gate == ("on" if has else "off")
        return answer.config.model.gate

    assert gates(gp.GraphClassifier(**QUICK).fit(graphs).model_) == "on"
    monkeypatch.setattr(sys.modules["graphpool.config.resolve"], "MANY_GRAPHS", 47)
    assert len(graphs) > 47
    assert gates(gp.GraphClassifier(**QUICK).fit(graphs).model_) == "off"
    assert gates(gp.GraphClassifier(**QUICK, gate="on").fit(graphs).model_) == "on"
    assert gates(gp.GraphClassifier(**QUICK).fit(graphs[:46]).model_) == "on"

    # About 8 of 10 graphs of a set train.
    for count, expected in ((55, "on"), (63, "off")):
        gp.save(graphs[:count], tmp_path / f"own-{count}.jsonl")
        config = RunConfig(
            data=str(tmp_path / f"own-{count}.jsonl"),
            model=ModelConfig(pooler="hap", hidden_channels=8),
            train=TrainConfig(epochs=1, threads=1),
        )
        folder = tmp_path / f"run-{count}"
        assert gates(train_run(config, folder, progress=False)[0]) == expected
        longer = replace(config, train=replace(config.train, epochs=2))
        resumed = RunFolder(folder, longer, resume=True)
        assert gates(train_run(longer, resumed, progress=False)[0]) == expected
        gp.evaluate(
            config.data, methods=("hap", "sum"), config=config, protocol="random", seeds=1,
            folder=tmp_path / f"compared-{count}", baselines=False, jobs=1, progress=False,
        )  # fmt: skip
        lines = (tmp_path / f"compared-{count}" / "records.jsonl").read_text().splitlines()
        settings = [
            each["values"]
            for each in map(json.loads, lines)
            if {"settings", "values"} <= each.keys()
        ]
        found = {each["model"]["pooler"]: each["model"]["gate"] for each in settings}
        assert found == {"hap": expected, "sum": "off"}


def test_where_graphs_are_compared_gates_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["graphpool.config.resolve"], "MANY_GRAPHS", 5)
    pairs = matching_pairs("paper", 8, 24, seed=0, verify=False)
    answer = gp.GraphMatcher(**QUICK).fit(pairs)
    assert answer.model_.config.model.gate == "on"
