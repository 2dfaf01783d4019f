import errno
import hashlib
import json
import math
import os
import stat
from pathlib import Path

import pytest

from graphpool.errors import GraphpoolError, WriteError
from graphpool.files import (
    append_text,
    atomic_write,
    lock_file,
    private_folder,
    remove_abandoned,
    scratch_folder,
    sha256_file,
    write_json,
)


def test_content_appears_only_when_the_block_ends(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    with atomic_write(path, "w") as handle:
        handle.write("über")
        assert not path.exists()
    assert path.read_bytes() == "über".encode()


def test_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.bin"
    path.write_bytes(b"old")

    def interrupted() -> None:
        with atomic_write(path) as handle:
            handle.write(b"half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_written_file_can_be_read_by_others(tmp_path: Path) -> None:
    with atomic_write(tmp_path / "file.bin") as handle:
        handle.write(b"x")
    assert stat.S_IMODE((tmp_path / "file.bin").stat().st_mode) == 0o644


def test_json_is_readable_and_keeps_the_order_of_keys(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"b": 1, "a": [1.5, None]})
    text = (tmp_path / "a.json").read_text()
    assert json.loads(text) == {"b": 1, "a": [1.5, None]}
    assert text.index('"b"') < text.index('"a"')
    assert text.endswith("}\n")


def test_json_says_null_where_a_number_is_not_finite(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", {"a": (1.5, math.nan), "b": {"c": -math.inf}})
    assert json.loads((tmp_path / "a.json").read_text()) == {"a": [1.5, None], "b": {"c": None}}


def test_hash_is_sha256_of_the_bytes(tmp_path: Path) -> None:
    content = bytes(range(256)) * 5000
    (tmp_path / "file.bin").write_bytes(content)
    assert sha256_file(tmp_path / "file.bin") == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("number", "problem"),
    [
        (errno.ENOSPC, "the disk is full; free some space there, or choose another path"),
        (errno.EDQUOT, "your disk quota is used up; remove files there, or choose another path"),
        (errno.EFBIG, "larger than the limit on the size of files; raise the limit"),
        (errno.EROFS, "the file system is read-only; choose another path"),
        (errno.EACCES, "no permission to write there; choose another path"),
        (errno.EIO, "Input/output error; choose another path"),
    ],
)
def test_what_keeps_a_file_from_being_written_is_one_error_with_path_and_advice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, problem: str
) -> None:
    def failing(descriptor: int) -> None:
        raise OSError(number, os.strerror(number))

    path = tmp_path / "file.txt"
    path.write_text("old")
    monkeypatch.setattr("graphpool.files.os.fsync", failing)
    for write in (lambda: write_json(path, 1), lambda: append_text(path, "new\n")):
        with pytest.raises(WriteError) as caught:
            write()
        assert str(caught.value).startswith(f"{path}: can't be written: {problem}")
        assert isinstance(caught.value, GraphpoolError)
        assert path.read_text() == "old"
        assert list(tmp_path.iterdir()) == [path]


def test_folders_and_long_names_are_errors_that_name_the_path(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path, problem in (
        (tmp_path, "is a folder; give the name of a file"),
        (tmp_path / "file" / "a", "a file stands where a folder is needed"),
        (tmp_path / ("n" * 300), "the name is too long; choose a shorter path"),
    ):
        with pytest.raises(WriteError, match=problem):
            write_json(path, 1)


def test_a_name_as_long_as_the_file_system_allows_can_be_written(tmp_path: Path) -> None:
    write_json(tmp_path / ("n" * 255), 1)


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write
    monkeypatch.setattr("graphpool.files.os.write", lambda file, data: real(file, data[:3]))
    append_text(tmp_path / "log", "one line\n")
    append_text(tmp_path / "log", "another\n", sync=False)
    assert (tmp_path / "log").read_text() == "one line\nanother\n"


def test_a_line_that_the_disk_takes_half_of_is_not_left_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real, path = os.write, tmp_path / "log"
    append_text(path, "one\n")

    def full(file: int, data: bytes) -> int:
        if len(data) < 5:
            raise OSError(errno.ENOSPC, "full")
        return real(file, data[:5])

    monkeypatch.setattr("graphpool.files.os.write", full)
    with pytest.raises(WriteError, match="disk is full"):
        append_text(path, "two and more\n")
    assert path.read_text() == "one\n"


def test_temporary_files_of_the_dead_are_removed_and_those_of_the_living_kept(
    tmp_path: Path,
) -> None:
    dead, living, other = (
        tmp_path / name
        for name in (".graphpool-abcdefgh.tmp", ".graphpool-12345678.tmp", ".other-abcdefgh.tmp")
    )
    for path in (dead, living, other):
        path.write_text("")
    with living.open() as handle:
        assert lock_file(handle.fileno())
        write_json(tmp_path / "a.json", 1)
        assert not dead.exists()
        assert living.exists()
        assert other.exists()
        assert lock_file(os.open(living, os.O_RDONLY)) is False


def test_a_file_is_locked_until_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = []
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        remove_abandoned.cache_clear()
        remove_abandoned(tmp_path)
        seen.append(self.exists())
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    write_json(tmp_path / "a.json", 1)
    assert seen == [True]


def test_without_locks_only_old_temporary_files_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graphpool.files.lock_file", lambda descriptor, wait=False: None)
    old, new = tmp_path / ".graphpool-abcdefgh.tmp", tmp_path / ".graphpool-12345678.tmp"
    old.write_text("")
    new.write_text("")
    os.utime(old, (1, 1))
    remove_abandoned(tmp_path)
    assert list(tmp_path.iterdir()) == [new]


def test_scratch_folders_of_the_dead_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "graphpool-scratch-dead").mkdir()
    (tmp_path / "graphpool-scratch-dead" / "file").write_text("")
    with scratch_folder() as first:
        assert list(tmp_path.iterdir()) == [first]
        with scratch_folder() as second:
            assert {*tmp_path.iterdir()} == {first, second}
    assert not list(tmp_path.iterdir())


def test_a_private_folder_of_others_is_refused(tmp_path: Path) -> None:
    made = private_folder(tmp_path / "mine")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700
    (tmp_path / "link").symlink_to(made)
    (tmp_path / "open").mkdir()
    (tmp_path / "open").chmod(0o777)
    for name in ("link", "open"):
        with pytest.raises(WriteError, match=f"{name}: not used, because others may write to it"):
            private_folder(tmp_path / name)
