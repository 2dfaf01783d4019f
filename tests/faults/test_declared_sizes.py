"""Sizes that a file declares are compared with what it holds before memory is taken."""

import gzip
import json
import resource
import zipfile

import numpy as np
import pytest
from hostile_files import TU, make_matrix, make_model, make_set
from safetensors import safe_open

import graphpool as gp
from graphpool.data.formats import safetensors as set_file
from graphpool.errors import CheckpointError, DataError
from graphpool.ged import array_file, open_matrix
from graphpool.limits import Limits, use_limits
from graphpool.models.model import TrainedModel
from graphpool.training.checkpoint import read_checkpoint, write_checkpoint
from graphpool.training.events import EventLog, read_events


@pytest.fixture(autouse=True)
def _little_memory():
    """No test of this file may add 300 MB to what the process has taken."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return make_model(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize(
    "text",
    [
        '{"nodes": 100000000}\n',
        '{"nodes": 900000, "edges": [[0, 1]]}\n{"nodes": 900000}\n',
        '{"nodes": 2000000, "edges": []}\n',
    ],
)
def test_nodes_that_are_only_counted_are_limited(tmp_path, text):
    (tmp_path / "a.jsonl").write_text(text)
    with pytest.raises(DataError, match=r"nodes that have no label.* over the limit of 1,000,000"):
        gp.read(tmp_path / "a.jsonl", cache=False)


def test_the_limit_can_be_raised(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"nodes": 20}\n')
    with use_limits(Limits(bare_nodes=19)), pytest.raises(DataError, match="bare_nodes=20"):
        gp.read(tmp_path / "a.jsonl", cache=False)
    with gp.use_limits(gp.Limits(bare_nodes=20)):
        assert gp.read(tmp_path / "a.jsonl", cache=False).num_nodes == 20


def test_a_set_whose_pointers_declare_nodes_that_are_not_there(tmp_path):
    path = make_set(tmp_path)
    graphs = gp.read(path)
    with safe_open(path, framework="pt") as handle:
        header = json.loads(handle.metadata()["graphpool"])
        tensors = {key: handle.get_tensor(key).clone() for key in handle.keys()}  # noqa: SIM118
    del header["check"], tensors["node_label"]
    tensors.pop("x", None)
    tensors["node_ptr"][-1] = 10**12
    names = {key: header[key] for key in set_file._NAMES}
    header["content"] = set_file.hash_tensors(set_file._json(names), tensors)
    header["check"] = set_file._check(header)
    path.write_bytes(set_file.to_bytes(tensors, metadata={"graphpool": json.dumps(header)}))
    assert len(graphs) == 3
    with pytest.raises(DataError, match="over the limit"):
        gp.read(path)


@pytest.mark.parametrize("shape", [(10**10,), (10**12, 2), (2**40, 2**40), (-5,)])
def test_an_array_that_declares_more_than_its_bytes(tmp_path, shape):
    path = tmp_path / "a.npz"
    np.savez(path, edge_ptr=[0, 0], edges=np.zeros((0, 2), dtype=int))
    with zipfile.ZipFile(path, "a") as archive, archive.open("node_ptr.npy", "w") as member:
        head = {"descr": "<i8", "fortran_order": False, "shape": shape}
        np.lib.format.write_array_header_1_0(member, head)
    with pytest.raises(DataError, match=r"'node_ptr': can't be read: .*0 are there"):
        gp.read(path, cache=False)


def test_a_small_zip_that_unpacks_to_much(tmp_path):
    with zipfile.ZipFile(tmp_path / "T.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for part, text in TU.items():
            archive.writestr(f"T_{part}.txt", text)
        with archive.open("T_edge_labels.txt", "w") as member:
            for _ in range(24):
                member.write(b"1\n" * (1 << 19))
    with pytest.raises(DataError, match=r"T\.zip: .*times its size .*unpacked_ratio="):
        gp.read(tmp_path / "T.zip", cache=False)


def test_a_small_gzip_that_unpacks_to_much(tmp_path):
    line = b'{"nodes": 1}' + b" " * (1 << 17) + b"\n"
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(line * 150))
    with pytest.raises(DataError, match="times its size"):
        gp.read(tmp_path / "a.jsonl.gz", cache=False)


@pytest.mark.parametrize(
    ("key", "value"),
    [("num_layers", 10**6), ("hidden_channels", 10**6), ("clusters", [1] * 10**5)],
)
def test_a_model_file_that_asks_for_a_larger_network(tmp_path, model, key, value):
    path = tmp_path / "crafted.safetensors"
    _, tensors, header = read_checkpoint(model)
    header["extra"]["model"][key] = value
    write_checkpoint(path, tensors, header)
    with pytest.raises(CheckpointError, match=r"larger network than the weights|can't read"):
        TrainedModel.load(path)


def test_a_matrix_file_that_asks_for_75_gigabytes(tmp_path):
    path = make_matrix(tmp_path)
    header, arrays = array_file.read_arrays(path, "distance matrix")
    large = {**arrays, "classes": np.array([0, 1, 100_000])}
    array_file.write_arrays(path, "distance matrix", header, large)
    with pytest.raises(DataError, match="don't fit together"):
        open_matrix(path)
    many = {**header, "ids": [str(number) for number in range(100_000)]}
    classes = {**arrays, "classes": np.arange(100_000)}
    array_file.write_arrays(path, "distance matrix", many, classes)
    matrix = open_matrix(path)
    with pytest.raises(DataError, match="bytes of a matrix of 100,000 graphs are over the limit"):
        _ = matrix.values


def test_an_id_of_a_megabyte_is_refused_in_a_short_message(tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": "x" * 10**6, "nodes": 1}))
    with pytest.raises(DataError, match="1,000,000 characters of a name in id") as caught:
        gp.read(tmp_path / "a.jsonl", cache=False)
    assert len(str(caught.value)) < 500
    (tmp_path / "b.jsonl").write_text(json.dumps({"nodes": 1, "x" * 10**6: 1}))
    with pytest.raises(DataError, match="unknown key") as caught:
        gp.read(tmp_path / "b.jsonl", cache=False)
    assert len(str(caught.value)) < 3000


def test_events_without_their_numbers_are_skipped(tmp_path):
    lines = (
        '{"event": "epoch"}',
        '{"event": "epoch", "epoch": "1"}',
        '{"event": "resume"}',
        "[" * 999,
    )
    (tmp_path / "events.jsonl").write_text("\n".join([*lines, '{"event": "epoch", "epoch": 1}\n']))
    log = EventLog(tmp_path)
    log.rewind(1, 1)
    assert read_events(tmp_path / "events.jsonl") == [{"event": "epoch", "epoch": 1}]
