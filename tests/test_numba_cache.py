"""Cached code of changed sources is compiled again, whatever it was compiled for."""

import os
import subprocess
import sys
from pathlib import Path

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
