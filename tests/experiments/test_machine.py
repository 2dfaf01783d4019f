"""Results know which code has made them."""

import shutil
from pathlib import Path

import pytest

import graphpool
from graphpool.experiments.machine import code_digest


@pytest.mark.parametrize(
    ("name", "decides"),
    [
        ("evaluation/comparing.py", True),
        ("evaluation/comparison_data.py", True),
        ("evaluation/comparison_unit.py", True),
        ("evaluation/ranking.py", True),
        ("evaluation/classical.py", True),
        ("evaluation/run.py", True),
        ("ged/beam.py", True),
        ("nn/pairs/base.py", True),
        ("evaluation/comparisons.py", False),
        ("evaluation/tables.py", False),
        ("cli/evaluate_task.py", False),
    ],
)
def test_code_that_decides_results_is_in_their_digest(
    name: str, decides: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "graphpool"
    source = Path(graphpool.__file__).parent
    shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(graphpool, "__file__", str(copy / "__init__.py"))
    digest = code_digest.__wrapped__
    before = digest()
    assert (copy / name).is_file()
    with (copy / name).open("a", encoding="utf-8") as handle:
        handle.write("# changed\n")
    assert (digest() != before) is decides
