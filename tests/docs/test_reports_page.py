"""The examples of docs/reports.md run as they stand, and its limits are those of the code."""

import re
from pathlib import Path

from graphpool.report.draw.comparison_pictures import MOST_EDGES, MOST_NODES
from graphpool.report.draw.molecule import MOST_ATOMS
from graphpool.report.sections.examples import MOST_BYTES
from graphpool.tasks.pages.examples import MOST_GRAPHS

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "reports.md").read_text(encoding="utf-8")


def test_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for code in re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL):
        exec(compile(code, "reports.md", "exec"), names)
    assert "MUTAG" in (tmp_path / "set.html").read_text(encoding="utf-8")
    assert str(names["svg"]).startswith("<svg")


def test_limits_are_those_of_the_code():
    words = " ".join(TEXT.split())
    assert f"more than {MOST_ATOMS} atoms" in words
    assert f"more than {MOST_NODES} nodes or {MOST_EDGES:,} edges" in words
    assert f"take {MOST_BYTES / 1e6:g} MB" in words
    assert f"up to {MOST_GRAPHS} test graphs" in words
