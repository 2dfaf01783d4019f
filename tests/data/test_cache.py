"""The cache of parsed sets: used when whole, rebuilt otherwise, never in the way."""

import logging
import os
import stat
from pathlib import Path

import pytest
import torch

from graphpool.data import cache, content_hash
from graphpool.data.cache import cache_key, cache_root, cached
from graphpool.data.formats import safetensors as storage
from graphpool.data.load import load
from graphpool.errors import GraphpoolWarning, WriteError, collect_warnings
from graphpool.graphs import GraphSet


class Builder:
    """Builds a one-edge set and counts how often."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self) -> GraphSet:
        self.calls += 1
        return GraphSet.build(
            "pair", torch.tensor([2]), torch.tensor([1]), torch.tensor([[0], [1]]), undirected=True
        )


KEY = cache_key("digest", reader="tu", version=1)


def stored(name: str, key: str, build: Builder, folder: Path) -> GraphSet:
    return cached(name, key, build, storage.open_set, storage.save, folder)


def only_file(folder: Path) -> Path:
    (path,) = folder.iterdir()
    return path


def test_the_second_time_nothing_is_built(tmp_path: Path) -> None:
    build = Builder()
    first = stored("pair", KEY, build, tmp_path)
    second = stored("pair", KEY, build, tmp_path)
    assert build.calls == 1
    assert content_hash(first) == content_hash(second)


@pytest.mark.parametrize(
    "other",
    [
        cache_key("other bytes", reader="tu", version=1),
        cache_key("digest", reader="tu", version=2),
        cache_key("digest", reader="jsonl", version=1),
        cache_key("digest", reader="tu", version=1, self_loops=True),
    ],
)
def test_another_source_version_or_option_is_built_anew(tmp_path: Path, other: str) -> None:
    build = Builder()
    stored("pair", KEY, build, tmp_path)
    stored("pair", other, build, tmp_path)
    assert build.calls == 2


@pytest.mark.parametrize("damage", ["truncate", "flip", "empty", "foreign"])
def test_a_damaged_file_is_built_again_with_a_warning(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    build = Builder()
    stored("pair", KEY, build, tmp_path)
    path = only_file(tmp_path)
    data = bytearray(path.read_bytes())
    if damage == "truncate":
        path.write_bytes(data[:-3])
    elif damage == "flip":
        data[-1] ^= 4
        path.write_bytes(data)
    elif damage == "empty":
        path.write_bytes(b"")
    else:
        storage.save(Builder()(), path, source="of another set")
    with caplog.at_level(logging.WARNING):
        again = stored("pair", KEY, build, tmp_path)
    assert build.calls == 2
    assert "built again" in caplog.text
    assert again.edge_index.tolist() == [[1, 0], [0, 1]]
    stored("pair", KEY, build, tmp_path)
    assert build.calls == 2  # the file was mended


def test_an_outdated_format_is_built_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build = Builder()
    with monkeypatch.context() as patch:
        patch.setattr(storage, "FORMAT", 0)
        stored("pair", KEY, build, tmp_path)
    stored("pair", KEY, build, tmp_path)
    assert build.calls == 2


def test_without_a_folder_to_write_to_it_works_and_says_so_once(tmp_path: Path) -> None:
    cache._warn_once.cache_clear()
    (tmp_path / "file").write_text("in the way")
    build = Builder()
    with collect_warnings(GraphpoolWarning) as texts:
        for _ in range(2):
            assert len(stored("pair", KEY, build, tmp_path / "file" / "sets")) == 1
    assert build.calls == 2
    assert ["GRAPHPOOL_CACHE" in text for text in texts] == [True]


def test_a_name_with_slashes_stays_in_the_folder(tmp_path: Path) -> None:
    stored("../../away", KEY, Builder(), tmp_path / "sets")
    assert only_file(tmp_path / "sets").name.startswith(".._.._away-")


def test_the_environment_says_where_the_cache_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAPHPOOL_CACHE", "/somewhere")
    assert cache_root() == Path("/somewhere")


def test_the_default_is_the_users_cache_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GRAPHPOOL_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert cache_root() == tmp_path / "graphpool"


@pytest.fixture
def homeless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An account without a home; returns its cache folder among the temporary files."""

    def no_home(cls: type[Path]) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("GRAPHPOOL_CACHE", raising=False)
    monkeypatch.setattr(Path, "home", classmethod(no_home))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    cache._warn_once.cache_clear()
    return tmp_path / f"graphpool-{os.getuid()}"


def test_without_a_home_the_cache_is_private(homeless: Path) -> None:
    assert cache_root() == homeless
    assert stat.S_IMODE(homeless.stat().st_mode) == 0o700
    assert cache_root() == homeless


def test_without_a_home_a_folder_of_others_is_neither_read_nor_written(
    homeless: Path, recwarn: pytest.WarningsRecorder
) -> None:
    homeless.mkdir()
    homeless.chmod(0o777)
    build = Builder()
    for _ in range(2):
        assert len(cached("pair", KEY, build, storage.open_set, storage.save)) == 1
    assert build.calls == 2
    assert not list(homeless.iterdir())
    assert sum("others may write to it" in str(each.message) for each in recwarn) == 1
    assert load("MUTAG", features=None).name == "MUTAG"


def test_a_set_that_is_written_in_chunks_is_opened_and_never_built(tmp_path: Path) -> None:
    build, made = Builder(), Builder()

    def write(path: Path, source: str) -> None:
        storage.save(made(), path, source=source)

    for _ in range(2):
        graphs = cached("pair", KEY, build, storage.open_set, storage.save, tmp_path, write)
        assert content_hash(graphs) == content_hash(Builder()())
    assert (build.calls, made.calls) == (0, 1)


def test_a_set_that_can_not_be_written_or_opened_is_built(tmp_path: Path) -> None:
    def full(path: Path, source: str) -> None:
        raise WriteError(f"{path}: the disk is full")

    def too_long(path: Path, source: str) -> None:
        path.write_bytes(b"a header beyond the limits")

    for write in (full, too_long):
        build = Builder()
        with collect_warnings(GraphpoolWarning):
            cached("pair", KEY, build, storage.open_set, storage.save, tmp_path, write)
        assert build.calls == 1
