"""The examples of docs/pyg.md run, one after the other, and the networks learn."""

import re
from pathlib import Path

import pytest

import graphpool as gp

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "pyg.md").read_text(encoding="utf-8")


def test_python_runs_and_the_networks_learn(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch_geometric")
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
    exec(compile(code, "pyg.md", "exec"), {"__name__": "pyg_page"})
    out = capsys.readouterr().out
    accuracy = dict(re.findall(r"^(\w+) (\d\.\d+)$", out, flags=re.MULTILINE))
    assert list(accuracy) == ["hap", "diffpool", "sagpool"]
    # The larger class is 0.66 of the graphs.
    assert all(float(value) > 0.6 for value in accuracy.values()), accuracy
    assert "torch.Size([32, 2])" in out


def test_the_page_shows_poolers_of_every_family() -> None:
    families = {row["name"]: row["family"] for row in gp.list_poolers()}
    named = {name for name in families if f'"{name}"' in PAGE}
    assert {families[name] for name in named} == {"group", "top-k", "flat"}
    assert "hap" in named
    assert len(named) >= 4
