"""Cached code of changed sources is compiled again, whatever it was compiled for."""

import io
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from graphpool import numba_cache
from graphpool.compile_notice import CompileNotice
from graphpool.numba_cache import compiler, interpreted, is_ready

MODULE = """
from pathlib import Path
from typing import NamedTuple

from graphpool.numba_cache import compiler


class NAME(NamedTuple):
    value: int


@compiler(Path(__file__).parent)
def doubled(item):
    return FACTOR * item.value


print(doubled(NAME(21)))
"""


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compiled yet, however often these tests have run."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "compiled"))


def result_of(folder: Path, name: str, factor: int) -> int:
    source = MODULE.replace("NAME", name).replace("FACTOR", str(factor))
    (folder / "loops.py").write_text(source, encoding="utf-8")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", "import loops"],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


def test_a_type_that_was_renamed_does_not_break_the_cache(tmp_path: Path) -> None:
    assert result_of(tmp_path, "Old", 2) == 42
    assert result_of(tmp_path, "New", 2) == 42


def test_a_changed_constant_is_noticed(tmp_path: Path) -> None:
    assert result_of(tmp_path, "Same", 2) == 42
    assert result_of(tmp_path, "Same", 3) == 63


UNWRITABLE = """
import logging, os, stat, sys, tempfile
from pathlib import Path
import numba.core.caching as caching

logging.basicConfig()
caching.CacheImpl._locator_classes = caching.CacheImpl._locator_classes[:1]  # NUMBA_CACHE_DIR
tempfile.tempdir = sys.argv[1]
from graphpool.numba_cache import cache_folder, compiler


def doubled(value):
    return 2 * value


doubled.__module__ = "graphpool.loops"  # only loops of graphpool are announced
doubled = compiler(Path(__file__).parent)(doubled)
print(doubled(21), cache_folder(doubled))
"""


def run_unwritable(folder: Path, temporary: Path) -> tuple[str, str]:
    """Run where neither the package nor the home can be written."""
    (folder / "loops.py").write_text(UNWRITABLE, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key != "NUMBA_CACHE_DIR"}
    done = subprocess.run(
        [sys.executable, "loops.py", str(temporary)],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_cache_falls_back_to_a_private_folder(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    out, _ = run_unwritable(tmp_path, temporary)
    (private,) = temporary.iterdir()
    assert out.startswith(f"42 {private}")
    assert private.stat().st_mode & 0o777 == 0o700


def test_a_fallback_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    planted = temporary / f"graphpool-compiled-{os.getuid()}"
    planted.mkdir(parents=True)
    planted.chmod(0o777)
    out, _ = run_unwritable(tmp_path, temporary)
    assert out.startswith(f"42 {temporary}")
    assert not list(planted.iterdir())


def test_without_any_folder_code_is_compiled_in_memory_and_the_cost_is_said(tmp_path: Path) -> None:
    out, err = run_unwritable(tmp_path, tmp_path / "missing")
    assert out == "42 None\n"
    assert err.count("NUMBA_CACHE_DIR") == 1


def test_a_full_disk_costs_the_cache_and_no_answer(tmp_path: Path, monkeypatch) -> None:
    def fail(*arguments: object) -> None:
        raise OSError(28, "No space left on device")

    function = compiler(tmp_path)(_inner)
    monkeypatch.setattr(function._cache._cache_file, "save", fail)
    warned: list[str] = []
    monkeypatch.setattr(numba_cache, "warn_once", warned.append)
    assert function(2.5) == 3.5
    assert len(warned) == 1
    assert "No space left" in warned[0]


def test_an_interpreted_function_calls_interpreted_ones(tmp_path: Path) -> None:
    inner = compiler(tmp_path)(_inner)
    globals()["_inner_compiled"] = inner
    outer = compiler(tmp_path)(_outer)
    assert not is_ready(outer)
    assert interpreted(outer)(20) == 42
    assert not inner.overloads
    assert not outer.overloads


def test_a_function_without_code_for_calls_from_python_refuses_them(tmp_path: Path) -> None:
    inner = compiler(tmp_path, no_cpython_wrapper=True)(_inner)
    globals()["_inner_compiled"] = inner
    for _ in range(2):
        with pytest.raises(TypeError, match="_inner can only be called by compiled functions"):
            inner(20)
        assert compiler(tmp_path)(_outer)(20) == 42
    assert inner.overloads


def _inner(value):
    return value + 1


def _outer(value):
    return 2 * _inner_compiled(value)  # noqa: F821


def test_a_compilation_is_announced_on_a_terminal_and_logged(caplog, monkeypatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    notice = CompileNotice()

    class Dispatcher:
        _cache = SimpleNamespace(cache_path="somewhere")
        py_func = SimpleNamespace(__module__="graphpool.ged.exact.search", __name__="run")

    started = SimpleNamespace(data={"dispatcher": Dispatcher})
    with caplog.at_level("INFO"):
        notice.on_start(started)
        notice.on_start(started)
        notice.on_end(started)
        notice.on_end(started)
    assert "compiling graphpool.ged.exact.search, about" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r")
    assert "compiled 2 functions" in caplog.text
