"""Results know which code has made them, wherever that code lies."""

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

import graphpool
from graphpool.experiments import machine

parsed: dict[bytes, list[str]] = {}


def statements(
    path: Path, parse: Callable[[Path], Iterable[str]] = machine._statements
) -> list[str]:
    """The statements of a module; of one that is unchanged, those found before."""
    content = path.read_bytes()
    if content not in parsed:
        parsed[content] = list(parse(path))
    return parsed[content]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the package, whose digest is taken."""
    made = tmp_path / "graphpool"
    source = Path(graphpool.__file__).parent
    shutil.copytree(source, made, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(graphpool, "__file__", str(made / "__init__.py"))
    monkeypatch.setattr(machine, "_statements", statements)
    return made


digest: Callable[[], str] = machine.code_digest.__wrapped__


@pytest.mark.parametrize(
    ("name", "decides"),
    [
        ("experiments/examples.py", True),
        ("experiments/example_files.py", True),
        ("experiments/run_unit.py", True),
        ("evaluation/ranking.py", True),
        ("evaluation/baselines/distances.py", True),
        ("evaluation/baselines/kernel.py", True),
        ("evaluation/protocols.py", True),
        ("nn/pairs/base.py", True),
        ("experiments/engine.py", False),
        ("experiments/tables.py", False),
        ("cli/evaluate.py", False),
    ],
)
def test_code_that_decides_results_is_in_their_digest(name: str, decides: bool, copy: Path) -> None:
    before = digest()
    assert (copy / name).is_file()
    with (copy / name).open("a", encoding="utf-8") as handle:
        handle.write("changed = True\n")
    assert (digest() != before) is decides


def test_moving_and_documenting_code_does_not_change_the_digest(copy: Path) -> None:
    before = digest()
    moved = copy / "evaluation" / "ranking.py"
    moved.rename(copy / "models" / "order_of_graphs.py")
    documented = copy / "evaluation" / "protocols.py"
    text = documented.read_text(encoding="utf-8")
    assert '"""Return the protocol that a text names; ' in text
    changed = text.replace('"""Return the protocol that a text names; ', '"""Find it: ')
    documented.write_text(f"import os\n{changed}", encoding="utf-8")
    assert digest() == before


def test_the_digest_is_that_of_all_statements(copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As it is taken without the shortcut of these tests."""
    short = digest()
    monkeypatch.undo()
    assert digest() == short


@pytest.mark.parametrize(
    ("program", "typed"),
    [("/opt/bin/graphpool", "graphpool"), ("/src/graphpool/__main__.py", "python -m graphpool")],
)
def test_a_command_is_shown_as_one_would_type_it(
    monkeypatch: pytest.MonkeyPatch, program: str, typed: str
) -> None:
    monkeypatch.setattr("sys.argv", [program, "evaluate", "my set.csv"])
    assert machine.command_line() == f"{typed} evaluate 'my set.csv'"
