"""Layers import only along the data flow, and nothing reads pickles."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "src" / "graphpool"

ROOMS = [
    {"errors", "files", "config", "typing", "progress", "numba_cache", "imports"},
    {"graphs"},
    {"features", "ged"},
    {"data"},
    {"nn"},
    {"tasks"},
    {"training"},
    {"evaluation"},
    {"report"},
    {"models", "experiments", "estimators"},
    {"cli"},
]
RANK = {room: rank for rank, rooms in enumerate(ROOMS) for room in rooms}
UNSAFE = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and full name of every import, those inside functions included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: relative imports hide the direction"
            base = node.module or ""
            # `from graphpool import nn` names a room too.
            names = [f"{base}.{alias.name}" for alias in node.names]
            yield from ((node.lineno, name) for name in (names if base == "graphpool" else [base]))


def room(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "graphpool" and len(parts) > 1 else None


def test_every_room_has_its_place() -> None:
    found = {room(name_of(path)) for path in MODULES} - {"__init__", "__main__", None}
    assert found <= set(RANK), f"add to ROOMS: {sorted(map(str, found - set(RANK)))}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_follow_the_data_flow(path: Path) -> None:
    own = room(name_of(path))
    if own in (None, "__init__", "__main__"):
        return
    assert own is not None
    wrong = [
        f"line {line}: {name}"
        for line, name in imported(ast.parse(path.read_text(encoding="utf-8")))
        if (other := room(name)) in RANK and RANK[str(other)] > RANK[own]
    ]
    assert not wrong, f"{name_of(path)} imports from further down: {wrong}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_nothing_reads_pickles(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for line, name in imported(tree):
        assert name.split(".")[0] not in UNSAFE, f"line {line} imports {name}"
        assert name != "torch.load", f"line {line}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert ast.unparse(node.func) != "torch.load", f"line {node.lineno} calls torch.load"
            unsafe = [k for k in node.keywords if k.arg == "allow_pickle"]
            assert all(ast.unparse(k.value) == "False" for k in unsafe), f"line {node.lineno}"
