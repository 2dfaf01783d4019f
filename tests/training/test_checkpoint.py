import pickle

import pytest
import safetensors.torch
import torch
from standin import make_model

from graphpool.errors import CheckpointError
from graphpool.training import read_checkpoint
from graphpool.training.checkpoint import load_model_weights, write_checkpoint


@pytest.fixture
def path(tmp_path):
    weights = {f"weights/{name}": value for name, value in make_model().state_dict().items()}
    write_checkpoint(tmp_path / "last.safetensors", weights, {"extra": {"a": [1, 0.1]}})
    return tmp_path / "last.safetensors"


def test_weights_and_json_come_back_unchanged(path):
    checkpoint, model = read_checkpoint(path), make_model(seed=9)
    load_model_weights(model, checkpoint)
    assert checkpoint.header == {"extra": {"a": [1, 0.1]}}
    for name, value in make_model().state_dict().items():
        assert torch.equal(value, model.state_dict()[name])


def test_every_kind_of_tensor_comes_back(tmp_path):
    tensors = {
        "empty": torch.zeros(0, 3),
        "scalar": torch.tensor(2.5, dtype=torch.float64),
        "mask": torch.tensor([True, False]),
        "turned": torch.arange(6).view(2, 3).t(),
        "half": torch.ones(2, dtype=torch.bfloat16),
    }
    write_checkpoint(tmp_path / "a", tensors, {})
    for name, value in read_checkpoint(tmp_path / "a").tensors.items():
        assert torch.equal(value, tensors[name])
        assert value.dtype == tensors[name].dtype


def test_a_truncated_file_is_named(path):
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(CheckpointError, match=r"last\.safetensors: damaged"):
        read_checkpoint(path)


@pytest.mark.parametrize("place", [0.1, 0.5, 0.9, 0.999])
def test_a_flipped_bit_anywhere_is_noticed(path, place):
    content = bytearray(path.read_bytes())
    content[int(place * len(content))] ^= 4
    path.write_bytes(bytes(content))
    with pytest.raises(CheckpointError, match=r"last\.safetensors"):
        read_checkpoint(path)


def test_a_damaged_last_file_points_to_the_best_one(path):
    path.with_name("best.safetensors").write_bytes(path.read_bytes())
    path.write_bytes(b"")
    with pytest.raises(CheckpointError, match=r"best\.safetensors still holds the best weights"):
        read_checkpoint(path)


def test_a_foreign_safetensors_file_is_refused(tmp_path):
    safetensors.torch.save_file({"a": torch.zeros(1)}, tmp_path / "x.safetensors")
    with pytest.raises(CheckpointError, match="not a checkpoint of graphpool"):
        read_checkpoint(tmp_path / "x.safetensors")


def test_a_pickle_is_refused_and_never_run(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (tmp_path.joinpath("exploded").touch, ())

    (tmp_path / "last.safetensors").write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(CheckpointError, match="damaged"):
        read_checkpoint(tmp_path / "last.safetensors")
    assert not (tmp_path / "exploded").exists()


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(CheckpointError, match="no such checkpoint"):
        read_checkpoint(tmp_path / "last.safetensors")


def test_another_architecture_is_refused_by_tensor_and_leaves_the_model_alone(path):
    model = make_model(hidden=7)
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with pytest.raises(
        CheckpointError, match=r"'inner\.weight' is float32\[6, 3\] in the file and float32\[7, 3\]"
    ):
        load_model_weights(model, read_checkpoint(path))
    assert all(torch.equal(before[name], value) for name, value in model.state_dict().items())


def test_a_tensor_that_only_one_side_has_is_named(path):
    model = make_model()
    model.added = torch.nn.Linear(1, 1)
    with pytest.raises(CheckpointError, match=r"'added\.weight' is not in the file"):
        load_model_weights(model, read_checkpoint(path))
    del model.added, model.norm
    with pytest.raises(CheckpointError, match=r"'norm\.\w+' is not in the model"):
        load_model_weights(model, read_checkpoint(path))


def test_a_write_that_fails_keeps_the_old_file(path):
    before = path.read_bytes()
    with pytest.raises(TypeError):
        write_checkpoint(path, {}, {"not json": object()})
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]
