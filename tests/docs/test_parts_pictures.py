"""The pictures of docs/hap.md are those that the commands beside them make."""

import re
import shlex
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from pages import fenced

from graphpool.cli.main import run

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "hap.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^graphpool (data parts .*)$", TEXT, flags=re.MULTILINE)


def drawn(path: Path) -> list[str]:
    """What a picture says, and its elements."""
    elements = list(ElementTree.parse(path).iter())
    words = [each.text or "" for each in elements if each.get("text-anchor") == "middle"]
    return [*words, str(sum(each.tag.endswith(("circle", "line")) for each in elements))]


def test_there_is_a_picture_of_each_kind_of_graphs() -> None:
    sets = [shlex.split(command)[2] for command in COMMANDS]
    assert sets == ["ZINC-12k", "Peptides-func", "LINUX", "IMDB-BINARY"]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: shlex.split(command)[2])
def test_a_picture_is_small_and_shows_what_its_command_names(command: str) -> None:
    *_, option, target = words = shlex.split(command)
    picture = DOCS.parent / target
    assert option == "--draw"
    assert f"({picture.name})" in TEXT
    assert picture.stat().st_size < 150_000
    title, *below = drawn(picture)
    assert title.startswith(f"{words[2]}, units {words[words.index('--units') + 1]}: ")
    graphs = [value for name, value in pairwise(words) if name == "--graph"]
    assert [each.split()[1].removesuffix(":") for each in below[:-1:2]] == graphs


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: shlex.split(command)[2])
def test_the_command_makes_the_picture(command: str, data_root: Path, tmp_path: Path) -> None:
    pytest.importorskip("rdkit")
    *arguments, target = shlex.split(command)
    with pytest.raises(SystemExit) as stop:
        run([*arguments, str(tmp_path / "made.svg"), "--data-root", str(data_root)])
    assert stop.value.code == 0
    # Positions may differ in the last digit by the versions of libraries.
    assert drawn(tmp_path / "made.svg") == drawn(DOCS.parent / target)


def test_the_example_in_python_draws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (code,) = (each for each in fenced(TEXT, "python") if "draw_parts" in each)
    exec(compile(code, "hap.md", "exec"), {})
    assert "MUTAG, units auto" in (tmp_path / "parts.svg").read_text(encoding="utf-8")
