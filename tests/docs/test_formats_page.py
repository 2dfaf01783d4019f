"""Every example of docs/formats.md does what the page says."""

import json
import re
from functools import partial
from pathlib import Path

import pytest
from pages import fenced

import graphpool as gp
from graphpool.data import read_jsonl, read_tu
from graphpool.data.formats.edge_csv import COLUMNS
from graphpool.data.formats.jsonl import KEYS

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
blocks = partial(fenced, PAGE)


def test_the_page_has_examples_of_every_kind() -> None:
    assert [len(blocks(kind)) for kind in ("json", "text", "csv", "python")] == [
        2, 1, 1, 10
    ]  # fmt: skip


def test_the_page_names_every_key() -> None:
    assert all(f"| `{key}` |" in PAGE for key in KEYS)


@pytest.mark.parametrize("text", blocks("json"))
def test_lines_of_json_are_read(text: str, tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(text, encoding="utf-8")
    graphs = read_jsonl(path)
    rows = [json.loads(line) for line in text.splitlines()]
    assert graphs.y is not None
    assert [graphs.classes[code] for code in graphs.y] == [row["y"] for row in rows]


def test_the_edge_list_is_read_and_its_columns_are_named(tmp_path: Path) -> None:
    (tmp_path / "mine.csv").write_text(blocks("csv")[0])
    graphs = gp.load(tmp_path / "mine.csv")
    assert (graphs.ids, graphs.node_counts.tolist()) == (("ethanol", "formaldehyde"), [3, 2])
    assert all(f"`{column}`" in PAGE for column in COLUMNS)


def test_the_tu_files_are_read(tmp_path: Path) -> None:
    for name, text in re.findall(r"# (\S+)\n([^#]*)", blocks("text")[0]):
        (tmp_path / name).write_text(text)
    graphs = read_tu(tmp_path)
    assert (graphs.name, graphs.node_counts.tolist(), graphs.classes) == ("PAIR", [3, 2], (0, 1))


@pytest.mark.parametrize("code", blocks("python"))
def test_python_runs(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.jsonl").write_text(blocks("json")[0], encoding="utf-8")
    exec(compile(code, "formats.md", "exec"), {})
