"""Codes of labels at the door of every network."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from graphpool.config import ModelConfig, RunConfig, TrainConfig
from graphpool.features import FeaturePipeline
from graphpool.graphs import GraphBatch, GraphSet
from graphpool.models import TrainedModel
from graphpool.nn.encoders import encoder_names
from graphpool.nn.label_embedding import LabelEmbedding, add_label_embedding
from graphpool.nn.zoo.build import METHODS, PAIR_METHODS, build_model
from graphpool.nn.zoo.pairs import build_pair_model

LABELS, WIDTH = 300, 8


def many_labels(graphs: int = 40, labels: int = LABELS, seed: int = 0) -> GraphSet:
    """Rings of 8 nodes with one attribute; odd graphs have odd labels."""
    rng = np.random.default_rng(seed)
    count, ring = torch.full((graphs,), 8), torch.arange(8)
    classes = np.arange(graphs) % 2
    codes = 2 * rng.integers(0, labels // 2, (graphs, 8)) + classes[:, None]
    return GraphSet.build(
        "many",
        count,
        count,
        torch.stack([ring, (ring + 1) % 8]).repeat(1, graphs),
        undirected=True,
        node_label=torch.from_numpy(codes.reshape(-1)),
        node_label_names=tuple(range(labels)),
        node_attr=torch.from_numpy(rng.normal(size=(graphs * 8, 1))).float(),
        y=torch.from_numpy(classes),
        classes=("even", "odd"),
    )


def batch_and_embedding() -> tuple[GraphBatch, LabelEmbedding, int]:
    """A batch with codes in column 0, the lookup for it, and the channels that come out."""
    graphs = many_labels(200)
    features = FeaturePipeline("labels+attributes").fit(graphs)
    assert features.lookup is not None
    column, codes = features.lookup
    ready = features.transform(graphs[:6])
    assert ready.x is not None
    assert ready.x.shape[1] == 2  # memory grows with nodes, not with nodes times labels
    return ready.batch(), LabelEmbedding(column, codes, WIDTH), WIDTH + 1


def test_the_column_of_codes_becomes_the_vector_of_each_label() -> None:
    embedding = LabelEmbedding(1, 4, 2)
    made = embedding(torch.tensor([[5.0, 3.0, 6.0], [7.0, 0.0, 8.0]]))
    vector = embedding.table.weight[3].tolist()
    assert made.tolist() == [[5.0, *vector, 6.0], [7.0, 0.0, 0.0, 8.0]]


def test_the_lookup_is_the_first_product_of_one_hot_labels() -> None:
    embedding, weight = LabelEmbedding(0, 5, 3), torch.randn(3, 4)
    codes = torch.tensor([1, 4, 2])
    one_hot = torch.nn.functional.one_hot(codes, 5).float()
    expected = one_hot @ (embedding.table.weight @ weight)
    assert torch.allclose(embedding(codes.float().unsqueeze(1)) @ weight, expected, atol=1e-6)


@pytest.mark.parametrize("pooler", METHODS)
def test_every_network_looks_its_labels_up(pooler: str) -> None:
    batch, embedding, channels = batch_and_embedding()
    network = build_model(ModelConfig(pooler=pooler, hidden_channels=WIDTH), channels, 2, 8.0)
    add_label_embedding(network, embedding)
    logits = network(batch)
    assert logits.shape == (6, 2)
    logits.square().sum().backward()
    grad = embedding.table.weight.grad
    assert grad is not None
    seen = torch.unique(batch.x[:, 0].long())
    assert bool((grad[seen].abs().sum(1) > 0).any())
    assert int((grad.abs().sum(1) > 0).sum()) <= len(seen)


@pytest.mark.parametrize("encoder", encoder_names())
@pytest.mark.parametrize("norm", ["none", "batch"])
def test_every_encoder_takes_looked_up_labels(encoder: str, norm: str) -> None:
    batch, embedding, channels = batch_and_embedding()
    settings = ModelConfig(encoder=encoder, norm=norm, hidden_channels=WIDTH)
    network = build_model(settings, channels, 2, 8.0)
    add_label_embedding(network, embedding)
    assert bool(network(batch).isfinite().all())


@pytest.mark.parametrize("pooler", ["hap", "sum", *PAIR_METHODS])
def test_every_pair_network_looks_its_labels_up(pooler: str) -> None:
    batch, embedding, channels = batch_and_embedding()
    network = build_pair_model(ModelConfig(pooler=pooler, hidden_channels=WIDTH), channels, 8.0)
    add_label_embedding(network, embedding)
    left, right = torch.tensor([0, 1, 2]), torch.tensor([3, 4, 5])
    network.compare(batch, left, right).distances.sum().backward()
    assert embedding.table.weight.grad is not None
    assert bool(embedding.table.weight.grad.abs().sum() > 0)


@pytest.mark.parametrize("pooler", ["hap", "structure-free", "gmn"])
def test_reset_draws_the_vectors_again(pooler: str) -> None:
    _, embedding, channels = batch_and_embedding()
    settings = ModelConfig(pooler=pooler, hidden_channels=WIDTH)
    build = build_pair_model if pooler in PAIR_METHODS else build_model
    rest = (8.0,) if pooler in PAIR_METHODS else (2, 8.0)
    network = build(settings, channels, *rest)  # type: ignore[operator]
    add_label_embedding(network, embedding)
    before = embedding.table.weight.detach().clone()
    network.reset_parameters()
    assert not torch.equal(before[1:], embedding.table.weight[1:])
    assert bool((embedding.table.weight[0] == 0).all())


def test_model_of_many_labels_learns_saves_and_loads(tmp_path: Path) -> None:
    graphs = many_labels(120, labels=200)
    config = RunConfig(
        model=ModelConfig(pooler="sum", hidden_channels=16),
        train=TrainConfig(epochs=12, learning_rate=0.01),
    )
    model = TrainedModel.fit(graphs, None, config)
    assert model.features.about()["used"][0].endswith("node labels (learned vectors)")
    assert (model.predict(graphs) == np.array(["even", "odd"] * 60)).mean() > 0.9
    again = TrainedModel.load(model.save(tmp_path / "model.safetensors"))
    assert np.array_equal(again.probabilities(graphs), model.probabilities(graphs))
    renamed = replace(graphs, node_label_names=graphs.node_label_names[::-1])
    mirrored = replace(renamed, node_label=199 - graphs.node_label)  # type: ignore[operator]
    assert np.array_equal(again.probabilities(mirrored), model.probabilities(graphs))
