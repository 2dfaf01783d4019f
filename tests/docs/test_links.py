"""Links, files and names that the pages mention exist."""

import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
# The changelog names files of earlier versions: its links are checked, what it names is not.
HISTORY = ROOT / "CHANGELOG.md"
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "results/README.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
FOLDERS = "tests|src|docs|benchmarks|experiments|results"


def prose(page: Path) -> str:
    """The text of a page without its examples."""
    return re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)


def code(page: Path) -> list[str]:
    """Everything between single backticks."""
    return re.findall(r"(?<!`)`([^`\n]+)`(?!`)", prose(page))


@cache
def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in headings}


def has_name(dotted: str) -> bool:
    """Whether `graphpool.a.b` can be imported, or is an attribute of what can be."""
    first, *rest = dotted.split(".")
    value, path = importlib.import_module(first), first
    for part in rest:
        path = f"{path}.{part}"
        if not hasattr(value, part):
            try:
                importlib.import_module(path)
            except ImportError:
                return False
        value = getattr(value, part)
    return True


def names(page: Path) -> set[str]:
    """Dotted names of the package, such as `gp.nn.pooler`, spelt out."""
    found = (re.match(r"(?:graphpool|gp)(\.[A-Za-z_]\w*)+", text) for text in code(page))
    return {re.sub(r"^gp\.", "graphpool.", match[0]) for match in found if match}


def by_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", [*PAGES, HISTORY], ids=by_name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_files_that_are_named_exist(page: Path) -> None:
    for word in (word for text in code(page) for word in text.split()):
        if re.fullmatch(rf"(?:{FOLDERS})/[\w./*-]+", word) and "NAME" not in word:
            assert any(ROOT.glob(word)), word


@pytest.mark.parametrize("page", PAGES, ids=by_name)
def test_names_of_the_package_can_be_imported(page: Path) -> None:
    assert [name for name in sorted(names(page)) if not has_name(name)] == []


def test_a_wrong_name_and_a_wrong_heading_are_noticed() -> None:
    assert has_name("graphpool.nn.zoo.build.count_parameters")
    assert not has_name("graphpool.nn.no_such_name")
    assert "which-one" in anchors(ROOT / "docs" / "poolers.md")
    assert any(names(page) for page in PAGES)
