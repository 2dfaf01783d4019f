"""Where a result was measured, and by what: machine, versions, the code itself."""

import ast
import functools
import hashlib
import os
import platform
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import torch

import graphpool
from graphpool.training.checkpoint import versions

# Code that decides what a result is; how units are scheduled or printed does not.
_PACKAGES = (
    "graphs", "data", "features", "ged", "nn", "tasks", "training", "evaluation", "models",
)  # fmt: skip
_DECISIVE = (*(f"{name}/**/*.py" for name in _PACKAGES), "experiments/run_*.py",
             "experiments/example*.py")  # fmt: skip


def machine(device: str = "cpu") -> dict[str, str | int]:
    """Processor, cores and, if it is used, the accelerator."""
    found: dict[str, str | int] = {
        "system": f"{platform.system()} {platform.machine()}",
        "processor": _processor(),
        "cores": usable_cores(),
    }
    if torch.device(device).type == "cuda" and torch.cuda.is_available():
        found["accelerator"] = torch.cuda.get_device_name(device)
    return found


def usable_cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def provenance() -> dict[str, str]:
    """Versions, and a short hash of the code that makes results."""
    return {**versions(), "code": code_digest()}


def command_line() -> str:
    """The command that is running, as one would type it."""
    name = Path(sys.argv[0]).name
    program = ["python", "-m", "graphpool"] if name == "__main__.py" else [name]
    return shlex.join([*program, *sys.argv[1:]])


@functools.cache
def code_digest() -> str:
    """Return a hash of the code that decides results.

    It is made from the syntax tree of every top-level statement, without docstrings, comments,
    imports and the names of files: to move or to document code does not change it, to change
    what it does does.
    """
    root = Path(graphpool.__file__).parent
    paths = {path for pattern in _DECISIVE for path in root.glob(pattern)}
    parts = sorted(part for path in paths for part in _statements(path))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def _statements(path: Path) -> Iterator[str]:
    """A hash of each top-level statement of a module."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        if isinstance(body, list):
            node.body = [each for each in body if not _is_silent(each)]  # type: ignore[attr-defined]
    for statement in tree.body:
        yield hashlib.sha256(ast.dump(statement).encode()).hexdigest()


def _is_silent(node: ast.AST) -> bool:
    """Whether a statement is a docstring or an import."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, ast.Import | ast.ImportFrom)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or "unknown"
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")
