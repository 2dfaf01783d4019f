import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from graphpool.errors import GraphpoolError, LockedError, WriteError
from graphpool.locks import LOCK, file_lock, folder_lock


def test_the_second_is_told_who_holds_the_folder(tmp_path: Path) -> None:
    with folder_lock(tmp_path / "run"):
        with pytest.raises(LockedError) as caught, folder_lock(tmp_path / "run"):
            pass
        text = str(caught.value)
        held = (
            f"{tmp_path / 'run'}: in use by process {os.getpid()} on {socket.gethostname()} since"
        )
        assert text.startswith(held)
        assert "wait until it ends, or choose another path (--out)" in text
        assert isinstance(caught.value, GraphpoolError)


def test_a_lock_leaves_nothing_behind(tmp_path: Path) -> None:
    with folder_lock(tmp_path / "run"):
        pass
    assert not list(tmp_path.iterdir())
    with file_lock(tmp_path / "a.ged"), file_lock(tmp_path / "b.ged"):
        pass
    assert not list(tmp_path.iterdir())
    with folder_lock(tmp_path / "run"):
        (tmp_path / "run" / "file").write_text("")
    assert list((tmp_path / "run").iterdir()) == [tmp_path / "run" / "file"]


def test_the_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    code = (
        "import os, signal, sys; from graphpool.locks import folder_lock\n"
        "with folder_lock(sys.argv[1]): os.kill(os.getpid(), signal.SIGKILL)"
    )
    died = subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    assert died.returncode == -9
    assert "process" in (tmp_path / LOCK).read_text()
    with folder_lock(tmp_path):
        assert f"process {os.getpid()} " in (tmp_path / LOCK).read_text()


def test_a_lock_file_that_was_removed_meanwhile_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, removed = tmp_path / LOCK, []
    from graphpool import locks

    real = locks.lock_file

    def late(descriptor: int) -> bool | None:
        if not removed:
            path.unlink()  # as its holder does at its end
            removed.append(True)
        return real(descriptor)

    monkeypatch.setattr(locks, "lock_file", late)
    with folder_lock(tmp_path):
        monkeypatch.setattr(locks, "lock_file", real)
        with pytest.raises(LockedError), folder_lock(tmp_path):
            pass


def test_a_file_system_without_locks_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("graphpool.locks.lock_file", lambda descriptor: None)
    with folder_lock(tmp_path):
        pass
    assert f"{tmp_path}: its file system has no locks" in caplog.text


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(WriteError, match="file/run: can't be written"),
        folder_lock(tmp_path / "file" / "run"),
    ):
        pass
