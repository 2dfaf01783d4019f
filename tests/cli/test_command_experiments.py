"""`graphpool experiments` lists, checks and runs the experiments of a project."""

import json
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[2]
TOY = """
title = "Toy"
task = "matching"
seeds = [0]

[[data]]
name = "paper-8"
kind = "paper"
nodes = [8]
train = 20
valid = 10
test = 10

[methods.size]
title = "numbers of nodes"
rule = "size"

[[blocks]]
page = "README.md"
name = "toy"
"""


def make_project(folder: Path) -> None:
    (folder / "experiments").mkdir()
    (folder / "experiments" / "toy.toml").write_text(TOY, encoding="utf-8")
    (folder / "README.md").write_text("<!-- toy -->\n<!-- end -->\n", encoding="utf-8")


def test_a_project_is_run_and_its_page_filled(cli: Any, tmp_path: Path) -> None:
    make_project(tmp_path)
    project = ("--project", tmp_path)
    assert "1 experiment, 1 unit" in cli("experiments", "validate", *project).out
    stale = cli("experiments", "pages", "--check", *project)
    assert stale.code == 1
    assert "README.md: differ from the results" in stale.out
    assert cli("experiments", "run", "toy", "--smoke", "--jobs", "1", *project).code == 0
    assert not (tmp_path / "results").exists()
    done = cli("experiments", "run", "toy", "--jobs", "1", "--json", *project)
    assert json.loads(done.out)["experiments"]["toy"] == {
        "finished": 1, "failed": {}, "missing": 0
    }  # fmt: skip
    (found,) = json.loads(cli("experiments", "status", "--json", *project).out)["experiments"]
    assert (found["finished"], found["missing"]) == (1, 0)
    assert "written" in cli("experiments", "pages", *project).out
    assert "| numbers of nodes | 100.0 |" in (tmp_path / "README.md").read_text(encoding="utf-8")
    assert cli("experiments", "pages", "--check", *project).code == 0


def test_experiments_are_listed_with_what_they_fill(cli: Any) -> None:
    listed = json.loads(cli("experiments", "list", "--json", "--project", PROJECT).out)
    rows = {row["name"]: row for row in listed["experiments"]}
    assert "README.md: results: cross-validation" in rows["cv10"]["blocks"]
    assert "hap-content" in rows["cv10"]["methods"]


def test_what_is_wrong_is_one_line(cli: Any, tmp_path: Path) -> None:
    make_project(tmp_path)
    done = cli("experiments", "run", "tooy", "--project", tmp_path)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "did you mean 'toy'" in done.err
    nowhere = cli("experiments", "list", "--project", tmp_path / "nowhere")
    assert nowhere.code == 2
    assert "no such folder" in nowhere.err


def test_a_page_is_written_as_html(cli: Any, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reproduction.md"
    page.parent.mkdir()
    page.write_text("# T\n\n| a | b |\n|---|---|\n| x | 85.3 *(95.0)* |\n", encoding="utf-8")
    done = cli("experiments", "html")
    assert (done.code, done.out) == (0, "Page: reproduction.html\n")
    assert "-9.7" in (tmp_path / "reproduction.html").read_text(encoding="utf-8")
    assert "give --overwrite" in cli("experiments", "html").err
    out = ("--out", tmp_path / "b.html", "--json")
    again = cli("experiments", "html", "docs/reproduction.md", "--project", tmp_path, *out)
    assert json.loads(again.out) == {"path": str(tmp_path / "b.html")}


def test_a_page_that_cannot_be_written_as_html_is_one_line(cli: Any, tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("![x](no.png)\n", encoding="utf-8")
    for arguments, words in (
        (("pgae.md",), "did you mean 'page.md'"),
        (("page.md",), "can't be read"),
        (("page.md", "--out", "nowhere/page.html"), "there is no folder nowhere"),
    ):
        done = cli("experiments", "html", *arguments)
        assert (done.code, done.err.count("\n")) == (2, 1)
        assert words in done.err
