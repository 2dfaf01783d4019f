"""Sets on disk: the same graphs back, mapped, and never a damaged one."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from graphpool.data import content_hash, open_set
from graphpool.data.formats.safetensors import save
from graphpool.errors import DataError
from graphpool.graphs import GraphSet
from graphpool.graphs.checks import derived


def small(name: str = "small") -> GraphSet:
    built = GraphSet.build(
        name,
        torch.tensor([3, 2]),
        torch.tensor([2, 1]),
        torch.tensor([[0, 1, 0], [1, 2, 1]]),
        ids=["a", "é"],
        undirected=True,
        edge_label=torch.tensor([0, 1, 0]),
        edge_attr=torch.tensor([[0.5], [1.5], [2.5]]),
        edge_weight=torch.tensor([1.0, 2.0, 3.0]),
        node_label=torch.tensor([0, 1, 0, 1, 1]),
        node_attr=torch.arange(10.0).reshape(5, 2),
        graph_attr=torch.tensor([[1.0], [2.0]]),
        x=torch.ones(5, 1),
        y=torch.tensor([1, 0]),
        classes=("no", "yes"),
        node_label_names=(6, 8),
        edge_label_names=("single", "double"),
    )
    return dataclasses.replace(built, notes=("made by hand",))


def test_every_field_comes_back(tmp_path: Path) -> None:
    graphs = small()
    save(graphs, tmp_path / "set.safetensors")
    back = open_set(tmp_path / "set.safetensors")
    for item in dataclasses.fields(GraphSet):
        before, after = getattr(graphs, item.name), getattr(back, item.name)
        if isinstance(before, torch.Tensor):
            assert before.dtype == after.dtype
            assert torch.equal(before, after), item.name
        else:
            assert before == after, item.name


def test_fields_that_are_absent_stay_absent(tmp_path: Path) -> None:
    graphs = GraphSet.build(
        "bare", torch.tensor([2]), torch.tensor([0]), torch.zeros(2, 0, dtype=torch.long)
    )
    save(graphs, tmp_path / "set.safetensors")
    back = open_set(tmp_path / "set.safetensors")
    assert back.x is None
    assert back.y is None
    assert back.num_edges == 0


def test_features_that_are_the_attributes_can_be_saved(tmp_path: Path) -> None:
    graphs = small()
    shared = dataclasses.replace(graphs, x=graphs.node_attr)
    save(shared, tmp_path / "set.safetensors")
    back = open_set(tmp_path / "set.safetensors")
    assert back.x is not None
    assert torch.equal(back.x, torch.arange(10.0).reshape(5, 2))


def test_equal_sets_have_equal_hashes_whatever_was_derived_from_them() -> None:
    used = small()
    assert used.undirected
    assert content_hash(used) == content_hash(small())


def test_the_hash_does_not_depend_on_memory_layout_or_notes() -> None:
    graphs = small()
    assert graphs.node_attr is not None
    strided = dataclasses.replace(graphs, node_attr=graphs.node_attr.T.contiguous().T, notes=())
    assert content_hash(strided) == content_hash(graphs)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_the_hash_does_not_depend_on_the_device() -> None:
    assert content_hash(small().to("cuda")) == content_hash(small())


@pytest.mark.parametrize(
    "change",
    [
        {"y": torch.tensor([0, 1])},
        {"y": torch.tensor([1, 0], dtype=torch.int32)},
        {"node_attr": torch.arange(10.0).reshape(5, 2) + 1e-3},
        {"x": None},
        {"ids": ("a", "b")},
        {"classes": ("yes", "no")},
        {"name": "other"},
    ],
)
def test_the_hash_sees_every_difference(change: dict[str, object]) -> None:
    changed = dataclasses.replace(small(), **change)  # type: ignore[arg-type]
    assert content_hash(changed) != content_hash(small())


def test_every_flipped_bit_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "set.safetensors"
    save(small(), path)
    good = path.read_bytes()
    for position in range(len(good)):
        damaged = bytearray(good)
        damaged[position] ^= 1 << (position % 8)
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=r"set\.safetensors"):
            open_set(path)


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_truncated_file_is_refused(tmp_path: Path, keep: int) -> None:
    path = tmp_path / "set.safetensors"
    save(small(), path)
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(DataError, match=r"set\.safetensors.*make the file again"):
        open_set(path)


def test_another_safetensors_file_is_refused(tmp_path: Path) -> None:
    save_file({"weight": torch.ones(2)}, tmp_path / "model.safetensors")
    with pytest.raises(DataError, match="not one of graphs"):
        open_set(tmp_path / "model.safetensors")


def test_a_newer_format_is_refused_by_its_number(tmp_path: Path) -> None:
    header = json.dumps({"format": 99})
    save_file({"node_ptr": torch.ones(2)}, tmp_path / "s.safetensors", {"graphpool": header})
    with pytest.raises(DataError, match="format 99"):
        open_set(tmp_path / "s.safetensors")


@pytest.mark.parametrize(
    "forged",
    [
        {"node_ptr": torch.tensor([0, 9, 5])},
        {"node_ptr": torch.tensor([0, 3, 6])},
        {"node_ptr": torch.tensor(0)},
        {"edge_ptr": torch.tensor([0, 4, 7])},
        {"edge_ptr": torch.tensor([0.0, 4.0, 6.0])},
        {"edge_index": torch.tensor([[1, 0, 2, 1, 1, 2], [0, 1, 1, 2, 0, 1]]).int()},
        {"edge_index": torch.tensor([[1, 0, 2, 1, 1, -1], [0, 1, 1, 2, 0, 1]]).int()},
        {"y": torch.tensor([1, 0, 0])},
        {"ids": ("a",)},
        {"y": torch.tensor([0, 2])},
        {"y": torch.tensor([0.0, 1.0])},
        {"node_label": torch.tensor([0, 1, 0, 1, 1_000_000])},
        {"node_label": torch.tensor([0, 1, 0, 1, -2])},
        {"node_label": torch.ones(5, 1).int()},
        {"edge_label": torch.tensor([0, 0, 0, 0, 0, 1_000_000])},
        {"edge_label": torch.tensor([0, 0, 0, 0, 0, -2])},
        {"x": torch.ones(5)},
        {"edge_weight": torch.ones(6).long()},
        # Unsorted and repeated edges, of which compiled loops read more than there is room for.
        {"edge_index": torch.tensor([[2, 0, 1, 1, 1, 0], [1, 1, 0, 2, 0, 1]]).int()},
        {"edge_index": torch.tensor([[1, 0, 0, 1, 1, 0], [0, 1, 1, 2, 0, 1]]).int()},
    ],
)
def test_a_file_that_is_whole_but_makes_no_sense_is_refused(
    tmp_path: Path, forged: dict[str, Any]
) -> None:
    path = tmp_path / "set.safetensors"
    save(derived(small(), **forged), path)
    with pytest.raises(DataError, match=r"set\.safetensors"):
        open_set(path)


def test_a_missing_file_is_a_data_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        open_set(tmp_path / "none.safetensors")


def test_another_source_is_refused(tmp_path: Path) -> None:
    save(small(), tmp_path / "s.safetensors", source="one")
    assert len(open_set(tmp_path / "s.safetensors", source="one")) == 2
    with pytest.raises(DataError, match="something else"):
        open_set(tmp_path / "s.safetensors", source="two")


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "set.safetensors"
    save(small("old"), path)

    def broken(descriptor: int) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", broken)
    with pytest.raises(OSError, match="disk full"):
        save(small("new"), path)
    assert open_set(path).name == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["set.safetensors"]


_MEASURE = """
import sys
from graphpool.data import open_set

def own_memory():
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))

open_set(sys.argv[1])
before = own_memory()
graphs = open_set(sys.argv[2])
sys.stdout.write(str(own_memory() - before))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_large_set_is_mapped_not_copied(tmp_path: Path) -> None:
    save(small(), tmp_path / "small.safetensors")
    megabytes = 64
    large = dataclasses.replace(small(), x=torch.ones(5, megabytes * 2**20 // 20))
    save(large, tmp_path / "large.safetensors")
    files = [str(tmp_path / "small.safetensors"), str(tmp_path / "large.safetensors")]
    done = subprocess.run(
        [sys.executable, "-c", _MEASURE, *files], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < megabytes * 1024 / 8  # in kB; verified as well, and still no copy
