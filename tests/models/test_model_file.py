import json
from dataclasses import replace

import pytest
import torch

from graphpool.config import CompareConfig, ModelConfig, RunConfig, TrainConfig, original_names
from graphpool.data.source import Source
from graphpool.data.synthetic.matching.build import matching_pairs
from graphpool.errors import CheckpointError
from graphpool.models.model import TrainedModel
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint


@pytest.fixture(scope="module")
def pairs():
    return matching_pairs("paper", 8, 24, seed=0, verify=False)


@pytest.fixture(scope="module", params=["hap", "gmn-hap"])
def comparer(request, pairs):
    config = RunConfig(
        task="matching",
        data="matching-paper-8",
        features="constant+logdegree",
        model=ModelConfig(pooler=request.param, hidden_channels=8, num_layers=1, norm="batch"),
        train=TrainConfig(epochs=1, batch_size=12, threads=1),
        compare=CompareConfig(examples=24, pairs="somewhere.csv"),
    )
    return TrainedModel.fit(pairs, None, config, source=Source("digest", (3, 4)))


def test_a_file_gives_back_the_same_answers_to_the_bit(comparer, pairs, tmp_path):
    loaded = TrainedModel.load(comparer.save(tmp_path / "model.safetensors"))
    assert loaded.score(pairs) == comparer.score(pairs)
    assert loaded.config == comparer.config
    assert loaded.source == Source("digest", (3, 4))
    assert (loaded.best, loaded.versions) == (comparer.best, comparer.versions)
    assert loaded.mean_nodes == comparer.mean_nodes
    assert not loaded.network.training


def test_a_file_of_0_1_0_is_read(comparer, pairs, tmp_path):
    path = comparer.save(tmp_path / "model.safetensors")
    _, tensors, header = read_checkpoint(path)
    header["config"] = original_names({"train": header["config"]})["train"]
    header["extra"] = original_names(header["extra"])
    assert "clip" in header["config"]
    assert "jump" in header["extra"]["model"]
    write_checkpoint(path, tensors, header)
    loaded = TrainedModel.load(path)
    assert loaded.config == comparer.config
    assert loaded.score(pairs) == comparer.score(pairs)


def test_training_leaves_random_numbers_alone(comparer, pairs):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    TrainedModel.fit(pairs, None, comparer.config)
    assert torch.equal(torch.rand(3), expected)


def test_the_best_model_of_a_folder_is_such_a_file(comparer, pairs, tmp_path):
    made = TrainedModel.fit(pairs, pairs, comparer.config, folder=tmp_path)
    assert TrainedModel.load(tmp_path).score(pairs) == made.score(pairs)


def test_other_kinds_of_files_are_refused_with_what_they_are_for(comparer, tmp_path):
    path = comparer.save(tmp_path / "model.safetensors")
    with pytest.raises(CheckpointError, match="holds a graph comparer, not a graph classifier"):
        TrainedModel.load(path, tasks=["classification"])
    checkpoint = read_checkpoint(path)
    header = json.loads(json.dumps(checkpoint.header))
    header["extra"]["kind"] = "graph classifier"
    write_checkpoint(path, checkpoint.tensors, header)
    with pytest.raises(CheckpointError, match="not a graph comparer; use it with graphpool pred"):
        TrainedModel.load(path, takes="pairs")
    with pytest.raises(CheckpointError, match="no trained model"):
        TrainedModel.load(tmp_path)


@pytest.mark.parametrize(
    ("section", "key", "value", "said"),
    [
        ("extra", "task", "divination", "task 'divination' is unknown"),
        ("extra", "model", {"pooler": "hap", "colour": 1}, "unknown key 'colour'"),
        ("extra", "mean_nodes", None, "can't read"),
    ],
)
def test_settings_of_another_version_are_refused(comparer, tmp_path, section, key, value, said):
    path = replace(comparer).save(tmp_path / "model.safetensors")
    checkpoint = read_checkpoint(path)
    header = json.loads(json.dumps(checkpoint.header))
    header[section][key] = value
    if value is None:
        del header[section][key]
    write_checkpoint(path, checkpoint.tensors, header)
    with pytest.raises(CheckpointError, match=said) as refused:
        TrainedModel.load(path)
    assert "train the model again" in str(refused.value)
