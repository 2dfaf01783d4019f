"""Models of graphs whose edges have labels: what they use, keep and load again."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from helpers.rings import ARRANGED, ONE_DOUBLE, rings

import graphpool as gp
from graphpool.config import USES_EDGES, ModelConfig, RunConfig, TrainConfig, read_toml, to_dict
from graphpool.config.resolve import DEEP
from graphpool.data.formats import save
from graphpool.errors import CheckpointError, FeatureWarning
from graphpool.features.labels import ONE_HOT
from graphpool.models import RunFolder, TrainedModel, train_run
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint

QUICK = RunConfig(
    model=ModelConfig(pooler="sum", hidden_channels=8),
    train=TrainConfig(epochs=2, batch_size=16, threads=1),
)


def with_encoder(encoder: str, config: RunConfig = QUICK) -> RunConfig:
    return replace(config, model=replace(config.model, encoder=encoder))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pooler", "bonds"), [("sum", ONE_DOUBLE), ("sum", ARRANGED), ("hap", ARRANGED)]
)
def test_rings_that_differ_in_a_bond_label_are_told_apart_by_default(
    pooler: str, bonds: tuple[tuple[int, ...], tuple[int, ...]]
) -> None:
    graphs = rings(bonds)
    model = gp.GraphClassifier(pooler).fit(graphs[:40])
    assert model.score(graphs[40:]) == 1.0
    assert model.model_.config.model.encoder == "gine"
    assert model.model_.features.about() == {
        "used": ["1 node label", "2 edge labels"],
        "unused": [],
    }


@pytest.mark.parametrize("encoder", ["gatv2", "gated"])
def test_weighing_equal_neighbours_by_their_edges_changes_nothing(encoder: str) -> None:
    graphs = rings(ARRANGED, count=20)
    model = gp.GraphClassifier("sum", encoder=encoder, epochs=1, threads=1).fit(graphs)
    vectors = model.transform(graphs)
    np.testing.assert_allclose(vectors[0], vectors[1], rtol=1e-4, atol=1e-5)


def test_a_chosen_encoder_without_edges_warns_of_what_it_leaves_out() -> None:
    expected = r"the model does not use 2 edge labels \(encoder gcn\) of the graphs"
    with pytest.warns(FeatureWarning, match=expected):
        model = gp.GraphClassifier("sum", encoder="gcn", epochs=1).fit(rings())
    assert model.model_.network.encoders[0].edge_channels == 0  # type: ignore[index, union-attr]
    assert model.model_.features.edge_channels == 0


def test_equal_labels_of_edges_leave_the_defaults_alone() -> None:
    same = rings(((0, 0, 0), (0, 0, 0)))
    plain = replace(same, edge_label=None, edge_label_names=())
    models = [TrainedModel.fit(graphs, None, QUICK) for graphs in (same, plain)]
    assert {model.config.model.encoder for model in models} == {"gcn"}
    for one, other in zip(*(model.network.parameters() for model in models), strict=True):
        assert torch.equal(one, other)


@pytest.mark.parametrize("encoder", USES_EDGES)
def test_a_saved_model_answers_the_same(encoder: str, tmp_path: Path) -> None:
    graphs = rings()
    model = TrainedModel.fit(graphs[:40], graphs[40:50], with_encoder(encoder))
    again = TrainedModel.load(model.save(tmp_path / "model.safetensors"))
    assert again.config == model.config
    assert again.config.model.num_layers > 0
    assert np.array_equal(again.probabilities(graphs[50:]), model.probabilities(graphs[50:]))


def test_many_labels_of_edges_get_learned_vectors(tmp_path: Path) -> None:
    graphs, count = rings(), ONE_HOT + 2
    codes = torch.arange(graphs.num_edges) % count
    many = replace(graphs, edge_label=codes, edge_label_names=tuple(range(count)))
    model = TrainedModel.fit(many, None, QUICK)
    assert model.features.used[1] == f"{count} edge labels (learned vectors)"
    table = model.network.edge_label_embedding.table.weight  # type: ignore[union-attr]
    assert table.shape == (count + 1, 8)
    again = TrainedModel.load(model.save(tmp_path / "model.safetensors"))
    assert np.array_equal(again.probabilities(many), model.probabilities(many))


def test_graphs_without_the_edge_labels_of_the_model_are_refused() -> None:
    graphs = rings()
    model = TrainedModel.fit(graphs, None, QUICK)
    other = replace(graphs, edge_label_names=("1", "2"))
    with pytest.raises(gp.errors.DataError, match="knows none of the edge labels; its labels are"):
        model.predict(other)
    with pytest.raises(gp.errors.DataError, match="rings has no edge labels; the model was"):
        model.predict(replace(graphs, edge_label=None, edge_label_names=()))


def test_a_run_holds_resolved_settings_and_goes_on_with_open_ones(tmp_path: Path) -> None:
    save(rings(), tmp_path / "rings.safetensors")
    config = replace(QUICK, data=str(tmp_path / "rings.safetensors"))
    _, document = train_run(config, tmp_path / "run", progress=False)
    written = read_toml(RunConfig, tmp_path / "run" / "config.toml")
    resolved = {"encoder": "gine", "norm": "batch", "residual": "on", "num_layers": DEEP}
    assert resolved.items() <= to_dict(written.model).items()
    assert document["config"]["model"] == to_dict(written.model)
    assert document["features"]["used"][1] == "2 edge labels"
    RunFolder(tmp_path / "run", config, resume=True).check_settings()
    other = RunFolder(tmp_path / "run", with_encoder("gcn", config), resume=True)
    with pytest.raises(CheckpointError, match='encoder is "gine" in the checkpoint and "gcn" now'):
        other.check_settings()


def test_a_model_from_before_residual_connections_is_read(tmp_path: Path) -> None:
    graphs = rings()
    model = TrainedModel.fit(graphs, None, with_encoder("gin"))
    path = model.save(tmp_path / "model.safetensors")
    stored = read_checkpoint(path)
    del stored.header["extra"]["model"]["residual"]
    write_checkpoint(path, dict(stored.tensors), stored.header)
    again = TrainedModel.load(path)
    assert again.config.model.residual == "off"
    assert np.array_equal(again.probabilities(graphs), model.probabilities(graphs))
