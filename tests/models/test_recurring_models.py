"""Models on parts that recur: fitted on training graphs, kept in the file, applied to others."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.literal_parts import chains

import graphpool as gp
from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.errors import CheckpointError, ConfigError
from graphpool.graphs import GraphSet, RecurringParts
from graphpool.models import TrainedModel
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint


def with_classes(seed: int, graphs: int = 40) -> GraphSet:
    made = chains(seed, graphs)
    y = (made.node_counts > made.node_counts.median()).long()
    values = {name: getattr(made, name) for name in made.__dataclass_fields__}
    return GraphSet(**{**values, "y": y, "classes": (0, 1)})


def config(pooler: str) -> RunConfig:
    return RunConfig(
        model=ModelConfig(pooler=pooler, hidden_channels=8, units="recurring"),
        train=TrainConfig(epochs=2, batch_size=16, threads=1),
    )


@pytest.mark.parametrize("pooler", ["hap", "hap-one-way"])
def test_a_saved_model_has_its_parts(pooler: str, tmp_path: Path) -> None:
    train, other = with_classes(0), with_classes(1)
    model = TrainedModel.fit(train, other[:10], config(pooler))
    parts = RecurringParts.fit(train)
    assert model.config.model.parts == parts.digest
    assert model.features.parts is not None
    assert model.features.parts.entries == parts.entries
    again = TrainedModel.load(model.save(tmp_path / "model.safetensors"))
    assert again.config == model.config
    assert np.array_equal(again.probabilities(other), model.probabilities(other))
    prepared = again.prepare(other)
    assert torch.equal(prepared.places(parts.rule).cluster, parts.apply(other).places.cluster)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"parts": {"entries": [{"depth": "deep"}]}}, "stored parts can't be read"),
        ({"parts": None}, "stored parts can't be read"),
        ({"parts": {"entries": []}}, "its parts are not those of its settings"),
        ({"parts": {"largest": 5}}, "its parts are not those of its settings"),
        ({}, "its parts are not those of its settings"),
    ],
    ids=["an entry", "null", "another list", "another size", "none"],
)
def test_a_file_with_broken_or_other_parts_is_refused(
    change: dict[str, Any], says: str, saved: Path, tmp_path: Path
) -> None:
    checkpoint, path = read_checkpoint(saved), tmp_path / "other.safetensors"
    features = checkpoint.header["extra"]["features"]
    parts = features.pop("parts")
    if change:
        features["parts"] = change["parts"] and {**parts, **change["parts"]}
    write_checkpoint(path, checkpoint.tensors, checkpoint.header)
    with pytest.raises(CheckpointError, match=rf"other\.safetensors: {says}"):
        TrainedModel.load(path)
    TrainedModel.load(saved)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    model = TrainedModel.fit(with_classes(0), None, config("hap"))
    return model.save(tmp_path_factory.mktemp("saved") / "m.safetensors")


@pytest.mark.parametrize("units", ["recurring", "validation"])
def test_an_evaluation_learns_parts_from_the_training_graphs_of_each_fold(
    units: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs, learned = with_classes(0, 24), []
    fit = RecurringParts.fit

    def noted(given: GraphSet, **options: Any) -> RecurringParts:
        learned.append(set(given.ids))
        return fit(given, **options)

    monkeypatch.setattr(RecurringParts, "fit", noted)
    run = config("hap")
    run = replace(run, model=replace(run.model, units=units))
    gp.evaluate(graphs, ["hap"], "cv3", seeds=1, config=run, folder=tmp_path / "e", jobs=1)
    folds = json.loads((tmp_path / "e" / "splits" / "cv3-seed0.json").read_text())["splits"]
    assert learned == [{graphs.ids[at] for at in fold["train"]} for fold in folds]
    assert len(learned) == 3


def test_a_network_without_training_graphs_says_what_it_needs() -> None:
    from graphpool.nn.zoo.rules import rule_of

    with pytest.raises(ConfigError, match="learned from training graphs"):
        rule_of(ModelConfig(units="recurring"))
